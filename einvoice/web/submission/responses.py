"""The bodies of /v1 responses about a submitted invoice."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.domain.bounds import listed
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.services.invoices import detail
from einvoice.services.invoices.status import ResponseDocument, TrackedInvoice
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web.responses import provider
from einvoice.web.runtime import runtime
from einvoice.web.shared.artefacts import artefact_body
from einvoice.web.shared.bill_members import bill_members


def submit_response(result: SendResult, tracked: TrackedInvoice, key: str | None) -> dict[str, Any]:
    """The response to a submission; a replay gets the same."""
    delivered = result.answer is SendAnswer.DELIVERED
    status = NetworkStatus.DELIVERED if delivered else NetworkStatus.PROCESSING
    return {
        **_common_members(tracked, status.value.lower(), status),
        "transactionId": result.transaction_id,
        "validation": tracked.validation,
        **listed("warnings", warnings.in_words(result.warnings, tracked.language)),
        "createdAt": clock.timestamp(tracked.record.created_at),
        "idempotencyKeyEcho": key,
        "provider": provider(),
    }


def track_response(tracked: TrackedInvoice) -> dict[str, Any]:
    """The response to GET: the submission with history, artefacts and responses."""
    record = tracked.record
    failed = record.status == NetworkStatus.FAILED
    delivered_at = record.settled_at if record.status == NetworkStatus.DELIVERED else None
    return {
        **_common_members(tracked, tracked.status, record.status),
        "issueDate": record.issue_date,
        "currency": record.currency,
        "grandTotal": record.grand_total,
        "taxCurrency": record.tax_currency,
        "taxAmountInTaxCurrency": record.tax_amount_in_tax_currency,
        "deliveredMeans": detail.delivered_means(record, runtime().access_points),
        "attention": record.needs_person,
        "waitingReason": tracked.waiting_reason,
        "deliveredAt": clock.timestamp(delivered_at) if delivered_at else None,
        "failureReason": record.reason if failed else None,
        "reasonCode": record.reason_code if failed else None,
        "retryable": record.retryable if failed else None,
        "networkFindings": detail.worded_findings(tracked.network_findings, tracked.language),
        "authorityReference": tracked.submission.authority_reference,
        "validation": tracked.validation,
        **listed("warnings", warnings.in_words(record.warnings, tracked.language)),
        "history": [
            {"event": h.event, "at": clock.timestamp(h.at), "detail": h.detail}
            for h in tracked.history
        ],
        "artefacts": [artefact_body(item) for item in tracked.artefacts],
        "response": bill_members(tracked.bill, tracked.response)["response"],
        "responses": [_receiver_response(response) for response in tracked.responses],
        "metadata": record.metadata or {},
        "createdAt": clock.timestamp(record.created_at),
        "updatedAt": clock.timestamp(tracked.history[-1].at),
        "provider": provider(),
    }


def _common_members(tracked: TrackedInvoice, status: str, network_status: str) -> dict[str, Any]:
    record, submission = tracked.record, tracked.submission
    return {
        "id": record.id,
        "transactionId": record.transmission_id,
        "status": status,
        "networkStatus": network_status,
        "format": tracked.form,
        "network": tracked.network,
        "documentType": record.kind,
        "number": record.number,
        "sender": {"peppolId": record.sender, "country": submission.sender_country},
        "receiver": {"peppolId": record.receiver, "country": submission.receiver_country},
    }


def _receiver_response(response: ResponseDocument) -> dict[str, Any]:
    return {
        "type": response.kind,
        "responseCode": response.code,
        "reasons": list(response.reasons),
        "createdAt": clock.timestamp(response.at),
        "artefactId": response.artefact_id,
    }
