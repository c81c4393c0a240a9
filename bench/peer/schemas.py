"""The peer's request and response."""

from __future__ import annotations

from marshmallow import Schema, fields, validate


class AddressSchema(Schema):
    line1 = fields.String(required=True)
    city = fields.String(required=True)
    countryCode = fields.String(required=True, validate=validate.Length(equal=2))


class PartySchema(Schema):
    name = fields.String(required=True, validate=validate.Length(min=1, max=200))
    taxId = fields.String()
    companyId = fields.String()
    address = fields.Nested(AddressSchema, required=True)


class LineSchema(Schema):
    description = fields.String(required=True)
    quantity = fields.Decimal(required=True)
    unitPrice = fields.Decimal(required=True)
    taxRate = fields.Decimal(required=True)


class TotalsSchema(Schema):
    subtotal = fields.Decimal(required=True)
    taxAmount = fields.Decimal(required=True)
    grandTotal = fields.Decimal(required=True)


class InvoiceSchema(Schema):
    number = fields.String(required=True, validate=validate.Length(min=1, max=80))
    issueDate = fields.Date(required=True)
    currency = fields.String(required=True, validate=validate.Length(equal=3))
    buyerReference = fields.String()
    supplier = fields.Nested(PartySchema, required=True)
    buyer = fields.Nested(PartySchema, required=True)
    lineItems = fields.List(
        fields.Nested(LineSchema), required=True, validate=validate.Length(min=1)
    )
    totals = fields.Nested(TotalsSchema, required=True)


class RoutingSchema(Schema):
    senderParticipantId = fields.String(required=True)
    receiverParticipantId = fields.String(required=True)
    accessPointRef = fields.String(required=True)


class SendSchema(Schema):
    invoice = fields.Nested(InvoiceSchema, required=True)
    routing = fields.Nested(RoutingSchema, required=True)


class SentSchema(Schema):
    invoiceId = fields.String()
    status = fields.String()
    networkStatus = fields.String()
