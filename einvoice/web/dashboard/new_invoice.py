"""A new invoice: a form that becomes the body of POST /api/invoices/send.

Totals and findings come from the service: while a person types, the form is judged by the rules
without asking the network, and stored as a draft (sheets); "Check" is a dry run, and "Send" a send
with the key of the draft, so that a form that is sent twice is one invoice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from flask import Response, request, url_for

from einvoice.domain.codes import CURRENCIES
from einvoice.domain.directory import DirectoryEntry
from einvoice.domain.errors import (
    NotFound,
    PreconditionFailed,
    RequestRefused,
)
from einvoice.domain.identifiers import is_id
from einvoice.domain.money import cents
from einvoice.domain.pint import TRANSACTION_TYPES
from einvoice.domain.roles import Role
from einvoice.network.access_points import SIMULATOR
from einvoice.services.invoices import drafts, pdf
from einvoice.services.invoices.credit_notes import CreditNote
from einvoice.services.invoices.successors import NumberedDocument
from einvoice.web.dashboard import (
    form_values,
    form_verdicts,
    forms,
    invoice_form,
    pages,
    pasted_lines,
    receiver_lookups,
    sheets,
)
from einvoice.web.dashboard.form_verdicts import Verdict
from einvoice.web.dashboard.invoice_form import Totals
from einvoice.web.dashboard.pages import Pages
from einvoice.web.dashboard.receiver_lookups import Found
from einvoice.web.dashboard.sheets import Sheet
from einvoice.web.dashboard.words import Say
from einvoice.web.runtime import runtime
from einvoice.web.shared import draft_bodies
from einvoice.web.shared.pdf import inline_pdf

_MIB = 1024 * 1024
_UNITS = ("C62", "HUR", "DAY", "MON", "KGM", "MTR", "MTK", "LTR", "KMT")
# UNTDID 1001; others can be sent by the API.
_TYPES = ("326", "380", "381", "384", "386", "875", "876", "877")
_CATEGORIES = ("S", "Z", "E", "AE", "K", "G", "O")
_PINT_TYPES, _PINT_CATEGORIES = (*_TYPES, "480"), ("S", "Z", "E", "AE", "O", "N")
_NAMED = frozenset({*_CATEGORIES, *_PINT_CATEGORIES})

family = Pages("dashboard_new_invoice", __name__, "/dashboard/invoices/new")


@family.page("", least=Role.MEMBER)
def show_form() -> Response:
    """An empty form with what is known of the supplier.

    `customer`: for this one; `credits`: for a credit note on this invoice; `copies`: with what this
    invoice has; `draft`: to go on with this one.
    """
    if "draft" in request.args:
        return _opened(request.args["draft"])
    if "credits" in request.args:
        values = form_values.of_credit_note(request.args["credits"])
        return _shown(values, Verdict(totals=_totals(values)), sheets.blank())
    if "copies" in request.args:
        values, has_files = form_values.of_copy(request.args["copies"])
        verdict = Verdict(totals=_totals(values))
        return _shown(values, verdict, sheets.blank(), without_files=has_files)
    values = _with_standard_rate(invoice_form.with_line(form_values.first()))
    if "customer" in request.args:
        values |= form_values.of_customer(request.args["customer"], values)
    return _shown(values, Verdict(), sheets.blank())


@family.page("/customers", least=Role.MEMBER)
def find_customers() -> Response:
    """The part of the form with the customers that a search finds."""
    hits = form_values.customers(request.args.get("search", ""))
    return pages.render("dashboard/new_invoice_customers.html", hits=hits, searched=True)


@family.page("/receiver", least=Role.MEMBER)
def find_receiver() -> Response:
    """The part of the form with what the network says of the receiver."""
    found = receiver_lookups.of_values(request.args)
    return pages.render("dashboard/new_invoice_receiver.html", found=found)


@family.page("/form", least=Role.MEMBER, methods=["POST"])
def change_form() -> Response:
    """The form with one line more or less, with customers that are found, with one of them, or with
    what the network says of the receiver."""
    given = forms.submitted()
    values, edit = invoice_form.known(given), given.get("edit", "")
    hits = found = None
    if "customer" in given:
        values |= form_values.of_customer(given["customer"], values)
    elif edit == "search":
        hits = form_values.customers(given.get("search", ""))
    elif edit == "lookup":
        found = receiver_lookups.of_values(values)
    elif edit == "rest":
        values.pop(invoice_form.REST, None)
    elif edit == "paste":
        rows = pasted_lines.rows(given.get("pasted", ""), _units_by_name())
        values = invoice_form.with_rows(values, rows)
    elif edit == "add":
        values = invoice_form.with_line(values)
    elif edit.isascii() and edit.isdecimal() and len(edit) <= len(str(invoice_form.MAX_LINES)):
        values = invoice_form.without_line(values, int(edit))
    return _shown(values, Verdict(totals=_totals(values)), sheets.given(), hits=hits, found=found)


@family.page("/draft", least=Role.MEMBER, methods=["POST"])
def keep_draft() -> Response:
    """Store the form as a draft with the files that it uploads, without one of its files, or as
    another draft."""
    given = forms.submitted()
    values, sheet, edit = invoice_form.known(given), sheets.given(), given.get("edit", "")
    try:
        kept = _kept(values, sheet, edit)
        if "remove" in given and is_id(given["remove"]):
            kept = sheets.without_file(kept, given["remove"])
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    if "remove" in given and "HX-Request" in request.headers:
        return _at_draft(_shown(values, form_verdicts.while_typing(values), kept), kept)
    return pages.redirect_to(
        "dashboard_new_invoice.show_form",
        "draftSaved",
        draft=kept.draft_id,
        environment=pages.environment().value,
        _anchor="attachments" if edit == "attach" or "remove" in given else None,
    )


@family.page("/files", least=Role.MEMBER, methods=["POST"])
def attach_files() -> Response:
    """The form with the files that were chosen, stored with its draft at once."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    try:
        kept = _kept(values, sheet, "attach")
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    return _at_draft(_shown(values, form_verdicts.while_typing(values), kept), kept)


