"""The body of a send, field by field, for reading and for /openapi.json.

Decisions 18 and 19.3. Required is what 19.3 requires; an
inner field is required where its object means nothing without it. The loaded value is
`einvoice.domain.request` to the letter.
"""

from __future__ import annotations

from einvoice.domain.codes import ATTACHMENT_TYPES, CURRENCIES
from einvoice.domain.directory import MAX_PAYMENT_TERMS_DAYS
from einvoice.domain.invoice import DocumentKind
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import (
    NETWORK,
    PARTICIPANT_ID,
    PROFILE,
    Base64,
    Code,
    Count,
    Day,
    Flag,
    Id,
    Number,
    Text,
)
from einvoice.web.shared.connection_field import connection_field
from einvoice.web.shared.line_schemas import MAX_ADJUSTMENTS, Adjustment, LineItem
from einvoice.web.shared.metadata import metadata_field
from einvoice.web.shared.party_schemas import (
    Address,
    Party,
    Period,
    SupplierParty,
    TaxExemption,
    reference,
)

MAX_LINES = 5000
MAX_ATTACHMENTS = 50
MAX_CASH_DISCOUNTS = 10

_METHOD = (r"[0-9]{1,3}|ZZZ", "a payment means code of UNTDID 4461")
_ACCOUNT = (r"[A-Za-z0-9][A-Za-z0-9 \-/.]{0,40}", "an account number")
_BIC = (r"[A-Za-z0-9]{8}([A-Za-z0-9]{3})?", "a BIC of 8 or 11 letters and digits")
# The quotation mark is written as a code: generators copy patterns into quoted text.
_FILE_NAME = (r"[^/\\:*?\x22<>|\n\r\t]+", "a file name without a path")


class Totals(Contract):
    subtotal = Number(
        "Sum of the line extensions, less allowances, plus charges; exact.",
        required=True,
        example=100.00,
    )
    taxAmount = Number(
        "Sum of the VAT of each line, rounded to cents line by line; exact.",
        required=True,
        example=21.00,
    )
    grandTotal = Number("subtotal + taxAmount; exact.", required=True, example=121.00)
    taxAmountInTaxCurrency = Number(
        "taxAmount in invoice.taxCurrency (BT-111), as you book it; written as sent, with at most "
        "two decimals. Required with taxCurrency, and only allowed with it.",
        example=242.55,
    )
    prepaidAmount = Number("The amount paid in advance.", example=0.00)
    payableAmount = Number("grandTotal - prepaidAmount; exact.", example=121.00)


class PrecedingInvoice(Contract):
    number = Text("Its number.", max_length=100, required=True, example="INV-2026-001")
    issueDate = Day("Its issue date.", example="2026-10-01")
    authorityNumber = Text(
        "The number that a tax authority gave it, for networks that ask for it (KSeF).",
        max_length=100,
        example="5265877635-20250826-0100001AF629-AF",
    )


class PaymentMeans(Contract):
    method = Text(
        "UNTDID 4461; default 30 (credit transfer) with an IBAN.",
        max_length=3,
        form=_METHOD,
        codes_of="uncl4461",
        example="30",
    )
    iban = Text(
        "Account to pay to; for direct debit the account to be debited.",
        max_length=41,
        form=_ACCOUNT,
        example="BE68539007547034",
    )
    bic = Text("BIC of the account's bank.", max_length=11, form=_BIC, example="KREDBEBB")
    accountName = Text("Name of the account.", max_length=200, example="Example Company BV")
    paymentReference = Text(
        "Reference to quote in the payment.", max_length=140, example="+++090/9337/55493+++"
    )
    mandateReference = Text("Direct debit mandate.", max_length=100, example="M-2026-1")


class CashDiscount(Contract):
    days = Count(
        "Days from the issue date within which it is granted.",
        minimum=0,
        maximum=MAX_PAYMENT_TERMS_DAYS,
        required=True,
        example=14,
    )
    percent = Number(
        "Percentage; written with two decimals.",
        minimum=0,
        maximum=100,
        required=True,
        example=2.00,
    )
    baseAmount = Number(
        "The amount that it is a percentage of, if that is not the amount due.", example=100.00
    )


class Attachment(Contract):
    filename = Text(
        "File name, without a path.",
        max_length=255,
        form=_FILE_NAME,
        required=True,
        example="timesheet.pdf",
    )
    mimeType = Code(
        "Media type.",
        ATTACHMENT_TYPES,
        name=f"one of {', '.join(ATTACHMENT_TYPES)}",
        required=True,
        example="application/pdf",
    )
    content = Base64("The file, base64.", required=True, example="JVBERi0xLjcK")
    description = Text("What it is.", max_length=512, example="Time sheet")


