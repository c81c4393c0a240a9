"""PINT of the countries: which documents the sets judge, each kind of rule."""

from __future__ import annotations

from datetime import date

import pytest
from lxml import etree

from einvoice.rules.pint.ae import ubl as ae
from einvoice.validation import Light, check, judge
from tests.rules.pint_samples import (
    PINT_AE,
    PINT_AUNZ,
    PINT_EU,
    PINT_JP,
    PINT_MY,
    PINT_OM,
    PINT_SG,
    changed,
)

DAY = date(2026, 11, 22)
S, B = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
L, ITEM, PRICE = "cac:InvoiceLine", "cac:InvoiceLine/cac:Item", "cac:InvoiceLine/cac:Price"
VAT = "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"
TYPE, KIND, NUMBER = (
    "cbc:ProfileExecutionID",
    "cbc:InvoiceTypeCode",
    "cac:PartyLegalEntity/cbc:CompanyID",
)
SUBTOTAL = "cac:TaxTotal/cac:TaxSubtotal"
CLASS = f"{ITEM}/cac:CommodityClassification"
AGENT = ("<cac:SellerSupplierParty><cac:Party><cac:PartyIdentification><cbc:ID>{}</cbc:ID>"
         "</cac:PartyIdentification></cac:Party></cac:SellerSupplierParty>")  # fmt: skip
REASON = ("<cac:DiscrepancyResponse><cbc:ResponseCode>{}</cbc:ResponseCode>"
          "</cac:DiscrepancyResponse>")  # fmt: skip
ALLOWANCE = ("<cac:AllowanceCharge><cbc:ChargeIndicator>{}</cbc:ChargeIndicator>"
             "<cbc:AllowanceChargeReason>x</cbc:AllowanceChargeReason>{}"
             '<cbc:Amount currencyID="AED">10.00</cbc:Amount>{}</cac:AllowanceCharge>')  # fmt: skip
CATEGORY = (
    "<cac:TaxCategory><cbc:ID>{}</cbc:ID><cbc:Percent>5</cbc:Percent>" + VAT + "</cac:TaxCategory>"
)

