"""Send an invoice: check it, write it down, leave the sending to a worker, wait a little.

The first answer is fixed once (decisions 0.1): Processing, or network-failed when the network
rejected the document while the request was still waiting.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from einvoice import clock, validation
from einvoice.config import Settings
from einvoice.documents.ubl.write import document_xml
from einvoice.domain import events
from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.delivery import SendAnswer
from einvoice.domain.derive import derive
from einvoice.domain.directory import Customer
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    DuplicateInvoice,
    IdempotencyInProgress,
    IdempotencyKeyReuse,
    MissingRouting,
    NetworkFailed,
    Overloaded,
    ReceiverNotAllowed,
    RequestRefused,
    SelfInvoicing,
    SenderNotOwned,
    UnknownAccessPointRef,
    ValidationFailed,
)
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.domain.invoice import DocumentKind, Invoice, Routing
from einvoice.domain.request import (
    DerivedInvoice,
    InvoiceRequest,
    SendDefaults,
    SendRequest,
    SendWarning,
)
from einvoice.network import limits
from einvoice.network.types import AccessPoint
from einvoice.services.account import tenants
from einvoice.services.directory import entries
from einvoice.services.invoices import embedded_pdf
from einvoice.services.participants import lookup
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.store import acceptance, invoices, outbox
from einvoice.store.acceptance import Accepted, Duplicate, KeyScope, NewSend, Submitted, Taken
from einvoice.store.events import NewEvent
from einvoice.store.registrations import RegistrationRecord as Registered
from einvoice.validation import Report

# How long after the wait a dead web process's request counts as answered with Processing.
GRACE = timedelta(seconds=5)

# All send routes share one space of keys; /v1/invoices has another (decisions 19.4).
SPACE = "send"

Warnings = tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to send: the body that its key stands for, and how long the caller will wait.

    `settled`: not for the first word of the network, but for the end.
    """

    body: bytes
    principal: Principal
    key: str | None
    wait: float
    space: str = SPACE
    settled: bool = False

    @property
    def scope(self) -> KeyScope | None:
        if self.key is None:
            return None
        who = self.principal
        return KeyScope(who.tenant_id, who.environment.value, self.space, self.key)

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Sent:
    """The answer of a send: ids, warnings, and whether it is a replay of an earlier one."""

    invoice_id: str | None
    transaction_id: str | None
    warnings: Warnings
    replay: bool = False
    payload_mismatch: bool = False
    dry_run: bool = False
    answer: SendAnswer = SendAnswer.PROCESSING


@dataclass(frozen=True, slots=True)
class Came:
    """How a document came that was XML already."""

    form: str
    network: str
    took_ms: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A document that may be accepted, and the way it will go."""

    invoice: Invoice
    routing: Routing
    access_point: str
    registration_id: str | None
    document_type: DocumentTypeId
    report: Report
    warnings: Warnings
    document: bytes
    original: bytes
    supplier_tax_id: str | None
    buyer_tax_id: str | None
    embed_pdf: str | None = None
    original_type: str = "application/json"
    came: Came | None = None


def send(ask: Ask, request: SendRequest, runtime: Runtime) -> Sent:
    """Accept the invoice, or say why not. Every refusal is a RequestRefused.

    A key that was accepted before answers with the first result, whatever the body says now.
    """

    def check() -> Checked:
        return _check(request, ask, runtime)

    return _dry_run(check()) if request["options"].get("dryRun") else proceed(ask, check, runtime)


def proceed(ask: Ask, check: Callable[[], Checked], runtime: Runtime) -> Sent:
    """Accept what `check` lets pass, and wait for what the network says."""
    try:
        checked = check()
        refuse_when_late(runtime)
    except RequestRefused as refusal:
        return replay_or(ask, runtime, refusal)
    with runtime.waiting_room.seat(ask.wait > 0) as seated:
        return _accept(ask, checked, runtime, ask.wait if seated else 0.0)


def replay_or(ask: Ask, runtime: Runtime, refusal: RequestRefused) -> Sent:
    """The first result of the request's key, or the refusal."""
    taken = acceptance.find_key(ask.scope) if ask.scope else None
    if taken is None:
        raise refusal
    return replay(ask, taken, runtime)


def _dry_run(checked: Checked) -> Sent:
    return Sent(None, None, checked.warnings, dry_run=True)


# -- checking --------------------------------------------------------------------------------------


def _check(request: SendRequest, ask: Ask, runtime: Runtime) -> Checked:
    """Totals, parties, access point reference, rules: in the order of decisions 19.1."""
    routing, who = request["routing"], ask.principal
    if not routing.access_point_ref:
        raise MissingRouting("routing.accessPointRef is missing: look the receiver up first.")
    check_parties(routing, who, runtime)
    return judged(
        request,
        derive(request["invoice"], routing, defaults_of(who, request, runtime)),
        ask,
        runtime,
    )


