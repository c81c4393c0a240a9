"""The e-report of a period: sales (10.1, 10.3), purchases (10.1), or payments (10.2, 10.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Final

from lxml import etree

from einvoice.domain.artefacts import ArtefactKind
from einvoice.network.messages import MAX_RETRY, Outgoing
from einvoice.network.period_reports import (
    LeftOut,
    PeriodContent,
    PeriodReport,
    TradeDocument,
    TradePayment,
)
from einvoice_fr_ctc import companies, flows
from einvoice_fr_ctc.reporting import flux10, trade
from einvoice_fr_ctc.reporting.company import ReportingCompany
from einvoice_fr_ctc.reporting.flux10 import DailySales, Head, Paid, ReportedInvoice
from einvoice_fr_ctc.reporting.regimes import PAYMENTS, PURCHASES, SALES
from einvoice_fr_ctc.reporting.trade import NotReportable
from einvoice_fr_ctc.shares import spread

E_REPORT: Final = ArtefactKind("E_REPORT", "application/xml", "e-report-{number}.xml")
_ID_LETTERS: Final = {SALES: "V", PURCHASES: "A", PAYMENTS: "E"}  # ventes, achats, encaissements


class Drafted:
    """A report that is being made: what is in it, and what is left out."""

    def __init__(self, content: PeriodContent, company: ReportingCompany) -> None:
        self.content, self.company = content, company
        self.invoices: list[ReportedInvoice] = []
        self.sales: dict[tuple[date, str, str | None, str], DailySales] = {}
        self.paid: list[Paid] = []
        self.left_out: list[LeftOut] = []
        self.documents = 0

    def attempt(self, document: TradeDocument, add: Callable[[], bool]) -> None:
        """Add a document, or note why it is left out. `add`: whether it has added it."""
        try:
            self.documents += add()
        except NotReportable as fault:
            reason = str(fault)
            self.left_out.append(LeftOut(document.document_id, document.number, reason))


def report_of(content: PeriodContent) -> PeriodReport:
    """The report of a period. Pure."""
    drafted = Drafted(content, ReportingCompany.of(content.connection))
    kind = content.period.kind
    if kind == PAYMENTS:
        _add_payments(drafted)
    elif kind == PURCHASES:
        _add_purchases(drafted)
    else:
        _add_sales(drafted)
    if not drafted.documents:
        return PeriodReport("", 0, tuple(drafted.left_out))
    root = _written(drafted)
    return PeriodReport(
        flux10.digest_of(root), drafted.documents, tuple(drafted.left_out), _message(drafted, root)
    )


# -- transactions ----------------------------------------------------------------------------------


def _add_sales(drafted: Drafted) -> None:
    for document in _own(drafted, received=False):
        if trade.is_consumer_sale(document):
            drafted.attempt(document, partial(_add_to_day, drafted, document))
        elif trade.is_foreign_sale(document):
            drafted.attempt(document, partial(_add_invoice, drafted, document))


def _add_purchases(drafted: Drafted) -> None:
    for document in _own(drafted, received=True):
        if trade.is_foreign_purchase(document):
            drafted.attempt(document, partial(_add_invoice, drafted, document))


def _own(drafted: Drafted, *, received: bool) -> Iterator[TradeDocument]:
    """The company's documents since it reports."""
    for each in trade.own(drafted.content, drafted.company, received=received):
        if each.issue_date >= drafted.company.since:
            yield each


def _add_invoice(drafted: Drafted, document: TradeDocument) -> bool:
    company = drafted.company
    process = trade.process_of(document, company.buys if document.received else company.sells)
    trade.check_invoice(document, process)
    mine = trade.PartyNumber(company.siren, trade.SIREN)
    seller = trade.number_of(document.seller) if document.received else mine
    buyer = mine if document.received else trade.number_of(document.buyer)
    tax = trade.tax_in_euro(document)
    drafted.invoices.append(ReportedInvoice(document, process, tax, seller, buyer))
    return True


def _add_to_day(drafted: Drafted, document: TradeDocument) -> bool:
    process = trade.process_of(document, drafted.company.sells)
    category = trade.category_of(document, process)
    trade.check_rates(document)
    point = document.tax_point_code if document.tax_point_code in trade.TAX_POINTS else None
    key = (document.issue_date, document.currency, point, category)
    day = drafted.sales.setdefault(key, DailySales(*key))
    sign = -1 if document.is_credit else 1
    for share in document.vat:
        day.add(share.rate.normalize(), sign * share.taxable, sign * share.tax)
    day.count += 1
    return True