# A change to the correct invoice, the rule it breaks, and a change that does not.
OF_ALL = [
    ("ibr-001", "cbc:CustomizationID := ' '", ""),
    ("ibr-sr-63", "cbc:CustomizationID := urn:peppol:pint:billing-1@ae-1*", ""),
    ("ibr-002", "- cbc:ID", ""),
    ("ibr-009", f"- {S}/cac:PostalAddress/cac:Country", ""),
    ("ibr-012", "- cac:LegalMonetaryTotal/cbc:LineExtensionAmount", ""),
    ("ibr-017", ". + <cac:PayeeParty/>",
     ". + <cac:PayeeParty><cac:PartyName><cbc:Name>P</cbc:Name></cac:PartyName></cac:PayeeParty>"),
    ("ibr-021", f"- {L}/cbc:ID", ""),
    ("ibr-027", f"{PRICE}/cbc:PriceAmount := -1", f"{PRICE}/cbc:PriceAmount := 0"),
    ("ibr-053", ". + <cbc:TaxCurrencyCode>USD</cbc:TaxCurrencyCode>", ""),
    ("ibr-062", f"- {S}/cbc:EndpointID@schemeID", ""),
    ("ibr-073", "cbc:IssueDate := 2026-02-30", "cbc:IssueDate := 2026-02-28"),
    ("ibr-077", ". + <cbc:TaxCurrencyCode>AED</cbc:TaxCurrencyCode>", ""),
    ("ibr-079", "cbc:Note :=", "cbc:Note := x"),
    ("ibr-083", f"{PRICE}/cac:AllowanceCharge/cbc:ChargeIndicator := true", ""),
    ("ibr-088", f"{PRICE}/cbc:BaseQuantity@unitCode := H87", ""),
    ("ibr-091", "cac:LegalMonetaryTotal/cbc:PayableAmount := 210.000", ""),
    ("ibr-119", "cbc:IssueTime := 25:00:00", "cbc:IssueTime := 23:59:59.5+04:00"),
    ("ibr-126", "cac:LegalMonetaryTotal/cbc:PayableAmount@currencyID := USD", ""),
    ("ibr-co-10", "cac:LegalMonetaryTotal/cbc:LineExtensionAmount := 200.01", ""),
    ("ibr-co-15", "cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount := 210.01", ""),
    ("ibr-co-16", "cac:LegalMonetaryTotal/cbc:PayableAmount := 209.99",
     ("cac:LegalMonetaryTotal/cbc:PayableAmount := 209.99 ; cac:LegalMonetaryTotal + "
      '<cbc:PayableRoundingAmount currencyID="AED">-0.01</cbc:PayableRoundingAmount>')),
    ("ibr-cl-01", f"{KIND} := 389", f"{KIND} := 480"),
    ("ibr-cl-16", "cac:PaymentMeans/cbc:PaymentMeansCode := 69",
     "cac:PaymentMeans/cbc:PaymentMeansCode := Z01"),
    ("ibr-cl-25", f"{B}/cbc:EndpointID@schemeID := 0225", f"{B}/cbc:EndpointID@schemeID := 0037"),
]  # fmt: skip
OF_AE = [
    ("aligned-ibrp-001-ae", "cbc:CustomizationID := urn:peppol:pint:billing-1@om-1",
     "cbc:CustomizationID := urn:peppol:pint:selfbilling-1@ae-1"),
    ("aligned-ibrp-004", f"{PRICE}/cac:AllowanceCharge/cbc:Amount := 1.00", ""),
    ("aligned-ibrp-032", f". + {ALLOWANCE.format('false', '', '')}",
     f". + {ALLOWANCE.format('false', '', CATEGORY.format('S'))}"),
    ("ibr-115-ae", f". + {ALLOWANCE.format('false', '', CATEGORY.format('N'))}", ""),
    ("aligned-ibrp-s-05", f"{ITEM}/cac:ClassifiedTaxCategory/cbc:Percent := 0", ""),
    ("aligned-ibrp-s-08", f"{SUBTOTAL}/cbc:TaxableAmount := 200.03",
     f"{SUBTOTAL}/cbc:TaxableAmount := 200.02"),
    ("aligned-ibrp-s-09", f"{SUBTOTAL}/cbc:TaxAmount := 10.03",
     f"{SUBTOTAL}/cbc:TaxAmount := 10.02"),
    ("ibr-190-ae", f"{SUBTOTAL}/cac:TaxCategory/cbc:Percent := 6",
     f"{SUBTOTAL}/cac:TaxCategory/cbc:Percent := 5.00"),
    ("ibr-001-ae", f". + {REASON.format('X')}", f". + {REASON.format('VD')}"),
    ("ibr-007-ae", f"{TYPE} := 10000000", f"{TYPE} := 00000000"),
    ("ibr-010-ae", f"{B}/{NUMBER}@schemeAgencyID := PAS",
     f"{B}/{NUMBER}@schemeAgencyID := PAS ; {B}/{NUMBER}@schemeAgencyName := IN"),
    ("ibr-132-ae", f"{S}/cac:PartyTaxScheme/cbc:CompanyID := 198765432112304", ""),
    ("ibr-137-ae", f"{TYPE} := 00000100", f"{TYPE} := 00000100 ; . + {AGENT.format('1')}"),
    ("ibr-138-ae", f"{TYPE} := 00010000",
     (f"{TYPE} := 00010000 ; . + <cac:InvoicePeriod><cbc:StartDate>2026-10-01</cbc:StartDate>"
      "</cac:InvoicePeriod>")),
    ("ibr-147-ae", f"{L}/cbc:LineExtensionAmount := 200.01", ""),
    ("ibr-128-ae", (". + <cac:TaxRepresentativeParty><cac:PostalAddress><cac:Country>"
     "<cbc:IdentificationCode>AE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>"
     "</cac:TaxRepresentativeParty>"), ""),
    ("ibr-143-ae", f"- {S}/cac:PostalAddress/cbc:CountrySubentity", ""),
    ("ibr-149-ae", f"{B}/cbc:EndpointID := 2345678901 ; - {B}/cac:PartyTaxScheme",
     f"- {B}/cac:PartyTaxScheme"),
    ("ibr-152-ae", f"{TYPE} := 00000001", ""),
    ("ibr-154-ae", f"{TYPE} := 0000000", ""),
    ("ibr-158-ae", f"{KIND} := 381", f"{KIND} := 381 ; . + {REASON.format('VD')}"),
    ("ibr-175-ae", "cbc:DocumentCurrencyCode := USD", ""),
    ("ibr-184-ae", f"- {CLASS}/cbc:ItemClassificationCode", f"{CLASS}/cbc:CommodityCode := X"),
    ("ibr-185-ae", f"{CLASS}/cbc:CommodityCode := S",
     (f"{CLASS}/cbc:CommodityCode := S ; {ITEM} + <cac:AdditionalItemIdentification>"
      '<cbc:ID schemeID="SAC">1</cbc:ID></cac:AdditionalItemIdentification>')),
    ("ibr-188-ae", f"{CLASS}/cbc:ItemClassificationCode@listID := STI", ""),
    ("ibr-193-ae", "- cbc:UUID", ""),
]  # fmt: skip

