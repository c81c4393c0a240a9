"""Correct UBL invoices between parties of each country, and the findings on changes to them.

`BASES` are the changes that make them of the invoice in samples.py, which says how changes are
written; the other names are the paths and elements that changes use.
"""

from __future__ import annotations

from lxml import etree

from einvoice.rules import PACKS, Layer
from einvoice.rules.engine import Engine
from tests.rules.samples import changed

ENGINE = Engine([PACKS[0].book(Layer.PEPPOL_UBL)])

S, B = "cac:AccountingSupplierParty/cac:Party", "cac:AccountingCustomerParty/cac:Party"
R, T = "cac:TaxRepresentativeParty", "cac:LegalMonetaryTotal"
L, PRICE, SUB = "cac:InvoiceLine[1]", "cac:InvoiceLine[1]/cac:Price", "cac:TaxTotal/cac:TaxSubtotal"
A, LA = "cac:AllowanceCharge[1]", "cac:InvoiceLine[1]/cac:AllowanceCharge[1]"
REF, PAY, ACCOUNT = (
    "cac:AdditionalDocumentReference",
    "cac:PaymentMeans",
    "cac:PaymentMeans/cac:PayeeFinancialAccount",
)
COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
LEGAL, VAT_NUMBER = "cac:PartyLegalEntity/cbc:CompanyID", "cac:PartyTaxScheme/cbc:CompanyID"
ENDPOINT, CODE, NAME = "cbc:EndpointID", "cbc:PaymentMeansCode", "cac:PartyName"
REASON = f"{SUB}/cac:TaxCategory + <cbc:TaxExemptionReasonCode>{{}}</cbc:TaxExemptionReasonCode>"
PLACE = "<cbc:CityName>Town</cbc:CityName><cbc:PostalZone>1234</cbc:PostalZone>"
DESCRIBED = (
    "<cac:AdditionalDocumentReference><cbc:ID>{}</cbc:ID><cbc:DocumentDescription>{}"
    "</cbc:DocumentDescription>{}</cac:AdditionalDocumentReference>"
)
URL = (
    "<cac:Attachment><cac:ExternalReference><cbc:URI>{}</cbc:URI></cac:ExternalReference>"
    "</cac:Attachment>"
)
REGISTRATION = (
    "<cac:PartyTaxScheme><cbc:CompanyID>{}</cbc:CompanyID><cac:TaxScheme><cbc:ID>{}</cbc:ID>"
    "</cac:TaxScheme></cac:PartyTaxScheme>"
)
MANDATE = (
    "<cac:PaymentMandate><cbc:ID>M1</cbc:ID><cac:PayerFinancialAccount><cbc:ID>DE02120300000000202051"
    "</cbc:ID></cac:PayerFinancialAccount></cac:PaymentMandate>"
)
CARD = (
    "<cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID>"
    "</cac:CardAccount>"
)
BRANCH = "<cac:FinancialInstitutionBranch><cbc:ID>1234</cbc:ID></cac:FinancialInstitutionBranch>"
SEPA = '<cac:PartyIdentification><cbc:ID schemeID="SEPA">1</cbc:ID></cac:PartyIdentification>'
TERMS = "<cac:PaymentTerms><cbc:Note>#SKONTO#TAGE=7#PROZENT={}#\n</cbc:Note></cac:PaymentTerms>"
BIS = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
PROJECT = (
    "<cac:AdditionalDocumentReference><cbc:ID>P</cbc:ID><cbc:DocumentTypeCode>50"
    "</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>"
)
OBJECT = "<cac:DocumentReference><cbc:ID>7</cbc:ID>{}</cac:DocumentReference>"
OBJECT_TYPE = "<cbc:DocumentTypeCode>130</cbc:DocumentTypeCode>"
TAX_CURRENCY = ". + <cbc:TaxCurrencyCode>{}</cbc:TaxCurrencyCode>"
SECOND_TOTAL = '. + <cac:TaxTotal><cbc:TaxAmount currencyID="SEK">{}</cbc:TaxAmount></cac:TaxTotal>'
IN_KRONOR = f"{TAX_CURRENCY.format('SEK')} ; {SECOND_TOTAL}"
BASE = f'{PRICE} + <cbc:BaseQuantity unitCode="{{1}}">{{0}}</cbc:BaseQuantity>'

A_THIRD = (
    f"{BASE.format('3', 'C62')} ; {L}/cbc:InvoicedQuantity := 3 ; {PRICE}/cbc:PriceAmount := 1"
)


