"""A receipt as a proof, years later: who signed it, when, and the digests that it confirms.

The certificate has usually expired by then, so it is checked by the time of the receipt, and
without revocation, of which no list of that day can be had.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509

from einvoice.domain.environments import Environment
from einvoice_peppol import trust
from einvoice_peppol.as4 import answers, verification
from einvoice_peppol.as4.answers import InvalidReceipt
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.as4.names import EB, q
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.trust import Trust, Untrusted


@dataclass(frozen=True, slots=True)
class Proof:
    """The facts that a receipt proves. `network`: test or live, by the authority of the signer."""

    message_id: str
    at: datetime
    signer: x509.Certificate
    network: Environment
    references: tuple[Reference, ...]


def read(receipt: bytes, trusts: Iterable[Trust]) -> Proof:
    """Verify a receipt: its signature, and its signer by one of the trusts.

    Raises InvalidReceipt.
    """
    answer = answers.read(receipt)
    if answer is None or not answer.has_receipt or answer.in_reply_to is None:
        raise InvalidReceipt("it is not a receipt of an AS4 message")
    try:
        signer = verification.verified(answer.soap, lambda _: None).signer
        references = tuple(answers.confirmed(answer))
    except Refused as refusal:
        raise InvalidReceipt(f"the receipt is not valid: {refusal.detail}") from None
    at = _moment(answer.soap.message.findtext(q(EB, "MessageInfo", "Timestamp")))
    network = _network(signer, at, trusts)
    return Proof(answer.in_reply_to, at, signer, network, references)


def _moment(text: str | None) -> datetime:
    try:
        at = datetime.fromisoformat((text or "").strip())
    except ValueError:
        raise InvalidReceipt("the receipt does not say when it was made") from None
    if at.utcoffset() is None:
        raise InvalidReceipt("the time of the receipt has no zone")
    return at


def _network(signer: x509.Certificate, at: datetime, trusts: Iterable[Trust]) -> Environment:
    """The network whose authority issued the certificate. Raises InvalidReceipt."""
    reasons = []
    for each in trusts:
        try:
            each.check_access_point_at(signer, at)
        except Untrusted as fault:
            reasons.append(str(fault))
        else:
            return each.stage
    raise InvalidReceipt(f"{trust.subject(signer)} is not trusted: {'; '.join(reasons)}")


def published() -> list[Trust]:
    """The trust in the authorities of OpenPeppol, of both networks."""
    return [Trust(*trust.published(stage), stage) for stage in Environment]
