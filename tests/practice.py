"""The whole service as an access point of a Peppol practice network, which it publishes in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from einvoice.app import create_app
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.store.installation import schema_revisions
from tests.ports import free_port


def einvoice(stack: Stack, *words: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "einvoice.cli", *words],
        env=stack.environ, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def practising(folder: Path, environ: Mapping[str, str]) -> Iterator[Stack]:
    """The service, registered as an access point with an SMP of its own; its data is in `folder`.

    environ  its variables beyond the settings of the network
    """
    from einvoice_peppol.practice import network

    app = create_app(Settings(data_dir=str(folder)), plugins=[])
    with app.app_context():
        schema_revisions.upgrade()
    listen = f"127.0.0.1:{free_port()}"
    point = network.AccessPoint("POP000001", f"http://{listen}")
    (folder / "network").mkdir(mode=0o700)
    with network.running(folder / "network", [point], {}, publishing=True) as made:
        stack = Stack(folder, listen, {**made.settings["POP000001"], **environ})
        einvoice(stack, "peppol", "smp", "register")
        with stack:
            yield stack
