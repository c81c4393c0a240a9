"""Claims of participant ids, and the numbers that prove one (decisions 20.1).

A verified number is a company register's number with its scheme, or a VAT number with its country.

>>> verified_number("0208:0123.456.749"), verified_number("BE 0123.456.749")
('0208:0123456749', 'BE0123456749')
>>> proves("BE0123456749", ParticipantId("0208", "0123456749"))
True
>>> proves("BE0123456749", ParticipantId("9925", "be0123456749"))
True
>>> proves("0208:0123456749", ParticipantId("0007", "0123456749"))
False
"""

from __future__ import annotations

from enum import StrEnum

from einvoice.domain.codes import REGISTER_SCHEME, VAT_SCHEME
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.legal_ids import register_number, with_scheme
from einvoice.domain.vat_ids import compact, country_prefix, vat_id

NOT_OWNED = "The account does not own this participant id."  # a refusal
MAX_OPEN = 100  # claims of a tenant and environment that are not verified
MAX_SANDBOX = 1_000  # ids of a tenant in the sandbox, where each claim is granted


class ClaimStatus(StrEnum):
    """Whether a participant id is the tenant's. Only a verified one routes and sends."""

    PENDING = "pending"
    VERIFIED = "verified"
    REJECTED = "rejected"


class DecidedBy(StrEnum):
    """The party that decided a claim."""

    OPERATOR = "operator"
    NETWORK = "network"  # the participant's own registration names one of our access points
    NUMBER = "number"  # it is a number of the tenant that an operator has verified


def verified_number(text: str) -> str:
    """A register number (`0208:0123456749`) or VAT number (`BE0123456749`) in its normal form.

    Raises ValueError.
    """
    if ":" in text:
        return _register_number(text)
    number = vat_id(text, None)
    if number is None or country_prefix(number) is None:
        raise ValueError(f"{text!r} is neither <scheme>:<number> nor a VAT number with its country")
    return number


def _register_number(text: str) -> str:
    scheme, _, value = text.strip().partition(":")
    if scheme not in REGISTER_SCHEME.values():
        known = ", ".join(sorted(REGISTER_SCHEME.values()))
        raise ValueError(f"{scheme!r} is not the scheme of a company register: {known}")
    try:
        return str(ParticipantId.parse(f"{scheme}:{with_scheme(compact(value), scheme).value}"))
    except InvalidParticipant as fault:
        raise ValueError(fault.detail) from fault


def proves(number: str, participant: ParticipantId) -> bool:
    """Whether the participant id is this verified number, or the register number that is a
    documented part of it (decisions 20.2)."""
    value = compact(participant.value)
    if ":" in number:
        return number.lower() == f"{participant.scheme}:{value}".lower()
    country = number[:2]
    if VAT_SCHEME.get(participant.scheme) == country:
        return value in (number, number[2:])
    part = register_number(number, country)
    return part is not None and (participant.scheme, value) == (part.scheme, part.value)
