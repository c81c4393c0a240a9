"""Sent and received invoices: the list, the files of one invoice, and what is done to it.

The list takes the parameters of GET /api/invoices, so an address with filters can be shared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from flask import Response, request, url_for

from einvoice.domain.artefacts import ORIGINAL, PDF
from einvoice.domain.codes import ATTACHMENT_TYPES
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import Conflict, InvalidField, NotShareable, RequestRefused
from einvoice.domain.identifiers import is_id
from einvoice.domain.money import plain
from einvoice.domain.responses import ResponseStatus
from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from einvoice.services.invoices import (
    attachments,
    attention,
    detail,
    drafts,
    handout_terms,
    listing_csv,
    lists,
    share_links,
    successors,
)
from einvoice.services.invoices.detail import (
    InvoiceRecord,
)
from einvoice.services.invoices.lists import (
    InvoiceFilters,
    InvoiceListItem,
    InvoicePageRequest,
    signed,
)
from einvoice.services.send import resend
from einvoice.services.send.command import SendCommand
from einvoice.web import paging
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import (
    cookies,
    form_values,
    forms,
    invoice_form,
    list_filters,
    pages,
)
from einvoice.web.dashboard import holds as dashboard_holds
from einvoice.web.dashboard.invoice_page import may_be_copied, shown
from einvoice.web.dashboard.pages import Pages
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.shared import pdf, searches
from einvoice.web.shared.attachments import artefact_response, attachment, documents_response
from einvoice.web.shared.invoice_list_schemas import (
    InvoiceQuery,
    cursor_of,
    filters_of,
    page_of,
)
from einvoice.web.shared.pdf import inline_pdf

MAX_EXPORTED = 10_000  # rows of a CSV file
MAX_COUNTED = 100  # documents of a tab
MAX_CHOSEN = 50  # documents of a page
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
# What a file name in a header has no place for.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._ ()+-]")
_QUERY = InvoiceQuery()
_AMOUNTS = frozenset({"grandTotalFrom", "grandTotalTo"})
_CENTS = re.compile(r"[0-9]{1,3}(?:[.,\s'’]?[0-9]{3}){0,4}[.,][0-9]{2}|[0-9]{4,15}[.,][0-9]{2}")
# Parameters of the page itself.
_OWN = frozenset({"notice", "cursor"})
_UNFILTERED = frozenset({"environment", "sort"})
_OF_TABS = _UNFILTERED | set(list_filters.FIELDS["status"])

# The columns of the table, and the direction that each is sorted in first.
_SORTED_FIRST = {
    "number": "number", "party": "party", "issueDate": "-issueDate", "grandTotal": "-grandTotal",
    "networkStatus": "networkStatus",
}  # fmt: skip

family = Pages("dashboard_invoices", __name__, "/dashboard/invoices")


@dataclass(frozen=True, slots=True)
class SortLink:
    """The link of a column's head; `direction` of the order shown, as in aria-sort."""

    address: str
    direction: str | None


@family.page("", least=Role.VIEWER)
def list_invoices() -> Response:
    """The list, by the filters of the address."""
    given = _given()
    try:
        query = _read(given)
        found = searches.page(query, pages.who())
    except InvalidField as refusal:
        errors = forms.by_field(refusal.errors)
        status = 200 if "HX-Request" in request.headers else 400
        wrong = pages.render(
            "dashboard/invoices.html", status, errors=errors, items=[], orders={}, **_filters(given)
        )
        return pages.at(wrong, _address("list_invoices", given))
    end = cursor_of(found.end, query, pages.who())
    response = pages.render(
        "dashboard/invoices.html",
        errors={},
        items=found.items,
        is_filtered=not given.keys() <= _UNFILTERED,
        orders=_orders(given),
        sums=_sums(found.items) if end is None and "cursor" not in request.args else {},
        export=_address("export_invoices", given),
        documents=_address("export_documents", given),
        **_filters(given),
        **pages.pager("dashboard_invoices.list_invoices", end, **given),
    )
    return pages.at(response, _address("list_invoices", given))


