"""`einvoice serve`: the web processes."""

from __future__ import annotations

from pathlib import Path

import click
from granian.constants import Interfaces
from granian.server import Server

from einvoice.cli.application import application
from einvoice.cli.exposing import expose
from einvoice.config import Settings
from einvoice.web.pace import COMPUTING


@click.command()
@click.option("--listen", help="host:port or unix:/path; default: EINVOICE_LISTEN.")
def serve(listen: str | None) -> None:
    """Serve the API. SIGTERM lets running requests finish."""
    app = application()
    settings: Settings = app.extensions["settings"]
    expose(app)
    address, port, socket = _where(listen or settings.listen)
    Server(
        "einvoice.app:create_app",
        factory=True,
        interface=Interfaces.WSGI,
        address=address,
        port=port,
        uds=socket,
        workers=settings.web_workers,
        # Requests that wait for outcomes hold a thread each; two compute (web/pace).
        blocking_threads=COMPUTING + settings.max_waiters,
        respawn_failed_workers=True,
        log_access=False,
    ).serve()


def _where(listen: str) -> tuple[str, int, Path | None]:
    if listen.startswith("unix:"):
        return "127.0.0.1", 0, Path(listen.removeprefix("unix:"))
    host, separator, port = listen.rpartition(":")
    if not separator or not port.isdigit():
        raise click.UsageError(f"{listen!r} is not host:port")
    return host, int(port), None