T = f"{KIND}@name"
OF_OM = [
    ("ALIGNED-IBRP-000-OM", f"{T} := 1000000000000000000", ""),
    ("ALIGNED-IBRP-001-OM", "cbc:CustomizationID := urn:peppol:pint:selfbilling-1@om-1", ""),
    ("ALIGNED-IBRP-003-OM", ". + <cbc:TaxCurrencyCode>USD</cbc:TaxCurrencyCode>",
     ". + <cbc:TaxCurrencyCode>OMR</cbc:TaxCurrencyCode>"),
    ("ALIGNED-IBRP-016-OM", "- cbc:IssueTime", ""),
    ("ALIGNED-IBRP-S-05-OM", f"{ITEM}/cac:ClassifiedTaxCategory/cbc:Percent := 4", ""),
    ("ALIGNED-IBRP-S-08-OM", f"{SUBTOTAL}/cbc:TaxableAmount := 200.02",
     f"{SUBTOTAL}/cbc:TaxableAmount := 200.01"),
    ("ALIGNED-IBRP-S-09-OM", f"{SUBTOTAL}/cbc:TaxAmount := 10.01", ""),
    ("IBR-002-OM", "cbc:UUID := b7f2c9d4-0a1b-4c3d-8e4f-1a2b3c4d5e6f", ""),
    ("IBR-003-OM", f"{B}/cac:PartyTaxScheme/cbc:CompanyID := OM110000045",
     f"{B}/cac:PartyTaxScheme/cbc:CompanyID := OM 1100000456"),
    ("IBR-004-OM", "cbc:DocumentCurrencyCode := USD", ""),
    ("IBR-010-OM", f"- {S}/cac:PostalAddress/cbc:AdditionalStreetName", ""),
    ("IBR-014-OM", f"{T} := 10000010000000000000", ""),
    ("IBR-015-OM", f"{T} := 10010000000000000000", ""),
    ("IBR-037-OM", f"{T} := 10000100000000000000",
     (f"{T} := 10000100000000000000 ; . + <cac:InvoicePeriod><cbc:StartDate>2026-10-01"
      "</cbc:StartDate><cbc:EndDate>2026-10-31</cbc:EndDate></cac:InvoicePeriod>")),
    ("IBR-046-OM", f"{SUBTOTAL}/cac:TaxCategory/cbc:Percent := 5.000",
     f"{SUBTOTAL}/cac:TaxCategory/cbc:Percent := 5.00"),
    ("IBR-071-OM", f"{PRICE}/cbc:PriceAmount := 20.002", f"{PRICE}/cbc:PriceAmount := 20.001"),
    ("IBR-137-OM", f"{L}/cbc:InvoicedQuantity := -10", ""),
    ("IBR-149-OM", f"{T} := 01001000000000000000", f"{T} := 10001000000000000000"),
    ("IBR-168-OM", f"{L}/cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount := 10.002",
     f"{L}/cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount := 10.001"),
    ("IBR-168-OM-WARN", f"{L}/cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount := 10.001", ""),
    ("IBR-171-OM", "cbc:IssueDate := 2999-01-01", ""),
    ("IBR-DEC-03-OM", f"{PRICE}/cbc:PriceAmount := 20.0001", f"{PRICE}/cbc:PriceAmount := 20.001"),
    ("CL-03-OM-1", f"{T} := 11000000000000000000", ""),
    ("CL-08-OM-ISIC", f"{ITEM}/cac:AdditionalItemIdentification/cbc:ID := 999999", ""),
    ("CL-12-OM", f"{ITEM}/cac:ItemSpecificationDocumentReference/cbc:ID := 65000000", ""),
]  # fmt: skip

