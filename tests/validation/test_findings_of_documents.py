"""The words of single findings: each quotes what is wrong, and its suggestion is no other error."""

from __future__ import annotations

from datetime import date

import pytest
from lxml import etree

from einvoice import validation
from einvoice.validation import Finding
from tests.rules.changes import both, drop_all, good, put, twice
from tests.rules.changes import changed as changed_cii
from tests.rules.countries_cii import PROCESS, SAMPLE, SWEDISH, reason, vat_number
from tests.rules.countries_ubl import (
    BASES,
    ENDPOINT,
    LEGAL,
    VAT_NUMBER,
    A,
    B,
    L,
    R,
    S,
    at,
    seller_id,
)
from tests.rules.samples import changed

DAY = date(2026, 11, 21)
NO_SELLER_NUMBER = f"- {S}/cac:PartyTaxScheme ; - {R}"
NO_BUYER_NUMBER = f"- {B}/cac:PartyTaxScheme ; - {B}/{LEGAL}"
DISCOUNT = (
    f"{L}/cac:Price + <cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>"
    '<cbc:Amount currencyID="EUR">{}</cbc:Amount><cbc:BaseAmount currencyID="EUR">100'
    "</cbc:BaseAmount></cac:AllowanceCharge>"
)
EMPTY_REFERENCE = "<cac:BillingReference><cac:InvoiceDocumentReference/></cac:BillingReference>"
POINT = "<cac:InvoicePeriod><cbc:DescriptionCode>9</cbc:DescriptionCode></cac:InvoicePeriod>"


def of_rule(data: bytes, rule: str) -> Finding:
    found = validation.check(data, on=DAY, schema=False).findings
    return next(one for one in found if one.rule_id == rule)


def ubl(rule: str, change: str, country: str = "EU") -> Finding:
    """The first finding of a rule on the correct UBL invoice of a country with a change."""
    return of_rule(etree.tostring(changed(" ; ".join([*BASES[country], change]))), rule)


def cii(rule: str, *changes: object) -> Finding:
    """The first finding of a rule on the correct CII invoice with changes."""
    return of_rule(changed_cii(good(SAMPLE), *changes), rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("BGN", ("EUR replaced in 2026", "Use EUR,")),
        ("HRK", ("EUR replaced in 2023", "Use EUR,")),
        ("ANG", ("XCG replaced in 2025", "Use XCG,")),
        ("EURO", ("is not a code", "Use EUR if you mean that")),
        ("eur", ("is not a code", "Use EUR if you mean that")),
        ("BTM", ("is not a code", "Use three letters")),
        ("QQQ", ("is not a code", "Use three letters")),
    ],
)
def test_a_currency_is_suggested_for_its_meaning_only(code: str, words: tuple[str, str]) -> None:
    """BGN is not a misspelt BTN: the ngultrum is another country's money."""
    finding = ubl("BR-CL-04", f"cbc:DocumentCurrencyCode := {code}")

    assert words[0] in (finding.explanation or "")
    assert words[1] in (finding.suggestion or "")
    assert "BTN" not in (finding.suggestion or "")


def test_a_negative_net_price_is_not_suggested() -> None:
    """BR-27 forbids it, so the gross price or the discount must be corrected."""
    too_much = ubl("PEPPOL-EN16931-R046", DISCOUNT.format(110))
    allowed = ubl("PEPPOL-EN16931-R046", DISCOUNT.format(10))

    assert "Send" not in (too_much.suggestion or "")
    assert "BR-27" in (too_much.suggestion or "")
    assert (allowed.suggestion or "").startswith("Send 90 as net price")


QUOTING: list[tuple[Finding, str]] = [
    (ubl("PEPPOL-EN16931-R007", "cbc:ProfileID := urn:x"), "“urn:x”"),
    (cii("PEPPOL-EN16931-R007", put(PROCESS, "urn:x")), "“urn:x”"),
    (ubl("PEPPOL-EN16931-R053", "cac:TaxTotal ++"), "2: 52.50, 52.50"),
    (cii("PEPPOL-EN16931-R053", twice("TaxTotalAmount")), "2: 29.82, 29.82"),
    (cii("PEPPOL-EN16931-R053", drop_all("TaxTotalAmount")), "has 0."),
    (ubl("SE-R-001", f"{S}/{VAT_NUMBER} := SE556", "SE"), "“SE556”"),
    (ubl("SE-R-002", f"{S}/{VAT_NUMBER} := SE55601257900X", "SE"), "“SE55601257900X”"),
    (cii("SE-R-002", both(SWEDISH, vat_number("SEX"))), "“SEX”"),
    (ubl("NO-R-001", f"{S}/{VAT_NUMBER} := NO1", "NO"), "“NO1”"),
    (ubl("GR-R-009", seller_id("0088", "95200"), "GR"), "“95200” with the scheme 0088"),
    (ubl("GR-R-009", f"- {S}/{ENDPOINT}@schemeID", "GR"), "“094259216” without a scheme"),
    (ubl("GR-R-010", f"{B}/{ENDPOINT} := 123", "GR"), "“123” with the scheme 9933"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("finding", "quoted"), QUOTING, ids=lambda one: getattr(one, "rule_id", "")
)
def test_an_explanation_quotes_the_value(finding: Finding, quoted: str) -> None:
    assert quoted in (finding.explanation or "")


GREEK_PARTS = {
    "GR-R-001-1": ("2026-17", "“2026-17” has 1 of them"),
    "GR-R-001-2": ("1|01/11/2026|0|1.1|A|1", "The first part of “1|01/11/2026|0|1.1|A|1” is “1”"),
    "GR-R-001-3": ("094259216|02/11/2026|0|1.1|A|1", "“02/11/2026”; the issue date is 01/11/2026"),
    "GR-R-001-4": ("094259216|01/11/2026|x|1.1|A|1", "is “x”, which is not a whole number"),
    "GR-R-001-5": ("094259216|01/11/2026|0|99|A|1", "is “99”, which is not a document type"),
    "GR-R-001-6": ("094259216|01/11/2026|0|1.1||1", "The fifth part of"),
    "GR-R-001-7": ("094259216|01/11/2026|0|1.1|A|", "is empty."),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "number", "words"), [(k, *v) for k, v in GREEK_PARTS.items()])
