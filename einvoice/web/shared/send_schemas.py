"""The body of a send, field by field, for reading and for /openapi.json.

Decisions 18 and 19.3. Required is what 19.3 requires; an
inner field is required where its object means nothing without it. The loaded value is
`einvoice.domain.request` to the letter.
"""

from __future__ import annotations

from einvoice.domain.codes import ATTACHMENT_TYPES, CURRENCIES, VAT_CATEGORIES
from einvoice.domain.directory import MAX_PAYMENT_TERMS_DAYS
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.pint import TRANSACTION_TYPES
from einvoice.domain.request import TotalsRule
from einvoice.domain.type_codes import TYPE_CODES
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import (
    EMAIL,
    MAX_TOTAL_DECIMALS,
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
    ZONES,
    Address,
    Identifier,
    ObjectReference,
    Party,
    Payee,
    Period,
    SupplierParty,
    TaxExemption,
    TaxRepresentative,
    reference,
)

MAX_LINES = 5000
MAX_ATTACHMENTS = 50
MAX_CASH_DISCOUNTS = 10
MAX_PRECEDING = 200
MAX_NOTES = 50
MAX_ACCOUNTS = 20
MAX_DOCUMENTS = 100

_METHOD = (r"[0-9]{1,3}|ZZZ", "a payment means code of UNTDID 4461")
_ACCOUNT = (r"[A-Za-z0-9][A-Za-z0-9 \-/.]{0,40}", "an account number")
# Swedish giros are known by their branch (BIS Billing, SE-R-007 to SE-R-010), Danish banks have
# registration numbers of four digits (DK-R-006).
_BIC = (
    r"[A-Za-z0-9]{8}([A-Za-z0-9]{3})?|SE:(BANKGIRO|PLUSGIRO)|[0-9]{4,12}",
    "a BIC of 8 or 11 letters and digits, SE:BANKGIRO, SE:PLUSGIRO or a bank's number in digits",
)
_SUBJECT = (r"[A-Z]{3}", "a subject code of UNTDID 4451, three capitals")
_UUID = (r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "a UUID")
_UUID_EXAMPLE = "119ff918-1944-553f-a138-99611f4873ea"
_TIME = (
    r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+\-][01][0-9]:[0-5][0-9])?",
    "a time of the form hh:mm:ss, which may have a time zone",
)
FREQUENCIES = ("DLY", "WKY", "Q15", "MTH", "Q45", "Q60", "QTR", "HYR", "YRL", "OTH")
TAX_POINT_CODES = ("3", "35", "432")
# The quotation mark is written as a code: generators copy patterns into quoted text.
_FILE_NAME = (r"[^/\\:*?\x22<>|\n\r\t]+", "a file name without a path")


class Totals(Contract):
    subtotal = Number(
        "Sum of the line extensions, less allowances, plus charges; exact, or of extensions that "
        "are rounded to cents (options.totals).",
        required=True,
        decimals=MAX_TOTAL_DECIMALS,
        example=100.00,
    )
    taxAmount = Number(
        "Sum of the VAT of each line, rounded to cents line by line; exact. With options.totals "
        "rounded also the VAT of each rate, rounded once.",
        required=True,
        example=21.00,
    )
    grandTotal = Number(
        "subtotal + taxAmount; exact.",
        required=True,
        decimals=MAX_TOTAL_DECIMALS,
        example=121.00,
    )
    taxAmountInTaxCurrency = Number(
        "taxAmount in invoice.taxCurrency (BT-111), as you book it; written as sent, with at most "
        "two decimals. Required with taxCurrency, and only allowed with it.",
        example=242.55,
    )
    prepaidAmount = Number("The amount paid in advance.", example=0.00)
    payableRounding = Number(
        "What the amount due is rounded by, up or (negative) down: to whole kronor, to 0.05 "
        "francs (BT-114).",
        example=0.00,
    )
    payableAmount = Number(
        "grandTotal - prepaidAmount + payableRounding; exact.",
        decimals=MAX_TOTAL_DECIMALS,
        example=121.00,
    )
    grandTotalInTaxCurrency = Number(
        "Of PINT AE: grandTotal in dirhams, as you book it, of an invoice in another currency.",
        example=1397.55,
    )
    marginTotal = Number(
        "Of PINT OM: the total of a supply under the margin scheme, in rials.", example=524.30
    )


