"""A new invoice: a form that becomes the body of POST /api/invoices/send.

Totals and findings are those of the service: while a person types, the form is judged by the rules
without asking the network, and stored as a draft (sheets); "Check" is a dry run, and "Send" a send
with the key of the draft, so that a form that is sent twice is one invoice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from flask import Response, request, url_for

from einvoice import clock
from einvoice.domain.artefacts import ORIGINAL
from einvoice.domain.branding import Branding
from einvoice.domain.codes import CURRENCIES
from einvoice.domain.directory import CUSTOMER, DirectoryEntry
from einvoice.domain.errors import (
    Conflict,
    InvalidField,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    NotFound,
    PreconditionFailed,
    ReceiverNotRegistered,
    RequestRefused,
    SandboxParticipant,
    SelfInvoicing,
    SenderNotOwned,
    SenderNotVerified,
    ValidationFailed,
)
from einvoice.domain.identifiers import is_id
from einvoice.domain.roles import Role
from einvoice.network.registry import SIMULATOR
from einvoice.services.account import tenants
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.invoices import detail, drafts, lists, pdf
from einvoice.services.invoices.drafts import FileRecord
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest
from einvoice.services.participants import receivers
from einvoice.services.principal import Principal
from einvoice.services.send import send, validating
from einvoice.services.send.command import SendCommand
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web import concurrency, headers, json, send_requests
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import forms, invoice_form, pages, receiver_lookups, sheets
from einvoice.web.dashboard.invoice_form import Totals
from einvoice.web.dashboard.pages import Pages
from einvoice.web.dashboard.receiver_lookups import Found
from einvoice.web.dashboard.sheets import Sheet
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.shared import draft_bodies
from einvoice.web.shared.send_reading import SEND, blank, read_send, read_unsent

MAX_HITS = 8  # customers that a search shows
# What a credit note does not take over from its invoice.
_NOT_CREDITED = (
    "invoice.number", "invoice.dueDate", "invoice.deliveryDate", "invoice.paymentTerms",
    "invoice.note",
)  # fmt: skip
_MIB = 1024 * 1024
MAX_SEARCHED = 200  # characters of a search
_SENDER, _RECEIVER = "routing.senderParticipantId", "routing.receiverParticipantId"
# What a new invoice repeats of the last one.
_REPEATED = ("invoice.supplier.", "invoice.currency", _SENDER)
_UNITS = ("C62", "HUR", "DAY", "MON", "KGM", "MTR", "MTK", "LTR", "KMT")
_CATEGORIES = ("S", "Z", "E", "AE", "K", "G", "O")
# The field that a refusal without one is about.
_FIELD_OF: Mapping[type[RequestRefused], str] = {
    InvalidSender: _SENDER,
    SenderNotOwned: _SENDER,
    SenderNotVerified: _SENDER,
    InvalidReceiver: _RECEIVER,
    SelfInvoicing: _RECEIVER,
    SandboxParticipant: _RECEIVER,
    ReceiverNotRegistered: _RECEIVER,
}

family = Pages("dashboard_new_invoice", __name__, "/dashboard/invoices/new")


@dataclass(slots=True)
class _Verdict:
    """What is known of a form: its totals, findings, refusal, and errors by field.

    complete  nothing that was found prevents sending it
    checked   the network was asked too
    """

    totals: Totals | None = None
    findings: list[Mapping[str, object]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    refusal: RequestRefused | None = None
    complete: bool = False
    checked: bool = False


@family.page("", least=Role.MEMBER)
def show_form() -> Response:
    """An empty form with what is known of the supplier.

    `customer`: for this one; `credits`: for a credit note on this invoice; `draft`: to go on with
    this one.
    """
    if "draft" in request.args:
        return _opened(request.args["draft"])
    if "credits" in request.args:
        return _shown(_credit_note(request.args["credits"]), _Verdict(), sheets.blank())
    values = invoice_form.with_line(_first_values())
    if "customer" in request.args:
        values |= _of_customer(request.args["customer"], values)
    return _shown(values, _Verdict(), sheets.blank())


@family.page("/customers", least=Role.MEMBER)
def find_customers() -> Response:
    """The part of the form with the customers that a search finds."""
    hits = _customers(request.args.get("search", ""))
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
        values |= _of_customer(given["customer"], values)
    elif edit == "search":
        hits = _customers(given.get("search", ""))
    elif edit == "lookup":
        found = receiver_lookups.of_values(values)
    elif edit == "add":
        values = invoice_form.with_line(values)
    elif edit.isascii() and edit.isdecimal() and len(edit) <= len(str(invoice_form.MAX_LINES)):
        values = invoice_form.without_line(values, int(edit))
    return _shown(values, _Verdict(totals=_totals(values)), sheets.given(), hits=hits, found=found)


@family.page("/draft", least=Role.MEMBER, methods=["POST"])
def keep_draft() -> Response:
    """Store the form as a draft with the files that it uploads, without one of its files, or as
    another draft."""
    given = forms.submitted()
    values, sheet, edit = invoice_form.known(given), sheets.given(), given.get("edit", "")
    try:
        kept = _kept(values, sheet, edit)
        if "remove" in given:
            kept = sheets.without_file(kept, given["remove"])
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    return pages.redirect_to(
        "dashboard_new_invoice.show_form",
        "draftSaved",
        draft=kept.draft_id,
        environment=pages.environment().value,
        _anchor="attachments" if edit == "attach" or "remove" in given else None,
    )


@family.page("/check", least=Role.MEMBER, methods=["POST"])
def check_form() -> Response:
    """The form with its totals and findings; nothing is sent. While a person types, it is stored as
    a draft."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    if "HX-Request" in request.headers:
        sheet = sheets.kept(sheet, values)
        return _at_draft(_shown(values, _typed(values, _judged(values)), sheet), sheet)
    try:
        sheet = _with_uploads(values, sheet)
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    return _shown(values, _dry_run(values, sheet)[0], sheet)


