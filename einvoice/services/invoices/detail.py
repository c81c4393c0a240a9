"""Reading invoices and their artefacts, limited to the caller's tenant and environments."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import ArtefactKind, EmbeddedPdf
from einvoice.domain.connections import NEXT_STEPS, State
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus, Phase
from einvoice.domain.errors import NotFound
from einvoice.domain.identifiers import is_id
from einvoice.network.access_points import AccessPoints
from einvoice.services.principal import Reader
from einvoice.store.archive.archived import LazyContent, Part
from einvoice.store.inbound import bill_arrivals, received, receiver_responses, responses
from einvoice.store.inbound.bill_arrivals import ArrivalRecord as ArrivalRecord
from einvoice.store.inbound.received import BillRecord
from einvoice.store.inbound.receiver_responses import ReceiverResponseRecord
from einvoice.store.invoices import artefacts as evidence
from einvoice.store.invoices import invoices as stored
from einvoice.store.invoices import shares
from einvoice.store.invoices.artefacts import ArtefactContent as ArtefactContent
from einvoice.store.invoices.artefacts import ArtefactSummary as ArtefactSummary
from einvoice.store.invoices.invoices import InvoiceDocuments
from einvoice.store.invoices.invoices import InvoiceRecord as InvoiceRecord
from einvoice.store.sending import messages, sequences
from einvoice.store.sending import network_findings as named_errors
from einvoice.store.sending.messages import ReportRecord as ReportRecord
from einvoice.validation import (
    DEFAULT_LANGUAGE,
    NOT_JUDGED,
    StoredReport,
    is_renderable,
    refusal_in_words,
    rendered,
    traffic_light,
)


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One line of an invoice's history.

    detail  in English, as the API shows it
    code    of a response: its status, or for a bill its code; `by`: who said or did it
    text    in the words of a person or of a network
    """

    event: str
    at: datetime
    detail: str | None = None
    code: str | None = None
    by: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class InvoiceDetail:
    """An invoice with its history; `bill` is None if it was sent.

    response        what the receiver of a sent one has said, or since then the seller of a bill
    waiting_reason  why it is not sent now: its connection cannot be used, another document is sent
                    before it, or the network did not take it at the last attempt
    network_findings  errors that the network named for its refusal, or warnings with which it took
                      the document, as they are stored
    arrivals        of a bill that came by another network too
    reports         to tax authorities, that access points send because of it; oldest first
    """

    record: InvoiceRecord
    history: tuple[HistoryEvent, ...]
    updated_at: datetime  # when its status last changed
    bill: BillRecord | None = None
    waiting_reason: str | None = None
    network_findings: tuple[Mapping[str, Any], ...] = ()
    response: ReceiverResponseRecord | None = None
    reports: tuple[ReportRecord, ...] = ()
    arrivals: tuple[ArrivalRecord, ...] = ()

    @property
    def light(self) -> str:
        """The traffic light of the findings: green, amber or red."""
        report = traffic_light(
            self.record.rule_pack, self.record.findings, form=None, kind=None, chosen_by=None
        )
        return str(report["trafficLight"])


def get(invoice_id: str, reader: Reader) -> InvoiceDetail:
    """The invoice with its history. Raises NotFound."""
    record = record_of(invoice_id, reader)
    bill = received.bill(record.id) if record.is_received else None
    happened = list(_history(record, bill))
    said = _responses(record)
    reports = messages.reports_of(record.id, record.tenant_id)
    others = (
        *_shares(record),
        *(entry for each in said for entry in _responded(each)),
        *(_reported(each) for each in reports if each.settled_at is not None),
    )
    everything = sorted((*happened, *others), key=lambda entry: entry.at)
    waiting = _waiting_reason(record)
    found = tuple(network_findings(record))
    counts = next((each for each in said if each.id == record.response_id), None)
    return InvoiceDetail(
        record,
        tuple(everything),
        happened[-1].at,
        bill,
        waiting,
        found,
        counts,
        tuple(reports),
        tuple(bill_arrivals.of_invoice(record.id, record.tenant_id)) if bill else (),
    )


def _responses(record: InvoiceRecord) -> list[ReceiverResponseRecord]:
    """The responses of the receiver to a sent invoice; what the seller says of a received one."""
    if record.response_id is None:
        return []
    return receiver_responses.of_invoice(record.id, record.tenant_id)


def _responded(response: ReceiverResponseRecord) -> Iterator[HistoryEvent]:
    """The events of a response: that it was said, and that a person has dealt with it."""
    message = "; ".join(filter(None, (*response.reasons, response.text)))
    by = f" by {response.by}" if response.by else ""
    detail = f"{response.status}{by}" + (f": {message}" if message else "")
    yield HistoryEvent(
        "responded", response.created_at, detail, response.status, response.by, message or None
    )
    if response.done_at is not None:
        done_by = response.done_by
        yield HistoryEvent("attentionDone", response.done_at, f"by {done_by}", by=done_by)