# -- payments --------------------------------------------------------------------------------------


def _add_payments(drafted: Drafted) -> None:
    """Payments of services whose VAT is due when they are paid; those of one day together."""
    days: dict[tuple[date, str], list[TradePayment]] = {}
    for payment in drafted.content.payments:
        document = payment.document
        if document.issue_date < drafted.company.since or not _is_own_sale(drafted, document):
            continue
        consumer = trade.is_consumer_sale(document)
        if consumer or trade.is_foreign_sale(document):
            key = "" if consumer else document.document_id
            days.setdefault((payment.paid_on, key), []).append(payment)
    for (day, of_invoice), payments in sorted(days.items()):
        _add_day(drafted, day, payments, is_invoice=bool(of_invoice))


def _is_own_sale(drafted: Drafted, document: TradeDocument) -> bool:
    return not document.received and trade.is_own(
        document, drafted.company, is_only=drafted.content.is_only
    )


def _add_day(
    drafted: Drafted, day: date, payments: list[TradePayment], *, is_invoice: bool
) -> None:
    """Payments of a day, of one invoice or of all sales to consumers."""
    rates: dict[Decimal, Decimal] = {}
    before = drafted.documents
    for payment in payments:
        drafted.attempt(payment.document, partial(_add_rates, drafted, payment, rates))
    first = payments[0].document
    if any(amount < 0 for amount in rates.values()):
        drafted.documents = before
        reason = f"more was taken back than paid on {day}, which a report cannot say"
        drafted.left_out.append(LeftOut(first.document_id, first.number, reason))
    elif any(rates.values()):
        of = (first.number, first.issue_date) if is_invoice else (None, None)
        drafted.paid.append(Paid(day, rates, *of))


def _add_rates(drafted: Drafted, payment: TradePayment, rates: dict[Decimal, Decimal]) -> bool:
    """Add the parts of a payment; whether its law wants it reported. Raises NotReportable."""
    document = payment.document
    process = trade.process_of(document, drafted.company.sells)
    if process.startswith("B") or document.tax_point_code in trade.ON_DEBITS or not document.tax:
        return False
    if document.currency != "EUR":
        raise NotReportable("payments are reported in euro only, and it is in another currency")
    trade.check_rates(document)
    trade.check_number(document.number)
    with_vat: dict[Decimal, Decimal] = {}
    for share in document.vat:
        rate = share.rate.normalize()
        with_vat[rate] = with_vat.get(rate, Decimal(0)) + share.taxable + share.tax
    sign = -1 if document.is_credit else 1
    for rate, part in spread(payment.amount, with_vat).items():
        rates[rate] = rates.get(rate, Decimal(0)) + sign * part
    return True


# -- the document ----------------------------------------------------------------------------------


def _written(drafted: Drafted) -> etree._Element:
    head = _head(drafted)
    if drafted.content.period.kind == PAYMENTS:
        return flux10.payments(head, drafted.paid)
    invoices = sorted(drafted.invoices, key=lambda each: each.document.document_id)
    days = [drafted.sales[key] for key in sorted(drafted.sales, key=lambda key: (*map(str, key),))]
    return flux10.transactions(head, invoices, days)


def _head(drafted: Drafted) -> Head:
    content, company, period = drafted.content, drafted.company, drafted.content.period
    letter = _ID_LETTERS[period.kind]
    return Head(
        f"F10-{company.siren}-{letter}-{period.start:%Y%m%d}-{content.number}",
        content.at,
        flux10.CORRECTED if content.corrects else flux10.INITIAL,
        company.platform,
        company.siren,
        content.company_name,
        flux10.BUYER if period.kind == PURCHASES else flux10.SELLER,
        period.start,
        period.end,
    )


def _message(drafted: Drafted, root: etree._Element) -> Outgoing:
    content, period = drafted.content, drafted.content.period
    connection = content.connection
    address = companies.address_of(drafted.company.siren)
    return Outgoing(
        key=f"report-{connection.id}-{period.kind}-{period.start:%Y%m%d}-{content.number}",
        kind=E_REPORT,
        environment=connection.environment,
        sender=address,
        receiver=address,
        document_type=flows.REPORT_TYPE,
        process=flows.REPORT_PROCESS,
        document=flux10.written(root),
        sender_country="FR",
        receiver_country="FR",
        retry_for=MAX_RETRY,
        connection_id=connection.id,
        period_report=True,
    )