def judged(request: SendRequest, derived: DerivedInvoice, ask: Ask, runtime: Runtime) -> Checked:
    """The document that was derived from a request, its way, and what the rules say of it."""
    routing, who, invoice = request["routing"], ask.principal, derived.invoice
    document_type = UBL_TYPES[invoice.kind]
    access_point, registration_id = _way(routing, document_type, who, runtime)
    report = validation.findings(invoice, routing)
    refuse_red(report)
    document = document_xml(invoice)
    limits.check_size(runtime.access_points[access_point], document)
    return Checked(
        invoice, routing, access_point, registration_id, document_type, report,
        (*_assumed(derived.warnings), *found(report)), document, ask.body,
        *_tax_ids(request["invoice"]), _embed_pdf(request, invoice, who, runtime),
    )  # fmt: skip


def _way(
    routing: Routing, document_type: DocumentTypeId, who: Principal, runtime: Runtime
) -> tuple[str, str | None]:
    """Access point and stored lookup: those of the reference; without one the receiver's own."""
    point = lookup.serving(routing.receiver, who.environment, runtime.access_points)
    if routing.access_point_ref is None:
        return _looked_up(routing.receiver, document_type, point, who, runtime)
    registered = lookup.route(
        routing.access_point_ref, routing.receiver, document_type, who, runtime.caches
    )
    _check_point(registered, who, runtime)
    return registered.access_point, registered.id


def _looked_up(
    receiver: ParticipantId,
    document_type: DocumentTypeId,
    point: AccessPoint,
    who: Principal,
    runtime: Runtime,
) -> tuple[str, str | None]:
    with runtime.waiting_room.meanwhile():
        way = lookup.way_to(
            receiver, (document_type,), point, who, runtime.settings.lookup_fresh_for
        )
    lookup.refuse_untaken(way, document_type, receiver)
    return point.name, way.registration_id


UBL_TYPES = {DocumentKind.INVOICE: BIS_INVOICE, DocumentKind.CREDIT_NOTE: BIS_CREDIT_NOTE}


def refuse_red(report: Report, validated: Mapping[str, object] | None = None) -> None:
    """Raise ValidationFailed for a report with errors; `validated` is its traffic light."""
    if report.errors:
        raise ValidationFailed(
            list(dict.fromkeys(finding.as_violation() for finding in report.errors)),
            [finding.as_json() for finding in report.findings],
            validated,
        )


def _tax_ids(invoice: InvoiceRequest) -> tuple[str | None, str | None]:
    """Of the supplier and the buyer, as the tenant writes them: so the directory has them, too."""
    return invoice["supplier"].get("taxId") or None, invoice["buyer"].get("taxId") or None


def _embed_pdf(
    request: SendRequest, invoice: Invoice, who: Principal, runtime: Runtime
) -> str | None:
    """Whether the worker is to put a PDF into the document: as asked, else by the tenant's setting;
    a PDF of the tenant's own stands in its place (decisions 17.15)."""
    wanted = request["options"].get("embedPdf", request["invoice"].get("embedPdf"))
    if wanted is None:
        wanted = tenants.get(who.tenant_id, runtime.caches).profile.get("embedPdf")
    return EmbeddedPdf.DUE if wanted is True and not embedded_pdf.has_pdf(invoice) else None


def check_parties(routing: Routing, who: Principal, runtime: Runtime) -> None:
    """Whether this key may send from the one to the other."""
    if routing.sender.canonical == routing.receiver.canonical:
        raise SelfInvoicing("The sender and the receiver are the same participant.")
    lookup.refuse_sandbox_participant(routing.receiver, who.environment, runtime.access_points)
    if who.allowed_receivers and routing.receiver.canonical not in who.allowed_receivers:
        raise ReceiverNotAllowed(f"This API key may not send to {routing.receiver}.")
    if who.environment is Environment.LIVE and not tenants.owns(
        who.tenant_id, who.environment, routing.sender, runtime.caches
    ):
        raise SenderNotOwned(f"{routing.sender} is not one of your participant ids.")


def _check_point(registered: Registered, who: Principal, runtime: Runtime) -> None:
    """The access point of the lookup must still be there, in the key's environment."""
    name = registered.access_point
    if (
        name not in runtime.access_points
        or runtime.access_points[name].environment is not who.environment
    ):
        raise UnknownAccessPointRef(
            lambda field: f"The access point of this {field} is gone: look the receiver up again."
        )


