"""Each fatal CEN rule for UBL: a change to a correct invoice that breaks it, and one that does not.

A row is (rule, change that breaks it, change that just does not; "" is no change). samples.py says
how changes are written.
"""

from __future__ import annotations

import pytest

from einvoice.rules import PACKS, Flag, Layer
from einvoice.rules.book import never
from einvoice.rules.engine import Engine
from tests.rules.samples import CATEGORY, changed, in_category
from tests.tables import each_row

BOOK = PACKS[0].book(Layer.CEN_UBL)
ENGINE = Engine([BOOK])

S, B = "cac:AccountingSupplierParty/cac:Party", "cac:AccountingCustomerParty/cac:Party"
R, D, T = "cac:TaxRepresentativeParty", "cac:Delivery", "cac:LegalMonetaryTotal"
SUB = "cac:TaxTotal/cac:TaxSubtotal"
DA, DC = "cac:AllowanceCharge[1]", "cac:AllowanceCharge[2]"
L = "cac:InvoiceLine"
LA, LC = f"{L}/cac:AllowanceCharge[1]", f"{L}/cac:AllowanceCharge[2]"
REF, PAY, PAYEE = "cac:AdditionalDocumentReference", "cac:PaymentMeans", "cac:PayeeParty"
COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
EMBEDDED = f"{REF}/cac:Attachment/cbc:EmbeddedDocumentBinaryObject"
OBJECT = (
    "<cac:AdditionalDocumentReference><cbc:ID>7</cbc:ID><cbc:DocumentTypeCode>130"
    "</cbc:DocumentTypeCode>{}</cac:AdditionalDocumentReference>"
)
TAX = "<cac:TaxScheme><cbc:ID>{}</cbc:ID></cac:TaxScheme>"
REGISTRATION = f"<cac:PartyTaxScheme><cbc:CompanyID>BE1</cbc:CompanyID>{TAX}</cac:PartyTaxScheme>"
SEPA = '<cac:PartyIdentification><cbc:ID schemeID="SEPA">1</cbc:ID></cac:PartyIdentification>'
NAME, NAMED = "cac:PartyName/cbc:Name", "<cac:PartyName><cbc:Name>x</cbc:Name></cac:PartyName>"
TAX_POINT = "cac:InvoicePeriod + <cbc:DescriptionCode>{}</cbc:DescriptionCode>"
ANONYMOUS = f"- {S}/cac:PartyTaxScheme ; - {S}/cac:PartyIdentification"
EXEMPT = f"{SUB}/cac:TaxCategory + <cbc:TaxExemptionReasonCode>{{}}</cbc:TaxExemptionReasonCode>"
CARD = (
    "<cac:CardAccount><cbc:PrimaryAccountNumberID>{}</cbc:PrimaryAccountNumberID></cac:CardAccount>"
)

DOCUMENT = [
    ("BR-01", "cbc:CustomizationID := ' '", "cbc:CustomizationID := x"),
    ("BR-02", "- cbc:ID", ""),
    ("BR-03", "- cbc:IssueDate", ""),
    ("BR-04", "- cbc:InvoiceTypeCode", ""),
    ("BR-05", "- cbc:DocumentCurrencyCode", ""),
    ("BR-16", f"- {L}", ""),
    (
        "BR-29",
        "cac:InvoicePeriod/cbc:EndDate := 2026-09-30",
        "cac:InvoicePeriod/cbc:EndDate := 2026-10-01",
    ),
    (
        "BR-30",
        f"{L}/cac:InvoicePeriod/cbc:EndDate := 2026-09-30",
        f"- {L}/cac:InvoicePeriod/cbc:EndDate",
    ),
    ("BR-52", f"{REF}/cbc:ID := ' '", ""),
    (
        "BR-53",
        ". + <cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>",
        ". + <cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>",
    ),
    (
        "BR-55",
        "- cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID",
        "- cac:BillingReference",
    ),
    (
        "BR-CO-03",
        f". + <cbc:TaxPointDate/> ; {TAX_POINT.format(3)}",
        TAX_POINT.format(3),
    ),
    ("BR-CO-19", "- cac:InvoicePeriod/*", "- cac:InvoicePeriod/cbc:StartDate"),
    ("BR-CO-20", f"- {L}/cac:InvoicePeriod/*", f"- {L}/cac:InvoicePeriod/cbc:EndDate"),
]

