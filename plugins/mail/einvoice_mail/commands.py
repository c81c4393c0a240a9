"""`einvoice mail …`: receiving, and what to put into DNS."""

from __future__ import annotations

import logging
import signal
import threading

import click

from einvoice_mail.imap import ImapPoller
from einvoice_mail.operation import Operation, Pulse
from einvoice_mail.receiver import LmtpService, Office


def commands(office: Office, operation: Operation, poller: ImapPoller | None = None) -> click.Group:
    """The commands of the plugin.

    operation  notes that mails are taken
    poller     of the mailbox that is read beside LMTP
    """

    @click.group("mail", help="Receive bills and notices by mail.")
    def mail() -> None:
        pass

    @mail.command("receive", help="Take mails from the mail server by LMTP, until it is stopped.")
    @click.option("--listen", default="127.0.0.1:2424", show_default=True, help="Address and port.")
    @click.option("--smtp", is_flag=True, help="Speak SMTP, without a mail server in between.")
    def receive(listen: str, smtp: bool) -> None:
        host, _, port = listen.rpartition(":")
        if not port.isdigit():
            raise click.UsageError("--listen is host:port")
        # The library logs each line of a conversation, with the addresses in it.
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        service = LmtpService(office, host or "127.0.0.1", int(port), smtp=smtp)
        service.start()
        pulse = Pulse(operation, f"{host or '127.0.0.1'}:{service.port}", service.taken_at)
        pulse.start()
        click.echo(f"receiving mails at {host}:{service.port}")
        if poller is not None:
            poller.start()
        stopped = threading.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: stopped.set())
        # A signal may reach any thread; Python handles it in this one, when it runs.
        while not stopped.wait(0.5):
            pass
        if poller is not None:
            poller.stop()
        service.stop()
        pulse.stop()

    return mail
