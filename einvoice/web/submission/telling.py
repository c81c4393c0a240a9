"""Submitted invoices as the /v1 routes tell of them."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.services.invoices.status import Response, Tracked
from einvoice.services.send.send import Sent
from einvoice.web.public.invoices import listed
from einvoice.web.responses import provider


def first_word(sent: Sent, told: Tracked, key: str | None) -> dict[str, Any]:
    """The answer to the submission itself: the same for every replay."""
    delivered = sent.answer is SendAnswer.DELIVERED
    status = NetworkStatus.DELIVERED if delivered else NetworkStatus.PROCESSING
    return {
        **_head(told, status.value.lower(), status),
        "transactionId": sent.transaction_id,
        "validation": told.validation,
        "warnings": list(sent.warnings),
        "createdAt": clock.timestamp(told.record.created_at),
        "idempotencyKeyEcho": key,
        "provider": provider(),
    }


def whole(told: Tracked) -> dict[str, Any]:
    """All that is known of it."""
    record = told.record
    failed = record.status == NetworkStatus.FAILED
    delivered_at = record.settled_at if record.status == NetworkStatus.DELIVERED else None
    return {
        **_head(told, told.status, record.status),
        "issueDate": record.issue_date,
        "currency": record.currency,
        "grandTotal": record.grand_total,
        "attention": record.attention,
        "deliveredAt": clock.timestamp(delivered_at) if delivered_at else None,
        "failureReason": record.reason if failed else None,
        "reasonCode": record.reason_code if failed else None,
        "retryable": record.retryable if failed else None,
        "authorityReference": told.came.authority_reference,
        "validation": told.validation,
        "warnings": list(record.warnings),
        "history": [
            {"event": h.event, "at": clock.timestamp(h.at), "detail": h.detail}
            for h in told.history
        ],
        "artefacts": [listed(item) for item in told.artefacts],
        "responses": [_response(response) for response in told.responses],
        "createdAt": clock.timestamp(record.created_at),
        "updatedAt": clock.timestamp(told.history[-1].at),
        "provider": provider(),
    }


def _head(told: Tracked, status: str, network_status: str) -> dict[str, Any]:
    record, came = told.record, told.came
    return {
        "id": record.id,
        "transactionId": record.transmission_id,
        "status": status,
        "networkStatus": network_status,
        "format": came.form or "ubl",
        "network": told.network,
        "documentType": record.kind,
        "number": record.number,
        "sender": {"peppolId": record.sender, "country": came.sender_country},
        "receiver": {"peppolId": record.receiver, "country": came.receiver_country},
    }


def _response(response: Response) -> dict[str, Any]:
    return {
        "type": response.kind,
        "responseCode": response.code,
        "reasons": list(response.reasons),
        "createdAt": clock.timestamp(response.at),
        "artefactId": response.artefact_id,
    }
