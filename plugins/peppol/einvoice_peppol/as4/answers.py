"""The answer of the other side: errors, a receipt, or no signal at all.

An answer of any HTTP status is parsed before anything is concluded: widespread software reports
errors with status 200, other with 500 and without a signature. An error outranks a receipt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from einvoice_peppol.as4 import soap, verification
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.as4.names import DS, EB, EBBP, q
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.soap import Soap
from einvoice_peppol.as4.verification import CheckSigner

MAX_ERRORS = 20
MAX_WORDS = 500


class InvalidReceipt(Exception):
    """A receipt that does not prove the receipt of our message. The message says why."""


@dataclass(frozen=True, slots=True)
class SignalError:
    """An error as the other side reports it. `code` has the prefix EBMS: or another one."""

    code: str
    severity: str
    words: str
    detail: str

    @property
    def is_failure(self) -> bool:
        """Whether the message is refused; a warning is not a refusal."""
        return self.severity.lower() != "warning"


@dataclass(frozen=True, slots=True)
class Answer:
    """A signal. `in_reply_to`: the message to which it belongs, as it says."""

    soap: Soap
    in_reply_to: str | None
    errors: tuple[SignalError, ...]
    has_receipt: bool


def read(body: bytes) -> Answer | None:
    """The signal in the body of an answer; None if there is none that can be read."""
    try:
        found = soap.parse(body, signals=True)
    except Refused:
        return None
    message = found.message
    errors = tuple(_error(one) for one in message.findall(q(EB, "Error"))[:MAX_ERRORS])
    about = [message.findtext(q(EB, "MessageInfo", "RefToMessageId"))]
    about += [one.get("refToMessageInError") for one in message.findall(q(EB, "Error"))]
    named = [value.strip() for value in about if value and value.strip()]
    has_receipt = message.find(q(EB, "Receipt")) is not None
    return Answer(found, named[0] if named else None, errors, has_receipt)


def verify_receipt(
    answer: Answer, message_id: str, sent: Iterable[Reference], check_signer: CheckSigner
) -> None:
    """Verify that the answer is a receipt of exactly our message. Raises InvalidReceipt.

    sent          the references of the message; each must be repeated with the same digest
    check_signer  raises Refused for any other signer than the receiving access point
    """
    if answer.in_reply_to != message_id:
        raise InvalidReceipt("the receipt belongs to another message")
    try:
        verification.verified(answer.soap, check_signer)
        found = {(one.uri, one.digest) for one in confirmed(answer)}
    except Refused as refusal:
        raise InvalidReceipt(f"the receipt is not valid: {refusal.detail}") from None
    missing = [one.uri for one in sent if (one.uri, one.digest) not in found]
    if missing:
        raise InvalidReceipt(f"the receipt does not confirm the digest of {', '.join(missing)}")


def confirmed(answer: Answer) -> list[Reference]:
    """The references that a receipt repeats. Raises Refused."""
    path = q(EB, "Receipt") + "/" + q(EBBP, "NonRepudiationInformation", "MessagePartNRInformation")
    found = answer.soap.message.findall(f"{path}/{q(DS, 'Reference')}")
    return [verification.reference(one) for one in found[:10]]


def _error(element: etree._Element) -> SignalError:
    code = element.get("errorCode", "").strip()[:50]
    return SignalError(
        code=f"EBMS:{code}" if code.isdigit() else code or "EBMS:0004",
        severity=element.get("severity", "failure"),
        words=_words(element.get("shortDescription")) or _words(element.findtext(_DESCRIPTION)),
        detail=_words(element.findtext(q(EB, "ErrorDetail"))),
    )


def _words(text: str | None) -> str:
    return " ".join((text or "").split())[:MAX_WORDS]


_DESCRIPTION = q(EB, "Description")