@family.page("/check", least=Role.MEMBER, methods=["POST"])
def check_form() -> Response:
    """The form with its totals and findings; nothing is sent. While a person types, it is stored as
    a draft."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    if "HX-Request" in request.headers:
        sheet = sheets.kept(sheet, values)
        return _at_draft(_shown(values, form_verdicts.while_typing(values), sheet), sheet)
    try:
        sheet = _with_uploads(values, sheet)
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    return _shown(values, form_verdicts.dry_run(values, sheet)[0], sheet)


@family.page("/pdf", least=Role.MEMBER, methods=["POST"])
def preview_pdf() -> Response:
    """The PDF of the invoice as it would be sent; the form if it cannot be."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    verdict, result = form_verdicts.dry_run(values, sheet, includeDocument=True)
    if result is None or result.document is None:
        return _shown(values, verdict, sheet)
    try:
        made = pdf.draft(pages.who().tenant_id, result.document, runtime().computing)
    except RequestRefused as refusal:
        verdict.refusal = refusal
        return _shown(values, verdict, sheet)
    return inline_pdf(made, "preview.pdf")


@family.page("/drawn", least=Role.MEMBER, methods=["POST"])
def draw_form() -> Response:
    """The PDF of a form that is complete, in the frame of the page; else what it waits for."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    verdict, result = form_verdicts.while_typing(values), None
    if verdict.complete:
        verdict, result = form_verdicts.dry_run(values, sheet, includeDocument=True)
    if result is None or result.document is None:
        return pages.framed(pages.render("dashboard/not_drawn.html"))
    try:
        made = pdf.draft(pages.who().tenant_id, result.document, runtime().computing)
    except RequestRefused as refusal:
        return pages.framed(pages.render("dashboard/no_pdf.html", 409, refusal=refusal))
    return pages.framed(inline_pdf(made, "preview.pdf"))


@family.page("", least=Role.MEMBER, methods=["POST"])
def send_form() -> Response:
    """Send the invoice, once for each draft, which is deleted; its page then follows it."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    try:
        sheet = _with_uploads(values, sheet)
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    earlier = None if _is_sent(sheet) else form_values.sent_before(values)
    if earlier is not None and forms.submitted().get("again") != earlier.id:
        verdict = Verdict(totals=_totals(values))
        return _shown(values, verdict, sheet, earlier=earlier)
    beyond = [] if _is_sent(sheet) else form_values.credited_before(values)
    if beyond and forms.submitted().get("creditedAgain") != beyond[0].id:
        verdict = Verdict(totals=_totals(values))
        return _shown(values, verdict, sheet, credit_notes=beyond)
    verdict, result = form_verdicts.sent(values, sheet)
    if result is None:
        return _shown(values, verdict, sheet)
    notice = "sentBefore" if result.payload_mismatch else "sent"
    return pages.redirect_to(
        "dashboard_invoices.show_invoice", notice, invoice_id=result.invoice_id
    )


