"""Legal registrations (BT-30, BT-47) and electronic addresses (BT-34, BT-49) of a party.

Derived in the order of decisions 17.2 and 17.6. No number is invented (decisions 20.2): a tax id is
used only in countries whose documentation says that it contains the register number. A companyId
that cannot be a register number gets no scheme, and a SIRET, the number of an establishment, its
own (decisions 31.2); check digits are tested by the validation rules.
"""

from __future__ import annotations

import re

from einvoice.domain.codes import REGISTER_OF, REGISTER_SCHEME
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Identifier
from einvoice.domain.vat_ids import compact, digits, tax_number

_SCHEMED = re.compile(r"([0-9]{4}|[A-Z]{2}):(.+)", re.ASCII | re.DOTALL)
# A SIREN alone, in a SIRET (followed by an establishment), or in a VAT id (after a key of two).
_FRENCH = re.compile(r"(?:(?:FR)?[0-9A-Z]{2})?([0-9]{9})|([0-9]{9})[0-9]{5}")
_KVK = re.compile("[0-9]{8}")
_SIRET = re.compile("[0-9]{14}")
_BELGIAN = re.compile("(?:BE)?([0-9]{9,10})")
_SWEDISH = re.compile("(?:SE)?([0-9]{10})(?:[0-9]{2})?")
# Participant schemes that are registers too: of companies, and of the Dutch government (0190).
_REGISTERS = frozenset({*REGISTER_SCHEME.values(), "0190"})
# Schemes that the network and the documentation define differently: not written.
_AMBIGUOUS = frozenset({"0196", "0231"})


def endpoint(participant: ParticipantId | None, override: str | None) -> Identifier | None:
    """BT-34, BT-49: the `endpointId` of the party, else the participant id; split at the colon."""
    match = _SCHEMED.fullmatch(override) if override else None
    if match:
        scheme, value = match.groups()
    elif participant:
        scheme, value = participant.scheme, participant.value
    else:
        return None
    return Identifier(_belgian(value) if scheme == "0208" else value, scheme)


def as_sent(company_id: str) -> Identifier:
    """A register number `<scheme>:<identifier>`, or one without a scheme, as it was sent (BT-61).

    >>> as_sent("0106:87654321"), as_sent("HRB 4711")
    (Identifier(value='87654321', scheme='0106', version=None), \
Identifier(value='HRB 4711', scheme=None, version=None))
    """
    match = _SCHEMED.fullmatch(company_id)
    return Identifier(match[2], match[1]) if match else Identifier(company_id)


def legal_id(
    company_id: str | None, participant: ParticipantId | None, tax_id: str, country: str | None
) -> Identifier | None:
    """BT-30, BT-47: from `companyId`, else a participant id of a register, else from the tax id.

    None if none of them is or contains a register number.
    """
    if company_id:
        return _from_company_id(company_id, country)
    if participant and participant.scheme in _REGISTERS:
        return with_scheme(participant.value, participant.scheme)
    return register_number(tax_number(tax_id, country).number, country)


def _from_company_id(company_id: str, country: str | None) -> Identifier:
    match = _SCHEMED.fullmatch(company_id)
    value, scheme = (match[2], match[1]) if match else (company_id, _scheme_of(country))
    number = compact(value)
    if scheme == "0002" and _SIRET.fullmatch(number):
        return Identifier(number, "0009")
    return with_scheme(value, scheme)


def _scheme_of(country: str | None) -> str | None:
    """The scheme of the register of a country or territory; None if it has none."""
    return REGISTER_SCHEME.get(REGISTER_OF.get(country or "", country or ""))


def with_scheme(value: str, scheme: str | None) -> Identifier:
    """A register number in the form of its scheme, which is left out where it is ambiguous."""
    if scheme == "0208":
        return Identifier(_belgian(value), scheme)
    if scheme == "0002":
        return Identifier(compact(value)[:9], scheme)
    if scheme in ("0007", "0106"):
        return Identifier(compact(value), scheme)
    return Identifier(value, None if scheme in _AMBIGUOUS else scheme)


def register_number(value: str, country: str | None) -> Identifier | None:
    """The register number that is a documented part of tax ids in Belgium (enterprise number),
    Sweden (organisationsnummer) and France (SIREN), or a Dutch KVK number sent as a tax id."""
    country = REGISTER_OF.get(country or "", country)
    if country == "BE" and (match := _BELGIAN.fullmatch(value)):
        return Identifier(match[1].zfill(10), "0208")
    if country == "SE" and (match := _SWEDISH.fullmatch(value)):
        return Identifier(match[1], "0007")
    if country == "FR" and (match := _FRENCH.fullmatch(value)):
        return Identifier(match[1] or match[2], "0002")
    if country == "NL" and is_kvk(value):
        return Identifier(value, "0106")
    return None


def is_kvk(number: str) -> bool:
    """Whether a Dutch number is one of the commercial register (KVK), not of taxes."""
    return _KVK.fullmatch(number) is not None


def _belgian(value: str) -> str:
    """A Belgian number as ten digits; one from before 2007 has nine and gets a leading 0."""
    number = digits(value)
    return number.zfill(10) if number else value