PARTIES = [
    ("BR-06", f"- {S}/cac:PartyLegalEntity/cbc:RegistrationName", ""),
    ("BR-07", f"{B}/cac:PartyLegalEntity/cbc:RegistrationName := ' '", ""),
    ("BR-08", f"- {S}/cac:PostalAddress", ""),
    ("BR-09", f"{S}/{COUNTRY} := ' '", ""),
    ("BR-10", f"- {B}/cac:PostalAddress", ""),
    ("BR-11", f"- {B}/{COUNTRY}", ""),
    ("BR-17", f"{PAYEE}/{NAME} := Seller brand", f"{PAYEE}/{NAME} := Seller"),
    ("BR-18", f"{R}/{NAME} := ' '", ""),
    ("BR-19", f"- {R}/cac:PostalAddress", ""),
    ("BR-20", f"{R}/{COUNTRY} := ", ""),
    ("BR-56", f"- {R}/cac:PartyTaxScheme", ""),
    (
        "BR-57",
        f"- {D}/cac:DeliveryLocation/cac:Address/cac:Country",
        f"- {D}/cac:DeliveryLocation/cac:Address",
    ),
    ("BR-62", f"- {S}/cbc:EndpointID@schemeID", ""),
    ("BR-63", f"- {B}/cbc:EndpointID@schemeID", ""),
    (
        "BR-CO-09",
        f"{S}/cac:PartyTaxScheme/cbc:CompanyID := XX1",
        f"{S}/cac:PartyTaxScheme/cbc:CompanyID := EL1",
    ),
    (
        "BR-CO-09",
        f"{S}/cac:PartyTaxScheme/cbc:CompanyID := be1",
        f"{S}/cac:PartyTaxScheme/cbc:CompanyID := ",
    ),
    (
        "BR-CO-26",
        f"{ANONYMOUS} ; - {S}/cac:PartyLegalEntity/cbc:CompanyID",
        ANONYMOUS,
    ),
]

LINES = [
    ("BR-21", f"{L}/cbc:ID := ' '", ""),
    ("BR-22", f"- {L}/cbc:InvoicedQuantity", ""),
    ("BR-23", f"- {L}/cbc:InvoicedQuantity@unitCode", ""),
    ("BR-24", f"- {L}[1]/cbc:LineExtensionAmount", ""),
    ("BR-25", f"- {L}/cac:Item/cbc:Name", ""),
    ("BR-26", f"- {L}/cac:Price/cbc:PriceAmount", ""),
    ("BR-27", f"{L}/cac:Price/cbc:PriceAmount := -0.01", f"{L}/cac:Price/cbc:PriceAmount := 0"),
    (
        "BR-28",
        f"{L}/cac:Price/cac:AllowanceCharge/cbc:BaseAmount := -1",
        f"{L}/cac:Price/cac:AllowanceCharge/cbc:BaseAmount := 0",
    ),
    ("BR-54", f"- {L}/cac:Item/cac:AdditionalItemProperty/cbc:Value", ""),
    ("BR-64", f"- {L}/cac:Item/cac:StandardItemIdentification/cbc:ID@schemeID", ""),
    ("BR-65", f"- {L}/cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode@listID", ""),
    ("BR-CO-04", f"- {L}/cac:Item/cac:ClassifiedTaxCategory/cbc:ID", ""),
    ("BR-DEC-23", f"{L}/cbc:LineExtensionAmount := 120.000", f"{L}/cbc:LineExtensionAmount := 120"),
]

