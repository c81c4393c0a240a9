"""The JSON of a shared invoice (decisions 13)."""

from __future__ import annotations

from marshmallow import Schema, fields


def _text(description: str, example: str) -> fields.String:
    return fields.String(metadata={"description": description, "example": example}, required=True)


def _day(description: str, example: str, *, or_null: bool = False) -> fields.Date:
    metadata = {"description": description, "example": example}
    return fields.Date(metadata=metadata, allow_none=or_null, required=True)


class AddedCode(Schema):
    """A QR code that the network of the invoice asks for."""

    text = _text("What the code says", "TOLL-4711")
    caption = _text("What is written below it", "Seal of the authority")


class SharedInvoice(Schema):
    """A shared invoice, for its buyer."""

    vendorName = _text("Who invoices", "Acme NV")
    invoiceNumber = _text("The number of the invoice or credit note", "2026-001")
    amountDue = fields.Decimal(
        metadata={"description": "The amount to pay, after prepayments", "example": 121.00},
        required=True,
    )
    currency = _text("ISO 4217", "EUR")
    taxCurrency = fields.String(
        metadata={
            "description": "Currency in which VAT is accounted for; null if it is the invoice's",
            "example": "SEK",
        },
        allow_none=True,
        required=True,
    )
    taxAmountInTaxCurrency = fields.Decimal(
        metadata={"description": "VAT in taxCurrency; null without one", "example": 242.55},
        allow_none=True,
        required=True,
    )
    issueDate = _day("Date of issue", "2026-11-21")
    dueDate = _day("Date payment is due", "2026-12-21", or_null=True)
    deliveryStatus = _text(
        "Delivered; Processing where the network lets invoices be handed out before", "Delivered"
    )
    deliveredMeans = _text(
        "Who has it: receiver, platform (of the receiver) or authority", "receiver"
    )
    codes = fields.List(
        fields.Nested(AddedCode()),
        metadata={"description": "QR codes that the network of the invoice adds; as in the PDF"},
        required=True,
    )
    lines = fields.List(
        fields.String(),
        metadata={"description": "Lines that it adds", "example": ["Cleared as TOLL-4711"]},
        required=True,
    )
    pdfUrl = _text("URL of the PDF", "https://api.example.com/api/invoices/view/…/pdf")
    provider = _text("This service", "eInvoice")
