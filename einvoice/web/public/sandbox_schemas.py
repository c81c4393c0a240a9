"""Schemas of the sandbox's routes."""

from __future__ import annotations

from marshmallow import Schema, fields


class AdvanceResult(Schema):
    """The transmission whose wait was ended."""

    invoiceId = fields.UUID(
        metadata={"description": "The invoice", "example": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"},
        required=True,
    )
    transactionId = fields.String(
        metadata={"description": "The transmission", "example": "txn_5f0c…"},
        required=True,
    )
    networkStatus = fields.String(
        metadata={
            "description": "Its status now; a worker changes it a moment later",
            "example": "Processing",
        },
        required=True,
    )
    provider = fields.String(
        metadata={"description": "This service", "example": "eInvoice"}, required=True
    )