PAYMENT = [
    ("BR-49", f"- {PAY}/cbc:PaymentMeansCode", ""),
    (
        "BR-50",
        f"{PAY}/cac:PayeeFinancialAccount/cbc:ID := ' '",
        f"{PAY}/cbc:PaymentMeansCode := 10 ; {PAY}/cac:PayeeFinancialAccount/cbc:ID := ' '",
    ),
    ("BR-61", f"- {PAY}/cac:PayeeFinancialAccount", f"{PAY}/cbc:PaymentMeansCode := 10"),
]

REASONS = "cbc:AllowanceChargeReason|{0}/cbc:AllowanceChargeReasonCode"


def _adjustment_cases():
    names = [
        (DA, "BR-31", ("BR-33", "BR-CO-21"), "BR-DEC-01", "BR-DEC-02"),
        (DC, "BR-36", ("BR-38", "BR-CO-22"), "BR-DEC-05", "BR-DEC-06"),
        (LA, "BR-41", ("BR-42", "BR-CO-23"), "BR-DEC-24", "BR-DEC-25"),
        (LC, "BR-43", ("BR-44", "BR-CO-24"), "BR-DEC-27", "BR-DEC-28"),
    ]
    for at, amount, reasons, decimals, base_decimals in names:
        yield amount, f"- {at}/cbc:Amount", ""
        for reason in reasons:
            yield reason, f"- {at}/{REASONS.format(at)}", f"- {at}/cbc:AllowanceChargeReason"
        yield decimals, f"{at}/cbc:Amount := 1.000", f"{at}/cbc:Amount := 1.00"
        yield base_decimals, f"{at}/cbc:BaseAmount := 1.001", f"{at}/cbc:BaseAmount := 1.1"


ADJUSTMENTS = [
    *_adjustment_cases(),
    ("BR-32", f"- {DA}/cac:TaxCategory/cbc:ID", ""),
    ("BR-37", f"- {DC}/cac:TaxCategory/cac:TaxScheme", ""),
]

TOTALS = [
    ("BR-12", f"- {T}/cbc:LineExtensionAmount", ""),
    ("BR-13", f"- {T}/cbc:TaxExclusiveAmount", ""),
    ("BR-14", f"- {T}/cbc:TaxInclusiveAmount", ""),
    ("BR-15", f"- {T}/cbc:PayableAmount", ""),
    (
        "BR-CO-10",
        f"{T}/cbc:LineExtensionAmount := 200.01",
        f"{T}/cbc:LineExtensionAmount := 200.000",
    ),
    ("BR-CO-11", f"- {T}/cbc:AllowanceTotalAmount", f"- {DA} ; - {T}/cbc:AllowanceTotalAmount"),
    ("BR-CO-12", f"{T}/cbc:ChargeTotalAmount := 20.01", f"{T}/cbc:ChargeTotalAmount := 20.0"),
    ("BR-CO-13", f"{T}/cbc:TaxExclusiveAmount := 209.99", f"{T}/cbc:TaxExclusiveAmount := 210"),
    ("BR-CO-14", "cac:TaxTotal/cbc:TaxAmount := 52.51", "cac:TaxTotal/cbc:TaxAmount := 52.5"),
    ("BR-CO-15", f"{T}/cbc:TaxInclusiveAmount := 262.51", f"{T}/cbc:TaxInclusiveAmount := 262.5"),
    ("BR-CO-15", "cac:TaxTotal/cbc:TaxAmount@currencyID := SEK", ""),
    (
        "BR-CO-16",
        f"{T}/cbc:PayableAmount := 259.99",
        f"{T}/cbc:PayableAmount := 260.01 ; {T}/cbc:PayableRoundingAmount := 0.01",
    ),
    (
        "BR-CO-16",
        f"- {T}/cbc:PrepaidAmount",
        f"{T}/cbc:PayableAmount := 262.5 ; - {T}/cbc:PrepaidAmount",
    ),
    *[
        (rule, f"{T}/cbc:{name} := 1.000", f"{T}/cbc:{name} := 1.00")
        for rule, name in (
            ("BR-DEC-09", "LineExtensionAmount"),
            ("BR-DEC-10", "AllowanceTotalAmount"),
            ("BR-DEC-11", "ChargeTotalAmount"),
            ("BR-DEC-12", "TaxExclusiveAmount"),
            ("BR-DEC-14", "TaxInclusiveAmount"),
            ("BR-DEC-16", "PrepaidAmount"),
            ("BR-DEC-17", "PayableRoundingAmount"),
            ("BR-DEC-18", "PayableAmount"),
        )
    ],
]

