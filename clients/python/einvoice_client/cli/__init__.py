"""The command `einvoice-client`; docs/clients.md#command-line has its options and exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from einvoice_client.cli import commands, listening
from einvoice_client.cli.output import Output, exit_code
from einvoice_client.cli.settings import SettingsError, read
from einvoice_client.client import Client
from einvoice_client.problems import EinvoiceError

USAGE = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    given = _parser().parse_args(arguments)
    output = Output(as_json=given.json)
    try:
        settings = read(given.url, given.config, given.tenant)
        with Client(settings.url, settings.key, tenant=settings.tenant) as client:
            code: int = given.run(client, given, output)
            return code
    except (SettingsError, commands.WrongFile, ValueError) as error:
        output.fault(str(error))
        return USAGE
    except EinvoiceError as error:
        output.error(error)
        return exit_code(error)
    except TimeoutError as error:
        output.fault(str(error))
        return exit_code(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has what it wanted, such as `head`.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="einvoice-client", description="Send invoices, follow them, and read bills."
    )
    parser.add_argument("--url", help="address of the service; default: $EINVOICE")
    parser.add_argument("--config", help="file with url and key (mode 600), as TOML")
    parser.add_argument("--tenant", help="of a platform: the tenant to act for")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    added = parser.add_subparsers(required=True, metavar="COMMAND")
    commands.add_to(added)
    listening.add_to(added)
    return parser
