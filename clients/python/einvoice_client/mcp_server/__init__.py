"""The command `einvoice-client-mcp`: an MCP server on stdio, of the extra `mcp`.

Address and key are those of the command line. The scopes of the key, as they are at the start,
decide which tools there are; the service itself refuses what the key may not do.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from einvoice_client.cli.output import Output, exit_code
from einvoice_client.cli.settings import SettingsError, read
from einvoice_client.client import Client
from einvoice_client.problems import EinvoiceError

USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the standard input ends; returns the exit code."""
    given = _parser().parse_args(arguments)
    output = Output(as_json=False)
    try:
        from einvoice_client.mcp_server.server import build
    except ModuleNotFoundError as error:
        output.fault(f"{error}: install einvoice-client[mcp]")
        return USAGE
    try:
        settings = read(given.url, given.config, given.tenant)
        with Client(settings.url, settings.key, tenant=settings.tenant) as client:
            build(client, client.request("GET", "/api/credential")).run()
            return 0
    except (SettingsError, ValueError) as error:
        output.fault(str(error))
        return USAGE
    except EinvoiceError as error:
        output.error(error)
        return exit_code(error)
    except KeyboardInterrupt:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="einvoice-client-mcp", description="Serve the tools of an API key over MCP (stdio)."
    )
    parser.add_argument("--url", help="address of the service; default: $EINVOICE")
    parser.add_argument("--config", help="file with url and key (mode 600), as TOML")
    parser.add_argument("--tenant", help="of a platform: the tenant to act for")
    return parser