VAT = [
    ("BR-45", f"- {SUB}/cbc:TaxableAmount", ""),
    ("BR-46", f"- {SUB}/cbc:TaxAmount", ""),
    ("BR-47", f"- {SUB}/cac:TaxCategory/cbc:ID", ""),
    ("BR-48", f"- {SUB}/cac:TaxCategory/cbc:Percent", in_category("O")),
    ("BR-CO-17", f"{SUB}/cbc:TaxAmount := 53.50", f"{SUB}/cbc:TaxAmount := 53.49"),
    (
        "BR-CO-17",
        f"{SUB}/cac:TaxCategory/cbc:Percent := 0.4",
        f"{SUB}/cac:TaxCategory/cbc:Percent := 25.4",
    ),
    ("BR-CO-18", f"- {SUB}", ""),
    ("BR-DEC-19", f"{SUB}/cbc:TaxableAmount := 210.000", f"{SUB}/cbc:TaxableAmount := 210.00"),
    ("BR-DEC-20", f"{SUB}/cbc:TaxAmount := 52.500", f"{SUB}/cbc:TaxAmount := 52.5"),
]


def _category_cases():
    numbers = {"K": "IC", "L": "AF", "M": "AG"}
    lines = f"{L}/cac:Item/cac:ClassifiedTaxCategory"
    unregistered = "- //cac:PartyTaxScheme"
    for code in ("AE", "E", "G", "K", "L", "M", "O", "S", "Z"):
        good, rule = in_category(code), f"BR-{numbers.get(code, code)}"
        row = f"{SUB}/cac:TaxCategory"
        yield f"{rule}-01", f"{good} ; {row}/cbc:ID := {'E' if code == 'Z' else 'Z'}", good
        parties = (
            f"{good} ; {B} + {REGISTRATION.format('VAT')}"
            if code == "O"
            else f"{good} ; {unregistered}"
        )
        only = f"- {L} ; - {DA}|{DC}"
        yield f"{rule}-02", parties, good
        yield f"{rule}-03", f"{parties} ; - {L} ; - {DC}", f"{parties} ; {only}"
        yield f"{rule}-04", f"{parties} ; - {L} ; - {DA}", f"{parties} ; {only}"
        wrong = {"S": "0", "L": "-1", "M": "-1"}.get(code, "1")
        rate = f"<cbc:Percent>{wrong}</cbc:Percent>"
        for number, at in (
            ("05", lines),
            ("06", f"{DA}/cac:TaxCategory"),
            ("07", f"{DC}/cac:TaxCategory"),
        ):
            spoilt = f"{at} + {rate}" if code == "O" else f"{at}/cbc:Percent := {wrong}"
            yield f"{rule}-{number}", f"{good} ; {spoilt}", good
        near = ("211.00", "210.99") if code in "LMS" else ("210.01", "210.000")
        taxable = f"{good} ; {SUB}/cbc:TaxableAmount := "
        yield f"{rule}-08", f"{taxable}{near[0]}", f"{taxable}{near[1]}"
        tax = f"{good} ; {SUB}/cbc:TaxAmount := "
        yield f"{rule}-09", f"{tax}99", good if code in "LMS" else f"{tax}0.000"
        given = "<cbc:TaxExemptionReasonCode>VATEX-EU-O</cbc:TaxExemptionReasonCode>"
        has_none = code in "LMSZ"
        reason = f"{row} + {given}" if has_none else f"- {row}/cbc:TaxExemptionReason"
        yield f"{rule}-10", f"{good} ; {reason}", good


