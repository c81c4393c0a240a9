"""Exports of the account: requested, followed and downloaded."""

from __future__ import annotations

from flask import Response

from einvoice import clock
from einvoice.domain.errors import Conflict, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.tenant_data import export_jobs
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import export_response

family = Pages("dashboard_exports", __name__, "/dashboard/settings/exports")


@family.page("", least=Role.ADMIN)
def list_exports() -> Response:
    """The newest exports. The page follows one that is not done."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def request_export() -> Response:
    """Request an export."""
    try:
        export_jobs.request(pages.who().tenant_id, runtime().settings, pages.who())
    except Conflict as refusal:
        return _listed(refusal)
    return pages.redirect_to("dashboard_exports.list_exports", "exportRequested")


@family.page("/<export_id>/file", least=Role.ADMIN)
def download_export(export_id: str) -> Response:
    """The file of an export."""
    who = pages.who()
    path = export_jobs.open_file(who.tenant_id, export_id, runtime().settings, who)
    return export_response(path, export_id)


def _listed(refusal: RequestRefused | None = None) -> Response:
    """The page. `refusal`: why none was requested."""
    items = export_jobs.newest(pages.who().tenant_id)
    return pages.render(
        "dashboard/exports.html",
        200 if refusal is None else 409,
        items=items,
        is_open=any(each.is_open for each in items),
        now=clock.now(),
        refusal=refusal,
    )
