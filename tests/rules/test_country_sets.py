"""NLCIUS and CIUS-RO: which documents they judge, each kind of rule, and suggestions applied."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest
from lxml import etree

from einvoice.rules import cius_ro, nlcius
from einvoice.validation import Finding, Light, judge, report_of
from tests.rules.applying import applied
from tests.rules.samples import changed
from tests.tables import each_row

DAY = date(2026, 11, 22)
S, B = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
R, D = "cac:TaxRepresentativeParty", "cac:Delivery/cac:DeliveryLocation/cac:Address"
COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
LEGAL = "cac:PartyLegalEntity/cbc:CompanyID"
A, L, PAY = "cac:AllowanceCharge", "cac:InvoiceLine", "cac:PaymentMeans"
CITY = "<cbc:CityName>X</cbc:CityName><cbc:PostalZone>1</cbc:PostalZone>"
ORDER = ". + <cac:OrderReference><cbc:ID>1</cbc:ID></cac:OrderReference>"
ORDER_LINE = "<cac:OrderLineReference><cbc:LineID>1</cbc:LineID></cac:OrderLineReference>"
STREET = "<cbc:StreetName>Y</cbc:StreetName>"


def in_country(code: str) -> list[str]:
    return [
        *(f"{party}/{COUNTRY} := {code}" for party in (S, B, R)),
        f"{D}/cac:Country/cbc:IdentificationCode := {code}",
        *(f"{party}/cac:PostalAddress + {CITY}" for party in (S, B, R)),
        f"{D} + {STREET}{CITY}",
    ]


BASES = {
    "nlcius": [
        *in_country("NL"),
        f"cbc:CustomizationID := {nlcius.SPECIFICATION}",
        *(f"{party}/{LEGAL} := 12345678 ; {party}/{LEGAL}@schemeID := 0106" for party in (S, B)),
        "- //cbc:AllowanceChargeReasonCode",
    ],
    "cius-ro": [
        *in_country("DE"),
        f"cbc:CustomizationID := {cius_ro.SPECIFICATION}",
        "cbc:DocumentCurrencyCode := RON",
        "cac:TaxTotal/cbc:TaxAmount@currencyID := RON",
        f"{D} + <cbc:CountrySubentity>BY</cbc:CountrySubentity>",
    ],
}
LONG = "x" * 400
NAMED = f"{R}/cac:PostalAddress + <cbc:CountrySubentity>U</cbc:CountrySubentity>"


def romanian(path: str, region: str, city: str = "Cluj") -> str:
    return (
        f"{path}/cac:Country/cbc:IdentificationCode := RO ; - {path}/cbc:CountrySubentity ; "
        if path == D
        else f"{path}/cac:Country/cbc:IdentificationCode := RO ; "
    ) + (
        f"{path}/cbc:CityName := {city} ; "
        f"{path} + <cbc:CountrySubentity>{region}</cbc:CountrySubentity>"
    )


# A change to the correct document of the set, the rule it breaks, and a change that does not.
NLCIUS = [
    ("SI-UBL-2", "cbc:Note := ' '", ""),
    ("BII2-T10-R001", "- cbc:CustomizationID", ""),
    ("SI-V20-INV-R000", "cbc:CustomizationID := urn:x", ""),
    ("BR-NL-1", f"{S}/{LEGAL}@schemeID := 0208", f"{S}/{LEGAL}@schemeID := 0190"),
    ("BR-NL-1", f"{S}/{LEGAL} := ' '", f"{S}/{COUNTRY} := BE ; {S}/{LEGAL} := ' '"),
    ("BR-NL-2", "- cbc:BuyerReference",
     "- cbc:BuyerReference ; . + <cac:OrderReference><cbc:ID>1</cbc:ID></cac:OrderReference>"),
    ("BR-NL-3", f"- {S}/cac:PostalAddress/cbc:CityName", ""),
    ("BR-NL-4", f"- {B}/cac:PostalAddress/cbc:PostalZone",
     f"- {B}/cac:PostalAddress/cbc:PostalZone ; {B}/{COUNTRY} := BE"),
    ("BR-NL-5", f"- {R}/cac:PostalAddress/cbc:CityName",
     f"- {R}/cac:PostalAddress/cbc:CityName ; {R}/{COUNTRY} := BE"),
    ("BR-NL-7", "cbc:InvoiceTypeCode := 383", "cbc:InvoiceTypeCode := 389"),
    ("BR-NL-8", "cbc:InvoiceTypeCode := 381", "cbc:InvoiceTypeCode := 380"),
    ("BR-NL-9", "cbc:InvoiceTypeCode := 384 ; - cac:BillingReference",
     "cbc:InvoiceTypeCode := 384"),
    ("BR-NL-10", f"{B}/{LEGAL}@schemeID := 0208",
     f"{B}/{LEGAL}@schemeID := 0208 ; {B}/{COUNTRY} := BE"),
    ("BR-NL-11", f"- {PAY}", f"- {PAY} ; cac:LegalMonetaryTotal/cbc:PayableAmount := 0"),
    ("BR-NL-12", f"{PAY}/cbc:PaymentMeansCode := 10", f"{PAY}/cbc:PaymentMeansCode := 57"),
    ("BR-NL-13", f"{L} + {ORDER_LINE}", f"{L} + {ORDER_LINE} ; {ORDER}"),
    ("BR-NL-19", ". + <cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>", ""),
    ("BR-NL-20", ". + <cbc:TaxPointDate>2026-11-01</cbc:TaxPointDate>", ""),
    ("BR-NL-21", "cac:InvoicePeriod + <cbc:DescriptionCode>35</cbc:DescriptionCode>", ""),
    ("BR-NL-24", ("cac:BillingReference/cac:InvoiceDocumentReference + "
     "<cbc:IssueDate>2026-01-01</cbc:IssueDate>"), ""),
    ("BR-NL-25", f"{S}/cac:PartyTaxScheme/cac:TaxScheme/cbc:ID := TAX", ""),
    ("BR-NL-26", f"{S}/cac:PartyLegalEntity + <cbc:CompanyLegalForm>BV</cbc:CompanyLegalForm>", ""),
    *((f"BR-NL-27-{number}",
       f"{path} + <cac:AddressLine><cbc:Line>3</cbc:Line></cac:AddressLine>", "")
      for number, path in enumerate(
          (f"{S}/cac:PostalAddress", f"{B}/cac:PostalAddress", f"{R}/cac:PostalAddress", D), 1)),
    *((f"BR-NL-28-{number}", f"{path} + <cbc:CountrySubentity>U</cbc:CountrySubentity>", "")
      for number, path in enumerate(
          (f"{S}/cac:PostalAddress", f"{B}/cac:PostalAddress", f"{R}/cac:PostalAddress", D), 1)),
    ("BR-NL-29", f"{PAY}/cbc:PaymentMeansCode@name := SEPA", ""),
    ("BR-NL-30", f"{PAY}/cac:PayeeFinancialAccount + <cbc:Name>N</cbc:Name>", ""),
    ("BR-NL-31", (f"{PAY}/cbc:PaymentMeansCode := 58 ; {PAY}/cac:PayeeFinancialAccount + "
     "<cac:FinancialInstitutionBranch><cbc:ID>B</cbc:ID></cac:FinancialInstitutionBranch>"),
     (f"{PAY}/cac:PayeeFinancialAccount + "
     "<cac:FinancialInstitutionBranch><cbc:ID>B</cbc:ID></cac:FinancialInstitutionBranch>")),
    ("BR-NL-32-1", f"{A} + <cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>", ""),
    ("BR-NL-33", "cac:TaxTotal/cbc:TaxAmount@currencyID := SEK", ""),
    ("BR-NL-35", ("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory + "
     "<cbc:TaxExemptionReasonCode>VATEX-EU-O</cbc:TaxExemptionReasonCode>"), ""),
]  # fmt: skip
CIUS_RO = [
    ("BR-RO-001", "cbc:CustomizationID := " + cius_ro.ANY_VERSION + "1.0.0", ""),
    ("BR-RO-DT001", "cbc:IssueDate := 2026-11-01Z", ""),
    ("BR-RO-DT003", "cbc:DueDate := 2026-02-30", ""),
    ("BR-27", f"{L}/cac:Price/cbc:PriceAmount := -1", f"{L}/cac:Price/cbc:PriceAmount := 0"),
    ("BR-27", f"{L}/cac:Price/cbc:PriceAmount := -INF", f"{L}/cac:Price/cbc:PriceAmount := NaN"),
    ("BR-RO-020_1", "cbc:InvoiceTypeCode := 381", "cbc:InvoiceTypeCode := 751"),
    ("BR-RO-040", "cac:InvoicePeriod + <cbc:DescriptionCode>29</cbc:DescriptionCode>",
     "cac:InvoicePeriod + <cbc:DescriptionCode>432</cbc:DescriptionCode>"),
    ("BR-RO-010", "cbc:ID := INV", "cbc:ID := INV1"),
    ("BR-RO-030", "cbc:DocumentCurrencyCode := EUR",
     "cbc:DocumentCurrencyCode := EUR ; . + <cbc:TaxCurrencyCode>RON</cbc:TaxCurrencyCode>"),
    ("BR-RO-A020", ". + " + "<cbc:Note>x</cbc:Note>" * 20, ". + " + "<cbc:Note>x</cbc:Note>" * 19),
    ("BR-RO-065", f"- {R} ; - {S}/cac:PartyTaxScheme", f"- {S}/cac:PartyTaxScheme"),
    ("BR-RO-120", f"- {B}/{LEGAL} ; - {B}/cac:PartyTaxScheme", f"- {B}/{LEGAL}"),
    ("BR-RO-081", f"- {S}/cac:PostalAddress/cbc:StreetName", ""),
    ("BR-RO-092", f"{B}/cac:PostalAddress/cbc:CityName := ' '", ""),
    ("BR-RO-150", f"- {R}/cac:PostalAddress/cbc:CityName", ""),
    ("BR-RO-180", f"- {D}/cbc:StreetName", ""),
    ("BR-RO-211", f"- {D}/cbc:CountrySubentity", ""),
    ("BR-RO-110", romanian(f"{S}/cac:PostalAddress", "CJ"),
     romanian(f"{S}/cac:PostalAddress", "RO-CJ")),
    ("BR-RO-111", romanian(f"{B}/cac:PostalAddress", "RO-XX"),
     romanian(f"{B}/cac:PostalAddress", "RO-SB")),
    ("BR-RO-170", romanian(f"{R}/cac:PostalAddress", "X"),
     romanian(f"{R}/cac:PostalAddress", "RO-SB")),
    ("BR-RO-212", romanian(D, "X"), romanian(D, "RO-AB")),
    ("BR-RO-100", romanian(f"{S}/cac:PostalAddress", "RO-B"),
     romanian(f"{S}/cac:PostalAddress", "RO-B", "SECTOR6")),
    ("BR-RO-101", romanian(f"{B}/cac:PostalAddress", "RO-B", "SECTOR7"),
     romanian(f"{B}/cac:PostalAddress", "RO-B", "SECTOR1")),
    ("BR-RO-160", romanian(f"{R}/cac:PostalAddress", "RO-B"), ""),
    ("BR-RO-202", romanian(D, "RO-B"), ""),
    ("BR-CO-25", "- cbc:DueDate", ("- cbc:DueDate ; . + <cac:PaymentTerms><cbc:Note>1</cbc:Note>"
     "</cac:PaymentTerms>")),
    ("BR-DEC-RO-01", f"{A}/cbc:Amount := 10.000", f"{A}/cbc:Amount := 10.00"),
    *((rule, f"{path} := {'x' * (most + 1)}", f"{path} := {'x' * most}") for rule, path, most in (
        ("BR-RO-L155", "cbc:ID", 200),
        ("BR-RO-L302", "cbc:Note", 300),
        ("BR-RO-L0501", f"{S}/cac:PostalAddress/cbc:CityName", 50),
        ("BR-RO-L151", f"{S}/cac:PostalAddress/cbc:StreetName", 150),
        ("BR-RO-L201", f"{S}/cac:PartyLegalEntity/cbc:RegistrationName", 200),
        ("BR-RO-L1024", f"{L}/cac:Item/cbc:Name", 100),
        ("BR-RO-L0505", f"{L}/cac:Item/cac:AdditionalItemProperty/cbc:Name", 50),
        ("BR-RO-L140", f"{PAY}/cbc:PaymentID", 140),
        ("BR-RO-L211", "//cbc:EmbeddedDocumentBinaryObject@filename", 200),
    )),
]  # fmt: skip
CASES = [("nlcius", *case) for case in NLCIUS] + [("cius-ro", *case) for case in CIUS_RO]
APPLICABLE = {
    "nlcius": {rule for rule, *_ in NLCIUS if rule.startswith(("BR-NL-2", "BR-NL-3"))}
    - {"BR-NL-2", "BR-NL-3", "BR-NL-31"}
    | {"BR-NL-7", "BR-NL-12", "BR-NL-19", "SI-V20-INV-R000", "BII2-T10-R001"},
    "cius-ro": {rule for rule, *_ in CIUS_RO if rule.startswith("BR-RO-L")}
    | {"BR-RO-001", "BR-RO-020_1", "BR-RO-040"}
    | {f"BR-RO-{number}" for number in (100, 101, 110, 111, 160, 170, 202, 212)},
}  # fmt: skip


def document(name: str, change: str) -> etree._Element:
    return changed(" ; ".join([*BASES[name], change]))


def findings(name: str, content: etree._Element) -> list[Finding]:
    judged = judge(etree.tostring(content), on=DAY, schema=False, asked=name)
    return list(report_of(judged).findings)


def broken(name: str, change: str) -> set[str]:
    return {finding.rule_id for finding in findings(name, document(name, change))}


@pytest.mark.parametrize("name", BASES)
def test_the_correct_document_of_a_set_breaks_no_rule(name):
    assert broken(name, "") == set()


@pytest.mark.parametrize("name", BASES)
def test_a_document_chooses_its_set_by_its_specification(name):
    judged = judge(etree.tostring(document(name, "")), on=DAY, schema=False)

    assert (judged.choice.rule_set.name, judged.choice.by) == (name, "document")
    assert judged.light is Light.GREEN


@each_row(("name", "rule", "wrong", "right"), CASES)
def test_a_rule_is_broken_just_outside_its_limit_and_not_just_inside(name, rule, wrong, right):
    assert rule in broken(name, wrong)
    assert rule not in broken(name, right)


def test_every_rule_of_nlcius_that_can_be_broken_has_a_case():
    from einvoice.rules.nlcius.ubl import NLCIUS_UBL

    assert {rule.id for rule in NLCIUS_UBL.rules} == {rule for rule, *_ in NLCIUS}


EMPTY = "SI-UBL-2"
SCHEME = f"{S}/cac:PartyTaxScheme/cac:TaxScheme/cbc:ID"
# A change to the correct document of NLCIUS, and the only rules of NLCIUS that it breaks.
EXACTLY = [
    # SI-UBL-2 is the last of its pattern: what an earlier context takes is not found empty.
    (f"{PAY}/cbc:PaymentMeansCode := ' '", {"BR-NL-12"}),
    (". + <cbc:TaxCurrencyCode/>", {"BR-NL-19"}),
    (f"{S}/cac:PostalAddress + <cbc:CountrySubentity/>", {"BR-NL-28-1"}),
    (f"{D} + <cac:AddressLine><cbc:Line/></cac:AddressLine>", {"BR-NL-27-4"}),
    (f"{D} + <cac:AddressLine/>", {EMPTY}),
    (f"{A} + <cbc:AllowanceChargeReasonCode/>", {"BR-NL-32-1"}),
    (f"{L} + <cac:OrderLineReference><cbc:LineID/></cac:OrderLineReference>", {"BR-NL-13"}),
    (f"{L} + <cac:OrderLineReference><cbc:LineID/></cac:OrderLineReference> ; {ORDER}", set()),
    (f"{L} + <cac:OrderLineReference/>", {EMPTY}),
    (f"{S} + <cac:PartyTaxScheme/>", set()),
    (f"{B} + <cac:PartyTaxScheme/>", {EMPTY}),
    # The contexts of a Dutch seller take nothing of another one.
    (f"{S}/{COUNTRY} := BE ; {PAY}/cbc:PaymentMeansCode := ' '", {EMPTY}),
    # Compared exactly.
    (f"{SCHEME} := VAT", set()), (f"{SCHEME} := ' VAT'", {"BR-NL-25"}),
    (f"{SCHEME} := vat", {"BR-NL-25"}),
    (f"{SCHEME} := TAX ; - {S}/cac:PartyTaxScheme/cbc:CompanyID", set()),
    ("cbc:InvoiceTypeCode := ' 381'", {"BR-NL-7"}),
    ("cbc:InvoiceTypeCode := ' 384' ; - cac:BillingReference", {"BR-NL-7"}),
    # The buyer: without a country its address counts as Dutch, a blank number is wrong anywhere.
    (f"- {B}/cac:PostalAddress/cac:Country ; - {B}/cac:PostalAddress/cbc:CityName", {"BR-NL-4"}),
    (f"- {B}/cac:PostalAddress/cac:Country", set()),
    (f"{B}/{COUNTRY} := nl ; - {B}/cac:PostalAddress/cbc:CityName", set()),
    (f"{B}/{COUNTRY} := BE ; {B}/{LEGAL}@schemeID := 0208", set()),
    (f"{B}/{COUNTRY} := BE ; {B}/{LEGAL}@schemeID := 0208 ; {B}/{LEGAL} := ' '",
     {"BR-NL-10", EMPTY}),
]  # fmt: skip


T = "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"
# A change to the correct document of CIUS-RO, the rule, and whether it breaks it: what 1.0.9 has
# otherwise than the EN 16931 of today, which says the opposite (None: has no such rule).
OTHERWISE = [
    (f"{S}/{LEGAL}@schemeID := 0217", "BR-CL-11", True, False),
    (f"{S}/{LEGAL}@schemeID := 0216", "BR-CL-11", False, False),
    (f"{S}/cac:PartyIdentification/cbc:ID@schemeID := 0240", "BR-CL-10", True, False),
    (f"{S}/cac:PartyIdentification/cbc:ID@schemeID := SEPA", "BR-CL-10", False, False),
    (f"{S}/cbc:EndpointID@schemeID := 0154", "BR-CL-25", True, False),
    (f"{S}/cbc:EndpointID@schemeID := 9901", "BR-CL-25", False, True),
    (f"{T} + <cbc:TaxExemptionReasonCode>VATEX-FR-AE</cbc:TaxExemptionReasonCode>",
     "BR-CL-22", True, False),
    (f"{T} + <cbc:TaxExemptionReasonCode>vatex-eu-ae</cbc:TaxExemptionReasonCode>",
     "BR-CL-22", False, False),
    ("cbc:DocumentCurrencyCode := MRU", "BR-CL-04", True, False),
    ("cbc:DocumentCurrencyCode := HRK", "BR-CL-04", False, True),
    ("cbc:InvoiceTypeCode := 500", "BR-CL-01", True, False),
    ("cbc:InvoiceTypeCode := 390", "BR-CL-01", False, False),
    (f"{PAY}/cbc:PaymentMeansCode := 98", "BR-CL-16", True, False),
    (f"- {L}/cbc:LineExtensionAmount@currencyID", "BR-CL-03", False, True),
    (f"{L}/cbc:LineExtensionAmount@currencyID := XCG", "BR-CL-03", True, False),
    # An element that is there may be white space, but not empty.
    (f"{L}/cbc:ID := ' '", "BR-21", False, True), (f"{L}/cbc:ID :=", "BR-21", True, True),
    (f"- {L}/cbc:ID", "BR-21", True, True),
    (f"{S}/{COUNTRY} := ' '", "BR-09", False, True), (f"{S}/{COUNTRY} :=", "BR-09", True, True),
    ("cbc:ID := ' '", "BR-02", False, True),
    ("cbc:InvoiceTypeCode := ' '", "BR-04", False, True),
    # The names of the categories L and M.
    (f"//{T}/cbc:ID ::= L", "BR-IG-01", True, None),
    (f"//{T}/cbc:ID ::= L", "BR-AF-01", None, True),
    (f"//{T}/cbc:ID ::= M", "BR-IP-01", True, None),
    (f"//{T}/cbc:ID ::= M", "BR-AG-01", None, True),
]  # fmt: skip


def test_cius_ro_judges_en16931_as_its_release_has_it():
    def judged(name: str, change: str, rule: str) -> bool:
        content = etree.tostring(document("cius-ro", change))
        verdict = judge(content, on=DAY, schema=False, asked=name).verdict
        return rule in {each.id for each in verdict.findings}

    wrong = [
        (change, rule, name)
        for change, rule, *expected in OTHERWISE
        for name, broken in zip(("cius-ro", "en16931"), expected, strict=True)
        if judged(name, change, rule) is not bool(broken)
    ]

    assert not wrong


@pytest.mark.parametrize(("rule", "of_cen"), [("BR-IG-01", "BR-AF-01"), ("BR-IP-08", "BR-AG-08")])
def test_a_category_of_cius_ro_is_put_into_the_words_of_en16931(rule, of_cen):
    change = f"//{T}/cbc:ID ::= {'L' if 'IG' in rule else 'M'}"
    words = {
        name: {each.rule_id: (each.message, each.field) for each in report_of(
            judge(etree.tostring(document("cius-ro", change)), on=DAY, schema=False, asked=name)
        ).findings}
        for name in ("cius-ro", "en16931")
    }  # fmt: skip

    assert words["cius-ro"][rule] == words["en16931"][of_cen]


def test_nlcius_finds_what_its_one_pattern_finds():
    ids = {rule for rule, *_ in NLCIUS}
    found = {change: broken("nlcius", change) & ids for change, _ in EXACTLY}

    assert {
        change: rules for change, rules in found.items() if rules != dict(EXACTLY)[change]
    } == {}


@each_row(("name", "rule", "wrong"), [(name, rule, wrong) for name, rule, wrong, _ in CASES])
def test_a_suggestion_that_names_a_value_removes_its_finding(name, rule, wrong):
    """Applied by machine: set the value, shorten the text, leave the element out."""
    content = document(name, wrong)
    [finding, *_] = [each for each in findings(name, content) if each.rule_id == rule]

    by_machine = applied(content, finding)

    assert by_machine is (rule in APPLICABLE[name])
    if by_machine:
        places = [each.location for each in findings(name, content) if each.rule_id == rule]
        assert finding.location not in places


def test_the_rules_of_a_country_are_imported_with_its_first_document():
    """So that other documents pay neither time nor memory for them."""
    program = (
        "import sys, einvoice.validation\n"
        "print([name for name in sys.modules if name.endswith(('nlcius.ubl', 'cius_ro.ubl'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.strip() == b"[]"
