"""/api/operator/reports: reports of documents to tax authorities."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.operators import MANAGE, READ
from einvoice.network.sent_documents import Amendment
from einvoice.services.inbound import amended_reports
from einvoice.services.inbound.amended_reports import OpenReports
from einvoice.web.operator import report_schemas as schemas
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.operator.report_schemas import AmendedReport
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_reports", __name__, "/reports")


@family.scoped("", READ)
@family.response(200, schemas.OpenReportList())
def list_open_reports() -> Sequence[OpenReports]:
    """List, by country, the reports that its authority does not have, and the oldest of them."""
    return amended_reports.open_reports()


@family.scoped("/<report_id>/resubmit", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, NotFound)
@family.response(200, schemas.AmendedReportResponse())
def resubmit_report(report_id: str) -> AmendedReport:
    """Make a report again that was refused, once what was wrong has been put right."""
    read_empty_body()
    return AmendedReport(amended_reports.amend(report_id, Amendment.RESUBMIT, runtime()))


@family.scoped("/<report_id>/withdraw", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, NotFound)
@family.response(200, schemas.AmendedReportResponse())
def withdraw_report(report_id: str) -> AmendedReport:
    """Withdraw a report that the authority has, before its document is corrected."""
    read_empty_body()
    return AmendedReport(amended_reports.amend(report_id, Amendment.WITHDRAW, runtime()))
