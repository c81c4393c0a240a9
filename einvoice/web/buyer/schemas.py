"""The JSON of a shared invoice (decisions 13)."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.additions import QrCode
from einvoice.services.invoices.share_links import SharedView
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A shared invoice with the URL of its PDF."""

    view: SharedView
    pdf_url: str


class AddedCode(ResponseSchema[QrCode]):
    """A QR code that the network of the invoice asks for."""

    text = a.text("What the code says", "TOLL-4711")
    caption = a.text("What is written below it", "Seal of the authority")


class SharedInvoice(ResponseSchema[SharedPage]):
    """A shared invoice, for its buyer."""

    inside = "view.invoice"

    vendorName = a.text("Who invoices", "Acme NV", source="supplier_name")
    invoiceNumber = a.text("The number of the invoice or credit note", "2026-001", source="number")
    amountDue = a.amount(
        "The amount to pay, after prepayments", 121.00, or_null=False, source="payable"
    )
    amountPaid = a.amount(
        "What its sender says was paid of it; null before", 121.00, source="amount_paid"
    )
    paid = a.flag("Whether that reaches the amount due", example=True, source=".view.is_paid")
    currency = a.text("ISO 4217", "EUR")
    taxCurrency = a.text(
        "Currency in which VAT is accounted for; null if it is the invoice's", "SEK", or_null=True
    )
    taxAmountInTaxCurrency = a.amount("VAT in taxCurrency; null without one", 242.55)
    issueDate = a.day("Date of issue", "2026-11-21")
    dueDate = a.day("Date payment is due", "2026-12-21", or_null=True)
    deliveryStatus = a.text(
        "Delivered; Processing where the network lets invoices be handed out before",
        "Delivered",
        source="status",
    )
    deliveredMeans = a.text(
        "Who has it: receiver, platform (of the receiver), authority, mail (a mail server on the "
        "way to the receiver) or reported (nobody else)",
        "receiver",
        source=".view.means",
    )
    codes = a.things(
        AddedCode(),
        "QR codes that the network of the invoice adds; as in the PDF",
        source=".view.additions.codes",
    )
    lines = a.texts("Lines that it adds", "Cleared as TOLL-4711", source=".view.additions.lines")
    pdfUrl = a.text(
        "URL of the PDF", "https://api.example.com/api/invoices/view/…/pdf", source=".pdf_url"
    )
    provider = a.provider()
