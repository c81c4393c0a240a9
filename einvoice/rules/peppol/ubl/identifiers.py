"""Identifiers with a form or check digits (PEPPOL-COMMON): the rules by scheme, as tables.

A release puts them at the contexts of its own pattern (parties.py, release_3_0_22.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from einvoice.rules import check_digits
from einvoice.rules.book import Chapter, Check, Context, Flag, Kind, Values
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.node import Node
from einvoice.rules.values import is_integer, normalized
from einvoice.rules.view import View

Test = Callable[[str], bool]
_IDENTIFIED = "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49"
_VAT_NUMBERS = "BT-31 BT-48 BT-63"
_PREFIX = "PEPPOL-COMMON-"


@dataclass(frozen=True, slots=True)
class IdentifierRule:
    """The rule for the identifiers of one scheme. `id` is that behind PEPPOL-COMMON-."""

    id: str
    scheme: str
    check: Check
    requires: str
    flag: Flag = Flag.FATAL
    parameters: Values = field(default_factory=dict)


def passes(test: Test, *, as_written: bool = False) -> Check:
    """A check that the identifier passes the test, with white space normalized or as written."""

    def check(identifier: Node, _: View) -> Values | None:
        text = identifier.text if as_written else normalized(identifier.text)
        return None if test(text) else {"identifier": identifier.text[:80]}

    return check


def _with_digits(length: int) -> Check:
    return passes(lambda text: check_digits.digits(text, length))


def _swedish(text: str) -> bool:
    return len(text) == 10 and check_digits.swedish(text)


def _australian(text: str) -> bool:
    return check_digits.digits(text, 11) and check_digits.australian(text)


def _italian_vat_number(identifier: Node, _: View) -> Values | None:
    text = normalized(identifier.text)
    number = text[2:]
    if check_digits.italian_vat(text):
        return None
    if len(number) == 11 and is_integer(number) and not check_digits.digits(number, 11):
        raise InvalidNumber(identifier)  # the official function takes a sign or a space for a digit
    return {"identifier": identifier.text[:80]}


_WARNING = Flag.WARNING
GLN = IdentifierRule(
    "R040", "0088", passes(check_digits.gln), "A GLN is digits with a correct check digit"
)
BELGIAN = IdentifierRule(
    "R043", "0208", passes(check_digits.belgian),
    "A Belgian enterprise number is ten digits with correct check digits",
)  # fmt: skip
KVK = IdentifierRule("R054", "0106", _with_digits(8), "A KVK number is eight digits", _WARNING)
OIN = IdentifierRule("R055", "0190", _with_digits(20), "An OIN is twenty digits", _WARNING)
DUTCH_VAT = IdentifierRule(
    "R056-1", "9944", passes(check_digits.dutch_vat),
    "A Dutch VAT number is NL, nine digits, B and two digits", _WARNING,
)  # fmt: skip
ITALIAN_ADDRESS = IdentifierRule(
    "R046", "9907", passes(check_digits.italian_tax_code),
    "A codice fiscale as an address has 11 digits, or 16 characters in the pattern of a person",
    _WARNING,
)  # fmt: skip
ESTABLISHMENT = IdentifierRule(
    "R057", "0217", _with_digits(12), "A Dutch establishment number is twelve digits", _WARNING
)
UNCHANGED = (
    IdentifierRule("R041", "0192", passes(check_digits.norwegian),
                   "A Norwegian organisation number is nine digits with a correct check digit"),
    IdentifierRule("R042", "0184", passes(check_digits.danish, as_written=True),
                   "A Danish CVR number is eight digits, with or without DK before them"),
    IdentifierRule("R052", "0096",
                   passes(lambda text: check_digits.digits(text, 10), as_written=True),
                   "A Danish P number is ten digits"),
    IdentifierRule("R053", "0198", passes(check_digits.danish_tax_number, as_written=True),
                   "A Danish SE number is DK and eight digits"),
    IdentifierRule("R049", "0007", passes(_swedish),
                   "A Swedish organisation number is ten digits with a correct check digit"),
    IdentifierRule("R050", "0151", passes(_australian),
                   "An Australian business number is eleven digits with correct check digits"),
    IdentifierRule("R044", "0201", passes(check_digits.italian_office),
                   "An IPA code is six letters or digits", _WARNING),
    IdentifierRule("R045", "0210", passes(check_digits.italian_tax_code),
                   "A codice fiscale has 11 digits, or 16 characters in the pattern of a person",
                   _WARNING),
    IdentifierRule("R047", "0211", _italian_vat_number,
                   "A partita IVA that begins with IT has eleven digits, the last a check digit",
                   _WARNING),
)  # fmt: skip
IDENTIFIERS = (GLN, BELGIAN, *UNCHANGED, KVK, OIN, DUTCH_VAT)


def add_identifiers(
    chapter: Chapter, rules: Iterable[IdentifierRule], at: Callable[[str], Context]
) -> None:
    """Declare the rules, each at the context of its scheme."""
    for rule in rules:
        chapter.add(
            _PREFIX + rule.id, _IDENTIFIED, at(rule.scheme), rule.check, rule.requires, rule.flag,
            Kind.FORMAT, parameters={"scheme": rule.scheme, **rule.parameters},
        )  # fmt: skip


def add_vat_number(
    chapter: Chapter,
    at: Context,
    check: Check,
    rule: str = "R056-2",
    flag: Flag = Flag.WARNING,
) -> None:
    """Declare the rule for the VAT numbers of one country; its requirement is the docstring."""
    chapter.add(_PREFIX + rule, _VAT_NUMBERS, at, check, None, flag, Kind.FORMAT)


def dutch_vat_number_has_its_form(number: Node, _: View) -> Values | None:
    """A VAT number that begins with NL (BT-31, BT-48, BT-63) has nine digits, B and two digits."""
    text = normalized(number.text)
    return None if check_digits.dutch_vat(text) else {"identifier": text[:80]}


def belgian_vat_number_has_its_form(number: Node, _: View) -> Values | None:
    """A VAT number that begins with BE (BT-31, BT-48, BT-63) goes on as an enterprise number."""
    text = normalized(number.text)
    return None if check_digits.belgian_enterprise(text[2:]) else {"identifier": text[:80]}


def luxembourg_vat_number_has_its_form(number: Node, _: View) -> Values | None:
    """A VAT number that begins with LU (BT-31, BT-48, BT-63) has eight digits with a check."""
    text = normalized(number.text)
    return None if check_digits.luxembourg_vat(text) else {"identifier": text[:80]}
