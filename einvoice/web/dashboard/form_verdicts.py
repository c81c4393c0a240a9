"""The faults of the form of a new invoice: judged while a person types, checked, or sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from einvoice.domain.errors import (
    InvalidField,
    InvalidReceiver,
    InvalidSender,
    MissingRouting,
    ReceiverNotRegistered,
    RequestRefused,
    SandboxParticipant,
    SelfInvoicing,
    SenderNotOwned,
    SenderNotVerified,
    ValidationFailed,
)
from einvoice.services.invoices import drafts
from einvoice.services.invoices.drafts import FileRecord
from einvoice.services.participants import receivers
from einvoice.services.principal import Principal
from einvoice.services.send import send, unsent
from einvoice.services.send.command import SendCommand
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web import headers, json, send_requests
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import form_values, forms, invoice_form, pages
from einvoice.web.dashboard.invoice_form import Totals
from einvoice.web.dashboard.sheets import Sheet
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.shared import draft_bodies
from einvoice.web.shared.send_bodies import SEND, blank, read_parsed, read_unsent

# The field that a refusal without one is about.
_FIELD_OF: Mapping[type[RequestRefused], str] = {
    InvalidSender: invoice_form.SENDER,
    SenderNotOwned: invoice_form.SENDER,
    SenderNotVerified: invoice_form.SENDER,
    InvalidReceiver: invoice_form.RECEIVER,
    SelfInvoicing: invoice_form.RECEIVER,
    SandboxParticipant: invoice_form.RECEIVER,
    ReceiverNotRegistered: invoice_form.RECEIVER,
}


@dataclass(slots=True)
class Verdict:
    """The verdict on a form: its totals, findings, refusal, and errors by field.

    complete  nothing that was found prevents sending it
    checked   the network was asked too
    """

    totals: Totals | None = None
    findings: list[Mapping[str, object]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    refusal: RequestRefused | None = None
    complete: bool = False
    checked: bool = False


def while_typing(values: Mapping[str, str]) -> Verdict:
    """The verdict without asking the network; fields that are still blank are not wrong yet."""
    verdict = _judged(values)
    begun = {
        name: message for name, message in verdict.errors.items() if values.get(name, "").strip()
    }
    if len(begun) < len(verdict.errors) and not verdict.findings:
        verdict.refusal = None
    verdict.errors = begun
    return verdict


def _judged(values: Mapping[str, str]) -> Verdict:
    """The verdict by contract and rules, without asking the network."""
    body = form_values.body_of(values)
    verdict = Verdict(invoice_form.totals_of(body))
    principal, language = pages.principal(), pages.finding_language()
    needs = send_requests.routing_needs(principal)
    try:
        whole = invoice_form.with_totals(body, verdict.totals)
        asked = read_unsent(whole, receiver_required=needs.receiver)
        judged = unsent.validate_send(asked, principal, runtime(), language).verdict
    except RequestRefused as refusal:
        return _refused(verdict, refusal, body, values)
    worded = warnings.in_words([each.as_data() for each in judged.warnings], language)
    findings = [finding.as_json() for finding in judged.report.findings]
    _add_findings(verdict, [*findings, *_as_findings(worded)], values)
    verdict.complete = not judged.report.errors
    return verdict


def dry_run(
    values: Mapping[str, str], sheet: Sheet, **options: bool
) -> tuple[Verdict, SendResult | None]:
    """Check the form as it would be sent. Without a result it was refused."""
    return _run(values, sheet, options={"dryRun": True, **options})


def sent(values: Mapping[str, str], sheet: Sheet) -> tuple[Verdict, SendResult | None]:
    """Send the form with the key of its sheet. Without a result it was refused."""
    return _run(values, sheet, is_sent=True)


def _run(
    values: Mapping[str, str],
    sheet: Sheet,
    *,
    is_sent: bool = False,
    options: Mapping[str, bool] | None = None,
) -> tuple[Verdict, SendResult | None]:
    body = form_values.body_of(values)
    verdict = Verdict(invoice_form.totals_of(body), checked=True)
    principal = pages.principal()
    needs = send_requests.routing_needs(principal)
    try:
        key = headers.checked_key(sheet.key) if is_sent else None
        whole = invoice_form.with_totals(body, verdict.totals)
        read_unsent(whole, receiver_required=needs.receiver)
        whole["routing"] = _with_reference(whole["routing"], principal)
        whole = draft_bodies.with_attachments(whole, _files_of(sheet))
        whole["options"] = options or {}
        command = _command(json.write(whole), principal, key, sheet)
        result = send.send(command, lambda _: read_parsed(whole, needs), runtime())
    except RequestRefused as refusal:
        return _refused(verdict, refusal, body, values), None
    verdict.complete = True
    worded = warnings.in_words(result.warnings, command.language)
    _add_findings(verdict, _as_findings(worded), values)
    return verdict, result


def _files_of(sheet: Sheet) -> list[tuple[FileRecord, bytes]]:
    """The files of the draft, with their bytes."""
    return drafts.files_to_send(pages.who(), sheet.mark.draft_id) if sheet.mark else []


def _command(body: bytes, principal: Principal, key: str | None, sheet: Sheet) -> SendCommand:
    language, trace = pages.finding_language(), trace_of_request()
    draft = sheet.mark if key else None
    space = drafts.KEY_SPACE
    return SendCommand(
        body, principal, key, wait=0.0, space=space, language=language, trace=trace, draft=draft
    )


def _with_reference(routing: Mapping[str, Any], principal: Principal) -> dict[str, Any]:
    """The routing with the reference of a lookup, where the receiver's network has a directory.

    Raises what a lookup raises, and ReceiverNotRegistered.
    """
    if blank(routing.get("receiverParticipantId")):
        return dict(routing)
    text, network = routing["receiverParticipantId"], routing.get("network")
    with slots.released():
        _, route = receivers.look_up(text, network, principal, runtime())
    found = {"accessPointRef": route.registration_id} if route.registration_id else {}
    return {**routing, **found}


# -- what was found, at its fields -----------------------------------------------------------------


def _refused(
    verdict: Verdict,
    refusal: RequestRefused,
    body: dict[str, Any],
    values: Mapping[str, str],
) -> Verdict:
    """The verdict with a refusal and the errors of its fields."""
    verdict.refusal = refusal
    if isinstance(refusal, ValidationFailed):
        _add_findings(verdict, refusal.findings, values)
    elif isinstance(refusal, InvalidField):
        _add_errors(verdict, forms.by_field(refusal.errors).items(), values)
    elif isinstance(refusal, MissingRouting):
        message = pages.words()("newInvoice.required")
        missing = send_requests.routing_needs(pages.principal()).missing(body["routing"])
        _add_errors(verdict, [(f"routing.{name}", message) for name in missing], values)
    else:
        at = [name for kind, name in _FIELD_OF.items() if isinstance(refusal, kind)]
        message = pages.words().sentence(refusal.detail)
        _add_errors(verdict, [(name, message) for name in at], values)
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
    verdict: Verdict, found: Iterable[Mapping[str, object]], values: Mapping[str, str]
) -> None:
    """Add findings, each with the field of the page; the words of errors are shown there too."""
    for finding in found:
        at = invoice_form.field_on_page(str(finding.get("field") or ""), values)
        verdict.findings.append({**finding, "at": at})
        if at and finding["severity"] == "error":
            verdict.errors.setdefault(at, str(finding["message"]))


def _add_errors(
    verdict: Verdict, errors: Iterable[tuple[str, str]], values: Mapping[str, str]
) -> None:
    has_comma = form_values.has_decimal_comma()
    for path, message in errors:
        at = invoice_form.field_on_page(path, values)
        if at is None:
            continue
        if invoice_form.is_unread_number(at, values.get(at, ""), has_comma=has_comma):
            verdict.errors.setdefault(at, pages.words()("newInvoice.numberForm"))
        verdict.errors.setdefault(at, message)


def _as_findings(worded: Iterable[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Warnings of a send in the form of findings."""
    return [{**each, "severity": "warning", "ruleId": each["code"]} for each in worded]
