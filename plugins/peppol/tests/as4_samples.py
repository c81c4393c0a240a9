"""Messages between c2 and c3 of the throw-away PKI, and ways to change them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cryptography import x509

from einvoice import clock
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE
from einvoice.network import samples
from einvoice_peppol import sbdh
from einvoice_peppol.as4 import incoming, mime, outgoing, signals
from einvoice_peppol.as4.errors import FAILED_AUTHENTICATION, Refused
from einvoice_peppol.as4.user_message import UserMessage
from einvoice_peppol.identity import Identity

MIB = 1024 * 1024
MESSAGE = UserMessage(
    message_id="m-1@test",
    timestamp="2026-11-22T12:00:00.000Z",
    from_seat="POP000001",
    to_seat="POP000002",
    process=BIS_BILLING_PROCESS,
    document_type=BIS_INVOICE,
    conversation_id="c-1@test",
    sender=samples.SENDER,
    receiver=samples.RECEIVER,
    content_id="p-1@test",
)
INFO = signals.Info("s-1@test", "2026-11-22T12:00:01.000Z", MESSAGE.message_id)
PAYLOAD = b"<a>" + b"payload " * 1000 + b"</a>"


def header(**changes: Any) -> sbdh.Header:
    """The header of a sample envelope's document."""
    sample = samples.envelope()
    values = sbdh.Header(
        sample.sender,
        sample.receiver,
        sample.document_type,
        sample.process,
        sample.instance_id,
        clock.now(),
        "BE",
    )
    return replace(values, **changes)


def sent(c2: Identity, c3: Identity, payload: bytes = PAYLOAD, **changes: Any) -> outgoing.Outgoing:
    """A message from c2 to c3. `changes` are fields of UserMessage."""
    message = replace(MESSAGE, **({"from_seat": c2.seat, "to_seat": c3.seat} | changes))
    content = outgoing.compressed(payload)
    return outgoing.signed_and_encrypted(message, content, c2, c3.certificate)


def opened(
    content: mime.Multipart, own: Identity, check: Any = None, max_bytes: int = MIB
) -> incoming.Opened:
    received = incoming.received(content.content_type, content.body)
    return incoming.opened(received, [own], check or anyone, max_bytes=max_bytes)


def anyone(certificate: x509.Certificate) -> None:
    """A check of the signer that takes every certificate."""


def only(expected: Identity) -> Any:
    """A check of the signer that takes one certificate."""

    def check(certificate: x509.Certificate) -> None:
        if certificate != expected.certificate:
            raise Refused(FAILED_AUTHENTICATION, "another signer")

    return check


def changed(content: mime.Multipart, old: str, new: str) -> mime.Multipart:
    """The message with a text of its SOAP part replaced."""
    assert old.encode() in content.body, old
    return replace(content, body=content.body.replace(old.encode(), new.encode()))
