"""Seller and buyer: electronic addresses, and identifiers with a form or check digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from einvoice.rules import check_digits
from einvoice.rules.book import Chapter, Check, Context, Flag, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.tables import present
from einvoice.rules.values import is_integer, normalized
from einvoice.rules.view import View

parties = Chapter(Layer.PEPPOL_UBL)

present(parties, contexts.BUYER, [("PEPPOL-EN16931-R010", "BT-49", "cbc:EndpointID")])
present(parties, contexts.SELLER, [("PEPPOL-EN16931-R020", "BT-34", "cbc:EndpointID")])

_SCHEMES = code_list("eas_peppol")


@parties.rule("PEPPOL-EN16931-CL008", "BT-34-1 BT-49-1", at=contexts.ENDPOINT_SCHEME,
              kind=Kind.CODE_LIST, list="eas_peppol", path="@schemeID")  # fmt: skip
def endpoint_scheme_is_a_code(endpoint: Node, _: View) -> Values | None:
    """The scheme of an electronic address (BT-34-1, BT-49-1) is one of the Peppol list."""
    scheme = endpoint.attributes.get("schemeID")
    return None if scheme is None or scheme in _SCHEMES else {"code": scheme}


Test = Callable[[str], bool]
_IDENTIFIED = "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49"


def _passes(test: Test, *, as_written: bool = False) -> Check:
    """A check that the identifier passes the test, with white space normalized or as written."""

    def check(identifier: Node, _: View) -> Values | None:
        text = identifier.text if as_written else normalized(identifier.text)
        return None if test(text) else {"identifier": identifier.text[:80]}

    return check


def _with_digits(length: int) -> Check:
    return _passes(lambda text: check_digits.digits(text, length))


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
        raise InvalidNumber(identifier)  # the official function takes a sign or a blank for a digit
    return {"identifier": identifier.text[:80]}


# id, scheme, check, what it requires
_Row = tuple[str, str, Check, str]
_FATAL: tuple[_Row, ...] = (
    ("R040", "0088", _passes(check_digits.gln), "A GLN is digits with a correct check digit"),
    ("R041", "0192", _passes(check_digits.norwegian),
     "A Norwegian organisation number is nine digits with a correct check digit"),
    ("R042", "0184", _passes(check_digits.danish, as_written=True),
     "A Danish CVR number is eight digits, with or without DK before them"),
    ("R052", "0096", _passes(lambda text: check_digits.digits(text, 10), as_written=True),
     "A Danish P number is ten digits"),
    ("R053", "0198", _passes(check_digits.danish_tax_number, as_written=True),
     "A Danish SE number is DK and eight digits"),
    ("R043", "0208", _passes(check_digits.belgian),
     "A Belgian enterprise number is ten digits with correct check digits"),
    ("R049", "0007", _passes(_swedish),
     "A Swedish organisation number is ten digits with a correct check digit"),
    ("R050", "0151", _passes(_australian),
     "An Australian business number is eleven digits with correct check digits"),
)  # fmt: skip
_WARNINGS: tuple[_Row, ...] = (
    ("R044", "0201", _passes(check_digits.italian_office), "An IPA code is six letters or digits"),
    ("R045", "0210", _passes(check_digits.italian_tax_code),
     "A codice fiscale has 11 digits, or 16 characters in the pattern of a person"),
    ("R047", "0211", _italian_vat_number,
     "A partita IVA that begins with IT has eleven digits, the last a check digit"),
    ("R054", "0106", _with_digits(8), "A KVK number is eight digits"),
    ("R055", "0190", _with_digits(20), "An OIN is twenty digits"),
    ("R056-1", "9944", _passes(check_digits.dutch_vat),
     "A Dutch VAT number is NL, nine digits, B and two digits"),
)  # fmt: skip


def _add(rows: Iterable[_Row], at: Callable[[str], Context], flag: Flag = Flag.FATAL) -> None:
    for rule, scheme, check, requires in rows:
        parties.add(
            f"PEPPOL-COMMON-{rule}", _IDENTIFIED, at(scheme), check, requires, flag, Kind.FORMAT,
            parameters={"scheme": scheme},
        )  # fmt: skip


_add(_FATAL, contexts.IDENTIFIER.case)
_add(_WARNINGS, contexts.IDENTIFIER.case, Flag.WARNING)
_add(
    [("R046", "9907", _passes(check_digits.italian_tax_code),
      "A codice fiscale as an address has 11 digits, or 16 characters in the pattern of a person")],
    contexts.ENDPOINT.case,
    Flag.WARNING,
)  # fmt: skip
_add(
    [("R057", "0217", _with_digits(12), "A Dutch establishment number is twelve digits")],
    contexts.DUTCH_ESTABLISHMENT.case,
    Flag.WARNING,
)


@parties.rule("PEPPOL-COMMON-R056-2", "BT-31 BT-48 BT-63", at=contexts.DUTCH_VAT_NUMBER,
              flag=Flag.WARNING, kind=Kind.FORMAT)  # fmt: skip
def dutch_vat_number_has_its_form(number: Node, _: View) -> Values | None:
    """A VAT number that begins with NL (BT-31, BT-48, BT-63) has nine digits, B and two digits."""
    text = normalized(number.text)
    return None if check_digits.dutch_vat(text) else {"identifier": text[:80]}
