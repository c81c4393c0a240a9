"""Reports of periods to the tax office: what was reported, what is due, and what is left out."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.reporting import reports
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.public.period_reports import document_response, listed

family = Pages("dashboard_period_reports", __name__, "/dashboard/connections/reports")


@family.page("", least=Role.VIEWER)
def list_reports() -> Response:
    """The reports of the chosen environment, the newest period first."""
    return _listed()


@family.page("/<report_id>/document", least=Role.VIEWER)
def download_report(report_id: str) -> Response:
    """The document of a report that was sent."""
    return document_response(report_id, reports.document_of(report_id, pages.who()))


@family.page("/<report_id>/repeat", least=Role.MEMBER, methods=["POST"])
def repeat_report(report_id: str) -> Response:
    """Send a refused report again."""
    try:
        reports.repeat(report_id, pages.who())
    except Conflict as refusal:
        return _listed(refusal)
    return pages.redirect_to("dashboard_period_reports.list_reports", "reportRepeated")


def _listed(refusal: Conflict | None = None) -> Response:
    page = listed(pages.with_cursor({}), pages.who(), [pages.environment().value])
    return pages.render(
        "dashboard/period_reports.html",
        200 if refusal is None else 409,
        items=page.items,
        refusal=refusal,
        errors={},
        **pages.pager("dashboard_period_reports.list_reports", page.next_cursor),
    )
