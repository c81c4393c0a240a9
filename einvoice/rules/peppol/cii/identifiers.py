"""Form and check digits of identifiers with a scheme (schemeID)."""

from __future__ import annotations

from collections.abc import Callable

from einvoice.rules import check_digits
from einvoice.rules.book import Chapter, Check, Context, Flag, Kind, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.values import normalized
from einvoice.rules.view import View

identifiers = Chapter(Layer.PEPPOL_CII)
_TERMS = "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49 BT-60 BT-61 BT-71 BT-157"


def _digits(length: int) -> Callable[[str], bool]:
    return lambda text: check_digits.digits(text, length)


_SCHEMES: tuple[tuple[str, str, Callable[[str], bool], Flag, str], ...] = (
    ("0088", "R040", check_digits.gln, Flag.FATAL, "a GLN ends with a correct check digit"),
    ("0192", "R041", check_digits.norwegian, Flag.FATAL,
     "a Norwegian organisation number has nine digits, the last of them a check digit"),
    ("0208", "R043", check_digits.belgian, Flag.FATAL,
     "a Belgian enterprise number has ten digits, the last two of them check digits"),
    ("0201", "R044", check_digits.italian_office, Flag.WARNING,
     "an Italian office code has six letters or digits"),
    ("0210", "R045", check_digits.italian_tax_code, Flag.WARNING,
     "an Italian tax code has eleven digits or sixteen characters"),
    ("9907", "R046", check_digits.italian_tax_code, Flag.WARNING,
     "an Italian tax code has eleven digits or sixteen characters"),
    ("0211", "R047", check_digits.italian_vat, Flag.WARNING,
     "an Italian VAT number is IT and eleven digits, the last of them a check digit"),
    ("0007", "R049", lambda text: len(text) == 10 and check_digits.swedish(text), Flag.FATAL,
     "a Swedish organisation number has ten digits, the last of them a check digit"),
    ("0151", "R050", check_digits.australian, Flag.FATAL,
     "an Australian business number has eleven digits, two of them check digits"),
    ("0106", "R054", _digits(8), Flag.WARNING, "a Dutch KvK number has eight digits"),
    ("0190", "R055", _digits(20), Flag.WARNING, "a Dutch OIN has twenty digits"),
    ("9944", "R056-1", check_digits.dutch_vat, Flag.WARNING,
     "a Dutch VAT number is NL, nine digits, B, two digits"),
    # The official rules for CII require twenty digits, those for UBL twelve.
    ("0217", "R057", _digits(20), Flag.WARNING, "a Dutch establishment number has twenty digits"),
)  # fmt: skip

_AS_WRITTEN: tuple[tuple[str, str, Callable[[str], bool], str], ...] = (
    ("0184", "R042", check_digits.danish,
     "a Danish CVR number has eight digits, with or without DK before them"),
    ("0096", "R052", _digits(10), "a Danish P-number has ten digits"),
    ("0198", "R053", check_digits.danish_tax_number, "a Danish SE number is DK and eight digits"),
)  # fmt: skip


def passes(test: Callable[[str], bool]) -> Check:
    """A check that the identifier, with white space normalized, passes the test."""

    def check(identifier: Node, _: View) -> Values | None:
        return None if test(normalized(identifier.text)) else {"text": identifier.text}

    return check


def _passes_as_written(test: Callable[[str], bool]) -> Check:
    def check(identifier: Node, _: View) -> Values | None:
        return None if test(identifier.text) else {"text": identifier.text}

    return check


def add_identifier(
    chapter: Chapter, at: Context, scheme: str, rule: str, check: Check, flag: Flag, requires: str
) -> None:
    """Declare the rule for the identifiers of one scheme, at the context of that scheme."""
    chapter.add(
        f"PEPPOL-COMMON-{rule}", _TERMS, at, check,
        f"Under scheme {scheme}, {requires}.", flag, Kind.FORMAT, parameters={"scheme": scheme},
    )  # fmt: skip


for _scheme, _rule, _test, _flag, _words in _SCHEMES:
    _at = contexts.IDENTIFIER.case(_scheme)
    add_identifier(identifiers, _at, _scheme, _rule, passes(_test), _flag, _words)
for _scheme, _rule, _test, _words in _AS_WRITTEN:
    _at = contexts.IDENTIFIER.case(_scheme)
    add_identifier(identifiers, _at, _scheme, _rule, _passes_as_written(_test), Flag.FATAL, _words)


@identifiers.rule(
    "PEPPOL-COMMON-R056-2", "BT-31 BT-48 BT-63", at=contexts.DUTCH_REGISTRATION, flag=Flag.WARNING,
    kind=Kind.FORMAT,
)  # fmt: skip
def dutch_vat_number_has_its_form(registration: Node, _: View) -> Values | None:
    """A VAT number that begins with NL (BT-31, BT-48, BT-63) has nine digits, B and two digits."""
    text = registration.text_of("ram:ID")
    return None if check_digits.dutch_vat(normalized(text)) else {"text": text}
