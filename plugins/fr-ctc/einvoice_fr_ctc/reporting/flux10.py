"""Writes e-reports: the document of flux 10, version 1.0 of the tax office. Elements are in the
order of its schema and have no namespace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

from lxml import etree

from einvoice.network.period_reports import TradeDocument, TradeParty
from einvoice_fr_ctc.companies import siren_of, vat_number_of
from einvoice_fr_ctc.reporting import trade
from einvoice_fr_ctc.reporting.trade import PartyNumber

_PARIS: Final = ZoneInfo("Europe/Paris")
_PROFILE: Final = "urn.cpro.gouv.fr:1p0:ereporting"
_PLATFORMS: Final = "0238"
INITIAL, CORRECTED = "IN", "RE"
SELLER, BUYER = "SE", "BY"
_MAX_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class Head:
    """The identity of a report.

    issuer   the SIREN of the company; role: as seller or buyer
    platform the number of the platform that sends it
    """

    id: str
    at: datetime
    type: str
    platform: str
    issuer: str
    issuer_name: str
    role: str
    start: date
    end: date


@dataclass(frozen=True, slots=True)
class ReportedInvoice:
    """An invoice with the process and the tax in euro that were found for it (10.1)."""

    document: TradeDocument
    process: str
    tax: Decimal
    seller: PartyNumber
    buyer: PartyNumber


@dataclass(slots=True)
class DailySales:
    """The sales of a day to consumers, of one category, in one currency (10.3)."""

    day: date
    currency: str
    tax_point: str | None
    category: str
    count: int = 0
    rates: dict[Decimal, tuple[Decimal, Decimal]] = field(default_factory=dict)  # net, VAT

    def add(self, rate: Decimal, net: Decimal, vat: Decimal) -> None:
        before = self.rates.get(rate, (Decimal(0), Decimal(0)))
        self.rates[rate] = before[0] + net, before[1] + vat


@dataclass(frozen=True, slots=True)
class Paid:
    """Payments of a day by rate: of an invoice (10.2), or of sales to consumers (10.4)."""

    day: date
    rates: Mapping[Decimal, Decimal]
    number: str | None = None
    issue_date: date | None = None


def transactions(
    head: Head, invoices: Iterable[ReportedInvoice], sales: Iterable[DailySales]
) -> etree._Element:
    """The report of transactions (10.1 and 10.3)."""
    root, body = _report(head, "TransactionsReport")
    for invoice in invoices:
        _invoice(_add(body, "Invoice"), invoice)
    for each in sales:
        _daily(_add(body, "Transactions"), each)
    return root


def payments(head: Head, paid: Iterable[Paid]) -> etree._Element:
    """The report of payments (10.2 and 10.4); those of invoices come first."""
    root, body = _report(head, "PaymentsReport")
    for each in sorted(paid, key=lambda one: (one.number is None, one.number or "", one.day)):
        if each.number is None or each.issue_date is None:
            parent = _add(body, "Transactions")
        else:
            parent = _add(body, "Invoice")
            _add(parent, "InvoiceID", each.number)
            _add(parent, "IssueDate", _day(each.issue_date))
        payment = _add(parent, "Payment")
        _add(payment, "Date", _day(each.day))
        for rate in sorted(each.rates, reverse=True):
            part = _add(payment, "SubTotals")
            _add(part, "TaxPercent", _rate(rate))
            _add(part, "CurrencyCode", "EUR")
            _add(part, "Amount", _amount(each.rates[rate]))
    return root


def written(root: etree._Element) -> bytes:
    """The report in UTF-8."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def digest_of(root: etree._Element) -> str:
    """The SHA-256 of what a report says, whose id, time and type are left out."""
    return sha256(etree.tostring(root[1])).hexdigest()


def _report(head: Head, name: str) -> tuple[etree._Element, etree._Element]:
    root = etree.Element("Report")
    document = _add(root, "ReportDocument")
    _add(document, "Id", head.id)
    moment = head.at.astimezone(_PARIS).strftime("%Y%m%d%H%M%S")
    _add(_add(document, "IssueDateTime"), "DateTimeString", moment)
    _add(document, "TypeCode", head.type)
    sender = _add(document, "Sender")
    _add(sender, "Id", head.platform, schemeId=_PLATFORMS)
    _add(sender, "Name", head.platform)
    _add(sender, "RoleCode", "WK")
    issuer = _add(document, "Issuer")
    _add(issuer, "Id", head.issuer, schemeId=trade.SIREN)
    _add(issuer, "Name", _text(head.issuer_name) or head.issuer)
    _add(issuer, "RoleCode", head.role)
    body = _add(root, name)
    period = _add(body, "ReportPeriod")
    _add(period, "StartDate", _day(head.start))
    _add(period, "EndDate", _day(head.end))
    return root, body


