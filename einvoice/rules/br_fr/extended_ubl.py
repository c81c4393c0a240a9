"""The rules of EXTENDED-CTC-FR 1.4.0 about totals and lines in UBL.

Sums count the lines that are no sub lines, or details: a group repeats the amounts of its details.
A sum may differ by a cent for each amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from einvoice.rules.book import BROKEN, Book, Chapter, Check, Kind, Values
from einvoice.rules.br_fr.codes import DETAIL
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import indicated, is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, decimal_of, to_cents
from einvoice.rules.view import View

RELEASE: str = "1.4.0"
PER_AMOUNT: Decimal = Decimal("0.01")  # by which a sum may differ
_NET: str = "cbc:LineExtensionAmount"
_LINES: tuple[str, ...] = ("cac:InvoiceLine", "cac:CreditNoteLine")
_REFERENCE: str = "cac:InvoiceDocumentReference"

extended: Chapter = Chapter(Layer.BR_FR_EXTENDED_UBL, gathers=_LINES)


def _counts(line: Node, view: View) -> bool:
    """Whether a line is in the sums: it refers to no line of this invoice, or it is a detail."""
    number = view.root.text_of("cbc:ID")
    own = [each for each in line.all("cac:BillingReference")
           if number in each.texts(f"{_REFERENCE}/cbc:ID")]  # fmt: skip
    return not own or any(
        DETAIL in each.texts(f"{_REFERENCE}/cbc:DocumentStatusCode") for each in own
    )


def _lines(view: View) -> list[Node]:
    found = (line for name in _LINES for line in view.everywhere(name))
    return [line for line in found if line.has(_NET) and _counts(line, view)]


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return to_cents(sum((amount for amount in amounts if amount is not None), ZERO))


def _near(declared: Decimal | None, expected: Decimal, amounts: int) -> Values | None:
    """Nothing if the declared sum differs by at most a cent for each amount."""
    if declared is not None and abs(declared - expected) <= amounts * PER_AMOUNT:
        return None
    return {"declared": declared, "expected": expected}


def _adjustments(total: Node, *, charge: bool) -> Sequence[Node]:
    siblings = total.parent.all("cac:AllowanceCharge") if total.parent is not None else ()
    return [each for each in siblings if indicated(each, charge)]


def _amount(adjustments: Iterable[Node]) -> Decimal:
    return _sum(each.number("cbc:Amount") for each in adjustments)


@extended.rule("BR-FREXT-CO-10", "BT-106 BT-131", at=contexts.TOTALS, kind=Kind.SUM)
def line_nets_add_up(total: Node, view: View) -> Values | None:
    """The sum of line net amounts (BT-106) is that of BT-131 of the lines that count."""
    lines = _lines(view)
    return _near(total.number(_NET), _sum(each.number(_NET) for each in lines), len(lines))


def _adjustments_add_up(path: str, *, charge: bool) -> Check:
    def check(total: Node, _: View) -> Values | None:
        found = _adjustments(total, charge=charge)
        if not found and not total.has(path):
            return None
        return _near(total.number(path), _amount(found), len(found))

    return check


extended.add(
    "BR-FREXT-CO-11", "BT-107 BT-92", contexts.TOTALS,
    _adjustments_add_up("cbc:AllowanceTotalAmount", charge=False),
    "The sum of allowances (BT-107) is the sum of the allowances of the document (BT-92).",
    kind=Kind.SUM,
)  # fmt: skip
extended.add(
    "BR-FREXT-CO-12", "BT-108 BT-99", contexts.TOTALS,
    _adjustments_add_up("cbc:ChargeTotalAmount", charge=True),
    "The sum of charges (BT-108) is the sum of the charges of the document (BT-99).",
    kind=Kind.SUM,
)  # fmt: skip


@extended.rule("BR-FREXT-CO-13", "BT-109 BT-131 BT-92 BT-99", at=contexts.TOTALS, kind=Kind.SUM)
def total_without_vat_adds_up(total: Node, view: View) -> Values | None:
    """The total without VAT (BT-109) is lines less allowances plus charges."""
    lines = _lines(view)
    allowances, charges = (_adjustments(total, charge=each) for each in (False, True))
    expected = _sum(each.number(_NET) for each in lines) - _amount(allowances) + _amount(charges)
    amounts = len(lines) + len(allowances) + len(charges)
    return _near(total.number("cbc:TaxExclusiveAmount"), expected, amounts)


@extended.rule("BR-FREXT-CO-15", "BT-112 BT-109 BT-110", at=contexts.TOTALS, kind=Kind.SUM)
def total_with_vat_adds_up(total: Node, view: View) -> Values | None:
    """The total with VAT (BT-112) is the total without VAT plus the VAT total in the currency."""
    currency = view.root.text_of("cbc:DocumentCurrencyCode")
    taxes = [
        tax
        for tax in (total.parent.all("cac:TaxTotal/cbc:TaxAmount") if total.parent else ())
        if tax.attributes.get("currencyID") == currency
    ]
    if not taxes:
        return None
    basis = total.number("cbc:TaxExclusiveAmount")
    if basis is None:
        return BROKEN
    amounts = len(_lines(view)) + sum(
        len(_adjustments(total, charge=each)) for each in (False, True)
    )
    return _near(total.number("cbc:TaxInclusiveAmount"), basis + decimal_of(taxes[0]), amounts)


# -- lines -----------------------------------------------------------------------------------------

_QUANTITIES: tuple[str, ...] = ("cbc:InvoicedQuantity", "cbc:CreditedQuantity")


def _given(*paths: str) -> Check:
    """A check that a line that counts has one of the elements."""

    def check(line: Node, view: View) -> Values | None:
        return None if not _counts(line, view) or any(map(line.has, paths)) else BROKEN

    return check


def _has_unit(line: Node, view: View) -> Values | None:
    units = [unit for path in _QUANTITIES for unit in line.attributes_at(path, "unitCode")]
    return None if units or not _counts(line, view) else BROKEN


def _has_category(line: Node, view: View) -> Values | None:
    categories = line.all("cac:Item/cac:ClassifiedTaxCategory")
    named = any(is_vat(each) and each.has("cbc:ID") for each in categories)
    return None if named or not _counts(line, view) else BROKEN


for _rule, _terms, _check, _words in (
    ("BR-FREXT-22", "BG-25 BT-129", _given(*_QUANTITIES), "a quantity (BT-129)"),
    ("BR-FREXT-23", "BG-25 BT-130", _has_unit, "a unit of its quantity (BT-130)"),
    ("BR-FREXT-24", "BG-25 BT-131", _given(_NET), "a net amount (BT-131)"),
    ("BR-FREXT-26", "BG-25 BT-146", _given("cac:Price/cbc:PriceAmount"), "a price (BT-146)"),
    ("BR-FREXT-CO-04", "BG-25 BT-151", _has_category, "a VAT category (BT-151)"),
):
    extended.add(
        _rule, _terms, contexts.LINE, _check, f"A line that counts has {_words}.",
        kind=Kind.PRESENCE,
    )  # fmt: skip


EXTENDED_UBL: Book = Book.of(Layer.BR_FR_EXTENDED_UBL, RELEASE, [extended])
