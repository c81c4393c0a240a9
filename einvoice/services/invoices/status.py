"""The status of submitted documents in the terms of /v1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from einvoice.documents.ubl.application_response import read_application_response
from einvoice.domain import artefacts as kinds
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.errors import NotFound
from einvoice.network.access_points import PEPPOL
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import HistoryEvent
from einvoice.services.invoices.lists import (
    BillRecord,
    InvoiceListItem,
    ReceiverResponseRecord,
)
from einvoice.services.principal import Principal
from einvoice.store.invoices import artefacts
from einvoice.store.invoices.artefacts import ArtefactSummary
from einvoice.store.invoices.invoices import InvoiceRecord
from einvoice.store.sending import submissions
from einvoice.store.sending.submissions import ListedSubmission, SubmissionRecord, VerdictRecord
from einvoice.validation import DEFAULT_LANGUAGE, from_data, traffic_light, with_processing_time

_ANSWERS = (kinds.INVOICE_RESPONSE.code, kinds.MLS.code)


def status_of(status: str, phase: str, authority_reference: str | None) -> str:
    """One of the statuses of decisions 6; an authority's answer takes precedence."""
    if status == NetworkStatus.RECEIVED:
        return "received"
    if status == NetworkStatus.DELIVERED:
        return "acknowledged" if authority_reference else "delivered"
    if status == NetworkStatus.FAILED:
        return "rejected" if authority_reference else "failed"
    return "queued" if phase == Phase.QUEUED else "processing"


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """The values of an invoice in a list of /v1, in addition to its listed values.

    form  ubl or cii; of a received one None if it was not recognised
    """

    status: str
    form: str | None
    network: str
    kind: str
    sender_country: str | None
    receiver_country: str | None


def listed(
    items: Sequence[InvoiceListItem], bills: Mapping[str, BillRecord], tenant_id: str
) -> list[ListedDocument]:
    """The documents of the items of a page, in its order. `bills`: the received ones."""
    found = submissions.listed([item.id for item in items], tenant_id)
    return [_listed(item, bills.get(item.id), found[item.id]) for item in items]


def _listed(
    item: InvoiceListItem, bill: BillRecord | None, sent: ListedSubmission
) -> ListedDocument:
    return ListedDocument(
        status=status_of(item.status, sent.phase, sent.authority_reference),
        form=bill.syntax if bill else sent.form or "ubl",
        network=sent.network or PEPPOL,
        kind=sent.kind,
        sender_country=sent.sender_country,
        receiver_country=sent.receiver_country,
    )


@dataclass(frozen=True, slots=True)
class ResponseDocument:
    """An artefact with a response of the receiver."""

    kind: str
    code: str | None
    reasons: tuple[str, ...]
    at: datetime
    artefact_id: str


@dataclass(frozen=True, slots=True)
class TrackedInvoice:
    """A sent or received invoice; `history`, `artefacts`, `responses` and `bill` (of a received
    one) only from `track`."""

    record: InvoiceRecord
    submission: SubmissionRecord
    history: tuple[HistoryEvent, ...] = ()
    artefacts: tuple[ArtefactSummary, ...] = ()
    responses: tuple[ResponseDocument, ...] = ()
    waiting_reason: str | None = None
    language: str = DEFAULT_LANGUAGE
    network_findings: tuple[Mapping[str, Any], ...] = ()
    response: ReceiverResponseRecord | None = None
    bill: BillRecord | None = None

    @property
    def form(self) -> str | None:
        """ubl or cii; of a received one None if it was not recognised."""
        return self.bill.syntax if self.bill else self.submission.form or "ubl"

    @property
    def status(self) -> str:
        return status_of(self.record.status, self.record.phase, self.submission.authority_reference)

    @property
    def network(self) -> str:
        return self.submission.network or PEPPOL

    @property
    def validation(self) -> Mapping[str, object]:
        """The traffic light at acceptance."""
        return _validation(
            VerdictRecord(
                self.record.id,
                self.record.kind,
                self.record.rule_pack,
                self.record.rule_set_chosen_by,
                self.record.findings,
                self.form,
                self.submission.took_ms,
            ),
            self.language,
        )


def brief(
    invoice_id: str, principal: Principal, language: str = DEFAULT_LANGUAGE
) -> TrackedInvoice:
    """The invoice without history, artefacts and responses. Raises NotFound.

    `language`: of the findings.
    """
    record = detail.record_of(invoice_id, principal)
    submission = submissions.find(invoice_id, principal.tenant_id, principal.environment.value)
    if submission is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    return TrackedInvoice(record, submission, language=language)


def validations(
    invoice_ids: Sequence[str], principal: Principal, language: str
) -> dict[str, Mapping[str, object]]:
    """The traffic lights of sent invoices at acceptance, by invoice id."""
    found = submissions.verdicts(invoice_ids, principal.tenant_id, principal.environment.value)
    return {verdict.invoice_id: _validation(verdict, language) for verdict in found}


def _validation(verdict: VerdictRecord, language: str) -> Mapping[str, object]:
    found = [from_data(finding, language) for finding in verdict.findings]
    light = traffic_light(
        verdict.rule_pack,
        found,
        form=verdict.form or "ubl",
        kind=verdict.kind,
        chosen_by=verdict.rule_set_chosen_by,
    )
    return with_processing_time(light, verdict.took_ms)


def track(
    invoice_id: str, principal: Principal, language: str = DEFAULT_LANGUAGE
) -> TrackedInvoice:
    """The invoice with history, artefacts and responses. Raises NotFound.

    `language`: of the findings.
    """
    found = brief(invoice_id, principal, language)
    kept = tuple(detail.list_artefacts(invoice_id, principal, language=language))
    details = detail.get(invoice_id, principal)
    return TrackedInvoice(
        found.record,
        found.submission,
        details.history,
        kept,
        tuple(_response(found.record, item) for item in kept if item.kind in _ANSWERS),
        details.waiting_reason,
        language,
        details.network_findings,
        details.response,
        details.bill,
    )


def _response(record: InvoiceRecord, item: ArtefactSummary) -> ResponseDocument:
    found = artefacts.content(record.id, item.id, record.tenant_id)
    answer = read_application_response(found.content if found else b"")
    return ResponseDocument(item.kind, answer.code, answer.reasons, item.created_at, item.id)
