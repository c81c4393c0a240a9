"""The flat body of the deprecated v1 send (decisions 16)."""

from __future__ import annotations

from einvoice.domain.codes import CURRENCIES
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Code, Day, Id, Number, Text
from einvoice.web.shared.metadata import metadata_field
from einvoice.web.shared.party_schemas import Address
from einvoice.web.shared.send_schemas import MAX_LINES


class LegacyLineItem(Contract):
    description = Text(
        "The goods or services.", max_length=4096, required=True, example="Consulting, November"
    )
    quantity = Number("Number of units.", required=True, example=2)
    unitPrice = Number("Price of one unit without VAT.", required=True, example=50.00)
    vatRate = Number(
        "VAT rate: above 1 in percent, up to 1 as a fraction; 21 and 0.21 are the same.",
        required=True,
        minimum=0,
        maximum=100,
        example=21,
    )


class LegacyParticipant(Contract):
    participantId = Text("ISO 6523 id.", max_length=140, required=True, example="0208:0123456749")


class LegacySendRequest(Contract):
    """The body of POST /v1/invoices/send."""

    invoiceNumber = Text("Invoice number.", max_length=100, required=True, example="2026-001")
    invoiceDate = Day("Date of issue.", required=True, example="2026-11-21")
    dueDate = Day("Date payment is due.", example="2026-12-21")
    currency = Code(
        "ISO 4217.",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        required=True,
        example="EUR",
    )
    vendorName = Text(
        "Legal name of the supplier.", max_length=512, required=True, example="Acme NV"
    )
    vendorTaxId = Text("Its VAT or tax number.", max_length=50, example="BE0123456749")
    vendorAddress = Part(Address, "Its address.")
    customerName = Text(
        "Legal name of the buyer.", max_length=512, required=True, example="Buyer BV"
    )
    customerTaxId = Text("Its VAT or tax number.", max_length=50, example="BE0123456749")
    customerAddress = Part(Address, "Its address.")
    senderParticipantId = Text(
        "ISO 6523 id of the sender; or give sender.", max_length=140, example="0208:0123456749"
    )
    receiverParticipantId = Text(
        "ISO 6523 id of the receiver; or give receiver.",
        max_length=140,
        example="0088:9520000000004",
    )
    sender = Part(LegacyParticipant, "The sender, if senderParticipantId is not given.")
    receiver = Part(LegacyParticipant, "The receiver, if receiverParticipantId is not given.")
    accessPointRef = Id(
        "The reference from a lookup of the receiver; if absent, the receiver is looked up.",
        max_length=100,
        example="6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c",
    )
    lineItems = Items(
        Part(LegacyLineItem, "One line."),
        "The lines.",
        max_items=MAX_LINES,
        min_items=1,
        required=True,
    )
    totalAmount = Number(
        "Total with VAT; the sum of the lines may differ by 0.02.", required=True, example=121.00
    )
    metadata = metadata_field()