def _reported(report: ReportRecord) -> HistoryEvent:
    """The event of a settled report: that the authority has it, or why not."""
    at = report.settled_at or report.created_at
    if report.status == NetworkStatus.DELIVERED:
        return HistoryEvent("reported", at, report.reports_to)
    return HistoryEvent("reportFailed", at, f"{report.reports_to}: {report.reason or ''}")


def network_findings(record: InvoiceRecord) -> list[dict[str, Any]]:
    """The errors of a refusal, or the warnings of a delivery, as they are stored."""
    if record.is_received or record.status == NetworkStatus.PROCESSING:
        return []
    return named_errors.of_transmission(record.transmission_id)


def worded_findings(
    findings: Iterable[Mapping[str, Any]], language: str
) -> list[dict[str, object]]:
    """Errors that a network named, in words of this language where their rules are known."""
    return [refusal_in_words(each, language) for each in findings]


def _waiting_reason(record: InvoiceRecord) -> str | None:
    if record.status != NetworkStatus.PROCESSING:
        return None
    parking = stored.parking_connection(record.transmission_id)
    if parking is None:
        before = sequences.holder_of(record.transmission_id)
        return f"The transaction {before} is sent before it." if before else _last_attempt(record)
    step = NEXT_STEPS[State(parking.state)]
    reason = f" {parking.reason}" if parking.reason else ""
    return f"The connection {parking.name} is {parking.state}.{reason} {step}"


def _last_attempt(record: InvoiceRecord) -> str | None:
    """The reason for which the network does not have the document yet, or may not have it."""
    if not record.reason:
        return None
    match Phase(record.phase):
        case Phase.QUEUED:
            return f"The network has not taken it yet: {record.reason}"
        case Phase.PENDING:
            return f"The network has not decided yet: {record.reason}"
    return f"It is not certain yet whether the network has it: {record.reason}"


def record_of(invoice_id: str, reader: Reader) -> InvoiceRecord:
    """The invoice without its history. Raises NotFound."""
    environments = [environment.value for environment in reader.environments]
    known = is_id(invoice_id)
    record = stored.find(invoice_id, reader.tenant_id, environments) if known else None
    if record is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    return record


def delivered_means(record: InvoiceRecord, points: AccessPoints) -> DeliveredMeans | None:
    """The holder of the invoice once it is Delivered; None for a received one, or if the access
    point is not installed any more."""
    if record.is_received or record.access_point not in points:
        return None
    if record.delivered_means is not None:
        return DeliveredMeans(record.delivered_means)
    return points[record.access_point].capabilities.delivered_means


def _history(record: InvoiceRecord, bill: BillRecord | None) -> Iterator[HistoryEvent]:
    """The history, derived from the stored rows; no row is written for it alone."""
    yield HistoryEvent("received", record.created_at)
    yield HistoryEvent("validated", record.created_at, record.rule_pack)
    if bill is None:
        yield from _sent(record)
    else:
        yield from _processed(bill)


def _processed(bill: BillRecord) -> Iterator[HistoryEvent]:
    """The work of the tenant on a bill: responses, and the mark, in the order of time."""
    happened = [
        HistoryEvent(
            "responded",
            each.created_at,
            f"{each.code} by {each.created_by}",
            each.code,
            each.created_by,
        )
        for each in (responses.of_invoice(bill.invoice_id) if bill.response else ())
    ]
    if bill.processed_at is not None:
        by = bill.processed_by
        happened.append(HistoryEvent("processed", bill.processed_at, f"by {by}", by=by))
    yield from sorted(happened, key=lambda entry: entry.at)


def _sent(record: InvoiceRecord) -> Iterator[HistoryEvent]:
    tried = stored.attempts(record.id, record.tenant_id)
    happened = [
        HistoryEvent(
            "submitted" if attempt.number == 1 else "retried", attempt.started_at, attempt.detail
        )
        for attempt in tried
    ]
    for number, sending in enumerate(stored.transmissions(record.id, record.tenant_id)):
        if number:
            happened.append(
                HistoryEvent("retried", sending.created_at, f"sent again as {sending.id}")
            )
        if sending.settled_at is not None:
            event = "delivered" if sending.status == "Delivered" else "failed"
            happened.append(HistoryEvent(event, sending.settled_at, sending.reason))
        if sending.failure_done_at is not None:
            by = sending.failure_done_by
            done = HistoryEvent("attentionDone", sending.failure_done_at, f"by {by}", by=by)
            happened.append(done)
    yield from sorted(happened, key=lambda entry: entry.at)


