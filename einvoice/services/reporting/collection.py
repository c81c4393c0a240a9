"""Collecting the data of documents that have to be reported, for as long as there is a connection.

The data are read from the document while its bytes are there, and kept apart from them: a report
may be corrected long after the retention of its documents has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from einvoice import clock
from einvoice.documents import conversion
from einvoice.domain.errors import DocumentDropped, RequestRefused, UnreadableDocument
from einvoice.domain.invoice import DocumentKind, Invoice, Party
from einvoice.network.period_reports import (
    PrecedingDocument,
    TradeDocument,
    TradeParty,
    VatShare,
)
from einvoice.observability import logging
from einvoice.services.computing.sizes import is_large
from einvoice.services.runtime import Runtime
from einvoice.store.core import db
from einvoice.store.invoices import invoices, period_reports
from einvoice.store.invoices.period_reports import NewDocument, Place
from einvoice.xml import MAX_RECEIVED_BYTES, NotXml, as_utf8, parse

log = logging.get(__name__)

AT_ONCE: Final = 200  # documents that one round reads
_TIMES: Final = 2  # a document is parsed and read


def collect(place: Place, country: str, since: date, runtime: Runtime) -> bool:
    """Collect some documents; whether there may be more."""
    found = period_reports.not_collected(place, country, since, AT_ONCE)
    read = list(_read(found, place, runtime))
    with db.writing() as connection:
        period_reports.collect(connection, place, read, clock.now())
    return len(found) == AT_ONCE and bool(read)


def _read(
    found: list[NewDocument], place: Place, runtime: Runtime
) -> Iterator[tuple[NewDocument, Mapping[str, Any] | None]]:
    """The documents with their data. One whose bytes are not at hand now waits."""
    for each in found:
        try:
            stored = invoices.documents(each.id, place.tenant_id, place.environment)
            content = stored.document if stored else b""
            large = is_large(content, _TIMES)
            data = runtime.computing.run(place.tenant_id, data_of, content, large=large)
        except RequestRefused as fault:
            log.info("document not collected", invoice=each.id, fault=type(fault).__name__)
            if not isinstance(fault, DocumentDropped):
                continue
            data = None
        yield each, None if data is None else {**data, "received": each.bought}


def data_of(content: bytes) -> dict[str, Any] | None:
    """The data of a UBL or CII document as JSON; None if it cannot be read. Pure."""
    try:
        root = parse(as_utf8(content), max_bytes=MAX_RECEIVED_BYTES)
        return as_data(conversion.readable(root, conversion.form_of(root)))
    except (NotXml, UnreadableDocument):
        return None


def as_data(invoice: Invoice) -> dict[str, Any]:
    """The data of an invoice that a report needs, as JSON."""
    delivered = invoice.delivery.date if invoice.delivery else None
    representative = invoice.tax_representative
    totals = invoice.totals
    return {
        "number": invoice.number,
        "issueDate": invoice.issue_date.isoformat(),
        "type": invoice.type_code,
        "credit": invoice.kind.form is DocumentKind.CREDIT_NOTE,
        "currency": invoice.currency,
        "process": invoice.profile,
        "seller": _party(invoice.seller),
        "buyer": _party(invoice.buyer),
        "net": str(totals.tax_exclusive),
        "tax": str(totals.tax or Decimal(0)),
        "taxCurrency": invoice.accounting_currency,
        "taxInTaxCurrency": _text(totals.tax_in_accounting_currency),
        "dueDate": _text(invoice.due_date),
        "taxPoint": invoice.tax_point_code,
        "delivered": _text(delivered),
        "representative": representative.vat_id if representative else None,
        "preceding": [[each.number, _text(each.issue_date)] for each in invoice.preceding],
        "notes": [[code, text] for code, text in invoice.notes if code is not None][:20],
        "vat": [
            [
                each.category.code,
                str(each.category.rate or Decimal(0)),
                str(each.taxable),
                str(each.tax),
                each.exemption_reason,
                each.exemption_code,
            ]
            for each in invoice.taxes
        ],
    }


def document_of(document_id: str, data: Mapping[str, Any]) -> TradeDocument:
    """The document of its data."""
    tax = data["taxInTaxCurrency"]
    return TradeDocument(
        document_id=document_id,
        received=data["received"],
        number=data["number"],
        issue_date=date.fromisoformat(data["issueDate"]),
        type_code=data["type"],
        currency=data["currency"],
        seller=TradeParty(*data["seller"]),
        buyer=TradeParty(*data["buyer"]),
        tax_exclusive=Decimal(data["net"]),
        tax=Decimal(data["tax"]),
        vat=tuple(_share(*each) for each in data["vat"]),
        is_credit=data["credit"],
        accounting_currency=data["taxCurrency"],
        tax_in_accounting_currency=None if tax is None else Decimal(tax),
        process=data["process"],
        due_date=_day(data["dueDate"]),
        tax_point_code=data["taxPoint"],
        delivered_on=_day(data["delivered"]),
        representative_vat_id=data["representative"],
        preceding=tuple(PrecedingDocument(n, _day(day)) for n, day in data["preceding"]),
        notes=tuple((code, text) for code, text in data["notes"]),
    )


def _share(
    category: str, rate: str, net: str, tax: str, reason: str | None, code: str | None
) -> VatShare:
    return VatShare(category, Decimal(rate), Decimal(net), Decimal(tax), reason, code)


def _party(party: Party) -> list[str | None]:
    country = party.address.country if party.address else None
    legal = party.legal_id
    return [
        party.name,
        country,
        party.vat_id,
        legal.value if legal else None,
        legal.scheme if legal else None,
    ]


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