def _filters(given: Mapping[str, str]) -> dict[str, Any]:
    """The values of the line of filters and of the tabs."""

    def address(values: Mapping[str, str]) -> str:
        return _address("list_invoices", values)

    return {
        "given": given,
        "line": list_filters.line(given, address, pages.words(), pages.brief_day),
        "tabs": list_filters.tabs(given, address),
        "counts": _counts(given),
        "most": MAX_COUNTED,
        "periods": list_filters.periods(given, address),
        "response_names": ResponseStatus,
    }


def _counts(given: Mapping[str, str]) -> dict[str, int]:
    """How many documents wait in the tabs of a list without other filters, MAX_COUNTED at most."""
    if not given.keys() <= _OF_TABS:
        return {}
    shown, principal = pages.environment(), pages.who()
    of_tabs = {
        "attention": InvoiceFilters(environment=shown, attention=True),
        "Failed": InvoiceFilters(environment=shown, status=NetworkStatus.FAILED.value),
        "Processing": InvoiceFilters(environment=shown, status=NetworkStatus.PROCESSING.value),
    }
    found = {
        name: lists.total_up_to(principal, each, MAX_COUNTED) for name, each in of_tabs.items()
    }
    return found | {"drafts": len(drafts.page(principal, shown, None, MAX_COUNTED))}


def _sums(items: Sequence[InvoiceListItem]) -> dict[str, Decimal]:
    """The totals by currency, credit notes subtracted; none of sent and received ones together."""
    if len({item.direction for item in items}) != 1:
        return {}
    found: dict[str, Decimal] = {}
    for item in items:
        if item.currency is not None and item.grand_total is not None:
            found[item.currency] = found.get(item.currency, Decimal(0)) + signed(item)
    return found


@family.page("/export.csv", least=Role.VIEWER)
def export_invoices() -> Response:
    """The invoices of the list as CSV, in its order. Raises Conflict for too many."""
    query, principal = _read(_given()), pages.who()
    part = replace(page_of(query, principal), limit=paging.MAX_PAGE_SIZE)
    with slots.released():
        found = lists.every(
            principal, filters_of(query), part, MAX_EXPORTED, "narrow them by dates."
        )
    lines = (listing_csv.COLUMNS, *map(listing_csv.values, found))
    text = "".join(map(listing_csv.line, lines))
    return attachment(text, "text/csv; charset=utf-8", "invoices.csv")


@family.page("/documents.zip", least=Role.VIEWER)
def export_documents() -> Response:
    """The originals and PDFs of the list as a ZIP. Raises Conflict for too many."""
    query, principal = _read(_given()), pages.who()
    return documents_response(
        principal, filters_of(query), page_of(query, principal), "invoices.zip"
    )


@family.page("/chosen.zip", least=Role.VIEWER, methods=["POST"])
def download_chosen() -> Response:
    """The originals and PDFs of the chosen documents as a ZIP."""
    filters = InvoiceFilters(environment=pages.environment(), ids=_chosen())
    part = InvoicePageRequest(paging.MAX_PAGE_SIZE)
    return documents_response(pages.who(), filters, part, "invoices.zip")


@family.page("/again", least=Role.MEMBER, methods=["POST"])
def resend_chosen() -> Response:
    """Send those of the chosen documents again that have failed and were not replaced."""
    principal, address = pages.who(), cookies.page_after(forms.submitted().get("back", ""))
    filters = InvoiceFilters(
        environment=pages.environment(), status=NetworkStatus.FAILED.value, ids=_chosen()
    )
    failed = lists.invoices(principal, filters, InvoicePageRequest(MAX_CHOSEN)).items
    replaced = successors.of(failed, principal.tenant_id, pages.environment().value)
    for each in failed:
        if each.id not in replaced:
            with suppress(RequestRefused):  # its page says why
                _resend(each.id)
    back = address if address.startswith(f"{family.url_prefix}?") else f"{family.url_prefix}?"
    return Response(status=303, headers={"Location": f"{back}&notice=resentChosen"})


def _chosen() -> tuple[str, ...]:
    """The ids of the documents that are marked in the list."""
    given = forms.submitted().getlist("invoice")
    return tuple(each.lower() for each in given[:MAX_CHOSEN] if is_id(each))


@family.page("/<invoice_id>", least=Role.VIEWER)
def show_invoice(invoice_id: str) -> Response:
    """One invoice. A page that follows it is loaded again as soon as it is settled."""
    found = detail.get(invoice_id, pages.who())
    if "HX-Request" in request.headers and found.record.status != NetworkStatus.PROCESSING:
        return Response(status=204, headers={"HX-Refresh": "true"})
    return shown(found)