OF_MY = [
    ("aligned-ibrp-001-my", "cbc:CustomizationID := urn:peppol:pint:billing-1@ae-1", ""),
    ("aligned-ibrp-002", "cbc:ProfileID := urn:peppol:bis:selfbilling", ""),
    ("ibr-02-my", f"- {S}/{NUMBER}", ""),
    ("ibr-04-my", f"- {S}/cac:PartyIdentification", ""),
    ("aligned-ibrp-047", f"- {SUBTOTAL}/cac:TaxCategory/cac:TaxScheme", ""),
    ("aligned-ibrp-sa-08", f"{SUBTOTAL}/cbc:TaxableAmount := 200.03",
     f"{SUBTOTAL}/cbc:TaxableAmount := 200.02"),
    ("aligned-ibrp-sa-09", f"{SUBTOTAL}/cbc:TaxAmount := 10.03",
     f"{SUBTOTAL}/cbc:TaxAmount := 10.02"),
    ("aligned-ibrp-cl-01-my", f"{SUBTOTAL}/cac:TaxCategory/cbc:ID := S", ""),
    ("ibr-cl-05-my", ". + <cbc:TaxCurrencyCode>SGD</cbc:TaxCurrencyCode>",
     ". + <cbc:TaxCurrencyCode>MYR</cbc:TaxCurrencyCode>"),
    ("ibr-cl-25", f"{B}/cbc:EndpointID@schemeID := 0225", f"{B}/cbc:EndpointID@schemeID := 0230"),
]  # fmt: skip

OF_AUNZ = [
    ("aligned-ibrp-001-aunz", "cbc:CustomizationID := urn:peppol:pint:selfbilling-1@aunz-1", ""),
    ("aligned-ibrp-002", "cbc:ProfileID := urn:peppol:bis:selfbilling", ""),
    ("aligned-ibrp-003", "- cbc:BuyerReference", ""),
    ("aligned-ibrp-053", f"{PRICE}/cbc:PriceAmount := 20.003",
     f"{PRICE}/cbc:PriceAmount := 20.002"),
    ("aligned-ibrp-061", "- cbc:DueDate",
     "- cbc:DueDate ; . + <cac:PaymentTerms><cbc:Note>30 days</cbc:Note></cac:PaymentTerms>"),
    ("aligned-ibrp-s-05-aunz", f"{ITEM}/cac:ClassifiedTaxCategory/cbc:Percent := 0", ""),
    ("aligned-ibrp-s-09-aunz", f"{SUBTOTAL}/cbc:TaxAmount := 11.01",
     f"{SUBTOTAL}/cbc:TaxAmount := 11.00"),
    ("aligned-ibrp-cl-01-aunz", f"{SUBTOTAL}/cac:TaxCategory/cbc:ID := AE", ""),
    ("aligned-ibr-001-aunz", f"{S}/{NUMBER}@schemeID := 0088", ""),
    ("aligned-ibr-002-aunz", f"{S}/cac:PostalAddress/cac:Country/cbc:IdentificationCode := NZ",
     (f"{S}/cac:PostalAddress/cac:Country/cbc:IdentificationCode := NZ ; "
      f"{S}/{NUMBER}@schemeID := 0088")),
]  # fmt: skip

