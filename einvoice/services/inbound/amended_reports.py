"""Reports to authorities that a person has made again, or withdrawn.

A refused report is made again of the document as it is, after what was wrong has been put right at
the authority or in the settings; a correct document cannot be changed. What the authority has is
withdrawn before the document is corrected by another one.
"""

from __future__ import annotations

from einvoice import clock
from einvoice.documents.tax_data import read_tax_data
from einvoice.domain import artefacts
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.tax_data import ReportType
from einvoice.network.messages import ReceivedOutcome, Step
from einvoice.network.sent_documents import Amendment, AmendsReports, SentOutcome
from einvoice.network.types import AccessPoint
from einvoice.services.account import audit
from einvoice.services.delivery import messages, sent_notices
from einvoice.services.inbound.notices import outcome
from einvoice.services.runtime import Runtime
from einvoice.store.core import db
from einvoice.store.inbound import notices
from einvoice.store.sending import messages as stored
from einvoice.store.sending import transmissions
from einvoice.store.sending.messages import MessageRecord
from einvoice.store.sending.messages import OpenReports as OpenReports

_RESUBMITTED = "only a report that failed is made again"
_WITHDRAWN = "only a report that was accepted is withdrawn"
_REPEATED = "a withdrawal that failed is withdrawn again, and none that was accepted"


def open_reports() -> list[OpenReports]:
    """The reports that their authorities do not have, by country."""
    return stored.open_reports()


def amend(report_id: str, how: Amendment, runtime: Runtime) -> str:
    """Queue the report of a document again, or its withdrawal; the id of the new message.

    Raises NotFound for what is no report, Conflict for one that cannot be amended so.
    """
    with db.reading() as connection:
        report = stored.record(connection, report_id)
        if report is None or report.reports_to is None or not report.invoice_id:
            raise NotFound(f"there is no report {report_id[:40]!r}")
        withdraws = _withdraws(report, stored.document(connection, report.id))
    number = _number(report)
    _check(report, how, withdraws=withdraws)
    point = next((each for each in runtime.access_points if each.name == report.access_point), None)
    if not isinstance(point, AmendsReports):
        raise Conflict(f"{report.access_point} makes no report again")
    try:
        message = point.amended_report(_about(report, point, runtime), how, number)
    except ValueError as fault:
        raise Conflict(str(fault)) from fault
    with db.writing() as connection:
        made = messages.add(connection, point.name, message)
        transmissions.set_attention(connection, report.id, False)
        if report.tenant_id:
            audit.record(connection, report.tenant_id, None, f"report.{how.value}", report.id)
    return made


def _check(report: MessageRecord, how: Amendment, *, withdraws: bool) -> None:
    """Raise Conflict for a report that is not amended so: what the authority then has is what was
    accepted last."""
    has_failed = report.status == NetworkStatus.FAILED
    is_accepted = report.status == NetworkStatus.DELIVERED
    if withdraws and (how is Amendment.RESUBMIT or not has_failed):
        raise Conflict(f"{_REPEATED}: {report.id} is a withdrawal and {report.status}")
    if how is Amendment.RESUBMIT and not has_failed:
        raise Conflict(f"{_RESUBMITTED}: {report.id} is {report.status}")
    if how is Amendment.WITHDRAW and not withdraws and not is_accepted:
        raise Conflict(f"{_WITHDRAWN}: {report.id} is {report.status}")


def _number(report: MessageRecord) -> int:
    """How many reports the document has. Raises Conflict if a later one has taken the place."""
    known = stored.reports_of(report.invoice_id or "", report.tenant_id or "")
    if known and known[-1].id != report.id:
        last = known[-1]
        raise Conflict(
            f"{report.id} was followed by {last.id}, which is {last.status}: "
            "only the last report of a document is made again or withdrawn"
        )
    return len(known)


def _withdraws(report: MessageRecord, content: bytes) -> bool:
    """Whether a report withdraws what the authority has."""
    if report.kind != artefacts.TAX_DATA.code:
        return False
    return read_tax_data(content).report.type is ReportType.WITHDRAW


def _about(
    report: MessageRecord, point: AccessPoint, runtime: Runtime
) -> SentOutcome | ReceivedOutcome:
    """The notice that the access point got of the document. Raises Conflict if it is gone."""
    document = notices.followed([report.invoice_id or ""]).get(report.invoice_id or "")
    if document is not None:
        return outcome(document, Step.JUDGED.value, clock.now(), runtime)
    transmission = report.transmission_id or ""
    found = sent_notices.outcomes([transmission], point).get(transmission)
    if found is None:
        raise Conflict(f"the document of {report.id} is gone")
    return found