@family.page("/<invoice_id>/pdf", least=Role.VIEWER)
def show_pdf(invoice_id: str) -> Response:
    """Its PDF, which the page shows in a frame, or why there is none.

    Of a bill that cannot be read, the PDF that was received.
    """
    principal = pages.who()
    record = detail.record_of(invoice_id, principal)
    try:
        response = pdf.pdf_response(record, principal.tenant_id, "pdf")
    except RequestRefused as refusal:
        received = _received_pdf(record)
        if received is None:
            response = pages.render("dashboard/no_pdf.html", 409, refusal=refusal)
        else:
            response = inline_pdf(received, "bill.pdf")
    return pages.framed(response)


def _received_pdf(record: InvoiceRecord) -> bytes | None:
    """The PDF as which a bill was received; None if it was another file."""
    for each in detail.list_artefacts(record.id, pages.who(), ORIGINAL.code):
        if record.is_received and each.content_type == PDF.content_type:
            return detail.download(record.id, each.id, pages.who()).content
    return None


@family.page("/<invoice_id>/artefacts/<artefact_id>", least=Role.VIEWER)
def download_artefact(invoice_id: str, artefact_id: str) -> Response:
    """The content of an artefact."""
    found = detail.download(invoice_id, artefact_id, pages.who(), pages.finding_language())
    return artefact_response(found)


@family.page("/<invoice_id>/attachments", least=Role.VIEWER)
def show_attachments(invoice_id: str) -> Response:
    """The files inside the document, which the page of the invoice loads."""
    files = attachments.of_invoice(invoice_id, pages.who())
    return pages.render("dashboard/attachments.html", files=files, invoice_id=invoice_id)


@family.page("/<invoice_id>/attachments/<number>", least=Role.VIEWER)
def download_attachment(invoice_id: str, number: str) -> Response:
    """A file inside the document, by its zero-based number."""
    place = int(number) if _NUMBER.fullmatch(number) else -1
    file = attachments.one_of(invoice_id, place, pages.who())
    kind = file.media_type if file.media_type in ATTACHMENT_TYPES else "application/octet-stream"
    name = _NOT_IN_NAMES.sub("_", file.name) or f"attachment-{place + 1}"
    return attachment(file.content, kind, name)


@family.page("/<invoice_id>/resend", least=Role.MEMBER, methods=["POST"])
def resend_invoice(invoice_id: str) -> Response:
    """Send a failed invoice again, or a mail that came back to another address (`email`); the page
    then follows it."""
    given = forms.submitted().to_dict()
    try:
        _resend(invoice_id, given.get("email", "").strip() if "email" in given else None)
    except RequestRefused as refusal:
        return shown(detail.get(invoice_id, pages.who()), refusal=refusal, given=given)
    return pages.redirect_to("dashboard_invoices.show_invoice", "resent", invoice_id=invoice_id)


def _resend(invoice_id: str, email: str | None = None) -> None:
    """Send a failed invoice again. Raises what `resend.resend` raises.

    email  another address, of an invoice that goes by e-mail
    """
    principal = pages.who()
    command = SendCommand(
        body=f"resend {invoice_id} {email or ''}".encode(),
        principal=resend.sender_of(invoice_id, principal),
        key=None,
        wait=0.0,
        language=pages.finding_language(),
        trace=trace_of_request(),
    )
    resend.resend(invoice_id, command, runtime(), by=principal, email=email)


@family.page("/<invoice_id>/correct", least=Role.MEMBER)
def correct_invoice(invoice_id: str) -> Response:
    """To the form with what a failed invoice has; to its page, if it was not written in the form,
    or can succeed as it is."""
    principal = pages.who()
    record = detail.record_of(invoice_id, principal)
    artefacts = detail.list_artefacts(record.id, principal, None, pages.finding_language())
    if record.retryable or not may_be_copied(record, artefacts):
        return pages.redirect_to("dashboard_invoices.show_invoice", invoice_id=record.id)
    return pages.redirect_to(
        "dashboard_new_invoice.show_form", environment=record.environment, copies=record.id
    )