OF_JP = [
    ("aligned-ibrp-001-jp", "cbc:CustomizationID := urn:peppol:pint:selfbilling-1@jp-1",
     "cbc:CustomizationID := urn:fdc:peppol:jp:billing:3.0"),
    ("aligned-ibrp-052", "- cac:InvoicePeriod", ""),
    ("aligned-ibr-jp-01", f"{S}/cac:PartyTaxScheme/cbc:CompanyID := 1234567890123",
     (f"{S}/cac:PartyTaxScheme/cbc:CompanyID := 1234567890123 ; "
      "cac:InvoicePeriod/cbc:StartDate := 2023-09-30")),
    ("aligned-ibr-jp-04", f"- {S}/cac:PartyTaxScheme", ""),
    ("aligned-ibr-jp-06",
     f"cbc:DocumentCurrencyCode := USD ; {SUBTOTAL}/cbc:TaxAmount := 10.0",
     "cbc:DocumentCurrencyCode := USD"),
    ("aligned-ibrp-051-jp", f"{SUBTOTAL}/cbc:TaxAmount := 11",
     f"{SUBTOTAL}/cbc:TaxAmount := 11 ; {SUBTOTAL}/cbc:TaxableAmount := 200.01"),
    ("aligned-ibrp-cl-01-jp", f"{SUBTOTAL}/cac:TaxCategory/cbc:ID := Z",
     f"{SUBTOTAL}/cac:TaxCategory/cbc:ID := AA"),
    ("aligned-ibrp-cl-02-jp", f"{KIND} := 386", ""),
]  # fmt: skip

GST_TOTALS = ("<cac:AdditionalDocumentReference><cbc:ID>SGD</cbc:ID>"
              "<cbc:DocumentTypeCode>sgdtotal-{}-gst</cbc:DocumentTypeCode>"
              "<cbc:DocumentDescription>1.00</cbc:DocumentDescription>"
              "</cac:AdditionalDocumentReference>")  # fmt: skip
OF_SG = [
    ("PEPPOL-EN16931-R004-SG", "cbc:CustomizationID := urn:peppol:pint:billing-1@my-1", ""),
    ("PEPPOL-EN16931-R007-SG", "cbc:ProfileID := urn:peppol:bis:selfbilling", ""),
    ("PEPPOL-EN16931-R120-SG", f"{PRICE}/cbc:PriceAmount := 20.003",
     f"{PRICE}/cbc:PriceAmount := 20.002"),
    ("BR-105-GST-SG", f"- {S}/cac:PartyTaxScheme", ""),
    ("BR-108-GST-SG", "- cbc:UUID", ""),
    ("BR-109-GST-SG", "cbc:UUID := 1", ""),
    ("BR-110-GST-SG", f". + {GST_TOTALS.format('incl')}", ""),
    ("BR-113-GST-SG", "cbc:DocumentCurrencyCode := USD", ""),
    ("BR-CO-17-GST-SG", f"{SUBTOTAL}/cbc:TaxAmount := 12.00", f"{SUBTOTAL}/cbc:TaxAmount := 11.99"),
    ("BR-CO-25-SG", "- cbc:DueDate",
     "- cbc:DueDate ; . + <cac:PaymentTerms><cbc:Note>30 days</cbc:Note></cac:PaymentTerms>"),
    ("BR-CL-17-GST-SG", f"{SUBTOTAL}/cac:TaxCategory/cbc:ID := S", ""),
    ("BR-NG-02-GST-SG", f"{ITEM}/cac:ClassifiedTaxCategory/cbc:ID := NG", ""),
    ("UBL-SR-43-GST-SG", f". + {GST_TOTALS.format('other')}", f". + {GST_TOTALS.format('incl')}"),
]  # fmt: skip
OF_EU = [
    ("ALIGNED-IBRP-004-EU", "cbc:CustomizationID := urn:peppol:pint:billing-1@jp-1", ""),
    ("ibr-091", "cac:LegalMonetaryTotal/cbc:PayableAmount := 210.000", ""),
    ("BR-S-08", f"{SUBTOTAL}/cbc:TaxableAmount := 201.01",
     f"{SUBTOTAL}/cbc:TaxableAmount := 200.99"),
    ("BR-CO-25", "- cbc:DueDate",
     "- cbc:DueDate ; . + <cac:PaymentTerms><cbc:Note>30 days</cbc:Note></cac:PaymentTerms>"),
    ("BR-66", ". + <cac:PaymentMeans><cac:CardAccount/><cac:CardAccount/></cac:PaymentMeans>",
     ". + <cac:PaymentMeans><cac:CardAccount/></cac:PaymentMeans>"),
    ("BR-CL-04", "cbc:DocumentCurrencyCode := CNH", "cbc:DocumentCurrencyCode := USD"),
    ("PEPPOL-EN16931-R003", "- cbc:BuyerReference", ""),
    ("PEPPOL-EN16931-CL008", f"{B}/cbc:EndpointID@schemeID := EM",
     f"{B}/cbc:EndpointID@schemeID := 0242"),
    ("PEPPOL-EN16931-P0101", (f"- {KIND} ; . + <cbc:CreditNoteTypeCode>261</cbc:CreditNoteTypeCode>"
     " ; cbc:ProfileID := urn:peppol:bis:billing:01:1.0"),
     f"- {KIND} ; . + <cbc:CreditNoteTypeCode>261</cbc:CreditNoteTypeCode>"),
]  # fmt: skip


