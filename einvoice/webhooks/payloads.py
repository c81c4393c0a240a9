"""The body of a webhook: the contract's members at the top level, no party data, < 20 KB.

The receiver fetches the invoice itself, so a body in a log discloses no content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from einvoice import clock
from einvoice.domain.events import INVOICE_PAID
from einvoice.domain.money import CENT

MAX_BYTES = 20_000
_AMOUNTS = {INVOICE_PAID: frozenset({"amount", "amountPaid"})}  # members of payloads
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


def stored_amount(amount: Decimal) -> float | str:
    """An amount in a payload, which JSON keeps as a double: as text where that has other digits.

    >>> stored_amount(Decimal("121.00")), stored_amount(Decimal("90071992547409.93"))
    (121.0, '90071992547409.93')
    """
    return float(amount) if Decimal(repr(float(amount))) == amount else str(amount)


def body(event: Occurrence) -> bytes:
    """UTF-8 JSON under MAX_BYTES. Texts are cut to fit, ids never; amounts are exact numbers."""
    amounts = _AMOUNTS.get(event.type, frozenset()) & event.payload.keys()
    payload = {name: value for name, value in event.payload.items() if name not in amounts}
    members = _members(event) | {name: _exact(event.payload[name]) for name in sorted(amounts)}
    for limit in _TEXT_LIMITS:
        written = _json(members | _cut(payload, limit) | members)
        if len(written) < MAX_BYTES:
            return written
    return _json(members | {"truncated": True})


def _exact(stored: float | str) -> Decimal:
    return Decimal(str(stored)).quantize(CENT)


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
    """The members as JSON; a Decimal, which only they are and not what is in them, as it is."""
    exact = {name: value for name, value in members.items() if isinstance(value, Decimal)}
    others = {name: value for name, value in members.items() if name not in exact}
    text = json.dumps(others, ensure_ascii=False, separators=(",", ":"))
    end = "".join(f",{json.dumps(name)}:{value:f}" for name, value in exact.items())
    return f"{text[:-1]}{end}}}".encode(errors="replace")