@family.page("/pdf", least=Role.MEMBER, methods=["POST"])
def preview_pdf() -> Response:
    """The PDF of the invoice as it would be sent; the form if it cannot be."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    verdict, result = _dry_run(values, sheet, includeDocument=True)
    if result is None or result.document is None:
        return _shown(values, verdict, sheet)
    try:
        made = pdf.draft(pages.who().tenant_id, result.document, runtime().computing)
    except RequestRefused as refusal:
        verdict.refusal = refusal
        return _shown(values, verdict, sheet)
    response = Response(made, content_type="application/pdf")
    response.headers["Content-Disposition"] = 'inline; filename="preview.pdf"'
    return response


@family.page("", least=Role.MEMBER, methods=["POST"])
def send_form() -> Response:
    """Send the invoice, once for each draft, which is deleted; its page then follows it."""
    values, sheet = invoice_form.known(forms.submitted()), sheets.given()
    try:
        sheet = _with_uploads(values, sheet)
    except RequestRefused as refusal:
        return _not_kept(values, sheet, refusal)
    verdict, result = _run(values, sheet, is_sent=True)
    if result is None:
        return _shown(values, verdict, sheet)
    notice = "sentBefore" if result.payload_mismatch else "sent"
    return pages.redirect_to(
        "dashboard_invoices.show_invoice", notice, invoice_id=result.invoice_id
    )


# -- the draft -------------------------------------------------------------------------------------


def _opened(draft_id: str) -> Response:
    """The form with what a draft holds; the invoice, if the draft was sent.

    Raises NotFound, and Conflict if the form has no field for a part of it.
    """
    draft_id = draft_id.lower() if is_id(draft_id) else ""
    sent = drafts.sent_as(pages.who(), pages.environment(), draft_id)
    if sent is not None:
        return pages.redirect_to("dashboard_invoices.show_invoice", invoice_id=sent)
    found = drafts.get(pages.who(), draft_id)
    if found.record.environment != pages.environment().value:
        raise NotFound("There is no such draft in this environment.")
    body = draft_bodies.body_of(found)
    if not invoice_form.holds(body):
        raise Conflict("This form does not have all that the draft holds: go on with it by API.")
    values = invoice_form.values_of(body)
    return _shown(values, _typed(values, _judged(values)), sheets.opened(found))


def _at_draft(response: Response, sheet: Sheet) -> Response:
    """The part of a page, whose address becomes that of its draft: it can be loaded again."""
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


def _with_uploads(values: Mapping[str, str], sheet: Sheet) -> Sheet:
    """The sheet with the files that the form uploads, for which it is stored."""
    files = sheets.uploaded()
    return sheets.saved(sheet, values, files) if files else sheet


def _not_kept(values: dict[str, str], sheet: Sheet, refusal: RequestRefused) -> Response:
    """The form with the reason why it, or one of its files, is not stored."""
    verdict = _Verdict(totals=_totals(values), errors=forms.errors_of(refusal))
    return _shown(values, verdict, replace(sheet, refusal=refusal))


# -- judging and sending ---------------------------------------------------------------------------


def _principal() -> Principal:
    """As whom the person sends: in the environment of the page."""
    person = pages.who()
    return Principal(person.tenant_id, pages.environment(), frozenset(), person=person)


def _totals(values: Mapping[str, str]) -> Totals | None:
    return invoice_form.totals_of(invoice_form.body_of(values))


def _judged(values: Mapping[str, str]) -> _Verdict:
    """The verdict by contract and rules, without asking the network."""
    body = invoice_form.body_of(values)
    verdict = _Verdict(invoice_form.totals_of(body))
    who, language = _principal(), pages.finding_language()
    needs = send_requests.routing_needs(who)
    try:
        whole = invoice_form.with_totals(body, verdict.totals)
        asked = read_unsent(json.read_object(json.write(whole)), receiver_required=needs.receiver)
        judged = validating.validate_send(asked, who, runtime(), language)
    except RequestRefused as refusal:
        return _refused(verdict, refusal, body, values)
    worded = warnings.in_words([each.as_data() for each in judged.warnings], language)
    findings = [finding.as_json() for finding in judged.report.findings]
    _add_findings(verdict, [*findings, *_as_findings(worded)], values)
    verdict.complete = not judged.report.errors
    return verdict


def _typed(values: Mapping[str, str], verdict: _Verdict) -> _Verdict:
    """The verdict while a person types: fields that are still blank are not wrong yet."""
    begun = {name: words for name, words in verdict.errors.items() if values.get(name, "").strip()}
    if len(begun) < len(verdict.errors) and not verdict.findings:
        verdict.refusal = None
    verdict.errors = begun
    return verdict


def _dry_run(
    values: Mapping[str, str], sheet: Sheet, **options: bool
) -> tuple[_Verdict, SendResult | None]:
    return _run(values, sheet, options={"dryRun": True, **options})


def _run(
    values: Mapping[str, str],
    sheet: Sheet,
    *,
    is_sent: bool = False,
    options: Mapping[str, bool] | None = None,
) -> tuple[_Verdict, SendResult | None]:
    """Send the form with the key of its sheet, or check it by a dry run; without a result it was
    refused."""
    body = invoice_form.body_of(values)
    verdict = _Verdict(invoice_form.totals_of(body), checked=True)
    who = _principal()
    try:
        key = headers.checked_key(sheet.key) if is_sent else None
        whole = invoice_form.with_totals(body, verdict.totals)
        read_unsent(json.read_object(json.write(whole)), receiver_required=_needs_receiver(who))
        whole["routing"] = _with_reference(whole["routing"], who)
        whole = draft_bodies.with_attachments(whole, _files_of(sheet))
        command = _command(json.write({**whole, "options": options or {}}), who, key, sheet)
        read = partial(read_send, needs=send_requests.routing_needs(who))
        result = send.send(command, read, runtime())
    except RequestRefused as refusal:
        return _refused(verdict, refusal, body, values), None
    verdict.complete = True
    worded = warnings.in_words(result.warnings, command.language)
    _add_findings(verdict, _as_findings(worded), values)
    return verdict, result


def _needs_receiver(who: Principal) -> bool:
    return send_requests.routing_needs(who).receiver


def _files_of(sheet: Sheet) -> list[tuple[FileRecord, bytes]]:
    """The files of the draft, with their bytes."""
    return drafts.files_to_send(pages.who(), sheet.mark.draft_id) if sheet.mark else []


def _command(body: bytes, who: Principal, key: str | None, sheet: Sheet) -> SendCommand:
    language, trace = pages.finding_language(), trace_of_request()
    draft = sheet.mark if key else None
    return SendCommand(body, who, key, wait=0.0, language=language, trace=trace, draft=draft)


def _with_reference(routing: Mapping[str, Any], who: Principal) -> dict[str, Any]:
    """The routing with the reference of a lookup, where the receiver's network has a directory.

    Raises what a lookup raises, and ReceiverNotRegistered.
    """
    if blank(routing.get("receiverParticipantId")):
        return dict(routing)
    text, network = routing["receiverParticipantId"], routing.get("network")
    with concurrency.computing_slot_released():
        _, route = receivers.look_up(text, network, who, runtime())
    found = {"accessPointRef": route.registration_id} if route.registration_id else {}
    return {**routing, **found}


# -- what was found, at its fields -----------------------------------------------------------------


def _refused(
    verdict: _Verdict,
    refusal: RequestRefused,
    body: dict[str, Any],
    values: Mapping[str, str],
) -> _Verdict:
    """The verdict with a refusal and the errors of its fields."""
    verdict.refusal = refusal
    if isinstance(refusal, ValidationFailed):
        _add_findings(verdict, refusal.findings, values)
    elif isinstance(refusal, InvalidField):
        _add_errors(verdict, forms.by_field(refusal.errors).items(), values)
    elif isinstance(refusal, MissingRouting):
        words = pages.words()("newInvoice.required")
        missing = send_requests.routing_needs(_principal()).missing(body["routing"])
        _add_errors(verdict, [(f"routing.{name}", words) for name in missing], values)
    else:
        at = [name for kind, name in _FIELD_OF.items() if isinstance(refusal, kind)]
        _add_errors(verdict, [(name, refusal.detail) for name in at], values)
    _add_errors(verdict, _wrong_fields(body, verdict.totals).items(), values)
    return verdict


def _wrong_fields(body: dict[str, Any], found: Totals | None) -> dict[str, str]:
    """The errors of the contract, which a refusal of the parties comes before."""
    try:
        loaded(SEND, invoice_form.with_totals(body, found))
    except InvalidField as refusal:
        return forms.by_field(refusal.errors)
    return {}


def _add_findings(
    verdict: _Verdict, found: Iterable[Mapping[str, object]], values: Mapping[str, str]
) -> None:
    """Add findings, each with the field of the page; the words of errors are shown there too."""
    for finding in found:
        at = invoice_form.field_on_page(str(finding.get("field") or ""), values)
        verdict.findings.append({**finding, "at": at})
        if at and finding["severity"] == "error":
            verdict.errors.setdefault(at, str(finding["message"]))


def _add_errors(
    verdict: _Verdict, errors: Iterable[tuple[str, str]], values: Mapping[str, str]
) -> None:
    for path, words in errors:
        at = invoice_form.field_on_page(path, values)
        if at is not None:
            verdict.errors.setdefault(at, words)


def _as_findings(worded: Iterable[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Warnings of a send in the form of findings."""
    return [{**each, "severity": "warning", "ruleId": each["code"]} for each in worded]