def broken(document: str, changes: str, rule_set: str) -> set[str]:
    content = etree.tostring(changed(document, changes))
    verdict = judge(content, on=DAY, schema=False, asked=rule_set).verdict
    assert verdict is not None
    return {each.id for each in verdict.findings}


@pytest.mark.parametrize(
    ("document", "rule_set", "cases"),
    [
        (PINT_AE, "pint-ae", [*OF_ALL, *OF_AE]),
        (PINT_OM, "pint-om", OF_OM),
        (PINT_MY, "pint-my", OF_MY),
        (PINT_AUNZ, "pint-aunz", OF_AUNZ),
        (PINT_JP, "pint-jp", OF_JP),
        (PINT_SG, "pint-sg", OF_SG),
        (PINT_EU, "pint-eu", OF_EU),
    ],
)
def test_a_rule_is_broken_just_outside_its_limit_and_not_just_inside(document, rule_set, cases):
    wrong = [
        (rule, outside, inside)
        for rule, outside, inside in cases
        if rule not in broken(document, outside, rule_set)
        or rule in broken(document, inside, rule_set)
    ]

    assert not wrong


@pytest.mark.parametrize(
    ("document", "name", "country"),
    [
        (PINT_AE, "pint-ae", "AE"),
        (PINT_OM, "pint-om", "OM"),
        (PINT_MY, "pint-my", "MY"),
        (PINT_AUNZ, "pint-aunz", "AUNZ"),
        (PINT_JP, "pint-jp", "JP"),
        (PINT_SG, "pint-sg", "SG"),
        (PINT_EU, "pint-eu", "EU"),
    ],
)
def test_a_correct_invoice_is_green_and_chooses_its_set_by_its_specification(
    document, name, country
):
    """The schema is not checked: the sample has its elements in another order."""
    judged = judge(document.encode(), on=DAY, schema=False)

    assert (judged.choice.rule_set.name, judged.choice.by) == (name, "document")
    assert judged.light is Light.GREEN
    assert judged.named == f"Peppol PINT ({country})"  # so it is never made a BIS


def test_information_leaves_a_document_green_and_is_shown():
    """Each document of Oman has one: the release of the rules."""
    report = check(PINT_OM.encode(), on=DAY, schema=False)

    assert report.light is Light.GREEN
    [finding] = report.findings
    assert (finding.rule_id, finding.severity) == ("BTOM-META-001", "information")
    assert finding.message.startswith("Judged by release 1.0.1 of the rules")


def test_self_billing_has_other_types_than_billing():
    self_billed = f"cbc:CustomizationID := urn:peppol:pint:selfbilling-1@ae-1 ; {KIND} := 389"

    assert "ibr-cl-01" not in broken(PINT_AE, self_billed, "pint-ae-selfbilling")
    assert "ibr-cl-01" in broken(PINT_AE, self_billed, "pint-ae")


def test_a_repeated_scheme_stops_the_rules_as_officially():
    document = changed(PINT_AE, f"{B}/cbc:EndpointID ++")

    report = check(etree.tostring(document), on=DAY, schema=False)

    assert "STOPPED-CARDINALITY" in {finding.rule_id for finding in report.findings}


def test_every_finding_has_words_for_people():
    report = check(etree.tostring(changed(PINT_AE, f"{TYPE} := 10000000")), on=DAY, schema=False)

    [finding] = [each for each in report.findings if each.rule_id == "ibr-007-ae"]
    assert finding.message == "A supply of a free trade zone names the beneficiary."


def test_no_rule_of_the_shared_ones_has_the_id_of_an_aligned_one():
    shared = {rule.id for rule in ae.PINT_UBL_OF_AE.rules}

    assert not shared & {rule.id for rule in ae.PINT_AE.rules}