ZERO_LINE = f"{L}/cac:Item/cac:ClassifiedTaxCategory/cbc:ID := Z"
CATEGORIES = [
    *_category_cases(),
    (
        "BR-IC-11",
        f"{in_category('K')} ; - cac:InvoicePeriod ; - {D}/cbc:ActualDeliveryDate",
        f"{in_category('K')} ; - cac:InvoicePeriod",
    ),
    ("BR-IC-12", f"{in_category('K')} ; - {D}", in_category("K")),
    (
        "BR-O-11",
        f"{in_category('O')} ; cac:TaxTotal + <cac:TaxSubtotal>{CATEGORY}</cac:TaxSubtotal>",
        in_category("O"),
    ),
    ("BR-O-12", f"{in_category('O')} ; {ZERO_LINE}", in_category("O")),
    ("BR-O-13", f"{in_category('O')} ; {DA}/cac:TaxCategory/cbc:ID := Z", in_category("O")),
    ("BR-O-14", f"{in_category('O')} ; {DC}/cac:TaxCategory/cbc:ID := Z", in_category("O")),
    (
        "BR-B-01",
        f"{SUB}/cac:TaxCategory/cbc:ID := B",
        f"{SUB}/cac:TaxCategory/cbc:ID := B ; //cbc:IdentificationCode ::= IT",
    ),
    ("BR-B-02", f"{SUB}/cac:TaxCategory/cbc:ID := B", in_category("B")),
]

CODES = [
    ("BR-CL-01", "cbc:InvoiceTypeCode := 381", "cbc:InvoiceTypeCode := ' 384 '"),
    (
        "BR-CL-03",
        f"{T}/cbc:PayableAmount@currencyID := STN",
        f"{T}/cbc:PayableAmount@currencyID := STD",
    ),
    ("BR-CL-04", "cbc:DocumentCurrencyCode := eur", "cbc:DocumentCurrencyCode := SEK"),
    (
        "BR-CL-05",
        ". + <cbc:TaxCurrencyCode>E</cbc:TaxCurrencyCode>",
        ". + <cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>",
    ),
    (
        "BR-CL-06",
        TAX_POINT.format(5),
        TAX_POINT.format(432),
    ),
    (
        "BR-CL-07",
        f". + {OBJECT.format('')} ; {REF}[2]/cbc:ID@schemeID := X",
        f". + {OBJECT.format('')} ; {REF}[2]/cbc:ID@schemeID := ABZ",
    ),
    ("BR-CL-08", "cbc:Note := #XXX#text", "cbc:Note := #XXXX#text"),
    (
        "BR-CL-10",
        f"{B}/cac:PartyIdentification/cbc:ID@schemeID := SEPA",
        f"{S}/cac:PartyIdentification/cbc:ID@schemeID := SEPA",
    ),
    (
        "BR-CL-11",
        f"{S}/cac:PartyLegalEntity/cbc:CompanyID@schemeID := 0001",
        f"{S}/cac:PartyLegalEntity/cbc:CompanyID@schemeID := 0002",
    ),
    (
        "BR-CL-13",
        f"{L}//cbc:ItemClassificationCode@listID := 1",
        f"{L}//cbc:ItemClassificationCode@listID := MP",
    ),
    ("BR-CL-14", f"{S}/{COUNTRY} := EL", f"{S}/{COUNTRY} := XI"),
    (
        "BR-CL-15",
        f"{L}//cac:OriginCountry/cbc:IdentificationCode := UK",
        f"{L}//cac:OriginCountry/cbc:IdentificationCode := GB",
    ),
    ("BR-CL-16", f"{PAY}/cbc:PaymentMeansCode := 99", f"{PAY}/cbc:PaymentMeansCode := ZZZ"),
    ("BR-CL-17", f"{SUB}/cac:TaxCategory/cbc:ID := s", ""),
    ("BR-CL-18", f"{L}//cac:ClassifiedTaxCategory/cbc:ID := X", ""),
    (
        "BR-CL-19",
        f"{DA}/cbc:AllowanceChargeReasonCode := FC",
        f"{DA}/cbc:AllowanceChargeReasonCode := 41",
    ),
    (
        "BR-CL-20",
        f"{DC}/cbc:AllowanceChargeReasonCode := 41",
        f"{DC}/cbc:AllowanceChargeReasonCode := ABL",
    ),
    ("BR-CL-21", f"{L}//cac:StandardItemIdentification/cbc:ID@schemeID := x", ""),
    (
        "BR-CL-22",
        EXEMPT.format("X"),
        EXEMPT.format("vatex-eu-o"),
    ),
    (
        "BR-CL-23",
        f"{L}/cbc:InvoicedQuantity@unitCode := c62",
        f"{L}/cbc:InvoicedQuantity@unitCode := XPP",
    ),
    ("BR-CL-24", f"{EMBEDDED}@mimeCode := text/plain", f"{EMBEDDED}@mimeCode := application/pdf"),
    ("BR-CL-25", f"{S}/cbc:EndpointID@schemeID := 0001", f"{S}/cbc:EndpointID@schemeID := EM"),
    ("BR-CL-26", f"{D}/cac:DeliveryLocation/cbc:ID@schemeID := x", ""),
]