def defaults_of(who: Principal, request: SendRequest, runtime: Runtime) -> SendDefaults:
    """What the tenant's profile and the customer's entry add to a request."""
    profile = tenants.get(who.tenant_id, runtime.caches).profile
    customer = _customer(who, request, runtime)
    return SendDefaults(
        iban=profile.get("iban"),
        bic=profile.get("bic"),
        account_name=profile.get("accountName"),
        buyer_reference=customer.buyer_reference if customer else None,
        payment_terms_days=customer.default_payment_terms_days if customer else None,
    )


def _customer(who: Principal, request: SendRequest, runtime: Runtime) -> Customer | None:
    """The buyer's entry in the directory, asked for only where the request leaves something open.

    Decisions 17.8 and 17.9: the reference where none is sent, the terms where no due date is.
    """
    invoice = request["invoice"]
    referred = invoice.get("buyerReference") or invoice.get("orderReference")
    if referred and "dueDate" in invoice:
        return None
    buyer, receiver = invoice["buyer"], request["routing"].receiver
    return entries.customer_of(
        who.tenant_id, receiver, buyer.get("taxId"), buyer["name"], runtime.caches
    )


def _assumed(derived: tuple[SendWarning, ...]) -> Warnings:
    return tuple({"code": w.code, "message": w.message, "field": w.field} for w in derived)


def found(report: Report) -> Warnings:
    """What the rules only warn of, as `warnings` of an answer."""
    return tuple(
        {"code": f.rule_id, "message": f.message, "field": f.field}
        for f in validation.folded(report.findings)
        if f.severity == "warning"
    )


def refuse_when_late(runtime: Runtime) -> None:
    """Accept later rather than deliver late: the oldest due send must not be too old."""
    lanes = (outbox.INTERACTIVE, outbox.BULK)
    age = runtime.caches.queue_age.get("age", lambda: outbox.oldest_due(lanes, clock.now())) or 0.0
    if age > runtime.settings.max_queue_age:
        raise Overloaded(f"The oldest send has been waiting for {age:.0f} seconds.")


# -- accepting -------------------------------------------------------------------------------------


def _accept(ask: Ask, checked: Checked, runtime: Runtime, wait: float) -> Sent:
    new = new_send(ask, checked, runtime, wait)
    sent = outcome(ask, new, acceptance.accept(new), runtime)
    if wait > 0 and not sent.replay:
        word = wait_and_answer(new.invoice_id, new.transmission_id, ask, runtime, wait)
        return replace(sent, answer=word)
    return sent


def outcome(ask: Ask, new: NewSend, result: acceptance.Result, runtime: Runtime) -> Sent:
    """What acceptance made of a document, as its sender is told."""
    match result:
        case Taken() as taken:
            return replay(ask, taken, runtime)
        case Duplicate(invoice_id):
            raise DuplicateInvoice(f"Invoice {new.number} was sent before.", invoice_id)
        case Accepted(duplicate_of):
            again = (new.duplicate_warning,) if duplicate_of is not None else ()
            return Sent(new.invoice_id, new.transmission_id, (*new.warnings, *again))


def wait_and_answer(
    invoice_id: str, transmission_id: str, ask: Ask, runtime: Runtime, wait: float
) -> SendAnswer:
    """Wait for the outcome, then fix the first answer. Raises NetworkFailed."""
    runtime.waiting_room.wait(transmission_id, wait, settled=ask.settled)
    return _answer(invoice_id, transmission_id, ask)


def _answer(invoice_id: str, transmission_id: str, ask: Ask) -> SendAnswer:
    """Fix the first answer. Raises NetworkFailed when the document was rejected in time."""
    word = acceptance.answer(transmission_id, ask.scope, settled=ask.settled)
    if word is SendAnswer.NETWORK_FAILED:
        raise network_failed(invoice_id, transmission_id)
    return word


def network_failed(invoice_id: str, transmission_id: str) -> NetworkFailed:
    """The refusal that tells what the access point said."""
    failure = invoices.failure(transmission_id)
    return NetworkFailed(
        f"The access point rejected the invoice: {failure.reason}",
        error_code=failure.error_code or "rejected",
        upstream_status=failure.upstream_status,
        retryable=bool(failure.retryable),
        invoice_id=invoice_id,
        transaction_id=transmission_id,
    )


def replay(ask: Ask, taken: Taken, runtime: Runtime) -> Sent:
    """The first result of the key. A first request that still waits is waited for."""
    mismatch = taken.fingerprint != ask.fingerprint
    if mismatch and tenants.get(ask.principal.tenant_id, runtime.caches).strict_idempotency:
        raise IdempotencyKeyReuse("This Idempotency-Key was used with another body.")
    first = invoices.first_answer(taken.transmission_id)
    word = SendAnswer(first.answered or SendAnswer.PROCESSING)
    if first.answered is None and not first.lapsed(clock.now()):
        word = _follow(ask, taken, runtime)
    warnings = (*first.warnings, _OTHER_BODY) if mismatch else tuple(first.warnings)
    return Sent(
        taken.invoice_id, taken.transmission_id, warnings, replay=True, payload_mismatch=mismatch,
        answer=word,
    )  # fmt: skip


