"""The type of each member of problem documents; web/explanations.toml describes it."""

from __future__ import annotations

from typing import Any

from einvoice.domain.bounds import MAX_LISTED


def _text(example: str, **more: object) -> dict[str, Any]:
    return {"type": "string", "example": example, **more}


def _items(items: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def _record(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _described(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "description": description}


_AMOUNT = {"type": "number", "example": 121.00}
_UUID = _text("5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b", format="uuid")

FIELD_ERROR = _record(
    pointer=_described("The place (JSON Pointer, RFC 6901).", _text("/invoice/number")),
    code=_described("Stable code of the error.", _text("wrong-type")),
    message=_described("The error as text.", _text("must be a string")),
)

MEMBERS: dict[str, dict[str, Any]] = {
    "errors": _items({"$ref": "#/components/schemas/FieldError"}, maxItems=MAX_LISTED),
    "validationErrors": _items(_text("BR-CO-15: The totals must add up (invoice.totals)")),
    "findings": _items({"$ref": "#/components/schemas/Finding"}),
    "computedSubtotal": _AMOUNT,
    "computedTaxAmount": _AMOUNT,
    "computedGrandTotal": _AMOUNT,
    "computedTotalAmount": _AMOUNT,
    "computedLineExtensions": _items(_AMOUNT),
    "computedTaxAmountPerLine": _AMOUNT,
    "computedPayableAmount": _AMOUNT,
    "holdsUnder": _text("rounded"),
    "existingId": _UUID,
    "field": _text("peppolId"),
    "networkStatus": _text("Processing"),
    "participantStatus": _text("pending"),
    "receiverParticipantId": _text("0088:9520000000080"),
    "errorCode": _text("SIM-REJECTED"),
    "upstreamStatus": {"type": ["integer", "null"], "example": 400},
    "retryable": {"type": "boolean", "example": False},
    "invoiceId": _UUID,
    "transactionId": _text("txn_77c1f0e2"),
    "networkFindings": _items({"$ref": "#/components/schemas/NetworkFinding"}, maxItems=100),
    "id": _UUID,
    "reasons": _items(_text("it refers to more than one preceding invoice")),
    "supportedNetworks": _items(_text("peppol")),
    "connections": _items(
        _record(connectionId=_UUID, account=_text("RO123456"), name=_text("Head office"))
    ),
    "validation": {"$ref": "#/components/schemas/ValidationRecord"},
    "requiredRole": _text("admin"),
    "maxItems": {"type": "integer", "example": 500},
    "maxColumns": {"type": "integer", "example": 100},
    "maxRows": {"type": "integer", "example": 10000},
    "missingColumns": _items(_text("CompanyName")),
    "maxBytes": {"type": "integer", "example": 5242880},
    "truncated": {"type": "boolean", "example": True},
    "errorsTruncated": {"type": "boolean", "example": False},
    "sha256": _text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    "droppedAt": _text("2036-12-31T02:00:00.000Z", format="date-time"),
    "movedTo": _text("https://eu2.example.com", format="uri"),
    "failed": {"type": "integer", "example": 2},
    "total": {"type": "integer", "example": 123},
}

# Members that not every problem of their kind has.
OPTIONAL = frozenset(
    {
        "computedPayableAmount",
        "computedTaxAmountPerLine",
        "findings",
        "holdsUnder",
        "id",
        "networkFindings",
        "truncated",
        "validation",
    }
)

# Members with another meaning in one kind of problem.
OF_SLUG: dict[tuple[str, str], dict[str, Any]] = {
    ("sender-not-verified", "field"): _text("routing.senderParticipantId"),
    ("csv-invalid", "errors"): _items({"$ref": "#/components/schemas/RowError"}, maxItems=500),
}