MEANS_NAME = f"{PAY}/cbc:PaymentMeansCode@name := x"
TWICE = [
    (
        "UBL-SR-05",
        ". + <cac:PaymentTerms><cbc:Note>a</cbc:Note><cbc:Note>b</cbc:Note></cac:PaymentTerms>",
        ". + <cac:PaymentTerms><cbc:Note>a</cbc:Note></cac:PaymentTerms>",
    ),
    (
        "UBL-SR-06",
        "cac:BillingReference/cac:InvoiceDocumentReference ++",
        "cac:BillingReference ++",
    ),
    ("UBL-SR-07", "- cac:BillingReference/cac:InvoiceDocumentReference", ""),
    ("UBL-SR-08", "cac:InvoicePeriod ++", ""),
    ("UBL-SR-09", f"{S}/cac:PartyLegalEntity ++", ""),
    ("UBL-SR-10", f"{S}/cac:PartyName ++", ""),
    ("UBL-SR-11", f"{S}/cac:PartyLegalEntity ++", ""),
    ("UBL-SR-12", f"{S}/cac:PartyTaxScheme ++", f"{S} + {REGISTRATION.format('TAX')}"),
    (
        "UBL-SR-13",
        f"{S} + {REGISTRATION.format('TAX')}{REGISTRATION.format('FC')}",
        f"{S} + {REGISTRATION.format('TAX')}",
    ),
    (
        "UBL-SR-14",
        f"{S}/cac:PartyLegalEntity + <cbc:CompanyLegalForm/><cbc:CompanyLegalForm/>",
        f"{S}/cac:PartyLegalEntity + <cbc:CompanyLegalForm/>",
    ),
    ("UBL-SR-15", f"{B}/cac:PartyLegalEntity ++", ""),
    ("UBL-SR-16", f"{B}/cac:PartyIdentification ++", ""),
    ("UBL-SR-17", f"{B}/cac:PartyLegalEntity ++", ""),
    ("UBL-SR-18", f"{B}/cac:PartyTaxScheme ++", f"{B} + {REGISTRATION.format('TAX')}"),
    ("UBL-SR-19", f"{PAYEE} + {NAMED}", ""),
    ("UBL-SR-19", f"{PAYEE}/{NAME} := Seller", f"{PAYEE}/{NAME} := Seller brand"),
    ("UBL-SR-20", f"{PAYEE}/cac:PartyIdentification ++", f"{PAYEE} + {SEPA}"),
    (
        "UBL-SR-21",
        f"{PAYEE} + {'<cac:PartyLegalEntity><cbc:CompanyID/></cac:PartyLegalEntity>' * 2}",
        f"{PAYEE} + <cac:PartyLegalEntity><cbc:CompanyID/></cac:PartyLegalEntity>",
    ),
    ("UBL-SR-22", f"{R} + {NAMED}", ""),
    ("UBL-SR-23", f"{R}/cac:PartyTaxScheme ++", ""),
    ("UBL-SR-24", f"{D} ++", ""),
    (
        "UBL-SR-25",
        f"{D} + <cac:DeliveryParty>{NAMED * 2}</cac:DeliveryParty>",
        f"{D} + <cac:DeliveryParty>{NAMED}</cac:DeliveryParty>",
    ),
    ("UBL-SR-26", f"{PAY}/cbc:PaymentID ++", f"{PAY} ++"),
    ("UBL-SR-27", f"{PAY}/cbc:PaymentMeansCode ++", f"{PAY} ++"),
    (
        "UBL-SR-28",
        f"{PAY} + <cac:PaymentMandate><cbc:ID/><cbc:ID/></cac:PaymentMandate>",
        f"{PAY} + <cac:PaymentMandate><cbc:ID/></cac:PaymentMandate>",
    ),
    ("UBL-SR-29", f"{S} + {SEPA} ; {PAYEE} + {SEPA}", f"{S} + {SEPA}"),
    ("UBL-SR-30", f"{DA}/cbc:AllowanceChargeReason ++", ""),
    ("UBL-SR-31", f"{LC}/cbc:AllowanceChargeReason ++", ""),
    (
        "UBL-SR-32",
        f"{SUB}/cac:TaxCategory + <cbc:TaxExemptionReason/><cbc:TaxExemptionReason/>",
        f"{SUB}/cac:TaxCategory + <cbc:TaxExemptionReason/>",
    ),
    (
        "UBL-SR-33",
        f"{REF} + <cbc:DocumentDescription/><cbc:DocumentDescription/>",
        f"{REF} + <cbc:DocumentDescription/>",
    ),
    ("UBL-SR-34", f"{L} + <cbc:Note/><cbc:Note/>", f"{L} + <cbc:Note/>"),
    (
        "UBL-SR-35",
        f"{L} + {'<cac:OrderLineReference><cbc:LineID/></cac:OrderLineReference>' * 2}",
        f"{L} + <cac:OrderLineReference><cbc:LineID/></cac:OrderLineReference>",
    ),
    ("UBL-SR-36", f"{L}/cac:InvoicePeriod ++", ""),
    ("UBL-SR-37", f"{L}/cac:Price/cac:AllowanceCharge ++", ""),
    ("UBL-SR-40", f"{B}/cac:PartyName ++", ""),
    ("UBL-SR-42", f"{S} + {REGISTRATION.format('TAX') * 2}", f"{S} + {REGISTRATION.format('TAX')}"),
    (
        "UBL-SR-43",
        f"{REF} + <cbc:DocumentTypeCode>50</cbc:DocumentTypeCode>",
        f". + {OBJECT.format('')}",
    ),
    ("UBL-SR-04", f". + {OBJECT.format('') * 2}", f". + {OBJECT.format('')}"),
    ("UBL-SR-44", f"{PAY} ++ ; {PAY}[2]/cbc:PaymentID := other", f"{PAY} ++"),
    (
        "UBL-SR-45",
        f"{PAY} + <cbc:PaymentDueDate/><cbc:PaymentDueDate/>",
        f"{PAY} + <cbc:PaymentDueDate/>",
    ),
    ("UBL-SR-46", f"{MEANS_NAME} ; {PAY} ++", MEANS_NAME),
    ("UBL-SR-47", f"{PAY} ++ ; {PAY}[2]/cbc:PaymentMeansCode := 58", f"{PAY} ++"),
    ("UBL-SR-48", f"{L}/cac:Item/cac:ClassifiedTaxCategory ++", ""),
    (
        "UBL-SR-49",
        "cac:InvoicePeriod + <cbc:DescriptionCode/><cbc:DescriptionCode/>",
        "cac:InvoicePeriod + <cbc:DescriptionCode/>",
    ),
    ("UBL-SR-50", f"{L}/cac:Item/cbc:Description ++", ""),
    (
        "UBL-SR-51",
        f"{S}/cac:PostalAddress + <cac:AddressLine/><cac:AddressLine/>",
        f"{S}/cac:PostalAddress + <cac:AddressLine/>",
    ),
    (
        "UBL-SR-52",
        f"{L} + <cac:DocumentReference/><cac:DocumentReference/>",
        f"{L} + <cac:DocumentReference/>",
    ),
    ("UBL-SR-53", f"- {S}/cac:PartyTaxScheme/cbc:CompanyID", ""),
    ("UBL-SR-54", f"{PAY} + <cac:CardAccount/><cac:CardAccount/>", f"{PAY} + <cac:CardAccount/>"),
    (
        "UBL-SR-55",
        f"{PAY} ++ ; {PAY} + <cac:PaymentMandate/><cac:PaymentMandate/>",
        f"{PAY} + <cac:PaymentMandate/>",
    ),
    *[
        (
            rule,
            f". + {f'<cac:{name}><cbc:ID/></cac:{name}>' * 2}",
            f". + <cac:{name}><cbc:ID/></cac:{name}>",
        )
        for rule, name in (
            ("UBL-SR-01", "ContractDocumentReference"),
            ("UBL-SR-02", "ReceiptDocumentReference"),
            ("UBL-SR-03", "DespatchDocumentReference"),
            ("UBL-SR-39", "ProjectReference"),
            ("UBL-SR-56", "OriginatorDocumentReference"),
        )
    ],
]

