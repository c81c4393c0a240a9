"""Received invoices as work: those that are open, and marking them as processed."""

from __future__ import annotations

from flask import Response, request, url_for

from einvoice.domain.roles import Role
from einvoice.services.inbound import bills
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest
from einvoice.web import paging
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages

STATES = {"open": False, "processed": True}

family = Pages("dashboard_bills", __name__, "/dashboard/bills")


@family.page("", least=Role.VIEWER)
def list_bills() -> Response:
    """Open bills, or with `state=processed` the others, newest first."""
    asked = request.args.get("state", "open")
    state = asked if asked in STATES else "open"
    who, shown = pages.who(), pages.environment()
    query = {"state": state, "environment": shown.value}
    if "cursor" in request.args:
        query["cursor"] = request.args["cursor"]
    filters = InvoiceFilters(environment=shown, direction="received", processed=STATES[state])
    part = InvoicePageRequest(paging.DEFAULT_PAGE_SIZE, paging.position(query, who))
    found = lists.invoices(who, filters, part)
    end = paging.cursor(found.end, query, who) if found.end else None
    return pages.render(
        "dashboard/bills.html",
        state=state,
        items=found.items,
        bills=lists.bills(found.items),
        following=_address(state, end) if end else None,
        is_later="cursor" in request.args,
        tabs=[(each, _address(each)) for each in STATES],
        export=url_for(
            "dashboard_invoices.export_invoices",
            environment=shown.value,
            direction="received",
            processed=str(STATES[state]).lower(),
        ),
        may_change=who.role >= Role.MEMBER,
    )


@family.page("/<invoice_id>/processed", least=Role.MEMBER, methods=["POST"])
def mark_bill(invoice_id: str) -> Response:
    """Mark a bill as processed, or (`processed=false`) as open again."""
    form = forms.submitted()
    processed = form.get("processed") != "false"
    bills.mark(invoice_id, pages.who(), processed=processed)
    notice = "billProcessed" if processed else "billReopened"
    if form.get("then") == "invoice":
        return pages.redirect_to("dashboard_invoices.show_invoice", notice, invoice_id=invoice_id)
    return pages.redirect_to("dashboard_bills.list_bills", notice)


def _address(state: str, cursor: str | None = None) -> str:
    environment = pages.environment().value
    return url_for(
        "dashboard_bills.list_bills", state=state, environment=environment, cursor=cursor
    )
