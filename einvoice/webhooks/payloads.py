"""The body of a webhook: the contract's members at the top level, no party data, < 20 KB.

The receiver fetches the invoice itself, so a body in a log discloses no content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from einvoice import clock

MAX_BYTES = 20_000
_TEXT_LIMITS = (2_000, 200, 20)  # tried in turn until the body fits
_MAX_ITEMS = 20


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event: what its body is made of, the same on every attempt.

    `metadata`: of the invoice; it is bounded (decisions 20.5) and never cut. `request_id`: of the
    request that caused it, None if none did.
    """

    id: str
    type: str
    environment: str
    invoice_id: str | None
    payload: Mapping[str, Any]
    created_at: datetime
    metadata: Mapping[str, str | None] | None = None
    request_id: str | None = None


def body(event: Occurrence) -> bytes:
    """UTF-8 JSON under MAX_BYTES. Texts are cut to fit, ids never."""
    members = _members(event)
    for limit in _TEXT_LIMITS:
        written = _json(members | _cut(event.payload, limit) | members)
        if len(written) < MAX_BYTES:
            return written
    return _json(members | {"truncated": True})


def _members(event: Occurrence) -> dict[str, Any]:
    members: dict[str, Any] = {
        "eventType": event.type,
        "eventId": event.id,
        "createdAt": clock.timestamp(event.created_at),
        "environment": event.environment,
    }
    if event.invoice_id is not None:
        members["invoiceId"] = event.invoice_id
    if event.type.startswith("transaction."):
        members["networkStatus"] = event.payload.get("status")
    if event.request_id is not None:
        members["requestId"] = event.request_id
    if event.metadata:
        members["metadata"] = event.metadata
    return members


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, Mapping):
        return {name: _cut_member(name, inner, limit) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(inner, limit) for inner in value[:_MAX_ITEMS]]
    if isinstance(value, str) and len(value) > limit:
        return value[: limit - 1] + "…"
    return value


def _cut_member(name: str, value: Any, limit: int) -> Any:
    is_id = name.endswith("Id") and isinstance(value, str)
    return value[: _TEXT_LIMITS[0]] if is_id else _cut(value, limit)


def _json(members: Mapping[str, Any]) -> bytes:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
