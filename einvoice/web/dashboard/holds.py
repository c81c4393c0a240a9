"""Legal holds of the account: placed on everything, listed and released."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from einvoice import clock
from einvoice.domain.errors import Conflict, InvalidField, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from einvoice.services.archive.holds import HoldFilter
from einvoice.web import bodies, paging
from einvoice.web.account import hold_schemas
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages

_NEW = hold_schemas.NewHold()
# Refusals that a form shows; others are pages of their own.
SHOWN = (InvalidField, Conflict)

family = Pages("dashboard_holds", __name__, "/dashboard/settings/holds")


@family.page("", least=Role.ADMIN)
def list_holds() -> Response:
    """All holds, newest first, also those that were released."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def place_hold() -> Response:
    """Hold everything of the account."""
    given = forms.submitted().to_dict()
    try:
        holds.place(pages.who().tenant_id, None, reason_of(given), pages.who())
    except SHOWN as refusal:
        return _listed(given, refusal)
    return pages.redirect_to("dashboard_holds.list_holds", "held")


@family.page("/<hold_id>/release", least=Role.ADMIN, methods=["POST"])
def release_hold(hold_id: str) -> Response:
    """Release a hold; then the page from which it was."""
    try:
        hold = holds.release(hold_id, pages.who())
    except SHOWN as refusal:
        return _listed(refusal=refusal)
    if hold.invoice_id is None or forms.submitted().get("then") != "invoice":
        return pages.redirect_to("dashboard_holds.list_holds", "released")
    view, invoice_id = "dashboard_invoices.show_invoice", hold.invoice_id
    return pages.redirect_to(view, "released", invoice_id=invoice_id)


def reason_of(given: Mapping[str, str]) -> str:
    """The reason of a form. Raises InvalidField."""
    return str(bodies.loaded(_NEW, forms.nested({"reason": given.get("reason", "")}))["reason"])


def _listed(
    given: Mapping[str, str] | None = None, refusal: RequestRefused | None = None
) -> Response:
    """The page. `given`: the form that was refused, `refusal`: why."""
    principal = pages.who()
    query = pages.with_cursor({})
    after = paging.marked_moment(query, principal)
    found = holds.page(principal.tenant_id, HoldFilter(), after, paging.DEFAULT_PAGE_SIZE + 1)
    page = paging.closed_page(
        found, lambda hold: [clock.timestamp(hold.placed_at), hold.id], query, principal
    )
    return pages.render(
        "dashboard/holds.html",
        200 if refusal is None else 409,
        items=page.items,
        given=given or {},
        errors=forms.errors_of(refusal),
        refusal=refusal,
        longest=hold_schemas.MAX_REASON,
        **pages.pager("dashboard_holds.list_holds", page.next_cursor),
    )
