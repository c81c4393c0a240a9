"""The VAT breakdown (BG-23): the elements and amounts of each row."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import is_vat
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import present, two_decimals
from einvoice.rules.values import ONE, ZERO, normalized, share, to_cents, to_integer
from einvoice.rules.view import View

vat = Chapter(Layer.CEN_UBL)

present(
    vat,
    contexts.TAX_SUBTOTAL,
    [("BR-45", "BG-23 BT-116", "cbc:TaxableAmount"), ("BR-46", "BG-23 BT-117", "cbc:TaxAmount")],
)
two_decimals(
    vat,
    contexts.TAX_SUBTOTAL,
    [("BR-DEC-19", "BT-116", "cbc:TaxableAmount"), ("BR-DEC-20", "BT-117", "cbc:TaxAmount")],
)
present(vat, contexts.DOCUMENT, [("BR-CO-18", "BG-23", "cac:TaxTotal/cac:TaxSubtotal")])


def _vat_categories(subtotal: Node) -> list[Node]:
    return [category for category in subtotal.all("cac:TaxCategory") if is_vat(category)]


@vat.rule("BR-47", "BG-23 BT-118", at=contexts.TAX_SUBTOTAL, kind=Kind.PRESENCE)
def breakdown_has_a_category(subtotal: Node, _: View) -> Values | None:
    """Each row of the VAT breakdown has a VAT category."""
    return None if any(category.has("cbc:ID") for category in _vat_categories(subtotal)) else BROKEN


@vat.rule("BR-48", "BG-23 BT-119", at=contexts.TAX_SUBTOTAL, kind=Kind.PRESENCE)
def breakdown_has_a_rate(subtotal: Node, _: View) -> Values | None:
    """Each row of the VAT breakdown has a rate (BT-119), unless it is not subject to VAT."""
    categories = _vat_categories(subtotal)
    if any(category.has("cbc:Percent") for category in categories):
        return None
    exempt = any(normalized(category.text_of("cbc:ID")) == "O" for category in categories)
    return None if exempt else BROKEN


@vat.rule("BR-CO-14", "BT-110 BT-117", at=contexts.TAX_TOTAL, kind=Kind.SUM)
def taxes_add_up(total: Node, _: View) -> Values | None:
    """The VAT total (BT-110) is the sum of the VAT of all categories (BT-117)."""
    if not total.has("cac:TaxSubtotal"):
        return None
    declared = total.number("cbc:TaxAmount")
    expected = to_cents(sum(total.numbers("cac:TaxSubtotal", "cbc:TaxAmount"), ZERO))
    return None if declared == expected else {"declared": declared, "expected": expected}


@vat.rule("BR-CO-17", "BT-117 BT-116 BT-119", at=contexts.TAX_SUBTOTAL, kind=Kind.SUM)
def tax_is_rate_of_taxable(subtotal: Node, _: View) -> Values | None:
    """The VAT of a category is its taxable amount times its rate, within 1.

    BT-117 = BT-116 × BT-119 ÷ 100.
    """
    return tax_is_rate(subtotal, _vat_categories(subtotal), ONE)


def tax_is_rate(subtotal: Node, categories: Sequence[Node], within: Decimal) -> Values | None:
    """Whether the tax of a row is its taxable amount times the rate of these categories."""
    rates = [rate for each in categories if (rate := each.number("cbc:Percent")) is not None]
    if len(rates) > 1:
        raise MoreThanOneItem(categories[0], "cac:TaxCategory", len(rates))
    tax = subtotal.number("cbc:TaxAmount")
    if not rates or to_integer(rates[0]) == ZERO:
        no_tax = tax is not None and to_integer(tax) == ZERO
        return None if no_tax else {"declared": tax, "expected": ZERO}
    return rate_applied(subtotal, rates[0], tax, within)


def rate_applied(
    subtotal: Node, rate: Decimal | None, tax: Decimal | None, within: Decimal = ONE
) -> Values | None:
    """Compare the tax with taxable amount times rate; signs are ignored.

    They may differ by less than `within`. Returns the values of the finding, or None.
    """
    taxable = subtotal.number("cbc:TaxableAmount")
    if tax is None or taxable is None or rate is None:
        return {"declared": tax, "expected": None}
    expected = to_cents(share(abs(taxable), rate))
    if abs(tax) - within < expected < abs(tax) + within:
        return None
    return {"declared": tax, "expected": expected.copy_sign(taxable), "rate": rate}
