"""Reports of periods to a tax authority: /api/period-reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from flask import Response

from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.principal import Reader
from einvoice.services.reporting import reports
from einvoice.services.reporting.reports import PeriodReportRecord
from einvoice.web import credentials, paging
from einvoice.web.api import Family
from einvoice.web.paging import Page, PartQuery
from einvoice.web.public.period_report_schemas import PeriodReportList, PeriodReportResponse
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "period_reports",
    __name__,
    url_prefix="/api/period-reports",
    credential=credentials.key_or_session,
    tag="Reports",
)
_QUERY = PartQuery()


@family.get("", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": PartQuery}])
@family.response(200, PeriodReportList())
def list_period_reports() -> Page[PeriodReportRecord]:
    """List what was reported to the tax authority of each period, and what is due.

    The newest period first. A period that is open says what would be reported now, and which
    documents are left out and why. France: e-reporting of sales to consumers and abroad, purchases
    abroad, and payments of services. An API key needs the scope invoices:read.
    """
    credentials.require("invoices:read")
    reader = credentials.reader()
    return listed(paging.read_query(_QUERY), reader, reader.environments)


def listed(
    query: Mapping[str, Any], reader: Reader, environments: Sequence[str]
) -> Page[PeriodReportRecord]:
    """A page of the reports of the reader's tenant in these environments."""
    after = paging.marked(query, reader)
    place = None if after is None else (date.fromisoformat(after[0]), str(after[1]))
    size = query.get("limit", paging.DEFAULT_PAGE_SIZE)
    found = reports.page(reader.tenant_id, environments, place, size + 1)
    return paging.closed_page(
        found, lambda each: [each.starts_on.isoformat(), each.id], query, reader
    )


@family.get("/<report_id>", least=Role.VIEWER)
@family.response(200, PeriodReportResponse())
def get_period_report(report_id: str) -> PeriodReportRecord:
    """Get a report of a period. An API key needs the scope invoices:read."""
    credentials.require("invoices:read")
    return reports.get(report_id, credentials.reader())


@family.get("/<report_id>/document", least=Role.VIEWER)
@family.refuses(Conflict)
@family.doc(responses={200: {"content": {"application/xml": {"schema": {"type": "string"}}}}})
@family.response(200, description="The report as it was sent.")
def download_period_report(report_id: str) -> Response:
    """Download a report as it was sent. 409 conflict while its period is open.

    An API key needs the scope invoices:read.
    """
    credentials.require("invoices:read")
    return document_response(report_id, reports.document_of(report_id, credentials.reader()))


@family.route("/<report_id>/repeat", methods=["POST"], least=Role.MEMBER)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, PeriodReportResponse())
def resend_period_report(report_id: str) -> PeriodReportRecord:
    """Send a report again that was refused, with what is known now.

    A report whose data change is sent again by itself. 409 conflict for one that was not refused.
    An API key needs the scope invoices:send.
    """
    credentials.require("invoices:send")
    read_empty_body()
    return reports.repeat(report_id, credentials.reader())


def document_response(report_id: str, document: bytes) -> Response:
    """The document of a report as a file."""
    response = Response(document, content_type="application/xml")
    response.headers["Content-Disposition"] = f'attachment; filename="report-{report_id}.xml"'
    return response
