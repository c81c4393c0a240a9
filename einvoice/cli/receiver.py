"""A webhook receiver that verifies requests and prints them, for the demo and manual tests.

`WEBHOOK_SECRET=whk_… WEBHOOK_SIGNING_SECRET=whsec_… python -m einvoice.cli.receiver --port 9001`
prints one line for each request and answers 200, or 401 if the verification fails.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click

from einvoice import clock
from einvoice.webhooks import signing
from einvoice.webhooks.payloads import MAX_BYTES


class Receiver(ThreadingHTTPServer):
    """An HTTP server with the secrets of one endpoint."""

    daemon_threads = True

    def __init__(self, host: str, port: int, secret: str, signing_secrets: tuple[str, ...]) -> None:
        super().__init__((host, port), _Handler)
        self.secret = secret
        self.signing_secrets = signing_secrets


class _Handler(BaseHTTPRequestHandler):
    server: Receiver
    timeout = 10

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BYTES:
            self._answer(413)
            return
        body = self.rfile.read(int(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            signing.verify(
                body,
                headers,
                secret=self.server.secret,
                signing_secrets=self.server.signing_secrets,
                now=clock.now(),
            )
        except signing.NotAuthentic as fault:
            click.echo(f"refused: {fault}")
            self._answer(401)
            return
        click.echo(_line(body, headers))
        self._answer(200)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing: every event is printed."""


def _line(body: bytes, headers: dict[str, str]) -> str:
    event = json.loads(body)
    message = [
        "verified:",
        event["eventType"],
        *(f"{name}={event[name]}" for name in _SHOWN if event.get(name) is not None),
        f"eventId={event['eventId']}",
        f"attempt={headers.get('webhook-attempt', '?')}",
    ]
    return " ".join(message)


_SHOWN = ("transactionId", "invoiceId", "status", "reasonCode", "reason")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=9000, show_default=True)
@click.option("--secret", envvar="WEBHOOK_SECRET", required=True, help="Default: WEBHOOK_SECRET.")
@click.option(
    "--signing-secret",
    "signing_secrets",
    envvar="WEBHOOK_SIGNING_SECRET",
    multiple=True,
    required=True,
    help="Default: WEBHOOK_SIGNING_SECRET; may be repeated during a rotation.",
)
def main(host: str, port: int, secret: str, signing_secrets: tuple[str, ...]) -> None:
    """Receive webhooks, verify them and print one line for each."""
    try:
        receiver = Receiver(host, port, secret, signing_secrets)
    except OSError as fault:
        raise click.ClickException(f"{host}:{port}: {fault.strerror}; give --port") from fault
    with receiver as server:
        click.echo(f"listening on http://{host}:{server.server_address[1]}")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")


if __name__ == "__main__":
    main()