def _shares(record: InvoiceRecord) -> Iterator[HistoryEvent]:
    """The events of share links. A replaced one ends when the next is created."""
    for made, revoked in shares.of_invoice(record.id, record.tenant_id):
        yield HistoryEvent("shared", made)
        if revoked is not None:
            yield HistoryEvent("revoked", revoked)


# -- artefacts -------------------------------------------------------------------------------------


def list_artefacts(
    invoice_id: str, reader: Reader, kind: str | None = None, language: str = DEFAULT_LANGUAGE
) -> list[ArtefactSummary]:
    """The artefacts to download, stored and derived ones. Raises NotFound.

    `language`: of the validation report.
    """
    record = record_of(invoice_id, reader)
    made = [_listed(record, name, content) for name, content in _made(record, reader, language)]
    kept = evidence.of_invoice(record.id, record.tenant_id)
    return [item for item in (*made, *kept) if kind is None or item.kind == kind]


def download(
    invoice_id: str, artefact_id: str, reader: Reader, language: str = DEFAULT_LANGUAGE
) -> ArtefactContent:
    """One artefact's content. `language`: of the validation report.

    Raises NotFound, DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    record = record_of(invoice_id, reader)
    for kind, content in _made(record, reader, language):
        if artefact_id == _derived_id(record.id, kind):
            return ArtefactContent(content.read(), kind.content_type, _name(record, kind))
    found = None
    if is_id(artefact_id):
        found = evidence.content(record.id, artefact_id, record.tenant_id)
    if found is None:
        raise NotFound(f"The invoice has no artefact {artefact_id[:40]!r}.")
    return found


def _made(
    record: InvoiceRecord, reader: Reader, language: str
) -> Iterator[tuple[ArtefactKind, LazyContent]]:
    """The artefacts that are derived from the invoice's row, each once its bytes are final.

    A document is without its PDF until the worker has embedded it, and the report of one that was
    stored unread is to come. A later release may have stored a form of the report that this one
    does not know; it is listed again when that release is back.
    """
    documents = stored.documents(record.id, reader.tenant_id, record.environment)
    if documents is None:
        return
    parts = documents.parts
    # A received document that is not an invoice has no UBL.
    if Part.DOCUMENT in parts and documents.embed_pdf != EmbeddedPdf.DUE:
        yield kinds.UBL, parts[Part.DOCUMENT]
    if Part.NETWORK_DOCUMENT in parts:
        yield _network_kind(documents), parts[Part.NETWORK_DOCUMENT]
    if is_renderable(record.report_form) and not _is_to_be_judged(record):
        yield kinds.VALIDATION_REPORT, LazyContent(_validation_report(record, language))
    if Part.ORIGINAL in parts:
        yield _original_kind(documents), parts[Part.ORIGINAL]


_ENDINGS = {"application/json": "json", "application/xml": "xml", "application/pdf": "pdf"}


def _original_kind(documents: InvoiceDocuments) -> ArtefactKind:
    ending = _ENDINGS.get(documents.original_type, "bin")
    return ArtefactKind("ORIGINAL", documents.original_type, f"original-{{number}}.{ending}")


def _network_kind(documents: InvoiceDocuments) -> ArtefactKind:
    """The kind of what was submitted; one whose original is a PDF was sent as that PDF."""
    kind = kinds.NETWORK_DOCUMENT
    if documents.original_type != kinds.PDF.content_type:
        return kind
    return ArtefactKind(kind.code, kinds.PDF.content_type, "sent-{number}.pdf")


def _is_to_be_judged(record: InvoiceRecord) -> bool:
    """Whether it was stored unread, to be judged later (inbound/later_evaluation)."""
    unread = any(finding["ruleId"] == NOT_JUDGED for finding in record.findings)
    return unread and received.is_to_be_judged(record.id)


def _validation_report(record: InvoiceRecord, language: str) -> bytes:
    bill = received.bill(record.id) if record.is_received else None
    report = StoredReport(
        form=record.report_form,
        rule_set=record.rule_pack,
        chosen_by=record.rule_set_chosen_by,
        syntax=bill.syntax if bill else "ubl",
        kind=record.kind,
        findings=record.findings,
        validated_at=clock.timestamp(record.created_at),
    )
    return rendered(report, language)


def _listed(record: InvoiceRecord, kind: ArtefactKind, content: LazyContent) -> ArtefactSummary:
    return ArtefactSummary(
        id=_derived_id(record.id, kind),
        kind=kind.code,
        name=_name(record, kind),
        content_type=kind.content_type,
        size=content.size,
        sha256=content.sha256,
        created_at=record.created_at,
    )


def _derived_id(invoice_id: str, kind: ArtefactKind) -> str:
    return str(uuid.uuid5(uuid.UUID(invoice_id), kind.code))


def _name(record: InvoiceRecord, kind: ArtefactKind) -> str:
    return kind.file_name_of(record.number)