def at(country: str) -> str:
    return f"{S}/{COUNTRY} := {country} ; {B}/{COUNTRY} := {country}"


def seller_id(scheme: str, text: str) -> str:
    return f"{S}/{ENDPOINT}@schemeID := {scheme} ; {S}/{ENDPOINT} := {text}"


def legal_id(party: str, scheme: str, text: str) -> str:
    return f"{party}/{LEGAL}@schemeID := {scheme} ; {party}/{LEGAL} := {text}"


def paid_by(code: str, reference: str = "x", account: str = "12345678") -> str:
    return (
        f"{PAY}/{CODE} := {code} ; {PAY}/cbc:PaymentID := {reference} ; "
        f"{ACCOUNT}/cbc:ID := {account}"
    )


BASES = {
    "EU": [],
    "credit note": [],
    "NO": [
        f"{S}/{VAT_NUMBER} := NO123456785MVA",
        f"{S} + {REGISTRATION.format('Foretaksregisteret', 'TAX')}",
    ],
    "DK": [
        at("DK"),
        legal_id(S, "0184", "12345674"),
        legal_id(B, "0184", "DK12345674"),
        f"{PAY}/{CODE} := 58",
    ],
    "IT": [
        f"{S}/{VAT_NUMBER} := IT12345678903",
        f"{S}/cac:PostalAddress + {PLACE}",
        f"{S} + {REGISTRATION.format('12345678903', 'TAX')}",
    ],
    "SE": [
        at("SE"),
        f"{S}/{VAT_NUMBER} := SE556012579001",
        legal_id(S, "0007", "5560125790"),
        f"{S} + {REGISTRATION.format('Godkänd för F-skatt', 'TAX')}",
    ],
    "GR": [
        at("GR"),
        "cbc:ID := 094259216|01/11/2026|0|1.1|A|1",
        f"{S}/{VAT_NUMBER} := EL094259216",
        f"{B}/{VAT_NUMBER} := EL094259216",
        seller_id("9933", "094259216"),
        f"{B}/{ENDPOINT}@schemeID := 9933",
        f"{B}/{ENDPOINT} := 094259216",
        f". + {DESCRIBED.format('400001', '##M.AR.K##', '')}",
        f". + {DESCRIBED.format('U', '##INVOICE|URL##', URL.format('https://example.org/1'))}",
    ],
    "IS": [
        at("IS"),
        legal_id(S, "0196", "1234567890"),
        legal_id(B, "0196", "1234567890"),
        f"{S}/cac:PostalAddress + {PLACE}",
        f"{B}/cac:PostalAddress + {PLACE}",
    ],
    "NL": [
        at("NL"),
        f"{R}/{COUNTRY} := NL",
        legal_id(S, "0106", "12345678"),
        legal_id(B, "0190", "12345678901234567890"),
        *(f"{party}/cac:PostalAddress + {PLACE}" for party in (S, B, R)),
    ],
    "DE": [
        at("DE"),
        *(f"{party}/cac:PostalAddress + {PLACE}" for party in (S, B)),
        f"cac:Delivery/cac:DeliveryLocation/cac:Address + {PLACE}",
        (
            f"{S} + <cac:Contact><cbc:Name>Ada</cbc:Name><cbc:Telephone>+49 30 1</cbc:Telephone>"
            "<cbc:ElectronicMail>ada@example.org</cbc:ElectronicMail></cac:Contact>"
        ),
    ],
}
BASES["DE credit note"] = BASES["DE"]
BASES["DK credit note"] = BASES["DK"]
BASES["IS credit note"] = BASES["IS"]
BASES["NL credit note"] = BASES["NL"]


def credit_note(invoice: etree._Element) -> etree._Element:
    """The invoice as a credit note."""
    text = etree.tostring(invoice, encoding="unicode")
    for ours, theirs in (
        ("Invoice-2", "CreditNote-2"),
        ("<Invoice ", "<CreditNote "),
        ("</Invoice>", "</CreditNote>"),
        ("InvoiceLine>", "CreditNoteLine>"),
        ("InvoicedQuantity", "CreditedQuantity"),
        ("InvoiceTypeCode>380", "InvoiceTypeCode>381"),
        ("InvoiceTypeCode", "CreditNoteTypeCode"),
    ):
        text = text.replace(ours, theirs)
    return etree.fromstring(text)


def fired(base: str, change: str) -> set[str]:
    """The ids of the findings on a base with a change."""
    document = changed(" ; ".join([*BASES[base], change]))
    verdict = ENGINE.check(credit_note(document) if "credit note" in base else document)
    return {finding.id for finding in verdict.findings}
