"""The lines of FA(3): FaWiersz, and ZamowienieWiersz of an invoice for an advance."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import AllowanceCharge, Identifier, Invoice, Item, Line
from einvoice.domain.money import EXACT, ZERO
from einvoice_ksef.fa3 import terms, units
from einvoice_ksef.fa3.elements import Elements
from einvoice_ksef.fa3.write_sums import ZLOTY, VatSums, add_rate

ALLOWANCE, CHARGE = "Opust", "Obciążenie"
MAX_LINES: Final = 10_000
EXCHANGE_RATE: Final = "exchangeRate"
_GTIN: Final = "0160"


def lines(to: Elements, invoice: Invoice, sums: VatSums, sign: int) -> None:
    """The lines, then the allowances and charges of the document as lines of their own."""
    count = len(invoice.lines) + len(invoice.adjustments)
    if count > MAX_LINES:
        words = f"have {count} lines with allowances and charges; FA(3) takes at most {MAX_LINES}"
        to.refuse("lineItems", "too-many", words)
        return
    rate = rate_of_exchange(invoice)
    for number, line in enumerate(invoice.lines, 1):
        to.at = f"/invoice/lineItems/{number - 1}/"
        with to.group("FaWiersz"):
            _line(to, line, number, sums, sign)
            _add_exchange(to, rate)
    to.at = "/invoice/"
    for number, adjustment in enumerate(invoice.adjustments, len(invoice.lines) + 1):
        with to.group("FaWiersz"):
            _adjustment(to, adjustment, number, sums, sign)
            _add_exchange(to, rate)


def _line(to: Elements, line: Line, number: int, sums: VatSums, sign: int) -> None:
    item = line.item
    to.add("NrWierszaFa", number)
    if line.id != str(number):
        to.add("UU_ID", line.id)
    if line.period and line.period.start == line.period.end:
        to.add("P_6A", line.period.start, "period")
    to.add("P_7", item.name, "name")
    to.add("Indeks", item.seller_id, "sellerItemId")
    if item.standard_id and item.standard_id.scheme == _GTIN:
        to.add("GTIN", item.standard_id.value, "standardItemId")
    _classifications(to, item)
    to.add("P_8A", _attribute(item, terms.UNIT) or units.unit_text(line.unit), "unitCode")
    to.add("P_8B", sign * line.quantity, "quantity")
    to.add("P_9A", _unit_price(line), "unitPrice")
    _allowances(to, line, sign)
    to.add("P_11", sign * line.extension, "unitPrice")
    add_rate(to, "P_12", item.category, sums)
    for name in ("GTU", "Procedura"):
        to.add(name, _attribute(item, name))


def rate_of_exchange(invoice: Invoice) -> Decimal | None:
    """The PLN for one unit of the currency, of an invoice in another one."""
    rate = (invoice.further or {}).get(EXCHANGE_RATE)
    return Decimal(rate) if rate and invoice.currency != ZLOTY else None


def _add_exchange(to: Elements, rate: Decimal | None) -> None:
    """The rate of exchange, which FA(3) has at each line and a send once."""
    at, to.at = to.at, "/invoice/"
    to.add("KursWaluty", rate, EXCHANGE_RATE)
    to.at = at


def _classifications(to: Elements, item: Item) -> None:
    """PKWiU, CN and PKOB, each once."""
    found: dict[str, Identifier] = {}
    for code in item.classifications:
        name = terms.own_classification(code)
        if name is not None:
            found.setdefault(name, code)
    for name in ("PKWiU", "CN", "PKOB"):
        if name in found:
            to.add(name, found[name].value, "classifications")


def _attribute(item: Item, name: str) -> str | None:
    if not item.attributes:
        return None
    return next((each.value for each in item.attributes if each.name == name), None)


def _unit_price(line: Line) -> Decimal:
    """The net price of one unit."""
    quantity = line.price.base_quantity
    if not quantity or quantity == 1:
        return line.price.net
    return EXACT.divide(line.price.net, quantity)


def _allowances(to: Elements, line: Line, sign: int) -> None:
    """The allowances as P_10, of which a line has one; charges have no place."""
    if any(each.charge for each in line.adjustments):
        words = "has no place in FA(3): raise the unit price, or add a line"
        to.refuse("charges", "no-place", words)
    total = sum((each.amount for each in line.adjustments if not each.charge), ZERO)
    if total:
        to.add("P_10", sign * total, "allowances")


def _adjustment(
    to: Elements, adjustment: AllowanceCharge, number: int, sums: VatSums, sign: int
) -> None:
    field = "charges" if adjustment.charge else "allowances"
    way = sign if adjustment.charge else -sign
    to.add("NrWierszaFa", number)
    reason = adjustment.reason or (CHARGE if adjustment.charge else ALLOWANCE)
    to.add("P_7", reason, field)
    to.add("P_8A", units.unit_text("C62"))
    to.add("P_8B", way)
    to.add("P_9A", adjustment.amount, field)
    to.add("P_11", way * adjustment.amount, field)
    if adjustment.category:
        to.at = f"/invoice/{field}/"
        add_rate(to, "P_12", adjustment.category, sums)
        to.at = "/invoice/"


def order(to: Elements, invoice: Invoice, sums: VatSums) -> None:
    """The lines as the order that the advance is for; its value is the amount of the advance."""
    if invoice.adjustments:
        words = "have no place in an FA(3) for an advance: give the lines net"
        to.refuse("allowances", "no-place", words)
    with to.group("Zamowienie"):
        to.add("WartoscZamowienia", invoice.totals.tax_inclusive, "totals/grandTotal")
        for number, line in enumerate(invoice.lines, 1):
            to.at = f"/invoice/lineItems/{number - 1}/"
            with to.group("ZamowienieWiersz"):
                _ordered(to, line, number, sums)
    to.at = "/invoice/"


def _ordered(to: Elements, line: Line, number: int, sums: VatSums) -> None:
    item = line.item
    to.add("NrWierszaZam", number)
    if line.id != str(number):
        to.add("UU_IDZ", line.id)
    to.add("P_7Z", item.name, "name")
    to.add("IndeksZ", item.seller_id, "sellerItemId")
    if item.standard_id and item.standard_id.scheme == _GTIN:
        to.add("GTINZ", item.standard_id.value, "standardItemId")
    to.add("P_8AZ", units.unit_text(line.unit), "unitCode")
    to.add("P_8BZ", line.quantity, "quantity")
    to.add("P_9AZ", _unit_price(line), "unitPrice")
    if line.adjustments:
        to.refuse("allowances", "no-place", "has no place in an FA(3) for an advance")
    to.add("P_11NettoZ", line.extension, "unitPrice")
    add_rate(to, "P_12Z", item.category, sums)
