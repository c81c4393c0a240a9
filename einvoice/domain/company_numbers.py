"""Participant ids that follow from a company's register number or VAT number.

Only the schemes whose identifier is that number, or a documented part of it (decisions 20.2); the
register's comes first. A number without a prefix needs its country.

>>> [str(each) for each in participant_ids("BE 0403.019.261")]
['0208:0403019261', '9925:BE0403019261']
>>> [str(each) for each in participant_ids("556036-0793", "SE")]
['0007:5560360793']
>>> [str(each) for each in participant_ids("DE 123 456 788", "FR")]
['9930:DE123456788']
>>> [str(each) for each in participant_ids("0403019261")], participant_ids("Acme NV", "BE")
(['0208:0403019261', '9925:BE0403019261'], ())
>>> [str(each) for each in participant_ids("9957:FR96552100554")]
['9957:FR96552100554']
"""

from __future__ import annotations

import re
from typing import Final

from einvoice.domain.codes import REGISTER_OF, REGISTER_SCHEME, VAT_SCHEME
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.legal_ids import register_number
from einvoice.domain.participant_notations import scheme_meant
from einvoice.domain.vat_ids import compact, country_of, tax_number

MAX_LENGTH: Final = 140
# Countries with the numbers of their registers, without prefix. Source: Peppol's code list of
# participant schemes.
_REGISTER: Final = re.compile(
    "AU:[0-9]{11}"
    "|BE:[01][0-9]{9}"
    "|CH:CHE[0-9]{9}"
    "|DK:[0-9]{8}"
    "|EE:[0-9]{8}"
    "|FR:[0-9]{9}"
    "|JP:[0-9]{13}"
    "|LT:(?:[0-9]{7}|[0-9]{9})"
    "|LV:[0-9]{11}"
    "|NL:[0-9]{8}"
    "|NO:[0-9]{9}"
    "|SE:[0-9]{10}"
    "|SG:[0-9A-Z]{9,10}"
    "|SK:[0-9]{8}",
    re.ASCII,
)
# In these countries a VAT number is the prefix and the register number.
_VAT_IS_REGISTER: Final = frozenset({"DK", "LV", "NO"})
_SCHEME_OF_VAT: Final = {prefix: scheme for scheme, prefix in VAT_SCHEME.items()}


def participant_ids(text: str, country: str | None = None) -> tuple[ParticipantId, ...]:
    """The participant ids of a company by its number, or the id itself; () if none follows.

    country  of the address, for a number without a prefix
    """
    if len(text) > MAX_LENGTH:
        return ()
    if ":" in text:
        return _parsed(text)
    country = REGISTER_OF.get(country or "", country)
    vat = tax_number(text, country).vat_id
    if vat is not None:
        country = country_of(vat) or country
    found = (_register(compact(text), vat, country), _of_vat(vat))
    written = [each for each in found if each is not None]
    if not written and (meant := scheme_meant(text)) and meant.startswith("0208:"):
        return participant_ids(meant.partition(":")[2], "BE")
    return tuple(dict.fromkeys(one for each in written for one in _parsed(each)))


def _register(value: str, vat: str | None, country: str | None) -> str | None:
    """The id of the country's register, if the number is one of it or contains one."""
    if country is None or country not in REGISTER_SCHEME:
        return None
    part = register_number(vat or value, country)
    if part is not None:
        return f"{part.scheme}:{part.value}"
    number = value
    if country in _VAT_IS_REGISTER:
        number = value.removeprefix(country).removesuffix("MVA")
    if _REGISTER.fullmatch(f"{country}:{number}") is None:
        return None
    return f"{REGISTER_SCHEME[country]}:{number}"


def _of_vat(vat: str | None) -> str | None:
    scheme = _SCHEME_OF_VAT.get(vat[:2]) if vat else None
    return f"{scheme}:{vat}" if scheme else None


def _parsed(text: str) -> tuple[ParticipantId, ...]:
    try:
        return (ParticipantId.parse(text),)
    except InvalidParticipant:
        return ()