_OTHER_BODY: dict[str, object] = {
    "code": "idempotency-payload-mismatch",
    "message": "This Idempotency-Key was used with another body: nothing was sent now.",
    "field": None,
}


def _follow(ask: Ask, taken: Taken, runtime: Runtime) -> SendAnswer:
    """Wait with the first request, and say what it was told."""
    with runtime.waiting_room.seat(wanted=True) as seated:
        wait = max(ask.wait, runtime.settings.send_wait)
        known = seated and runtime.waiting_room.wait(
            taken.transmission_id, wait, settled=ask.settled
        )
    first = invoices.first_answer(taken.transmission_id)
    if first.answered == SendAnswer.NETWORK_FAILED:
        raise network_failed(taken.invoice_id, taken.transmission_id)
    if first.answered is not None:
        return SendAnswer(first.answered)
    if not known:
        raise IdempotencyInProgress("The first request with this key has no answer yet.")
    return _answer(taken.invoice_id, taken.transmission_id, ask)


def new_send(ask: Ask, checked: Checked, runtime: Runtime, wait: float = 0.0) -> NewSend:
    """All that accepting a checked document writes."""
    invoice, routing, who = checked.invoice, checked.routing, ask.principal
    now = clock.now()
    totals = invoice.totals
    invoice_id = str(uuid.uuid4())
    return NewSend(
        invoice_id=invoice_id,
        transmission_id=f"txn_{uuid.uuid4().hex}",
        tenant_id=who.tenant_id,
        environment=who.environment.value,
        kind=invoice.kind.value,
        number=invoice.number,
        issue_date=invoice.issue_date,
        due_date=invoice.due_date,
        currency=invoice.currency,
        subtotal=totals.tax_exclusive,
        tax_amount=totals.tax_inclusive - totals.tax_exclusive,
        grand_total=totals.tax_inclusive,
        payable=totals.payable,
        supplier_name=invoice.seller.name,
        buyer_name=invoice.buyer.name,
        sender=str(routing.sender),
        receiver=str(routing.receiver),
        rule_pack=checked.report.rule_set,
        findings=[finding.as_json() for finding in checked.report.findings],
        warnings=checked.warnings,
        duplicate_warning=duplicate_warning(invoice.number),
        original_type=checked.original_type,
        original=checked.original,
        document=checked.document,
        access_point=checked.access_point,
        registration_id=checked.registration_id,
        document_type=str(checked.document_type),
        process=str(BIS_BILLING_PROCESS),
        sender_country=invoice.seller.address.country if invoice.seller.address else None,
        receiver_country=invoice.buyer.address.country if invoice.buyer.address else None,
        answered=None if wait > 0 else SendAnswer.PROCESSING.value,
        answer_by=now + timedelta(seconds=wait) + GRACE if wait > 0 else None,
        retry_until=now + retry_for(who.environment, runtime.settings),
        lane=outbox.INTERACTIVE if wait > 0 else outbox.BULK,
        created_at=now,
        space=ask.space,
        key=ask.key,
        fingerprint=ask.fingerprint if ask.key else "",
        reject_duplicates=tenants.get(who.tenant_id, runtime.caches).reject_duplicate_numbers,
        supplier_tax_id=checked.supplier_tax_id,
        buyer_tax_id=checked.buyer_tax_id,
        embed_pdf=checked.embed_pdf,
        submitted=_submitted(invoice_id, ask.principal, checked),
    )


def _submitted(invoice_id: str, who: Principal, checked: Checked) -> Submitted | None:
    came = checked.came
    if came is None:
        return None
    told = {
        "id": invoice_id,
        "status": "processing",
        "trafficLight": checked.report.light.value,
    }
    event = NewEvent(
        who.tenant_id, who.environment.value, events.INVOICE_VALIDATED, invoice_id, told
    )
    return Submitted(came.form, came.network, came.took_ms, event)


def duplicate_warning(number: str | None) -> Mapping[str, object]:
    """The warning that another invoice of this number is on its way or there."""
    words = f"An invoice {number} was sent before."
    return {"code": "possible-duplicate", "field": "invoice.number", "message": words}


def retry_for(environment: Environment, settings: Settings) -> timedelta:
    live = environment is Environment.LIVE
    return timedelta(seconds=settings.retry_for_live if live else settings.retry_for_test)
