"""Documents that come as XML: look at them, say what is found, send them on their way."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from einvoice import clock, validation
from einvoice.documents.cii.read import read_invoice as read_cii
from einvoice.documents.ubl.read import read_invoice as read_ubl
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.errors import (
    DeclaredTotalsMismatch,
    FieldError,
    InvalidField,
    MissingRouting,
    NetworkFailed,
    UnreadableDocument,
)
from einvoice.domain.identifiers import BIS_INVOICE_CII, DocumentTypeId, ParticipantId
from einvoice.domain.invoice import Invoice, Party, Routing
from einvoice.domain.request import SendRequest
from einvoice.network import limits
from einvoice.network.registry import PEPPOL
from einvoice.network.types import AccessPoint
from einvoice.services.invoices.status import with_processing_time
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import Way
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import send
from einvoice.services.send.send import UBL_TYPES, Ask, Came, Checked, Sent
from einvoice.validation import Finding, Judgement, Report

FORMATS = ("ubl", "cii", "auto")
SPACE = "v1"  # of idempotency keys (decisions 19.4)
_READERS = {"ubl": read_ubl, "cii": read_cii}


@dataclass(frozen=True, slots=True)
class NamedParty:
    """A party as the request names it, beside the document."""

    participant: ParticipantId | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as it was handed in, and what was said about it."""

    content: bytes
    format: str = "auto"
    network: str = PEPPOL
    sender: NamedParty = NamedParty()
    receiver: NamedParty = NamedParty()

    @property
    def meaning(self) -> bytes:
        """What an Idempotency-Key stands for: the same document on the same way."""
        ends = (str(end.participant) for end in (self.sender, self.receiver))
        digest = hashlib.sha256(self.content).hexdigest()
        return " ".join((digest, self.network, *ends)).encode()

    @property
    def routing(self) -> Routing:
        """From whom to whom. Raises MissingRouting."""
        sender, receiver = self.sender.participant, self.receiver.participant
        if sender is None or receiver is None:
            missing = [n for n, p in (("sender", sender), ("receiver", receiver)) if p is None]
            raise MissingRouting(f"missing: {', '.join(f'{name}.peppolId' for name in missing)}")
        return Routing(sender, receiver, None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The report, and the milliseconds it took to make."""

    report: Report
    took_ms: int

    def as_json(self) -> dict[str, object]:
        return with_processing_time(self.report.as_json(), self.took_ms)


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document with its verdict; the invoice in it, or why there is none to be read."""

    verdict: Verdict
    invoice: Invoice | None
    unreadable: UnreadableDocument | None
    contradictions: tuple[FieldError, ...]


def read(submission: Submission) -> JudgedDocument:
    """Judge the document, and compare it with what was said about it. Any bytes have a verdict."""
    started = clock.monotonic()
    judgement = validation.judge(submission.content, on=clock.today())
    report = validation.report_of(judgement)
    invoice, unreadable = None, None
    try:
        invoice = _invoice(judgement, report)
    except UnreadableDocument as fault:
        unreadable = fault
    wrong = tuple(contradictions(submission, report, invoice))
    return JudgedDocument(Verdict(report, _since(started)), invoice, unreadable, wrong)


def _since(started: float) -> int:
    """Whole milliseconds, a begun one counts."""
    return math.ceil((clock.monotonic() - started) * 1000)


def _invoice(judgement: Judgement, report: Report) -> Invoice | None:
    if judgement.root is None or report.form is None:
        return None
    return _READERS[report.form](judgement.root)


# -- judging only ----------------------------------------------------------------------------------


def validate(submission: Submission) -> Verdict:
    """The verdict on a document; what contradicts the request counts as an error."""
    found = read(submission)
    report = found.verdict.report
    wrong = tuple(_as_finding(error) for error in found.contradictions)
    whole = Report(report.rule_set, (*wrong, *report.findings), report.form, report.kind)
    return Verdict(whole, found.verdict.took_ms)


def _as_finding(error: FieldError) -> Finding:
    return Finding(
        severity="error",
        source="network",
        rule_id=error.code.upper(),
        message="The document must say what the request says about it.",
        explanation=f"{error.pointer} {error.message}.",
        suggestion="Correct whichever of the two is wrong.",
    )


def validate_send(request: SendRequest, who: Principal, runtime: Runtime) -> Verdict:
    """The verdict on the document that a send would write; wrong totals are an error in it."""
    started = clock.monotonic()
    try:
        defaults = send.defaults_of(who, request, runtime)
        invoice = derive(request["invoice"], request["routing"], defaults).invoice
    except DeclaredTotalsMismatch as mismatch:
        rules = validation.rule_set(clock.today())
        kind = request["invoice"].get("type") or "invoice"
        report = Report(rules, (_wrong_totals(mismatch),), "ubl", kind)
    else:
        report = validation.findings(invoice, request["routing"])
    return Verdict(report, _since(started))


def _wrong_totals(mismatch: DeclaredTotalsMismatch) -> Finding:
    return Finding(
        severity="error",
        source="network",
        rule_id=mismatch.slug.upper(),
        message="The declared totals must be what the lines come to, to the cent.",
        explanation=f"{mismatch.detail}.",
        suggestion="Send the computed amounts, or correct the lines.",
        field="invoice.totals",
    )


# -- sending ---------------------------------------------------------------------------------------


def submit(ask: Ask, submission: Submission, runtime: Runtime) -> Sent:
    """Accept the document and wait for the end of its way, or say why not.

    Every refusal is a RequestRefused. A key that was accepted before answers with the first result.
    """
    try:
        return send.proceed(ask, lambda: check(submission, ask.principal, runtime), runtime)
    except NetworkFailed as failed:
        raise failed.as_submission() from None


FindWay = Callable[[Submission, AccessPoint, Sequence[DocumentTypeId]], Way]


def check(
    submission: Submission, who: Principal, runtime: Runtime, find_way: FindWay | None = None
) -> Checked:
    """Parties, network, what contradicts the document, rules, the receiver: in this order.

    `find_way`: for who has looked the receivers up already.
    """
    routing = submission.routing
    send.check_parties(routing, who, runtime)
    receiver = routing.receiver
    point = lookup.serving_by(submission.network, receiver, who.environment, runtime.access_points)
    found = read(submission)
    if found.contradictions:
        raise InvalidField(found.contradictions)
    send.refuse_red(found.verdict.report, found.verdict.as_json())
    invoice = _readable(found)
    types = (BIS_INVOICE_CII, UBL_TYPES[invoice.kind])
    if find_way is None:
        fresh_for = runtime.settings.lookup_fresh_for
        with runtime.waiting_room.meanwhile():
            way = lookup.way_to(receiver, types, point, who, fresh_for)
    else:
        way = find_way(submission, point, types)
    return _addressed(submission, found.verdict, invoice, way)


def _addressed(submission: Submission, verdict: Verdict, invoice: Invoice, way: Way) -> Checked:
    """As it came where the receiver takes it so; else CII is converted to UBL."""
    routing, report = submission.routing, verdict.report
    came = Came(report.form or "", submission.network, verdict.took_ms)
    document, document_type, warnings = submission.content, BIS_INVOICE_CII, send.found(report)
    if came.form == "ubl" or not way.takes(BIS_INVOICE_CII):
        document_type = UBL_TYPES[invoice.kind]
        lookup.refuse_untaken(way, document_type, routing.receiver)
    if came.form == "cii" and document_type != BIS_INVOICE_CII:
        document = _converted(invoice, routing, verdict)
        warnings = (_CONVERTED, *warnings)
    limits.check_size(way.point, document)
    return Checked(
        invoice, routing, way.point.name, way.registration_id, document_type, report, warnings,
        document, submission.content, _tax_id(invoice.seller), _tax_id(invoice.buyer),
        original_type="application/xml", came=came,
    )  # fmt: skip


def _tax_id(party: Party) -> str | None:
    return party.vat_id or (party.tax_registration.value if party.tax_registration else None)


def _readable(found: JudgedDocument) -> Invoice:
    if found.invoice is None:
        fault = found.unreadable
        words = f"holds no invoice: {fault.detail}" if fault else "holds no invoice"
        raise InvalidField([FieldError("/invoice", "unreadable-document", words)])
    return found.invoice


def _converted(invoice: Invoice, routing: Routing, verdict: Verdict) -> bytes:
    """The UBL document of the same content, judged like any other."""
    again = Verdict(validation.findings(invoice, routing), verdict.took_ms)
    send.refuse_red(again.report, again.as_json())
    return document_xml(invoice)


_CONVERTED = {
    "code": "converted-to-ubl",
    "message": "The receiver takes no CII: the invoice is delivered as UBL, with the same content.",
    "field": "format",
}


# -- what the request says and the document does not --------------------------------------------


def contradictions(
    submission: Submission, report: Report, invoice: Invoice | None
) -> Iterator[FieldError]:
    """Where the request says one thing of the document, and the document another."""
    if submission.format != "auto" and report.form not in (None, submission.format):
        words = f"is {submission.format}, but the document is {report.form}"
        yield FieldError("/format", "contradicts-document", words)
    if invoice is not None:
        for name, role, said, party in (
            ("sender", "seller", submission.sender, invoice.seller),
            ("receiver", "buyer", submission.receiver, invoice.buyer),
        ):
            yield from _of_party(f"/{name}", role, said, party)


def _of_party(pointer: str, role: str, said: NamedParty, party: Party) -> Iterator[FieldError]:
    endpoint = party.endpoint
    if said.participant is not None and endpoint is not None:
        written = f"{endpoint.scheme}:{endpoint.value}"
        if written.lower() != said.participant.canonical:
            words = f"is {said.participant}, but the document's {role} has the address {written}"
            yield FieldError(f"{pointer}/peppolId", "contradicts-document", words)
    country = party.address.country if party.address else None
    if said.country and country and country != said.country:
        words = f"is {said.country}, but the document's {role} is in {country}"
        yield FieldError(f"{pointer}/country", "contradicts-document", words)
