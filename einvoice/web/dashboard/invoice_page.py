"""The page of one invoice: its state, its content, its history, and what can be done with it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from flask import Response

from einvoice import clock
from einvoice.domain.artefacts import KINDS, MAIL, MAIL_NOTICE, ORIGINAL
from einvoice.domain.codes import CURRENCIES
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus
from einvoice.domain.errors import RequestRefused
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.responses import ACTIONS, CODES, REASONS, ResponseStatus
from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from einvoice.services.inbound import bills, filling_in, payments, responses
from einvoice.services.invoices import (
    credit_notes,
    detail,
    handout_terms,
    kept_mails,
    successors,
)
from einvoice.services.invoices.credit_notes import CreditNote
from einvoice.services.invoices.detail import (
    ArtefactSummary,
    HistoryEvent,
    InvoiceDetail,
    InvoiceRecord,
)
from einvoice.services.invoices.successors import NumberedDocument
from einvoice.services.send import resend
from einvoice.services.webhooks import feed, redelivery
from einvoice.services.webhooks.feed import EventFilters
from einvoice.services.webhooks.redelivery import EventDelivery
from einvoice.validation import from_data, warnings
from einvoice.web.account import hold_schemas
from einvoice.web.dashboard import (
    form_values,
    forms,
    pages,
    sentences,
)
from einvoice.web.runtime import runtime
from einvoice.web.shared import report_words
from einvoice.webhooks.payloads import Occurrence

MAX_EVENTS = 50  # of one invoice
_AS_JSON = (ORIGINAL.code, ORIGINAL.content_type)
# Warnings after which nobody should pay without a look.
_ALARMING = frozenset({"iban-changed", "mail-active-content"})
_WRITTEN_HERE = frozenset({DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE})


def shown(
    found: InvoiceDetail,
    *,
    refusal: RequestRefused | None = None,
    given: Mapping[str, str] | None = None,
) -> Response:
    """The page of an invoice.

    refusal  why something was not done
    given    what was typed into the form that was refused
    """
    record, principal, language = found.record, pages.who(), pages.finding_language()
    successor = _successor(record)
    means = detail.delivered_means(record, runtime().access_points)
    of_invoice = EventFilters(invoice_id=record.id)
    artefacts = detail.list_artefacts(record.id, principal, None, language)
    events = feed.events(principal, of_invoice, after=None, limit=MAX_EVENTS).events
    return pages.render(
        "dashboard/invoice.html",
        200 if refusal is None else 409,
        family="dashboard_bills" if found.bill else "dashboard_invoices",
        found=found,
        record=record,
        may_be_shared=record.may_be_shared or _is_issued(record),
        findings=[from_data(finding, language) for finding in record.findings],
        network_findings=detail.worded_findings(found.network_findings, language),
        warnings=warnings.in_words(record.warnings, language),
        artefacts=artefacts,
        references=list(
            dict.fromkeys(a.authority_reference for a in artefacts if a.authority_reference)
        ),
        named_kinds={*KINDS, MAIL.code, MAIL_NOTICE.code},
        has_mails=kept_mails.are_kept(artefacts),
        bounce=kept_mails.bounce_of(found),
        alarming=_ALARMING,
        is_unread=filling_in.may_be_filled_in(record),
        currencies=CURRENCIES,
        may_be_readdressed=_may_be_readdressed(record),
        words_of_report=report_words.beside,
        may_respond=responses.may_respond(record, runtime().access_points),
        response_key=str(uuid.uuid4()),
        response_codes=CODES,
        suggested=bills.suggested_accounts(record, principal) if found.bill else [],
        response_reasons=REASONS,
        response_actions=ACTIONS,
        given=given or {},
        may_be_copied=principal.role >= Role.MEMBER and may_be_copied(record, artefacts),
        events=events,
        deliveries=_deliveries(events),
        means=means,
        standing=_standing(found, successor, means),
        may_change=principal.role >= Role.MEMBER,
        paid=payments.payments_of(record.id, principal) if record.amount_paid is not None else (),
        open_amount=form_values.typed_amount(payments.open_amount(record)),
        today=clock.today(),
        holds=holds.of_invoice(principal.tenant_id, record.id)
        if principal.role >= Role.ADMIN
        else None,
        longest_reason=hold_schemas.MAX_REASON,
        errors=forms.errors_of(refusal),
        link=(pages.secrets() or {}).get("link"),
        refusal=refusal,
        happened_as=_happened_as,
        successor=successor,
        credit_notes=_credit_notes(record),
    )


def _credit_notes(record: InvoiceRecord) -> list[CreditNote]:
    is_credited = DocumentKind(record.kind).form is DocumentKind.INVOICE
    return credit_notes.of(record, record.tenant_id) if is_credited else []


def _successor(record: InvoiceRecord) -> NumberedDocument | None:
    """The document that was sent in place of a failed one."""
    if record.is_received or record.status != NetworkStatus.FAILED:
        return None
    return successors.of([record], record.tenant_id, record.environment).get(record.id)


def _standing(
    found: InvoiceDetail, successor: NumberedDocument | None, means: DeliveredMeans | None
) -> str:
    """The meaning of a document's state, in a sentence behind its badge."""
    record, response, say = found.record, found.response, pages.words()
    if successor is not None:
        return f"{say('invoice.replacedBy')} {successor.number}"
    if response is not None and response.status != ResponseStatus.RECEIVED:
        words = " ".join(filter(None, [*response.reasons, response.text]))
        return f"{pages.brief_day(response.at.date())}: {words}" if words else ""
    if record.status == NetworkStatus.FAILED:
        return sentences.failure(record.reason, record.reason_code, say.language).text or ""
    if found.waiting_reason:
        return say.sentence(found.waiting_reason)
    if record.status == NetworkStatus.DELIVERED and means is not None:
        return f"{say('invoice.means')}: {say(f'means.{means.value}')}"
    return ""


def _happened_as(entry: HistoryEvent) -> str:
    """The title of an entry of the history: of a response, what was said."""
    say = pages.words()
    if entry.code is None:
        return say(f"history.{entry.event}")
    section = "responseStatus" if entry.code in set(ResponseStatus) else "responseCode"
    answered = say("history.answered" if section == "responseStatus" else "history.responded")
    return f"{answered}: {say(f'{section}.{entry.code}')}"


def _deliveries(events: Sequence[Occurrence]) -> Mapping[str, Sequence[EventDelivery]]:
    """The deliveries of events to webhooks, by event, for those who see webhooks."""
    principal = pages.who()
    if principal.role < Role.ADMIN:
        return {}
    return redelivery.of_events(principal.tenant_id, {each.id for each in events})


def _may_be_readdressed(record: InvoiceRecord) -> bool:
    """Whether a mail may be sent again to another address: it failed, or came back."""
    if record.receiver_email is None or record.is_received or _successor(record) is not None:
        return False
    return record.status == NetworkStatus.FAILED or resend.is_undeliverable(record)


def _is_issued(record: InvoiceRecord) -> bool:
    """Whether it may be handed out before it is Delivered; not, while that cannot be found out."""
    try:
        return handout_terms.issued_by(runtime(), pages.who().tenant_id)(record)
    except RequestRefused:
        return False


def may_be_copied(record: InvoiceRecord, artefacts: Sequence[ArtefactSummary]) -> bool:
    """Whether the form of a new invoice can begin with this one: it was sent as JSON."""
    is_json = any((each.kind, each.content_type) == _AS_JSON for each in artefacts)
    return is_json and record.kind in _WRITTEN_HERE and not record.is_received