def _invoice(parent: etree._Element, given: ReportedInvoice) -> None:
    document = given.document
    _add(parent, "ID", document.number)
    _add(parent, "IssueDate", _day(document.issue_date))
    _add(parent, "TypeCode", document.type_code)
    _add(parent, "CurrencyCode", document.currency)
    if document.due_date is not None:
        _add(parent, "DueDate", _day(document.due_date))
    if document.tax_point_code in trade.TAX_POINTS:
        _add(parent, "TaxDueDateTypeCode", document.tax_point_code)
    process = _add(parent, "BusinessProcess")
    _add(process, "ID", given.process)
    _add(process, "TypeID", _PROFILE)
    for each in document.preceding:
        reference = _add(parent, "ReferencedDocument")
        _add(reference, "ID", each.number)
        if each.issue_date is not None:
            _add(reference, "IssueDate", _day(each.issue_date))
    _party(_add(parent, "Seller"), document.seller, given.seller)
    _party(_add(parent, "Buyer"), document.buyer, given.buyer)
    if document.representative_vat_id is not None:
        representative = _add(parent, "SellerTaxRepresentative")
        number = document.representative_vat_id
        _add(representative, "TaxRegistrationId", number, schemeId="VAT")
    if document.delivered_on is not None:
        _add(_add(parent, "Delivery"), "Date", _day(document.delivered_on))
    totals = _add(parent, "MonetaryTotal")
    _add(totals, "TaxExclusiveAmount", _amount(document.tax_exclusive))
    _add(totals, "TaxAmount", _amount(given.tax), CurrencyCode="EUR")
    _breakdown(parent, document)


def _party(parent: etree._Element, party: TradeParty, number: PartyNumber) -> None:
    _add(parent, "CompanyId", number.value, schemeId=number.scheme)
    vat_id = party.vat_id
    if number.scheme == trade.SIREN and not vat_id:
        vat_id = vat_number_of(siren_of(number.value) or number.value)
    if vat_id:
        _add(parent, "TaxRegistrationId", vat_id, qualifyingId="VAT")
    if party.country:
        _add(_add(parent, "PostalAddress"), "CountryId", party.country)


def _breakdown(parent: etree._Element, document: TradeDocument) -> None:
    for share in document.vat:
        subtotal = _add(parent, "TaxSubTotal")
        _add(subtotal, "TaxableAmount", _amount(share.taxable))
        _add(subtotal, "TaxAmount", _amount(share.tax))
        category = _add(subtotal, "TaxCategory")
        _add(category, "Code", share.category)
        _add(category, "Percent", _rate(share.rate))
        if share.reason:
            _add(category, "TaxExemptionReason", _text(share.reason))
        if share.reason_code:
            _add(category, "TaxExemptionReasonCode", share.reason_code)


def _daily(parent: etree._Element, sales: DailySales) -> None:
    _add(parent, "Date", _day(sales.day))
    _add(parent, "TransactionsCurrency", sales.currency)
    if sales.tax_point in trade.TAX_POINTS:
        _add(parent, "TaxDueDateTypeCode", sales.tax_point)
    _add(parent, "CategoryCode", sales.category)
    nets, taxes = zip(*sales.rates.values(), strict=True)
    _add(parent, "TaxExclusiveAmount", _amount(sum(nets, Decimal(0))))
    _add(parent, "TaxTotal", _amount(sum(taxes, Decimal(0))))
    _add(parent, "TransactionsCount", str(sales.count))
    for rate in sorted(sales.rates, reverse=True):
        net, vat = sales.rates[rate]
        subtotal = _add(parent, "TaxSubtotal")
        _add(subtotal, "TaxPercent", _rate(rate))
        _add(subtotal, "TaxableAmount", _amount(net))
        _add(subtotal, "TaxTotal", _amount(vat))


def _add(
    parent: etree._Element, name: str, text: str | None = None, **attributes: str
) -> etree._Element:
    element = etree.SubElement(parent, name, attributes)
    element.text = text
    return element


def _day(day: date) -> str:
    return day.strftime("%Y%m%d")


def _amount(value: Decimal) -> str:
    return f"{value:.2f}"


def _rate(value: Decimal) -> str:
    """A rate without zeros at its end.

    >>> _rate(Decimal("20.00")), _rate(Decimal("5.50")), _rate(Decimal(0))
    ('20', '5.5', '0')
    """
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _text(text: str) -> str:
    return " ".join(text.split())[:_MAX_TEXT]