# -- the draft -------------------------------------------------------------------------------------


def _opened(draft_id: str) -> Response:
    """The form with what a draft holds; the invoice, if the draft was sent.

    Raises NotFound, and Conflict if it has more lines than the form.
    """
    draft_id = draft_id.lower() if is_id(draft_id) else ""
    sent = drafts.sent_as(pages.who(), pages.environment(), draft_id)
    if sent is not None:
        return pages.redirect_to("dashboard_invoices.show_invoice", invoice_id=sent)
    found = drafts.get(pages.who(), draft_id)
    if found.record.environment != pages.environment().value:
        raise NotFound("There is no such draft in this environment.")
    body = draft_bodies.body_of(found)
    form_values.check_lines(body)
    values = form_values.typed(invoice_form.values_of(body))
    return _shown(values, form_verdicts.while_typing(values), sheets.opened(found))


def _at_draft(response: Response, sheet: Sheet) -> Response:
    """The part of a page, whose address becomes its draft's: it can be loaded again."""
    if sheet.saved_at and not sheet.refusal:
        shown_in = pages.environment().value
        address = url_for(
            "dashboard_new_invoice.show_form", environment=shown_in, draft=sheet.draft_id
        )
        response.headers["HX-Replace-Url"] = address
    return response


def _kept(values: Mapping[str, str], sheet: Sheet, edit: str) -> Sheet:
    """The sheet once it is stored. Raises what that raises, and InvalidField."""
    if edit == "copy":
        return sheets.copied(sheet, values)
    files = sheets.uploaded()
    if edit == "attach" and not files:
        raise sheets.nothing_chosen()
    return sheets.saved(sheet, values, files)


def _is_sent(sheet: Sheet) -> bool:
    """Whether the form was sent with this key before: it is then answered as it was."""
    found = sheet.mark and drafts.sent_as(pages.who(), pages.environment(), sheet.mark.draft_id)
    return bool(found)


def _with_uploads(values: Mapping[str, str], sheet: Sheet) -> Sheet:
    """The sheet with the files that the form uploads, for which it is stored."""
    files = sheets.uploaded()
    return sheets.saved(sheet, values, files) if files else sheet


def _not_kept(values: dict[str, str], sheet: Sheet, refusal: RequestRefused) -> Response:
    """The form with the reason why it, or one of its files, is not stored."""
    verdict = Verdict(totals=_totals(values), errors=forms.errors_of(refusal))
    return _shown(values, verdict, replace(sheet, refusal=refusal))


# -- the page --------------------------------------------------------------------------------------


def _with_standard_rate(values: dict[str, str]) -> dict[str, str]:
    """The values whose first line has the standard rate of the seller's country, if it is known."""
    rates = form_values.vat_rates(values)
    return values | ({"invoice.lineItems.0.taxRate": rates[0]} if rates else {})


def _units_by_name() -> dict[str, str]:
    """The codes of the units by their names in the language of the page, and by themselves."""
    say = pages.words()
    return {say(f"unit.{code}").lower(): code for code in _UNITS} | {
        code.lower(): code for code in _UNITS
    }


def _vat_choices(values: Mapping[str, str]) -> list[tuple[str, str]]:
    """Value and text of what the VAT of a line can be: the rates of the seller's country first,
    and last what lines have and is not offered, as in a copy of an invoice of the API."""
    say = pages.words()
    pint = invoice_form.pint_country(values)
    offered = _CATEGORIES if pint is None else _PINT_CATEGORIES
    used = {form_values.vat_choice(values, n) for n in invoice_form.line_numbers(values)}
    codes = dict.fromkeys([*offered, *sorted(choice.rpartition("|")[0] for choice in used)])
    rates = [(f"S|{rate}", f"{rate} %") for rate in form_values.vat_rates(values)]
    others = [
        (f"{code}|", say(f"vatCategory.{code}") if code in _NAMED else code)
        for code in codes
        if code != "S"
    ]
    return [*rates, *others, ("S|", say("newInvoice.otherRate"))]