def test_each_rule_on_a_greek_number_quotes_its_part(rule: str, number: str, words: str) -> None:
    finding = ubl(rule, f"cbc:ID := {number}", "GR")

    assert words in (finding.explanation or "")


@pytest.mark.parametrize("part", range(3, 8))
def test_a_missing_part_of_a_greek_number_is_named_as_missing(part: int) -> None:
    """A number with one part violates seven rules."""
    finding = ubl(f"GR-R-001-{part}", "cbc:ID := 2026-17", "GR")

    assert "“2026-17” has only 1 of the six parts" in (finding.explanation or "")


@pytest.mark.parametrize(
    ("change", "whose", "field"),
    [
        (NO_BUYER_NUMBER, "of the buyer is missing", "invoice.buyer.taxId"),
        (NO_SELLER_NUMBER, "of the supplier is missing", "invoice.supplier.taxId"),
        (
            f"{NO_SELLER_NUMBER} ; {NO_BUYER_NUMBER}",
            "of the supplier and of the buyer is missing",
            "invoice.supplier.taxId",
        ),
    ],
)
@pytest.mark.parametrize(
    ("rule", "category"),
    [
        ("BR-AE-02", "//cac:ClassifiedTaxCategory/cbc:ID ::= AE"),
        ("BR-AE-03", "//cac:TaxCategory/cbc:ID ::= AE"),
        ("BR-AE-04", "//cac:TaxCategory/cbc:ID ::= AE"),
        ("BR-IC-02", "//cac:ClassifiedTaxCategory/cbc:ID ::= K"),
    ],
)
def test_a_missing_number_has_its_party(
    rule: str, category: str, change: str, whose: str, field: str
) -> None:
    """The number of the supplier, of the buyer, or of both."""
    finding = ubl(rule, f"{category} ; {change}")

    assert whose in (finding.explanation or "")
    assert field in (finding.suggestion or "")
    assert finding.field == field


@pytest.mark.parametrize(("party", "whose"), [("Buyer", "buyer"), ("Seller", "supplier")])
def test_a_missing_number_has_its_party_in_cii(party: str, whose: str) -> None:
    numbers = f"{party}TradeParty/SpecifiedTaxRegistration"
    representative = "SellerTaxRepresentativeTradeParty"
    finding = cii(
        "BR-IC-02",
        put("SpecifiedLineTradeSettlement/ApplicableTradeTax/CategoryCode", "K"),
        drop_all(numbers),
        drop_all(representative if party == "Seller" else numbers),
    )

    assert f"number of the {whose} is missing" in (finding.explanation or "")
    assert finding.field == f"invoice.{whose}.taxId"


def test_the_codes_of_a_short_list_are_named() -> None:
    """UBL and CII have three VAT point date codes each, and not the same."""
    in_ubl = ubl("BR-CL-06", f". + {POINT}")
    in_cii = cii("BR-CL-06", put("DueDateTypeCode", "35"))

    assert "3, 35, 432" in in_ubl.message
    assert "5, 29, 72" in in_cii.message
    assert "“9”" in (in_ubl.explanation or "")


def test_an_empty_reference_of_a_line_leads_to_the_line() -> None:
    """Not to the preceding invoice of the document."""
    of_line = ubl("BR-55", f"{L} + {EMPTY_REFERENCE}")
    of_document = ubl("BR-55", f". + {EMPTY_REFERENCE}")

    assert of_line.field == "invoice.lineItems[0]"
    assert "in line 1" in (of_line.suggestion or "")
    assert "precedingInvoice" not in (of_line.suggestion or "")
    assert of_document.field == "invoice.precedingInvoice.number"


@pytest.mark.parametrize(
    "finding",
    [
        ubl("DK-R-004", f"{at('DK')} ; {A}/cbc:AllowanceChargeReasonCode := ZZZ", "DK"),
        cii("DK-R-004", reason("abc")),
    ],
    ids=["ubl", "cii"],
)
def test_a_danish_duty_may_have_a_text_behind_its_digits(finding: Finding) -> None:
    """The rule accepts four digits, or parts separated by #."""
    assert "may be text" in finding.message
    assert "# and a text" in (finding.suggestion or "")