class Invoice(Contract):
    number = Text(
        "Invoice number, unique for the supplier.",
        max_length=100,
        required=True,
        example="INV-2026-002",
    )
    issueDate = Day("Date of issue.", required=True, example="2026-11-21")
    currency = Code(
        "ISO 4217.",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        required=True,
        example="EUR",
    )
    supplier = Part(SupplierParty, "The seller.", required=True)
    buyer = Part(Party, "The buyer.", required=True)
    lineItems = Items(
        Part(LineItem, "One line."), "The lines.", max_items=MAX_LINES, min_items=1, required=True
    )
    totals = Part(Totals, "The totals of the lines; compared exactly.", required=True)
    type = Code(
        "Kind of document; default invoice. A self-billed one is issued by the buyer: "
        "senderParticipantId is the buyer's, receiverParticipantId the supplier's.",
        tuple(kind.value for kind in DocumentKind),
        name="invoice, creditNote, selfBilledInvoice or selfBilledCreditNote",
        example="invoice",
    )
    profile = Text(
        "The profile that the document follows, of those of the network; default: the first for "
        "its type that the receiver's lookup lists.",
        max_length=40,
        form=PROFILE,
        example="peppol-bis-billing",
    )
    taxCurrency = Code(
        "ISO 4217 code of the currency in which VAT is accounted for (BT-6), if it is another one "
        "than currency. Send totals.taxAmountInTaxCurrency with it.",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        example="SEK",
    )
    dueDate = Day("Date payment is due; default by the customer's terms.", example="2026-12-21")
    precedingInvoice = Part(PrecedingInvoice, "The invoice that this one corrects or credits.")
    buyerReference = reference("Reference the buyer asked to see.", example="PO-team-4")
    orderReference = reference("Number of the buyer's order.", example="PO-4711")
    salesOrderReference = reference("Number of the supplier's order.", example="SO-815")
    contractReference = reference("Number of the contract.", example="C-2026-7")
    projectReference = reference("Number of the project.", example="Aurora")
    despatchReference = reference("Number of the despatch advice.", example="DN-99")
    note = Text("Note on the invoice.", max_length=4096, example="Thank you for your order.")
    taxPointDate = Day("Date VAT becomes due, if not the issue date.", example="2026-11-30")
    deliveryDate = Day("Date of delivery.", example="2026-11-20")
    deliveryAddress = Part(Address, "Place of delivery.")
    period = Part(Period, "Period of the invoice.")
    paymentTerms = Text("Payment terms as text.", max_length=1024, example="30 days net")
    cashDiscounts = Items(
        Part(CashDiscount, "One cash discount."),
        "Cash discounts, written after the payment terms as German programs read them: "
        "#SKONTO#TAGE=14#PROZENT=2.00#.",
        max_items=MAX_CASH_DISCOUNTS,
    )
    paymentMeans = Part(PaymentMeans, "Payment means; default: the account of the profile.")
    allowances = Items(
        Part(Adjustment, "One allowance."), "Allowances of the invoice.", max_items=MAX_ADJUSTMENTS
    )
    charges = Items(
        Part(Adjustment, "One charge."), "Charges of the invoice.", max_items=MAX_ADJUSTMENTS
    )
    taxExemption = Part(TaxExemption, "Reason for the VAT exemption of lines without one.")
    attachments = Items(
        Part(Attachment, "One file."), "Files to send with the invoice.", max_items=MAX_ATTACHMENTS
    )
    embedPdf = Flag("Send a rendered PDF inside the document.", example=False)
    accountingCost = reference("The buyer's cost centre or account.", example="4000-12")
    metadata = metadata_field()


class InvoiceLines(Contract):
    """The lines alone, whose totals are computed before the rest of an invoice is complete."""

    lineItems = Items(
        Part(LineItem, "One line."), "The lines.", max_items=MAX_LINES, min_items=1, required=True
    )


class RoutingIds(Contract):
    senderParticipantId = Text(
        "ISO 6523 id of the sender.",
        max_length=140,
        form=PARTICIPANT_ID,
        required=True,
        example="0208:0123456749",
    )
    receiverParticipantId = Text(
        "ISO 6523 id of the receiver; must differ from the sender. Required, unless the send goes "
        "to a network that reaches receivers without one: consumers, or buyers known by their tax "
        "number (invoice.buyer.taxId).",
        max_length=140,
        form=PARTICIPANT_ID,
        example="0088:9520000000004",
    )
    accessPointRef = Id(
        "The reference from a lookup of the receiver. Required, unless the send goes to a network "
        "without a directory, or the receiver has no participant id.",
        max_length=100,
        example="6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c",
    )
    network = Text(
        "The network to use; needed only where several reach the receiver and accessPointRef does "
        "not decide.",
        max_length=40,
        form=NETWORK,
        example="peppol",
    )
    connection = connection_field()


class SendOptions(Contract):
    dryRun = Flag("Check everything, send and store nothing.", example=False)
    includeDocument = Flag(
        "Answer with the document that would be sent; with dryRun only.", example=False
    )
    embedPdf = Flag("Send a rendered PDF inside the document.", example=False)


class SendRequest(Contract):
    """The body of POST /api/invoices/send."""

    invoice = Part(Invoice, "The invoice.", required=True)
    routing = Part(RoutingIds, "Sender and receiver.", required=True)
    options = Part(SendOptions, "Options of this request.")