@family.page("/<invoice_id>/attention/done", least=Role.MEMBER, methods=["POST"])
def end_attention(invoice_id: str) -> Response:
    """Say that nothing is left to do about a refusal by the receiver, or about a failure."""
    try:
        attention.end(invoice_id, pages.who())
    except Conflict as refusal:
        return shown(detail.get(invoice_id, pages.who()), refusal=refusal)
    return pages.redirect_to(
        "dashboard_invoices.show_invoice", "attentionDone", invoice_id=invoice_id
    )


@family.page("/<invoice_id>/share", least=Role.MEMBER, methods=["POST"])
def share_invoice(invoice_id: str) -> Response:
    """Make the buyer's link, replacing an earlier one. The page after it shows it once."""
    principal = pages.who()
    try:
        is_issued = handout_terms.issued_by(runtime(), principal.tenant_id)
        link = share_links.share(invoice_id, principal, regenerate=True, is_issued=is_issued)
    except NotShareable as refusal:
        return shown(detail.get(invoice_id, principal), refusal=refusal)
    token = link.token or ""
    address = share_links.address(token, link.environment, runtime().settings)
    return pages.shown_once(_of_one(invoice_id), link=address)


@family.page("/<invoice_id>/share/revoke", least=Role.MEMBER, methods=["POST"])
def revoke_share(invoice_id: str) -> Response:
    """Revoke the buyer's link."""
    share_links.revoke(invoice_id, pages.who())
    return pages.redirect_to("dashboard_invoices.show_invoice", "unshared", invoice_id=invoice_id)


@family.page("/<invoice_id>/hold", least=Role.ADMIN, methods=["POST"])
def hold_invoice(invoice_id: str) -> Response:
    """Keep an invoice beyond its retention."""
    principal, given = pages.who(), forms.submitted().to_dict()
    found = detail.get(invoice_id, principal)
    try:
        holds.place(
            principal.tenant_id, found.record.id, dashboard_holds.reason_of(given), principal
        )
    except dashboard_holds.SHOWN as refusal:
        return shown(found, refusal=refusal)
    return pages.redirect_to("dashboard_invoices.show_invoice", "held", invoice_id=invoice_id)


def _of_one(invoice_id: str) -> str:
    return url_for(f"{family.name}.show_invoice", invoice_id=invoice_id)


def _given() -> dict[str, str]:
    """The filters of the address, without blank ones; by default the chosen environment's."""
    asked = {name: text for name, text in request.args.items() if text.strip()}
    filters = {name: text for name, text in asked.items() if name not in _OWN}
    return {"environment": pages.environment().value, **filters}


def _read(given: Mapping[str, str]) -> dict[str, Any]:
    """The query as the API reads it: amounts as people write them. Raises InvalidField.

    A search for an amount with cents finds the documents with this total.
    """
    has_comma, query = form_values.has_decimal_comma(), dict(given)
    for name in _AMOUNTS & query.keys():
        number = invoice_form.number_of(query[name], has_comma)
        query[name] = plain(number) if isinstance(number, Decimal) else number
    if _CENTS.fullmatch(query.get("q", "")) and not _AMOUNTS & query.keys():
        number = invoice_form.number_of(query["q"], has_comma)
        if isinstance(number, Decimal):
            del query["q"]
            query |= dict.fromkeys(_AMOUNTS, plain(number))
    return loaded(_QUERY, pages.with_cursor(query))


def _address(view: str, given: Mapping[str, str], **more: str) -> str:
    values: dict[str, Any] = {**given, **more}
    return url_for(f"{family.name}.{view}", **values)


def _orders(given: Mapping[str, str]) -> dict[str, SortLink]:
    """For each column, its link: the other direction of the order that is shown."""
    directions = {given.get("sort"): "ascending"}
    if given.get("sort", "").startswith("-"):
        directions = {given["sort"][1:]: "descending"}
    return {column: _sort_link(column, directions.get(column), given) for column in _SORTED_FIRST}


def _sort_link(column: str, direction: str | None, given: Mapping[str, str]) -> SortLink:
    following = {None: _SORTED_FIRST[column], "ascending": f"-{column}", "descending": column}
    return SortLink(_address("list_invoices", {**given, "sort": following[direction]}), direction)
