"""Sending a document that was submitted as XML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from einvoice import validation
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.bounds import to_store
from einvoice.domain.errors import FieldError, InvalidField, NetworkFailed, RequestRefused
from einvoice.domain.identifiers import BIS_INVOICE_CII, DocumentTypeId
from einvoice.domain.invoice import Invoice, Party, Routing
from einvoice.domain.invoice_head import head_of
from einvoice.network import limits
from einvoice.network.types import AccessPoint
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import Route
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.accept import make_rows
from einvoice.services.send.check import UBL_TYPES, check_parties, refuse_errors
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument, Origin
from einvoice.services.send.draft import Draft
from einvoice.services.send.judging import judged
from einvoice.services.send.preparing import warnings_of
from einvoice.services.send.replay import replay_or_raise
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import send_draft
from einvoice.services.send.submission import DocumentVerdict, JudgedDocument, Submission


def submit(
    command: SendCommand, read: Callable[[bytes], Submission], runtime: Runtime
) -> SendResult:
    """Send the document of a body, and wait for its final outcome.

    Every refusal is a RequestRefused. A key that was accepted before answers with the first result;
    it stands for what the request means, not for the bytes of its body.
    """

    def _check(draft: Draft) -> None:
        draft.document = check(submission, command.principal, runtime)

    try:
        submission = read(command.body)
    except RequestRefused as refusal:
        return replay_or_raise(command, runtime, refusal)
    command = replace(command, body=submission.meaning)
    try:
        return send_draft(Draft(command, runtime, (_check, make_rows), alone=True))
    except NetworkFailed as failed:
        raise failed.as_submission() from None


FindRoute = Callable[[Submission, AccessPoint, Sequence[DocumentTypeId]], Route]


def check(
    submission: Submission, who: Principal, runtime: Runtime, find_route: FindRoute | None = None
) -> AcceptableDocument:
    """Check parties, network, contradictions, rules and the receiver, in this order.

    `find_route` replaces the lookup for callers that have looked the receivers up already.
    """
    routing = submission.routing
    check_parties(routing, who, runtime)
    receiver = routing.receiver
    point = lookup.serving_by(submission.network, receiver, who.environment, runtime.access_points)
    found = judged(submission, who.tenant_id, runtime.computing)
    if found.contradictions:
        raise InvalidField(found.contradictions)
    refuse_errors(found.verdict.report, found.verdict.as_json())
    invoice = _readable(found)
    types = (BIS_INVOICE_CII, UBL_TYPES[invoice.kind])
    if find_route is None:
        fresh_for = runtime.settings.lookup_fresh_for
        with runtime.waiting_room.meanwhile():
            route = lookup.route_to(receiver, types, point, who, fresh_for)
    else:
        route = find_route(submission, point, types)
    return _addressed(submission, found.verdict, invoice, route)


def _addressed(
    submission: Submission, verdict: DocumentVerdict, invoice: Invoice, route: Route
) -> AcceptableDocument:
    """The document in a form that the receiver accepts: CII is converted to UBL if it has to be."""
    routing, report = submission.routing, verdict.report
    origin = Origin(report.form or "", submission.network, verdict.took_ms)
    document, document_type = submission.content, BIS_INVOICE_CII
    warnings = (*[each.as_json() for each in verdict.warnings], *warnings_of(report))
    if origin.form == "ubl" or not route.accepts(BIS_INVOICE_CII):
        document_type = UBL_TYPES[invoice.kind]
        lookup.refuse_unsupported(route, document_type, routing.receiver)
    if origin.form == "cii" and document_type != BIS_INVOICE_CII:
        document = _converted(invoice, routing, verdict)
        warnings = (_CONVERTED, *warnings)
    limits.check_size(route.point, document)
    return AcceptableDocument(
        head=head_of(invoice, _tax_id(invoice.seller), _tax_id(invoice.buyer)),
        routing=routing,
        access_point=route.point.name,
        registration_id=route.registration_id,
        document_type=document_type,
        report=report,
        warnings=to_store(warnings),
        document=document,
        original=submission.content,
        original_type="application/xml",
        origin=origin,
        metadata=submission.metadata or None,
    )


def _tax_id(party: Party) -> str | None:
    return party.vat_id or (party.tax_registration.value if party.tax_registration else None)


def _readable(found: JudgedDocument) -> Invoice:
    if found.invoice is None:
        fault = found.unreadable
        words = f"holds no invoice: {fault.detail}" if fault else "holds no invoice"
        raise InvalidField([FieldError("/invoice", "unreadable-document", words)])
    return found.invoice


def _converted(invoice: Invoice, routing: Routing, verdict: DocumentVerdict) -> bytes:
    """The UBL document of the same content, judged like any other."""
    again = DocumentVerdict(validation.findings(invoice, routing), verdict.took_ms)
    refuse_errors(again.report, again.as_json())
    return document_xml(invoice)


_CONVERTED = {
    "code": "converted-to-ubl",
    "message": "The receiver takes no CII: the invoice is delivered as UBL, with the same content.",
    "field": "format",
}
