"""Received invoices as work: those that are open, booking them, responding to their sellers, and
marking them as processed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request, url_for

from einvoice import clock
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    IdempotencyKeyReuse,
    InvalidField,
    InvalidIdempotencyKey,
)
from einvoice.domain.roles import Role
from einvoice.services.inbound import bills, responses
from einvoice.services.inbound.responses import ResponseCommand
from einvoice.services.invoices import detail, lists
from einvoice.services.invoices.lists import InvoiceListItem
from einvoice.web import headers, json
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import cookies, forms, invoice_page, list_filters, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.public.bill_schemas import BillAccountRequest, BillResponseRequest, content_of
from einvoice.web.runtime import runtime
from einvoice.web.shared import searches
from einvoice.web.shared.invoice_list_schemas import (
    InvoiceQuery,
    cursor_of,
)

_ACCOUNT, _RESPONSE, _QUERY = BillAccountRequest(), BillResponseRequest(), InvoiceQuery()
_FILTERS = ("issueDateFrom", "issueDateTo", "party")
_NO_RESPONSE = (
    AccessPointUnavailable, Conflict, IdempotencyKeyReuse, InvalidField, InvalidIdempotencyKey,
)  # fmt: skip
MAX_MARKED = 200  # bills at once: a page has 50
STATES = {"open": False, "processed": True}

family = Pages("dashboard_bills", __name__, "/dashboard/bills")


@family.page("", least=Role.VIEWER)
def list_bills() -> Response:
    """Open bills, or with `state=processed` the others, newest first, by day and supplier."""
    asked = request.args.get("state", "open")
    state = asked if asked in STATES else "open"
    given = {name: request.args[name] for name in _FILTERS if request.args.get(name, "").strip()}
    query = _query(STATES[state], given)
    found, end, errors = _found(query)
    return pages.render(
        "dashboard/bills.html",
        400 if errors else 200,
        state=state,
        given=given,
        errors=errors,
        items=found,
        bills=lists.bills(found),
        tabs=[(each, _address(each, **given)) for each in STATES],
        **_filters(state, given),
        export=url_for("dashboard_invoices.export_invoices", **query),
        documents=url_for("dashboard_invoices.export_documents", **query),
        may_change=pages.who().role >= Role.MEMBER,
        today=clock.today(),
        here=_address(state, **given, **_cursor()),
        **pages.pager(
            "dashboard_bills.list_bills",
            end,
            state=state,
            environment=pages.environment().value,
            **given,
        ),
    )


def _filters(state: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The values of the line of filters."""

    def address(values: Mapping[str, str]) -> str:
        return _address(state, **{name: values[name] for name in _FILTERS if name in values})

    return {
        "line": list_filters.line(given, address, pages.words(), pages.brief_day),
        "periods": list_filters.periods(given, address),
    }


def _query(processed: object, given: Mapping[str, str]) -> dict[str, Any]:
    """The query of the list of invoices that the page stands for, without a cursor."""
    return {
        "environment": pages.environment().value,
        "direction": "received",
        "processed": str(processed).lower(),
        **given,
    }


def _found(
    query: Mapping[str, Any],
) -> tuple[Sequence[InvoiceListItem], str | None, dict[str, str]]:
    """The bills of a page, the cursor of the next one, and what is wrong with the filters."""
    principal = pages.who()
    try:
        read = loaded(_QUERY, pages.with_cursor(query))
        found = searches.page(read, principal)
    except InvalidField as refusal:
        return [], None, forms.by_field(refusal.errors)
    return found.items, cursor_of(found.end, read, principal), {}


@family.page("/<invoice_id>/processed", least=Role.MEMBER, methods=["POST"])
def mark_bill(invoice_id: str) -> Response:
    """Mark a bill as processed, or (`processed=false`) as open again."""
    form = forms.submitted()
    processed = form.get("processed") != "false"
    bills.mark(invoice_id, pages.who(), processed=processed)
    notice = "billProcessed" if processed else "billReopened"
    if form.get("then") == "invoice":
        return pages.redirect_to("dashboard_invoices.show_invoice", notice, invoice_id=invoice_id)
    return _back(form.get("back", ""), notice)


@family.page("/processed", least=Role.MEMBER, methods=["POST"])
def mark_bills() -> Response:
    """Mark the chosen bills as processed: all of them, or none."""
    form = forms.submitted()
    chosen = list(dict.fromkeys(form.getlist("bill")))[:MAX_MARKED]
    bills.mark_together(chosen, pages.who(), processed=True)
    return _back(form.get("back", ""), "billsProcessed" if chosen else None)


def _back(address: str, notice: str | None) -> Response:
    """To the list with its filters, page and environment; for htmx, of which a part is shown."""
    back = cookies.page_after(address)
    if not back.startswith(f"{family.url_prefix}?"):
        return pages.redirect_to("dashboard_bills.list_bills", notice)
    is_part = "HX-Request" in request.headers or notice is None
    return Response(
        status=303, headers={"Location": back if is_part else f"{back}&notice={notice}"}
    )


@family.page("/<invoice_id>/account", least=Role.MEMBER, methods=["POST"])
def book_bill(invoice_id: str) -> Response:
    """Book a bill to another account; by choice, later bills of its supplier too."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        typed = given.get("suggested") or given.get("glAccountCode", "")
        asked = loaded(_ACCOUNT, {"glAccountCode": typed})
        code = asked.get("glAccountCode") or None
        bills.book(invoice_id, principal, code, remember=given.get("remember") == "yes")
    except (InvalidField, Conflict) as refusal:
        return invoice_page.shown(detail.get(invoice_id, principal), refusal=refusal, given=given)
    return pages.redirect_to("dashboard_invoices.show_invoice", "booked", invoice_id=invoice_id)


@family.page("/<invoice_id>/response", least=Role.MEMBER, methods=["POST"])
def respond_to_bill(invoice_id: str) -> Response:
    """Respond to the seller, once for each page that was made."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        body = _response_body(given)
        content = content_of(loaded(_RESPONSE, body))
        key = headers.checked_key(given.get("key", ""))
        command = ResponseCommand(invoice_id, content, key, json.write(body))
        with slots.released():
            responses.respond(command, principal, runtime())
    except _NO_RESPONSE as refusal:
        return invoice_page.shown(detail.get(invoice_id, principal), refusal=refusal, given=given)
    return pages.redirect_to("dashboard_invoices.show_invoice", "responded", invoice_id=invoice_id)


def _response_body(given: Mapping[str, str]) -> dict[str, Any]:
    """The body of POST /api/invoices/{invoiceId}/response that the form stands for."""
    body: dict[str, Any] = {"responseCode": given.get("responseCode", "")}
    if given.get("responseReason"):
        body["reasons"] = [{"code": given["responseReason"], "text": given.get("reasonText", "")}]
    if given.get("responseAction"):
        body["actions"] = [{"code": given["responseAction"]}]
    if given.get("note", "").strip():
        body["note"] = given["note"]
    return body


def _cursor() -> dict[str, str]:
    """The place in the list, if the page is not its first one."""
    return {"cursor": request.args["cursor"]} if "cursor" in request.args else {}


def _address(state: str, **more: str) -> str:
    values: dict[str, Any] = {"environment": pages.environment().value, **more}
    return url_for("dashboard_bills.list_bills", state=state, **values)
