"""The invoice that 0088:9520000000127 sends back: from the receiver to the sender."""

from __future__ import annotations

from datetime import datetime, timedelta
from xml.sax.saxutils import escape

from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROCESS,
    BIS_BILLING_PROFILE,
    BIS_INVOICE,
)
from einvoice.network.types import Envelope, Inbound
from einvoice_loopback.evidence import NOTICE


def invoice_back(envelope: Envelope, at: datetime) -> Inbound:
    """An inbound message whose instance id is derived from the transmission that caused it."""
    return Inbound(
        access_point="simulator",
        instance_id=f"{envelope.transmission_id}-back@simulator",
        environment=envelope.environment,
        sender=envelope.named_receiver,
        receiver=envelope.sender,
        document_type=BIS_INVOICE,
        process=BIS_BILLING_PROCESS,
        document=_document(envelope, at),
        receipt=_RECEIPT.format(notice=NOTICE, id=escape(envelope.transmission_id)).encode(),
        in_reply_to=envelope.transmission_id,
    )


def _document(envelope: Envelope, at: datetime) -> bytes:
    """A BIS Billing 3 invoice of one line over 100.00 EUR, not subject to VAT."""
    seller, buyer = envelope.named_receiver, envelope.sender
    return _INVOICE.format(
        customization=BIS_BILLING_CUSTOMIZATION,
        profile=BIS_BILLING_PROFILE,
        number=escape(f"SIM-{envelope.transmission_id}"),
        date=at.strftime("%Y-%m-%d"),
        due=(at + timedelta(days=30)).strftime("%Y-%m-%d"),
        notice=NOTICE,
        reference=escape(envelope.number),
        seller_scheme=seller.scheme,
        seller=escape(seller.value),
        buyer_scheme=buyer.scheme,
        buyer=escape(buyer.value),
        buyer_country=envelope.sender_country or "BE",
    ).encode()


_RECEIPT = """<?xml version="1.0" encoding="UTF-8"?>
<SimulatedReceipt xmlns="urn:einvoice:simulator:receipt:1">
  <Notice>{notice}</Notice>
  <InReplyTo>{id}</InReplyTo>
</SimulatedReceipt>
"""
_INVOICE = """<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>{customization}</cbc:CustomizationID>
  <cbc:ProfileID>{profile}</cbc:ProfileID>
  <cbc:ID>{number}</cbc:ID>
  <cbc:IssueDate>{date}</cbc:IssueDate>
  <cbc:DueDate>{due}</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:Note>{notice}</cbc:Note>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cbc:BuyerReference>{reference}</cbc:BuyerReference>
  <cac:AccountingSupplierParty>
    <cac:Party>
      <cbc:EndpointID schemeID="{seller_scheme}">{seller}</cbc:EndpointID>
      <cac:PostalAddress>
        <cac:Country><cbc:IdentificationCode>BE</cbc:IdentificationCode></cac:Country>
      </cac:PostalAddress>
      <cac:PartyLegalEntity>
        <cbc:RegistrationName>Simulated seller</cbc:RegistrationName>
        <cbc:CompanyID>{seller}</cbc:CompanyID>
      </cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>
    <cac:Party>
      <cbc:EndpointID schemeID="{buyer_scheme}">{buyer}</cbc:EndpointID>
      <cac:PostalAddress>
        <cac:Country><cbc:IdentificationCode>{buyer_country}</cbc:IdentificationCode></cac:Country>
      </cac:PostalAddress>
      <cac:PartyLegalEntity>
        <cbc:RegistrationName>Sender of the sandbox invoice</cbc:RegistrationName>
      </cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingCustomerParty>
  <cac:TaxTotal>
    <cbc:TaxAmount currencyID="EUR">0.00</cbc:TaxAmount>
    <cac:TaxSubtotal>
      <cbc:TaxableAmount currencyID="EUR">100.00</cbc:TaxableAmount>
      <cbc:TaxAmount currencyID="EUR">0.00</cbc:TaxAmount>
      <cac:TaxCategory>
        <cbc:ID>O</cbc:ID>
        <cbc:TaxExemptionReasonCode>VATEX-EU-O</cbc:TaxExemptionReasonCode>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:TaxCategory>
    </cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="EUR">100.00</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="EUR">100.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
  <cac:InvoiceLine>
    <cbc:ID>1</cbc:ID>
    <cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
    <cac:Item>
      <cbc:Name>Simulated service</cbc:Name>
      <cac:ClassifiedTaxCategory>
        <cbc:ID>O</cbc:ID>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:ClassifiedTaxCategory>
    </cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="EUR">100.00</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>
</Invoice>
"""