def _totals(values: Mapping[str, str]) -> Totals | None:
    return invoice_form.totals_of(form_values.body_of(values))


def _networks() -> list[tuple[str, str]]:
    """The networks to choose from, value and text; a simulator stands for another one."""
    found = runtime().access_points.networks(pages.environment())
    return [(name, name) for name in found if name != SIMULATOR]


def _shown(
    values: dict[str, str],
    verdict: Verdict,
    sheet: Sheet,
    *,
    hits: list[DirectoryEntry] | None = None,
    found: Found | None = None,
    without_files: bool = False,
    earlier: NumberedDocument | None = None,
    credit_notes: Sequence[CreditNote] = (),
) -> Response:
    """The page with these values.

    earlier        the document that was sent with the same number before, about which is asked
    credit_notes   those of the same invoice, with which it is credited twice, about which is asked
    hits           customers that were searched for
    found          what the network says of the receiver, if it was asked
    without_files  the values come from an invoice whose attachments the page does not have
    """
    given = forms.submitted()
    if not invoice_form.line_numbers(values):
        values = invoice_form.with_line(values)
    say = pages.words()
    currency = values.get("invoice.currency", "").strip()
    pint = invoice_form.pint_country(values)
    kinds = pint.transactions if pint else TRANSACTION_TYPES
    types = _TYPES if pint is None else _PINT_TYPES
    return pages.render(
        "dashboard/new_invoice.html",
        409 if earlier or credit_notes else _status(verdict, sheet),
        values=values,
        numbers=invoice_form.line_numbers(values),
        verdict=verdict,
        currency=currency if currency in CURRENCIES else None,
        sheet=sheet,
        mark=sheet.mark,
        is_superseded=isinstance(verdict.refusal or sheet.refusal, PreconditionFailed),
        attached={"fileDescription": given.get("fileDescription", "")},
        most_files=drafts.MAX_FILES,
        most_bytes=drafts.MAX_FILES_BYTES // _MIB,
        accepted=sheets.ACCEPTED,
        search=given.get("search", ""),
        hits=hits,
        found=found,
        looks_up="HX-Request" not in request.headers and found is None,
        searched=hits is not None,
        without_files=without_files,
        earlier=earlier,
        credit_notes=credit_notes,
        again=given.get("again"),
        original=form_values.credited(values),
        rest=sorted(invoice_form.rest_in(values)),
        rounded=cents,
        unit_names=[(code, say(f"unit.{code}")) for code in _UNITS],
        type_names=[("", ""), *((code, f"{code} {say(f'typeCode.{code}')}") for code in types)],
        vat_choices=_vat_choices(values),
        vat_choice=lambda line: form_values.vat_choice(values, line),
        line_amount=lambda line: form_values.line_amount(values, line),
        pint=pint,
        kind_names=[("", ""), *((kind, say(f"transactionType.{kind}")) for kind in kinds)],
        kind_fields=list(invoice_form.KINDS),
        item_types=_item_types(say),
        registration_names=[("", ""), *((each, each) for each in ("TL", "CL", "EID", "PAS", "CD"))],
        network_names=[("", say("newInvoice.anyNetwork")), *_networks()],
        own=form_values.own_participants(),
        most=invoice_form.MAX_LINES,
        most_rows=invoice_form.MAX_ROWS,
        most_line_rows=invoice_form.MAX_LINE_ROWS,
        most_discounts=invoice_form.MAX_DISCOUNTS,
    )


def _item_types(say: Say) -> list[tuple[str, str]]:
    """Goods, service, or both; with a blank one."""
    codes = ("G", "pintGoods"), ("S", "pintService"), ("B", "pintBoth")
    return [("", ""), *((code, say(f"newInvoice.{name}")) for code, name in codes)]


def _status(verdict: Verdict, sheet: Sheet) -> int:
    """That of the page: of a refusal, unless htmx shows it as a part."""
    if "HX-Request" in request.headers:
        return 200
    if isinstance(verdict.refusal or sheet.refusal, PreconditionFailed):
        return 409
    return 400 if verdict.refusal or sheet.refusal else 200