class PrecedingInvoice(Contract):
    number = Text("Its number.", max_length=100, required=True, example="INV-2026-001")
    issueDate = Day("Its issue date.", example="2026-10-01")
    authorityNumber = Text(
        "The number that a tax authority gave it, for networks that ask for it (KSeF).",
        max_length=100,
        example="5265877635-20250826-0100001AF629-AF",
    )
    uuid = Text("Of PINT OM: its UUID.", max_length=36, form=_UUID, example=_UUID_EXAMPLE)


class Prepayment(Contract):
    number = Text("Its number.", max_length=100, required=True, example="ADV-2026-7")
    issueDate = Day("Its issue date.", required=True, example="2026-09-01")
    issueTime = Text("Its time of issue.", max_length=16, form=_TIME, example="12:28:17")
    taxableAmount = Number("The part without VAT at one rate.", required=True, example=1000.00)
    taxAmount = Number("The VAT of this part.", required=True, example=150.00)
    taxCategory = Code(
        "VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %.",
        VAT_CATEGORIES,
        name="a VAT category",
        example="S",
    )
    taxRate = Number("VAT rate in percent.", required=True, minimum=0, maximum=100, example=15)
    taxExemption = Part(TaxExemption, "Reason why this part has no VAT.")


class Account(Contract):
    iban = Text(
        "Account to pay to.",
        max_length=41,
        form=_ACCOUNT,
        required=True,
        example="BE68539007547034",
    )
    bic = Text(
        "BIC of the account's bank; SE:BANKGIRO or SE:PLUSGIRO for a Swedish giro.",
        max_length=12,
        form=_BIC,
        example="KREDBEBB",
    )
    accountName = Text("Name of the account.", max_length=200, example="Example Company BV")


class Card(Contract):
    number = Text(
        "The last 4 to 6 digits of its number, as they may be shown.",
        max_length=20,
        required=True,
        example="1234",
    )
    holder = Text("Name of its holder.", max_length=200, example="Ann Example")
    network = Text("The card's network, which UBL asks for.", max_length=50, example="VISA")


class PaymentMeans(Contract):
    method = Text(
        "UNTDID 4461; default 30 (credit transfer) with an IBAN.",
        max_length=3,
        form=_METHOD,
        codes_of="uncl4461",
        example="30",
    )
    methodText = Text("The method in words.", max_length=200, example="Credit transfer")
    iban = Text(
        "Account to pay to; for direct debit the account to be debited.",
        max_length=41,
        form=_ACCOUNT,
        example="BE68539007547034",
    )
    bic = Text(
        "BIC of the account's bank; SE:BANKGIRO or SE:PLUSGIRO for a Swedish giro.",
        max_length=12,
        form=_BIC,
        example="KREDBEBB",
    )
    accountName = Text("Name of the account.", max_length=200, example="Example Company BV")
    accounts = Items(
        Part(Account, "One account."),
        "Accounts to pay to, further ones if iban is given.",
        max_items=MAX_ACCOUNTS,
    )
    card = Part(Card, "The card that it was or is paid with (method 48, 54 or 55).")
    paymentReference = Text(
        "Reference to quote in the payment.", max_length=140, example="+++090/9337/55493+++"
    )
    mandateReference = Text("Direct debit mandate.", max_length=100, example="M-2026-1")
    creditorId = Text(
        "Creditor identifier of the direct debit, assigned by the bank (SEPA).",
        max_length=50,
        example="DE98ZZZ09999999999",
    )
    debitedAccount = Text(
        "Account to be debited by direct debit; iban then is an account to pay to.",
        max_length=41,
        form=_ACCOUNT,
        example="DE89370400440532013000",
    )


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
    reference = Text("Its number; default the file name.", max_length=200, example="TS-2026-11")
    url = Text("Where it is, too.", max_length=2048, example="https://example.com/TS-2026-11")