# -- values and the page ---------------------------------------------------------------------------


def _first_values() -> dict[str, str]:
    """The values of an empty form: the supplier of the last invoice, else of the profile; today."""
    tenant = tenants.get(pages.who().tenant_id, runtime().caches)
    known, own = Branding.of(tenant.name, tenant.profile), _own_participants()
    lines = dict(zip(("line1", "line2"), known.address_lines, strict=False))
    address = {f"invoice.supplier.address.{name}": text for name, text in lines.items()}
    return (
        address
        | {
            _SENDER: own[0] if own else "",
            "invoice.supplier.name": known.name,
            "invoice.supplier.contact.email": known.email or "",
            "invoice.supplier.contact.phone": known.phone or "",
            "invoice.type": "invoice",
            "invoice.issueDate": clock.today().isoformat(),
            "invoice.currency": "EUR",
        }
        | _as_last_time()
    )


def _as_last_time() -> dict[str, str]:
    """Supplier, sender and currency of the newest sent invoice, if it was made of JSON."""
    filters = InvoiceFilters(environment=pages.environment(), direction="sent")
    newest = lists.invoices(pages.who(), filters, InvoicePageRequest(1)).items
    values = invoice_form.values_of(_original(newest[0].id)) if newest else {}
    return {name: value for name, value in values.items() if name.startswith(_REPEATED)}


