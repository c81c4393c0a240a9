"""Networks, doctor, releases and legal holds at the console."""

from __future__ import annotations

from flask import Response, request

from einvoice.services.archive import holds
from einvoice.services.console import installation as service
from einvoice.services.console import networks
from einvoice.web import paging
from einvoice.web.operator import pages
from einvoice.web.operator.api import operator
from einvoice.web.operator.installation import ACTIVE, place
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

network_pages = OperatorPages("operator_network_pages", __name__, "/networks")
doctor_pages = OperatorPages("operator_doctor_pages", __name__, "/doctor")
hold_pages = OperatorPages("operator_hold_pages", __name__, "/holds")
release_pages = OperatorPages("operator_release_pages", __name__, "/releases")

_HOLDS = "operator_hold_pages.list_holds"


@network_pages.page("")
def show_networks() -> Response:
    """Waiting and failed documents at each access point, certificates, mailboxes and queues."""
    return pages.render("operator/networks.html", found=networks.state(runtime()))


@doctor_pages.page("")
def show_doctor() -> Response:
    """The findings of doctor on each host when it ran last."""
    return pages.render("operator/doctor.html", reports=service.doctor_reports())


@release_pages.page("")
def show_release() -> Response:
    """The release that answers, and the database."""
    return pages.render("operator/release.html", found=service.release(runtime()))


@hold_pages.page("")
def list_holds() -> Response:
    """The legal holds of all tenants, the newest first."""
    state = request.args.get("state", "active")
    filters = {"state": state} if state in ACTIVE else {}
    query = {**filters, **({"cursor": request.args["cursor"]} if "cursor" in request.args else {})}
    found = service.all_holds(
        active=ACTIVE.get(state),
        before=paging.marked_moment(query, operator()),
        limit=paging.DEFAULT_PAGE_SIZE + 1,
    )
    page = paging.closed_page(found, place, query, operator())
    return pages.render(
        "operator/holds.html",
        items=page.items,
        filters=filters or {"state": "all"},
        states=[("active", "last"), ("released", "have ended"), ("all", "all")],
        **pages.pager(_HOLDS, page.next_cursor, **(filters or {"state": "all"})),
    )


@hold_pages.page("", methods=["POST"])
def place_hold() -> Response:
    """Keep an invoice, or everything of a tenant."""
    holds.place(pages.field("tenantId"), pages.field("invoiceId") or None, pages.reason())
    return pages.redirect_to(_HOLDS, "held")


@hold_pages.page("/<hold_id>/release", methods=["POST"])
def release_hold(hold_id: str) -> Response:
    """End a hold."""
    holds.release(hold_id)
    return pages.redirect_to(_HOLDS, "released")