class SupportingDocument(Contract):
    reference = Text("Its number.", max_length=200, required=True, example="TS-2026-11")
    description = Text("What it is.", max_length=512, example="Time sheet")
    url = Text("Where it is.", max_length=2048, example="https://example.com/TS-2026-11")
    typeCode = Text(
        "Of PINT: what it is for, such as PDR, the document of a prepayment in Oman.",
        max_length=20,
        example="PDR",
    )
    uuid = Text("Of PINT OM: its UUID.", max_length=36, form=_UUID, example=_UUID_EXAMPLE)


class Agent(Contract):
    name = Text("Its name.", max_length=512, required=True, example="Example Billing LLC")
    taxId = Text("Its VAT number.", max_length=50, example="OM1234567890")
    address = Part(Address, "Its address.")


class Note(Contract):
    text = Text("The note.", max_length=4096, required=True, example="Reverse charge")
    subjectCode = Text(
        "What it is about, a code of UNTDID 4451.", max_length=3, form=_SUBJECT, example="REG"
    )


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
    typeCode = Code(
        "Type of document (BT-3), a code of UNTDID 1001, such as 326 (partial), 384 (corrected), "
        "386 (prepayment) or 875 to 877 (construction); default 380, 381, 389 or 261 by type. "
        "The rules of the network decide which it takes.",
        TYPE_CODES,
        name="a document type of UNTDID 1001 that EN 16931 knows",
        example="380",
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
    precedingInvoices = Items(
        Part(PrecedingInvoice, "One invoice."),
        "Invoices that this one corrects, credits or deducts, after precedingInvoice.",
        max_items=MAX_PRECEDING,
    )
    prepayments = Items(
        Part(Prepayment, "One rate of VAT of one invoice."),
        "Invoices of advance payments that this one deducts, for networks that want them one by "
        "one (ZATCA); totals.prepaidAmount is their sum.",
        max_items=MAX_PRECEDING,
    )
    buyerReference = reference("Reference the buyer asked to see.", example="PO-team-4")
    orderReference = reference("Number of the buyer's order.", example="PO-4711")
    salesOrderReference = reference("Number of the supplier's order.", example="SO-815")
    contractReference = reference("Number of the contract.", example="C-2026-7")
    projectReference = reference("Number of the project.", example="Aurora")
    despatchReference = reference("Number of the despatch advice.", example="DN-99")
    receivingReference = reference("Number of the receiving advice.", example="RA-12")
    tenderReference = reference("Number of the call for tenders or lot.", example="T-2026-3")
    objectReference = Part(
        ObjectReference, "The object that is invoiced, such as a meter or a subscription."
    )
    note = Text("Note on the invoice.", max_length=4096, example="Thank you for your order.")
    notes = Items(Part(Note, "One note."), "Notes on the invoice, after note.", max_items=MAX_NOTES)
    taxPointDate = Day("Date VAT becomes due, if not the issue date.", example="2026-11-30")
    taxPointCode = Code(
        "When VAT becomes due, in place of taxPointDate: 3 (on the issue date), 35 (on delivery) "
        "or 432 (on payment), codes of UNTDID 2005.",
        TAX_POINT_CODES,
        name="3 (issue date), 35 (delivery) or 432 (payment)",
        example="35",
    )
    payee = Part(Payee, "Who is paid, if not the seller.")
    taxRepresentative = Part(TaxRepresentative, "The seller's tax representative.")
    deliveryDate = Day("Date of delivery.", example="2026-11-20")
    deliveryName = Text("Name of whom it is delivered to.", max_length=512, example="Example Depot")
    deliveryLocation = Part(Identifier, "Identifier of the place of delivery, such as its GLN.")
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
    supportingDocuments = Items(
        Part(SupportingDocument, "One document."),
        "Documents that the invoice refers to, without their files.",
        max_items=MAX_DOCUMENTS,
    )
    embedPdf = Flag("Send a rendered PDF inside the document.", example=False)
    accountingCost = reference("The buyer's cost centre or account.", example="4000-12")
    metadata = metadata_field()
    uuid = Text(
        "Of PINT: the UUID of the document; default one made of seller, number and day.",
        max_length=36,
        form=_UUID,
        example=_UUID_EXAMPLE,
    )
    issueTime = Text("Of PINT: the time of issue.", max_length=16, form=_TIME, example="07:54:00")
    transactionTypes = Items(
        Code(
            "One kind of transaction.",
            TRANSACTION_TYPES,
            name="a kind of transaction",
            required=True,
            example="export",
        ),
        "Of PINT and ZATCA: the kinds of transaction that the invoice is; each country has its "
        "own.",
        max_items=len(TRANSACTION_TYPES),
    )
    exchangeRate = Number(
        "Of PINT, KSeF and ZATCA: units of the country's currency for one of currency.",
        exclusive_minimum=0,
        example=3.6725,
    )
    statementReference = reference("Of PINT: number of the statement.", example="ST-3")
    contractValue = Text("Of PINT: the value of the contract.", max_length=100, example="AED200000")
    billingFrequency = Code(
        "Of PINT AE: how often a continuous supply is billed; OTH is explained in a note.",
        FREQUENCIES,
        name=", ".join(FREQUENCIES),
        example="MTH",
    )
    billingFrequencyText = Text(
        "Of PINT AE: the billing frequency in words.", max_length=200, example="Every month"
    )
    correctionReason = Text(
        "Of PINT: why an invoice is corrected: in the Emirates DL8.61.1.A to E or VD (volume "
        "discount), in Oman CAN, VAT, VAL, QTY or OTH.",
        max_length=20,
        example="DL8.61.1.A",
    )
    correctionText = Text(
        "Of PINT AE: the reason in words.", max_length=1024, example="Goods were returned"
    )
    beneficiaryId = reference(
        "Of PINT AE: the number of the beneficiary of a supply of a free trade zone.",
        example="1987654321",
    )
    principalId = reference(
        "Of PINT AE: the number of the principal for whom a disclosed agent bills.",
        example="100000000000003",
    )
    agent = Part(Agent, "Of PINT OM: the third party that bills for the seller.")
    deliveryTerms = Text("Of PINT: the code of Incoterms.", max_length=20, example="CIF")
    deliveryZone = Code(
        "Of PINT OM: the special zone of the place of delivery.",
        ZONES,
        name="a special zone of Oman",
        example="SEZAD",
    )
    customsDeclaration = reference(
        "Of PINT OM: the customs declaration of imported goods.", example="SH-12345"
    )
    arrivalDate = Day("Of PINT OM: the day on which imported goods arrived.", example="2026-11-13")


class InvoiceLines(Contract):
    """The members that totals are made of: computed before the rest of an invoice is complete."""

    lineItems = Items(
        Part(LineItem, "One line."), "The lines.", max_items=MAX_LINES, min_items=1, required=True
    )
    allowances = Items(
        Part(Adjustment, "One allowance."), "Allowances of the invoice.", max_items=MAX_ADJUSTMENTS
    )
    charges = Items(
        Part(Adjustment, "One charge."), "Charges of the invoice.", max_items=MAX_ADJUSTMENTS
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
    email = Text(
        "The address of the receiver, for the network mail; without: the e-mail of the buyer "
        "(invoice.buyer.contact.email). Other networks do not use it.",
        max_length=254,
        form=EMAIL,
        example="billing@example.com",
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
    totals = Code(
        "How totals are compared: exact, or rounded (line amounts to cents, VAT per line or per "
        "rate); default: the setting of the account, else exact.",
        tuple(rule.value for rule in TotalsRule),
        name="exact or rounded",
        example="exact",
    )


class SendRequest(Contract):
    """The body of POST /api/invoices/send."""

    invoice = Part(Invoice, "The invoice.", required=True)
    routing = Part(RoutingIds, "Sender and receiver.", required=True)
    options = Part(SendOptions, "Options of this request.")