def _credit_note(invoice_id: str) -> dict[str, str]:
    """The values of a credit note on a sent invoice, which was made of JSON.

    Raises NotFound, and Conflict if the form does not have all that its amount is made of.
    """
    record = detail.record_of(invoice_id, pages.who())
    if record.environment != pages.environment().value or record.is_received:
        raise NotFound("There is no such sent invoice in this environment.")
    values = invoice_form.values_of(_original(invoice_id))
    found = _totals(values)
    if found is None or found.grand_total != record.grand_total:
        raise Conflict("This form cannot credit the invoice as it is: send the credit note by API.")
    changed = dict.fromkeys(_NOT_CREDITED, "") | {
        "invoice.type": "creditNote",
        "invoice.issueDate": clock.today().isoformat(),
        "invoice.precedingInvoice.number": record.number or "",
        "invoice.precedingInvoice.issueDate": str(record.issue_date or ""),
    }
    return values | changed


def _original(invoice_id: str) -> dict[str, Any]:
    """The body that an invoice was sent with; empty if it was not JSON."""
    who = pages.who()
    for each in detail.list_artefacts(invoice_id, who, ORIGINAL.code):
        if each.content_type == ORIGINAL.content_type:
            return json.read_object(detail.download(invoice_id, each.id, who).content)
    return {}


