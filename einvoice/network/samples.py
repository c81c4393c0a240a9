"""Sample envelopes and inbound messages: a correct BIS Billing 3 invoice with new ids each time."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape

from einvoice import clock
from einvoice.domain.buyers import Buyer
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROCESS,
    BIS_BILLING_PROFILE,
    BIS_INVOICE,
    ParticipantId,
)
from einvoice.domain.invoice import (
    Address,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)
from einvoice.network.types import Envelope, Inbound

SENDER = ParticipantId("0208", "0123456749")
RECEIVER = ParticipantId("0088", "9520000000004")


def envelope(**changes: Any) -> Envelope:
    """The envelope of a new invoice from SENDER to RECEIVER.

    `changes` are fields of Envelope; parties and number are written into the document too. With
    `receiver` None it is a sale to a consumer.
    """
    fields: dict[str, Any] = {
        "transmission_id": f"txn_{uuid.uuid4().hex}",
        "invoice_id": str(uuid.uuid4()),
        "tenant_id": "sample-tenant",
        "environment": Environment.TEST,
        "sender": SENDER,
        "receiver": RECEIVER,
        "sender_country": "BE",
        "receiver_country": "BE",
        "document_type": BIS_INVOICE,
        "process": BIS_BILLING_PROCESS,
        "number": f"S-{uuid.uuid4().hex[:12]}",
        "instance_id": str(uuid.uuid4()),
        "buyer": Buyer("Sample buyer", changes.get("receiver_country") or "BE"),
        "profile": "peppol-bis-billing",
    } | changes
    fields.setdefault("document", _document(fields))
    return Envelope(**fields)


def invoice(**changes: Any) -> Invoice:
    """A correct invoice from SENDER to RECEIVER, as a value. `changes` are fields of Invoice."""
    category = TaxCategory("S", Decimal(21))
    seller, buyer = (
        _party(name, principal) for name, principal in (("seller", SENDER), ("buyer", RECEIVER))
    )
    net, tax, total = Decimal("100.00"), Decimal("21.00"), Decimal("121.00")
    number = changes.get("number") or f"S-{uuid.uuid4().hex[:8]}"
    fields: dict[str, Any] = {
        "kind": DocumentKind.INVOICE,
        "number": number,
        "issue_date": clock.today(),
        "due_date": clock.today(),
        "type_code": "380",
        "currency": "EUR",
        "seller": seller,
        "buyer": buyer,
        "lines": (Line("1", Decimal(1), "C62", net, Item("Sample service", category), Price(net)),),
        "totals": Totals(net, net, total, total, tax),
        "taxes": (TaxSubtotal(net, tax, category),),
        "buyer_reference": number,
    }
    return Invoice(**(fields | changes))


def _party(role: str, participant: ParticipantId) -> Party:
    return Party(
        f"Sample {role}",
        vat_id="BE0123456749" if role == "seller" else "BE0403019261",
        endpoint=Identifier(participant.value, participant.scheme),
        address=Address(country="BE"),
    )


def inbound(**changes: Any) -> Inbound:
    """A message with a new invoice from SENDER to RECEIVER. `changes` are fields of Inbound."""
    sent = {name: changes[name] for name in ("sender", "receiver") if name in changes}
    number = changes.pop("number", f"S-{uuid.uuid4().hex[:12]}")
    sample = envelope(number=number, **sent)
    fields: dict[str, Any] = {
        "access_point": "sample",
        "instance_id": sample.instance_id,
        "environment": sample.environment,
        "sender": sample.sender,
        "receiver": sample.receiver,
        "document_type": sample.document_type,
        "process": sample.process,
        "document": sample.document,
        "receipt": f"<Receipt><MessageId>{sample.instance_id}</MessageId></Receipt>".encode(),
    }
    return Inbound(**(fields | changes))


def _document(fields: dict[str, Any]) -> bytes:
    sender = fields["sender"]
    return _INVOICE.format(
        customization=BIS_BILLING_CUSTOMIZATION,
        profile=BIS_BILLING_PROFILE,
        number=escape(fields["number"]),
        date=clock.today().isoformat(),
        seller_scheme=sender.scheme,
        seller=escape(sender.value),
        seller_country=fields["sender_country"] or "BE",
        buyer_endpoint=_endpoint(fields["receiver"]),
        buyer_country=fields["receiver_country"] or "BE",
    ).encode()


def _endpoint(receiver: ParticipantId | None) -> str:
    if receiver is None:
        return ""
    address = f'<cbc:EndpointID schemeID="{receiver.scheme}">{escape(receiver.value)}'
    return f"      {address}</cbc:EndpointID>\n"


_INVOICE = """<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>{customization}</cbc:CustomizationID>
  <cbc:ProfileID>{profile}</cbc:ProfileID>
  <cbc:ID>{number}</cbc:ID>
  <cbc:IssueDate>{date}</cbc:IssueDate>
  <cbc:DueDate>{date}</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cbc:BuyerReference>{number}</cbc:BuyerReference>
  <cac:AccountingSupplierParty>
    <cac:Party>
      <cbc:EndpointID schemeID="{seller_scheme}">{seller}</cbc:EndpointID>
      <cac:PostalAddress>
        <cac:Country>
          <cbc:IdentificationCode>{seller_country}</cbc:IdentificationCode>
        </cac:Country>
      </cac:PostalAddress>
      <cac:PartyTaxScheme>
        <cbc:CompanyID>BE0123456749</cbc:CompanyID>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:PartyTaxScheme>
      <cac:PartyLegalEntity>
        <cbc:RegistrationName>Sample seller</cbc:RegistrationName>
      </cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>
    <cac:Party>
{buyer_endpoint}      <cac:PostalAddress>
        <cac:Country><cbc:IdentificationCode>{buyer_country}</cbc:IdentificationCode></cac:Country>
      </cac:PostalAddress>
      <cac:PartyLegalEntity>
        <cbc:RegistrationName>Sample buyer</cbc:RegistrationName>
      </cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingCustomerParty>
  <cac:TaxTotal>
    <cbc:TaxAmount currencyID="EUR">21.00</cbc:TaxAmount>
    <cac:TaxSubtotal>
      <cbc:TaxableAmount currencyID="EUR">100.00</cbc:TaxableAmount>
      <cbc:TaxAmount currencyID="EUR">21.00</cbc:TaxAmount>
      <cac:TaxCategory>
        <cbc:ID>S</cbc:ID>
        <cbc:Percent>21</cbc:Percent>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:TaxCategory>
    </cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="EUR">121.00</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="EUR">121.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
  <cac:InvoiceLine>
    <cbc:ID>1</cbc:ID>
    <cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cac:Item>
      <cbc:Name>Sample service</cbc:Name>
      <cac:ClassifiedTaxCategory>
        <cbc:ID>S</cbc:ID>
        <cbc:Percent>21</cbc:Percent>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:ClassifiedTaxCategory>
    </cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="EUR">100.00</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>
</Invoice>
"""
