"""Reports of periods: what a company has sold, bought and been paid, for an authority that wants to
know it at intervals, beside the invoices that its network carries.

An access point that sends such reports by the account of a company implements `ReportsPeriods`. The
service collects the documents of the tenant that went other ways, and their payments, from the day
on which there is a connection. It asks which periods there are, what the report of each is, and
sends it once; where the data change after that, it asks for the correction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Protocol, runtime_checkable

from einvoice.network.connections import Connection
from einvoice.network.messages import Outgoing

MAX_KIND_LENGTH = 20
MAX_DOCUMENTS = 50_000  # of one report


@dataclass(frozen=True, slots=True)
class TradeParty:
    """Seller or buyer of a document."""

    name: str = ""
    country: str | None = None
    vat_id: str | None = None
    legal_id: str | None = None
    legal_scheme: str | None = None


@dataclass(frozen=True, slots=True)
class VatShare:
    """An entry of the VAT breakdown (BG-23)."""

    category: str
    rate: Decimal
    taxable: Decimal
    tax: Decimal
    reason: str | None = None
    reason_code: str | None = None


@dataclass(frozen=True, slots=True)
class PrecedingDocument:
    """A reference to an earlier invoice (BG-3)."""

    number: str
    issue_date: date | None = None


@dataclass(frozen=True, slots=True)
class TradeDocument:
    """A document that the tenant has sent or received by another access point.

    received      whether it is a purchase
    tax_in_accounting_currency  BT-111, in `accounting_currency` (BT-6)
    process       BT-23
    notes         subject code and text (BG-1)
    """

    document_id: str
    received: bool
    number: str
    issue_date: date
    type_code: str
    currency: str
    seller: TradeParty
    buyer: TradeParty
    tax_exclusive: Decimal
    tax: Decimal
    vat: tuple[VatShare, ...]
    is_credit: bool = False
    accounting_currency: str | None = None
    tax_in_accounting_currency: Decimal | None = None
    process: str | None = None
    due_date: date | None = None
    tax_point_code: str | None = None
    delivered_on: date | None = None
    representative_vat_id: str | None = None
    preceding: tuple[PrecedingDocument, ...] = ()
    notes: tuple[tuple[str | None, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TradePayment:
    """A payment of a sent document, in its currency. A correction is negative."""

    payment_id: str
    document: TradeDocument
    amount: Decimal
    paid_on: date


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """A period about which a report is due.

    kind      what it is about: 1 to 20 characters, permanent
    start, end  its first and its last day
    send_on   the day on which the report is sent, after the end; due_on: the last day allowed
    """

    kind: str
    start: date
    end: date
    send_on: date
    due_on: date


@dataclass(frozen=True, slots=True)
class PeriodContent:
    """The data of a period.

    number     counts the reports of this period, from 0
    corrects   whether an earlier one was accepted, which this one replaces
    is_only    whether the tenant has no other company at the access point
    documents  issued in the period, those of other companies of the tenant too; payments: likewise
    """

    connection: Connection
    period: ReportPeriod
    company_name: str
    at: datetime
    number: int
    corrects: bool
    is_only: bool
    documents: tuple[TradeDocument, ...]
    payments: tuple[TradePayment, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document that belongs into a report and cannot be in it, and what to do about it."""

    document_id: str
    number: str
    reason: str


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """The report of a period.

    digest     of what it says, without its own number and time; "" where there is nothing to say
    documents  how many documents and payments are in it
    message    None where there is nothing to say
    """

    digest: str
    documents: int
    left_out: tuple[LeftOut, ...] = ()
    message: Outgoing | None = field(default=None, repr=False)


@runtime_checkable
class ReportsPeriods(Protocol):
    """An access point that reports the trade of its companies to the authority of a country.

    reporting_country  whose companies report: what they sell to consumers and abroad, and buy from
                       abroad, is collected (ISO 3166-1 alpha-2)
    """

    reporting_country: str

    def report_periods(
        self, connection: Connection, since: date, today: date
    ) -> Iterable[ReportPeriod]:
        """The periods that have begun by today and end after `since`. Pure.

        None where the company does not report by this service.
        """
        ...

    def period_report(self, content: PeriodContent) -> PeriodReport:
        """The report. Its key is derived from the connection, the period and `number`. Pure."""
        ...

    def reporting_gap(self, connection: Connection, today: date) -> str | None:
        """The act of a person that reports wait for, once that is near; None: there is none."""
        ...