def _own_participants() -> list[str]:
    shown = pages.environment()
    owned = tenants.owned_page(pages.who().tenant_id, shown, after=None, limit=MAX_HITS)
    return [each.participant for each in owned]


def _networks() -> list[tuple[str, str]]:
    """The networks to choose from, value and text; a simulator stands for another one."""
    found = runtime().access_points.networks(pages.environment())
    return [(name, name) for name in found if name != SIMULATOR]


def _customers(text: str) -> list[DirectoryEntry]:
    """The first customers, by name, that have this text in a field."""
    wanted = text.strip()[:MAX_SEARCHED] if text.isprintable() else ""
    part = EntryPageRequest(MAX_HITS, order=entries.NAME, descending=False)
    filters = EntryFilters(text=wanted or None)
    return list(entries.page(CUSTOMER, pages.who().tenant_id, filters, part).items)


def _of_customer(entry_id: str, values: Mapping[str, str]) -> dict[str, str]:
    """The values that a customer fills in. Raises NotFound for one of another account."""
    if not entry_id.isprintable():
        raise NotFound("There is no such customer.")
    issued = invoice_form.day_of(values.get("invoice.issueDate", "")) or clock.today()
    found = entries.invoice_defaults(
        CUSTOMER,
        pages.who().tenant_id,
        entry_id,
        issued,
        runtime().access_points,
        pages.environment(),
    )
    return invoice_form.of_customer(found)


def _shown(
    values: dict[str, str],
    verdict: _Verdict,
    sheet: Sheet,
    *,
    hits: list[DirectoryEntry] | None = None,
    found: Found | None = None,
) -> Response:
    """The page with these values.

    hits   customers that were searched for
    found  what the network says of the receiver, if it was asked
    """
    given = forms.submitted()
    if not invoice_form.line_numbers(values):
        values = invoice_form.with_line(values)
    say = pages.words()
    currency = values.get("invoice.currency", "").strip()
    return pages.render(
        "dashboard/new_invoice.html",
        _status(verdict, sheet),
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
        unit_names=[(code, say(f"unit.{code}")) for code in _UNITS],
        category_names=[(code, say(f"vatCategory.{code}")) for code in _CATEGORIES],
        network_names=[("", say("newInvoice.anyNetwork")), *_networks()],
        own=_own_participants(),
        most=invoice_form.MAX_LINES,
    )


def _status(verdict: _Verdict, sheet: Sheet) -> int:
    """That of the page: of a refusal, unless htmx shows it as a part."""
    if "HX-Request" in request.headers:
        return 200
    if isinstance(verdict.refusal or sheet.refusal, PreconditionFailed):
        return 409
    return 400 if verdict.refusal or sheet.refusal else 200
