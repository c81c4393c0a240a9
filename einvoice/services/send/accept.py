"""The rows that accepting a checked document stores, and the answer to its sender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from einvoice import clock
from einvoice.domain import events, ids
from einvoice.domain.errors import DuplicateInvoice, Overloaded, PreconditionFailed
from einvoice.domain.request import SendWarning
from einvoice.network.connections import serial
from einvoice.services.account import audit, plans, tenants
from einvoice.services.account.profile import SEARCHABLE
from einvoice.services.delivery.envelopes import envelope_of_new
from einvoice.services.principal import Principal, Session
from einvoice.services.runtime import Runtime
from einvoice.services.send import sequence_keys
from einvoice.services.send.command import SendCommand
from einvoice.services.send.deadlines import Deadlines
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.replay import replay
from einvoice.services.send.result import SendResult
from einvoice.store import outbox
from einvoice.store.account.audit import NewAuditEntry
from einvoice.store.account.idempotency import AcceptedKey
from einvoice.store.sending.new_documents import Addressing, DocumentContent
from einvoice.store.sending.new_sends import (
    AbovePlan,
    Acceptance,
    Accepted,
    Duplicate,
    NewSend,
    NewSubmission,
    Superseded,
)
from einvoice.store.webhooks.events import NewEvent
from einvoice.validation import CURRENT_FORM

SUPERSEDED = (
    "The draft was changed, sent or deleted since this page read it: "
    "nothing of it was overwritten, and nothing was sent."
)


def refuse_overload(runtime: Runtime) -> None:
    """Raise Overloaded if the oldest due send is too old: accept later rather than deliver late."""
    lanes = (outbox.WAITED, outbox.BULK)
    age = runtime.caches.queue_age.get("age", lambda: outbox.oldest_due(lanes, clock.now())) or 0.0
    if age > runtime.settings.max_queue_age:
        raise Overloaded(f"The oldest send has been waiting for {age:.0f} seconds.")


def result_of(
    acceptance: Acceptance, send: NewSend, command: SendCommand, runtime: Runtime
) -> SendResult:
    """The answer to the sender for the result of the store.

    Raises DuplicateInvoice, PlanLimitReached, PlanLimitPaused, and PreconditionFailed if the draft
    of the invoice was changed.
    """
    match acceptance:
        case AcceptedKey() as earlier:
            return replay(command, earlier, runtime)
        case Duplicate(invoice_id):
            raise DuplicateInvoice(f"Invoice {send.head.number} was sent before.", invoice_id)
        case Superseded():
            raise PreconditionFailed(SUPERSEDED)
        case AbovePlan(limit):
            raise plans.refusal(limit, tenants.get(send.tenant_id, runtime.caches))
        case Accepted(duplicate_of):
            warnings = tuple(send.content.warnings)
            if duplicate_of is not None:
                warnings = (*warnings, send.duplicate_warning)
            return SendResult(send.invoice_id, send.transmission_id, warnings)


def new_send(
    command: SendCommand, document: AcceptableDocument, runtime: Runtime, wait: float = 0.0
) -> NewSend:
    """Everything that accepting a checked document stores. Raises TenantSuspended, NotInPlan."""
    principal, now = command.principal, clock.now()
    tenant = tenants.get(principal.tenant_id, runtime.caches)
    tenants.check_sending(tenant)
    plan = plans.of_send(tenant, principal.environment, document.access_point, runtime, now)
    invoice_id = str(ids.time_ordered(now))
    deadlines = Deadlines.of(now, wait, principal.environment, runtime.settings)
    send = NewSend(
        invoice_id=invoice_id,
        transmission_id=ids.transmission_id(now),
        tenant_id=principal.tenant_id,
        environment=principal.environment.value,
        head=document.head,
        addressing=_addressing(document),
        content=_content(document),
        duplicate_warning=duplicate_warning(document.head.number),
        answered=deadlines.answered,
        answer_by=deadlines.answer_by,
        retry_until=deadlines.retry_until,
        lane=deadlines.lane,
        created_at=now,
        key=command.scope,
        fingerprint=command.fingerprint if command.key else "",
        reject_duplicates=tenant.reject_duplicate_numbers,
        embed_pdf=document.embed_pdf,
        metadata=document.metadata,
        searchable=_searchable(document.metadata, tenant.profile),
        submission=_submission(invoice_id, principal, document),
        trace=command.trace,
        draft=command.draft,
        plan=plan,
    )
    if principal.person is not None:
        send = replace(send, audit=_noted(principal.person, send))
    point = serial(runtime.access_points[document.access_point])
    if point is None or document.connection is None:
        return send
    envelope = envelope_of_new(send)
    return replace(send, sequence_key=sequence_keys.key_of(point, envelope, document.connection))


def _searchable(
    metadata: Mapping[str, str | None] | None, profile: Mapping[str, Any]
) -> dict[str, str] | None:
    """The texts by which the tenant searches its invoices; None without any."""
    names = profile.get(SEARCHABLE, ()) if metadata else ()
    found = {name: text for name in names if (text := (metadata or {}).get(name)) is not None}
    return found or None


def _noted(person: Session, send: NewSend) -> NewAuditEntry:
    """The entry of a person's send in the audit log (decisions 20.6)."""
    detail = {"transactionId": send.transmission_id, "environment": send.environment}
    return audit.entry_of(send.tenant_id, person, "invoice.sent", send.invoice_id, detail)


def _addressing(document: AcceptableDocument) -> Addressing:
    receiver, countries = document.routing.receiver, document.head.countries
    return Addressing(
        sender=str(document.routing.sender),
        receiver=str(receiver) if receiver else None,
        sender_country=countries[0],
        receiver_country=countries[1],
        access_point=document.access_point,
        registration_id=document.registration_id,
        document_type=str(document.document_type),
        process=str(document.process),
        profile=document.profile,
        connection_id=document.connection.id if document.connection else None,
        receiver_email=document.routing.email,
    )


def _content(document: AcceptableDocument) -> DocumentContent:
    return DocumentContent(
        original_type=document.original_type,
        original=document.original,
        document=document.document,
        network_document=document.network_document,
        rule_pack=document.report.rule_set,
        rule_set_chosen_by=document.report.chosen_by.value,
        report_form=CURRENT_FORM,
        findings=[finding.as_data() for finding in document.report.findings],
        warnings=document.warnings,
    )


def _submission(
    invoice_id: str, principal: Principal, document: AcceptableDocument
) -> NewSubmission | None:
    """For a document that was submitted as XML: its origin, and the event with its verdict."""
    origin = document.origin
    if origin is None:
        return None
    payload = {
        "id": invoice_id,
        "status": "processing",
        "trafficLight": document.report.light.value,
    }
    event = NewEvent(
        principal.tenant_id,
        principal.environment.value,
        events.INVOICE_VALIDATED,
        invoice_id,
        payload,
    )
    return NewSubmission(origin.form, origin.network, origin.took_ms, event)


def duplicate_warning(number: str | None) -> Mapping[str, object]:
    """The warning that an invoice of this number was sent before."""
    values = {"number": str(number)}
    warning = SendWarning("possible-duplicate", "", "invoice.number", "sent", values)
    return warning.as_data()
