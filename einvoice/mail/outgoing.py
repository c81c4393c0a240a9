"""The installation's way out: its mail servers, its address, its signature."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from einvoice.config import Settings, SettingsFault
from einvoice.mail.addresses import InvalidAddress, Mailbox, return_path
from einvoice.mail.messages import Message
from einvoice.mail.outcomes import Outcome
from einvoice.mail.signing import InvalidKey, Signer
from einvoice.mail.smarthosts import InvalidSmarthost, Smarthost, smarthosts
from einvoice.mail.submission import Deadlines, submit


@dataclass(frozen=True)
class Outgoing:
    """Sends messages.

    sender    the operator's address, from which messages are sent
    bounces   the address to which notices return, with an extension: bounces+…@example.com
    signer    of the domain of `sender`; None: messages are signed by the relay or by nobody
    """

    servers: tuple[Smarthost, ...]
    sender: Mailbox
    bounces: str
    signer: Signer | None = None
    ca_file: str = ""
    deadlines: Deadlines = field(default_factory=Deadlines)

    @cached_property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca_file or None)

    def send(
        self, message: Message, *, return_to: str | None = None, signer: Signer | None = None
    ) -> Outcome:
        """Write, sign and submit the message.

        return_to  the token of its return path; None: nobody is notified of a failure
        signer     of another domain than the operator's, whose key is elsewhere
        """
        return self.submit(self.written(message, signer=signer), message.to.address, return_to)

    def written(self, message: Message, *, signer: Signer | None = None) -> bytes:
        """The message in the form that is submitted, signed if its domain has a signer."""
        signer = signer or self.signer
        content = message.written()
        if signer is None or not _is_of(message.sender.domain, signer.domain):
            return content
        return signer.signed(content)

    def submit(self, content: bytes, recipient: str, return_to: str | None) -> Outcome:
        """Submit a written message."""
        return submit(
            content,
            return_path(self.bounces, return_to) if return_to else "",
            recipient,
            self.servers,
            envelope_id=return_to,
            trust=self.trust,
            deadlines=self.deadlines,
        )


def configured(settings: Settings, **options: Any) -> Outgoing | None:
    """The way out of the settings EINVOICE_MAIL_…; None without mail servers.

    Raises SettingsFault, which shows no password and no key.
    """
    if not settings.mail_smarthosts.strip():
        return None
    try:
        servers = smarthosts(settings.mail_smarthosts)
    except InvalidSmarthost as fault:
        raise SettingsFault(f"EINVOICE_MAIL_SMARTHOSTS: {fault}") from None
    sender = _address("EINVOICE_MAIL_FROM", settings.mail_from)
    bounces = sender.address
    if settings.mail_bounces:
        bounces = _address("EINVOICE_MAIL_BOUNCES", settings.mail_bounces).address
    signer = _signer(settings, sender.domain)
    found = Outgoing(servers, sender, bounces, signer, settings.mail_ca_file, **options)
    if settings.mail_ca_file:
        _check_authorities(found)
    return found


def _check_authorities(found: Outgoing) -> None:
    try:
        _ = found.trust
    except OSError as fault:  # of TLS too
        reason = fault.strerror or "it has no certificates"
        raise SettingsFault(f"EINVOICE_MAIL_CA_FILE cannot be read: {reason}") from None


def _address(variable: str, text: str) -> Mailbox:
    try:
        return Mailbox.parse(text)
    except InvalidAddress as fault:
        raise SettingsFault(f"{variable}: {fault}") from None


def _signer(settings: Settings, domain: str) -> Signer | None:
    if not settings.mail_dkim_key:
        return None
    if not settings.mail_dkim_selector:
        raise SettingsFault("EINVOICE_MAIL_DKIM_KEY needs EINVOICE_MAIL_DKIM_SELECTOR")
    signer = Signer(domain, settings.mail_dkim_selector, settings.mail_dkim_key.encode())
    try:
        signer.check()
    except InvalidKey:
        raise SettingsFault(
            "EINVOICE_MAIL_DKIM_KEY is not a private RSA key in the form PEM"
        ) from None
    return signer


def _is_of(domain: str, signing: str) -> bool:
    return domain == signing or domain.endswith(f".{signing}")
