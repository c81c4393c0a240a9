"""BIS Billing 3.0.22 for CII: what changes against 3.0.21.

Published on 2026-11-23, binding from 2027-02-24. The changes are those that the release notes name
for both syntaxes. The conditions are those of the same rules for UBL (ubl/release_3_0_22.py), since
the file of the rules was not seen.
"""

from __future__ import annotations

from collections.abc import Callable

from einvoice.rules import check_digits
from einvoice.rules.book import Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_cii import buyer_addresses_as_written
from einvoice.rules.national.sweden.cii import TAX, rate_is_swedish
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import PEPPOL_CII, contexts
from einvoice.rules.peppol.cii.identifiers import add_identifier, passes
from einvoice.rules.values import normalized
from einvoice.rules.view import View

changes = Chapter(Layer.PEPPOL_CII)

_REGISTRATION = "ram:SpecifiedTaxRegistration"
_pattern = Pattern()
LUXEMBOURG_REGISTRATION = _pattern.context(
    _REGISTRATION, when=contexts.vat_registration_of("LU", "lu", "Lu", "lU")
)
BELGIAN_REGISTRATION = _pattern.context(_REGISTRATION, when=contexts.vat_registration_of("BE"))
IDENTIFIER = _pattern.switch("ram:URIID", "ram:ID", "ram:GlobalID", key=contexts.scheme)

for _scheme, _rule, _test, _flag, _requires in (
    ("0088", "R040", check_digits.gln_13, Flag.FATAL,
     "a GLN has 13 digits, the last of them a check digit"),
    ("0208", "R043", check_digits.belgian_enterprise, Flag.FATAL,
     "a Belgian enterprise number has ten digits, the first 0 or 1, the last two check digits"),
):  # fmt: skip
    add_identifier(
        changes, contexts.IDENTIFIER.case(_scheme), _scheme, _rule, passes(_test), _flag, _requires
    )
add_identifier(
    changes, IDENTIFIER.case("0240"), "0240", "R059", passes(check_digits.luxembourg_matricule),
    Flag.WARNING, "a Luxembourg matricule has eleven digits, the last of them a check digit",
)  # fmt: skip


def _has_vat_number(test: Callable[[str], bool]) -> Callable[[Node, View], Values | None]:
    def check(registration: Node, _: View) -> Values | None:
        text = registration.text_of("ram:ID")
        return None if test(normalized(text)) else {"text": text}

    return check


def _is_belgian(number: str) -> bool:
    return check_digits.belgian_enterprise(number[2:])


changes.add(
    "PEPPOL-COMMON-R058", "BT-31 BT-48 BT-63", LUXEMBOURG_REGISTRATION,
    _has_vat_number(check_digits.luxembourg_vat),
    "A VAT number that begins with LU (BT-31, BT-48, BT-63) has eight digits with a check.",
    Flag.WARNING, Kind.FORMAT,
)  # fmt: skip
changes.add(
    "PEPPOL-COMMON-R062", "BT-31 BT-48 BT-63", BELGIAN_REGISTRATION, _has_vat_number(_is_belgian),
    "A VAT number that begins with BE (BT-31, BT-48, BT-63) goes on as an enterprise number.",
    Flag.WARNING, Kind.FORMAT,
)  # fmt: skip


@changes.rule("SE-R-006", "BT-96 BT-103 BT-119 BT-152", at=TAX)
def domestic_rate_is_swedish(tax: Node, view: View) -> Values | None:
    """Between Swedish parties a VAT rate (BT-119, BT-152) is 25, 12 or 6, whatever the category."""
    return rate_is_swedish(tax, view) if "SE" in view.once(buyer_addresses_as_written) else None


_FATAL = ("54", "55", "56-1", "56-2", "57")
PEPPOL_CII_3_0_22 = PEPPOL_CII.revised(
    "3.0.22",
    flags=dict.fromkeys((f"PEPPOL-COMMON-R0{number}" for number in _FATAL), Flag.FATAL),
    chapters=[changes],
)
