"""Signals that answer a message: a receipt, or an error. Neither is encrypted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from einvoice_peppol.as4 import signing
from einvoice_peppol.as4.canonical import attribute, text
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.as4.names import EBBP
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.user_message import messaging
from einvoice_peppol.identity import Identity


@dataclass(frozen=True, slots=True)
class Info:
    """The head of a signal; `in_reply_to` is the message that it answers, if it has an id.

    timestamp  as text in UTC with its zone
    """

    message_id: str
    timestamp: str
    in_reply_to: str | None


def receipt(info: Info, references: Iterable[Reference], identity: Identity) -> bytes:
    """A receipt that repeats the references of the message (non-repudiation of receipt)."""
    parts = "".join(
        f"<ebbp:MessagePartNRInformation>{signing.reference(one)}</ebbp:MessagePartNRInformation>"
        for one in references
    )
    return _signed(
        f"<eb:SignalMessage>{_message_info(info)}<eb:Receipt>"
        f'<ebbp:NonRepudiationInformation xmlns:ebbp="{EBBP}">{parts}'
        "</ebbp:NonRepudiationInformation></eb:Receipt></eb:SignalMessage>",
        identity,
    )


def error(info: Info, refusal: Refused, identity: Identity | None) -> bytes:
    """An error signal that says why the message is refused; unsigned without an identity."""
    code = refusal.code
    about = (
        "" if info.in_reply_to is None else f' refToMessageInError="{attribute(info.in_reply_to)}"'
    )
    return _signed(
        f"<eb:SignalMessage>{_message_info(info)}"
        f'<eb:Error category="{code.category}" errorCode="{code.code}" origin="ebms"{about} '
        f'severity="failure" shortDescription="{code.words}">'
        f'<eb:Description xml:lang="en">{code.words}</eb:Description>'
        f"<eb:ErrorDetail>{text(refusal.detail)}</eb:ErrorDetail></eb:Error></eb:SignalMessage>",
        identity,
    )


def _message_info(info: Info) -> str:
    about = (
        ""
        if info.in_reply_to is None
        else f"<eb:RefToMessageId>{text(info.in_reply_to)}</eb:RefToMessageId>"
    )
    return (
        f"<eb:MessageInfo><eb:Timestamp>{text(info.timestamp)}</eb:Timestamp>"
        f"<eb:MessageId>{text(info.message_id)}</eb:MessageId>{about}</eb:MessageInfo>"
    )


def _signed(content: str, identity: Identity | None) -> bytes:
    header = messaging(content)
    if identity is None:
        return signing.envelope(header, "")
    return signing.envelope(header, signing.signature(identity, signing.references(header)))
