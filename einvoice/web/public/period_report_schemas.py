"""The contracts of reports of periods."""

from __future__ import annotations

from typing import Any

from einvoice.services.reporting.reports import PeriodReportRecord
from einvoice.web.paging import Page
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class LeftOutDocument(ResponseSchema[Any]):
    """A document that belongs into a report and is not in it."""

    invoiceId = a.text("The document; empty: the whole period", a.SOME_ID)
    number = a.text("Its number", "F-1")
    reason = a.text("Why, and what to do", "Käufer GmbH has no VAT number")


class PeriodReport(ResponseSchema[PeriodReportRecord]):
    """A report of a period to a tax authority."""

    reportId = a.an_id("The report", source="id")
    connectionId = a.an_id("The connection by which it is sent")
    account = a.text("The company", "100000009")
    kind = a.text("What it is about: sales, purchases or payments", "sales")
    start = a.day("The first day of the period", "2026-11-01", source="starts_on")
    end = a.day("Its last day", "2026-11-10", source="ends_on")
    dueOn = a.day("The last day on which the report is in time", "2026-11-20")
    number = a.number("Counts the reports of this period, from 0", 0)
    corrects = a.flag("Whether it corrects an earlier one", example=False)
    status = a.text(
        "open: it is not sent yet; sending; accepted or refused by the platform; unknown: it was "
        "sent by another installation",
        "open",
    )
    reason = a.text("Why it was refused", "InvalidSchema", or_null=True, source="fault")
    documents = a.number("How many documents or payments are in it", 12)
    leftOut = a.things(LeftOutDocument(), "Documents that are not in it, at most 200")
    createdAt = a.moment("When it was made")
    updatedAt = a.moment("When it last changed")


class PeriodReportResponse(PeriodReport):
    provider = a.provider()


class PeriodReportList(ResponseSchema[Page[PeriodReportRecord]]):
    items = a.things(PeriodReport(), "The reports, the newest period first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