PLAIN = [
    (
        "UBL-DT-01",
        f"{T}/cbc:PayableAmount := 260.000",
        f"{L}/cac:Price/cbc:PriceAmount := 120.0001",
    ),
    (
        "UBL-DT-01",
        f"{LA}/cbc:Amount := 1.001",
        f"{L}/cac:Price/cac:AllowanceCharge/cbc:Amount := 0.001",
    ),
    ("UBL-DT-06", f"- {EMBEDDED}@mimeCode", ""),
    ("UBL-DT-07", f"- {EMBEDDED}@filename", ""),
    ("UBL-CR-666", f". + {OBJECT.format('<cac:Attachment/>')}", f". + {OBJECT.format('')}"),
    (
        "UBL-CR-673",
        f". + {OBJECT.format('<cbc:DocumentDescription/>')}",
        f". + {OBJECT.format('')}",
    ),
    ("BR-51", f"{PAY} + {CARD.format('12345678901')}", f"{PAY} + {CARD.format('1234567890')}"),
    (
        "UBL-CR-002",
        ". + <cbc:UBLVersionID>2.2</cbc:UBLVersionID>",
        ". + <cbc:UBLVersionID>2.1</cbc:UBLVersionID>",
    ),
    ("UBL-CR-412", f"{PAY} + <cbc:PaymentDueDate/>", ""),
    ("UBL-CR-665", f"{REF}/cbc:ID@schemeID := ABZ", f". + {OBJECT.format('')}"),
    ("UBL-DT-18", f"{S}/cbc:EndpointID@name := x", MEANS_NAME),
    ("UBL-DT-28", f"{S}/cbc:EndpointID@listAgencyID := x", ""),
    ("UBL-CR-003", ". + <cbc:ProfileExecutionID/>", ""),
]

CASES = [
    *DOCUMENT,
    *PARTIES,
    *LINES,
    *PAYMENT,
    *ADJUSTMENTS,
    *TOTALS,
    *VAT,
    *CATEGORIES,
    *CODES,
    *TWICE,
    *PLAIN,
]


def fires(rule: str, changes: str) -> bool:
    return any(finding.id == rule for finding in ENGINE.check(changed(changes)).findings)


@pytest.mark.parametrize("code", ["", "AE", "E", "G", "K", "L", "M", "O", "S", "Z"])
def test_the_correct_invoice_breaks_no_rule(code):
    """Without changes, and with all of it in another VAT category."""
    assert ENGINE.check(changed(code and in_category(code))).findings == ()


@each_row(("rule", "broken", "held"), CASES)
def test_a_rule_is_broken_just_outside_its_limit_and_not_just_inside(rule, broken, held):
    assert fires(rule, broken)
    assert not fires(rule, held)


def test_every_fatal_rule_has_a_case():
    """A rule without a case fails here, unless the official rule can never fire."""
    rules = {rule.id for rule in BOOK.rules if rule.flag is Flag.FATAL and rule.check is not never}

    assert not rules - {rule for rule, _, _ in CASES}
