"""Each fatal Peppol rule for CII: a change to a correct invoice that breaks it.

There is no public package of the current release of this layer, so these cases follow the text of
the requirements. `FIRES` breaks each rule once. `HOLDS` is the change that just does not break it.
The cases of a country begin with an invoice between parties of that country.
"""

from functools import cache

import pytest

from einvoice.rules import PACKS, Flag, Layer
from tests.rules.changes import both, changed, drop, drop_all, good, put, put_all, twice
from tests.rules.countries_cii import (
    ADDRESS,
    ALLOWANCE,
    BILLING,
    BUYER,
    CREDIT_NOTE,
    CREDITOR,
    DEBIT,
    DUE,
    ENDPOINT,
    ENDS,
    F_TAX,
    GUIDELINE,
    LEGAL_ID,
    LINE_DOCUMENT,
    MEANS,
    NET,
    NET_BASE,
    NO_MEANS,
    ORDER,
    PROCESS,
    REPRESENTATIVE,
    SAMPLE,
    SELLER,
    SETTLEMENT,
    STARTS,
    SWEDISH,
    TAX_ID,
    TOTALS,
    bank,
    document,
    endpoint,
    fired,
    mandate,
    means,
    reason,
    seller_in,
    vat_number,
    within,
)
from tests.tables import each_row


@cache
def rules():
    return [rule for rule in PACKS[0].book(Layer.PEPPOL_CII).rules if rule.flag is Flag.FATAL]


FIRES = {
    "PEPPOL-EN16931-R001": drop(PROCESS),
    "PEPPOL-EN16931-R002": twice("IncludedNote"),
    "PEPPOL-EN16931-R003": both(drop("BuyerReference"), drop(ORDER)),
    "PEPPOL-EN16931-R004": put(GUIDELINE, "urn:cen.eu:en16931:2017"),
    "PEPPOL-EN16931-R005": put("TaxCurrencyCode", "EUR"),
    "PEPPOL-EN16931-R006": document("130"),
    "PEPPOL-EN16931-R007": put(PROCESS, "urn:fdc:peppol.eu:2017:poacc:ordering:01:1.0"),
    "PEPPOL-EN16931-R010": drop(f"{BUYER}/URIUniversalCommunication"),
    "PEPPOL-EN16931-R020": drop(f"{SELLER}/URIUniversalCommunication"),
    "PEPPOL-EN16931-R040": put(f"{ALLOWANCE}/ActualAmount", "10.03"),
    "PEPPOL-EN16931-R041": drop(f"{ALLOWANCE}/BasisAmount"),
    "PEPPOL-EN16931-R042": drop(f"{ALLOWANCE}/CalculationPercent"),
    "PEPPOL-EN16931-R043": put(f"{ALLOWANCE}/ChargeIndicator/Indicator", "0"),
    "PEPPOL-EN16931-R053": drop(f"{TOTALS}/TaxTotalAmount"),
    "PEPPOL-EN16931-R054": drop("TaxCurrencyCode"),
    "PEPPOL-EN16931-R055": put(f"{TOTALS}/TaxTotalAmount", "-29.82"),
    "PEPPOL-EN16931-R061": DEBIT,
    "PEPPOL-EN16931-R080": document("50", times=2),
    "PEPPOL-EN16931-R100": twice(LINE_DOCUMENT),
    "PEPPOL-EN16931-R101": put(f"{LINE_DOCUMENT}/TypeCode", "916"),
    "PEPPOL-EN16931-R110": put(STARTS, "20260930"),
    "PEPPOL-EN16931-R111": put(ENDS, "20261101"),
    "PEPPOL-EN16931-R120": put(NET, "97.03"),
    "PEPPOL-EN16931-R121": put(NET_BASE, "0"),
    "PEPPOL-EN16931-R130": put(f"{NET_BASE}/@unitCode", "KGM"),
    "PEPPOL-EN16931-CL001": put("AttachmentBinaryObject/@mimeCode", "text/html"),
    "PEPPOL-EN16931-CL002": put(f"{ALLOWANCE}/ReasonCode", "PC"),
    "PEPPOL-EN16931-CL003": both(drop(ALLOWANCE), put(f"{ALLOWANCE}/ReasonCode", "95")),
    "PEPPOL-EN16931-CL007": put("TaxTotalAmount/@currencyID", "EURO"),
    "PEPPOL-EN16931-CL008": put(f"{ENDPOINT}/@schemeID", "0001"),
    "PEPPOL-EN16931-F001": put("IssueDateTime/DateTimeString", "19991231"),
    "PEPPOL-COMMON-R040": endpoint("0088", "7300010000002"),
    "PEPPOL-COMMON-R041": endpoint("0192", "123456786"),
    "PEPPOL-COMMON-R042": endpoint("0184", "DK1234567"),
    "PEPPOL-COMMON-R043": put(ENDPOINT, "0403019262"),
    "PEPPOL-COMMON-R049": endpoint("0007", "5560004756"),
    "PEPPOL-COMMON-R050": endpoint("0151", "51824753557"),
    "PEPPOL-COMMON-R052": endpoint("0096", "123456789"),
    "PEPPOL-COMMON-R053": endpoint("0198", "12345678"),
    "NO-R-001": vat_number("NO123456786MVA"),
    "DK-R-002": both(seller_in("DK"), drop(LEGAL_ID)),
    "DK-R-004": reason("#duty"),
    "DK-R-005": means("30"),
    "DK-R-006": means("31"),
    "DK-R-007": means("49"),
    "DK-R-008": means("50", "05#", "1234567"),
    "DK-R-009": means("50", "04#123456789012345"),
    "DK-R-010": means("93", "72#", "12345678"),
    "DK-R-011": means("93", "71#12345678901234", "12345678"),
    "DK-R-013": both(within("DK"), drop(f"{SELLER}/GlobalID/@schemeID")),
    "DK-R-014": seller_in("DK"),
    "DK-R-016": both(within("DK"), CREDIT_NOTE, put(DUE, "-0.01")),
    "IT-R-001": both(seller_in("IT"), vat_number("1234567890", "FC")),
    "IT-R-002": both(seller_in("IT"), drop(f"{ADDRESS}/LineOne")),
    "IT-R-003": both(seller_in("IT"), drop(f"{ADDRESS}/CityName")),
    "IT-R-004": both(seller_in("IT"), drop(f"{ADDRESS}/PostcodeCode")),
    "SE-R-001": both(SWEDISH, put(TAX_ID, "SE55600047550")),
    "SE-R-002": both(SWEDISH, put(TAX_ID, "SE55600047550X")),
    "SE-R-003": both(SWEDISH, put(LEGAL_ID, "556000-4755")),
    "SE-R-004": both(SWEDISH, put(LEGAL_ID, "55600047555")),
    "SE-R-005": both(SWEDISH, F_TAX, put(TAX_ID, "Godkänd")),
    "SE-R-006": SWEDISH,
    "SE-R-013": both(SWEDISH, put(LEGAL_ID, "5560004756")),
    "NL-R-001": both(
        seller_in("NL"), CREDIT_NOTE, drop_all("InvoiceReferencedDocument")
    ),
    "NL-R-002": both(seller_in("NL"), drop(f"{ADDRESS}/CityName")),
    "NL-R-003": seller_in("NL"),
    "NL-R-004": both(within("NL"), drop(f"{BUYER}/PostalTradeAddress/LineOne")),
    "NL-R-005": within("NL"),
    "NL-R-006": both(seller_in("NL"), put(REPRESENTATIVE, "NL")),
    "NL-R-007": both(seller_in("NL"), NO_MEANS),
    "NL-R-008": both(within("NL"), put(f"{MEANS}/TypeCode", "10")),
    "NL-R-009": both(seller_in("NL"), drop(ORDER)),
}  # fmt: skip

HOLDS = {
    "PEPPOL-EN16931-R003": drop("BuyerReference"),
    "PEPPOL-EN16931-R004": put(GUIDELINE, f"{BILLING}#x"),
    "PEPPOL-EN16931-R006": document("916"),
    "PEPPOL-EN16931-R040": put(f"{ALLOWANCE}/ActualAmount", "10.02"),
    "PEPPOL-EN16931-R043": put(f"{ALLOWANCE}/ChargeIndicator/Indicator", " false "),
    "PEPPOL-EN16931-R055": put_all(f"{TOTALS}/TaxTotalAmount", "0"),
    "PEPPOL-EN16931-R061": both(DEBIT, mandate(SETTLEMENT)),
    "PEPPOL-EN16931-R080": document("50"),
    "PEPPOL-EN16931-R110": put(STARTS, "20261001"),
    "PEPPOL-EN16931-R111": put(ENDS, "20261031"),
    "PEPPOL-EN16931-R120": put(NET, "97.02"),
    "PEPPOL-EN16931-R121": put(NET_BASE, "0.01"),
    "PEPPOL-EN16931-R130": drop(f"{NET_BASE}/@unitCode"),
    "PEPPOL-EN16931-F001": put("IssueDateTime/DateTimeString", "20991231"),
    "PEPPOL-COMMON-R040": endpoint("0088", " 7300010000001 "),
    "PEPPOL-COMMON-R041": endpoint("0192", "123456785"),
    "PEPPOL-COMMON-R042": endpoint("0184", "DK12345678"),
    "PEPPOL-COMMON-R049": endpoint("0007", "5560004755"),
    "PEPPOL-COMMON-R050": endpoint("0151", "51824753556"),
    "PEPPOL-COMMON-R052": endpoint("0096", "1234567890"),
    "PEPPOL-COMMON-R053": endpoint("0198", "DK12345678"),
    "NO-R-001": vat_number("NO123456785MVA"),
    "DK-R-004": reason("1234"),
    "DK-R-005": means("58"),
    "DK-R-006": both(means("31"), bank("1234")),
    "DK-R-007": both(means("49"), CREDITOR, mandate(MEANS)),
    "DK-R-008": means("50", "01#", "1234567"),
    "DK-R-009": means("50", "04#1234567890123456"),
    "DK-R-010": means("93", "73#", "12345678"),
    "DK-R-011": means("93", "71#123456789012345", "12345678"),
    "DK-R-013": within("DK"),
    "DK-R-014": both(seller_in("DK"), put(f"{LEGAL_ID}/@schemeID", "0184")),
    "DK-R-016": both(within("DK"), CREDIT_NOTE, put(DUE, "0")),
    "IT-R-001": both(seller_in("IT"), vat_number("12345678901", "FC")),
    "IT-R-002": seller_in("IT"),
    "SE-R-001": SWEDISH,
    "SE-R-002": SWEDISH,
    "SE-R-003": SWEDISH,
    "SE-R-004": SWEDISH,
    "SE-R-005": both(SWEDISH, F_TAX, put(TAX_ID, "Godkänd för F-skatt")),
    "SE-R-006": both(SWEDISH, put_all("RateApplicablePercent", "25")),
    "SE-R-013": SWEDISH,
    "NL-R-001": both(seller_in("NL"), CREDIT_NOTE),
    "NL-R-002": seller_in("NL"),
    "NL-R-003": both(seller_in("NL"), put(f"{LEGAL_ID}/@schemeID", "0106")),
    "NL-R-004": within("NL"),
    "NL-R-005": both(within("NL"), put(f"{BUYER}/SpecifiedLegalOrganization/ID/@schemeID", "0190")),
    "NL-R-007": both(seller_in("NL"), NO_MEANS, put(DUE, "0")),
    "NL-R-008": within("NL"),
    "NL-R-009": seller_in("NL"),
}  # fmt: skip

# Its official context has the document in a wrong namespace, so it can never fire.
CANNOT_FIRE = {"PEPPOL-EN16931-P0100"}


def test_the_sample_breaks_no_rule():
    """So a finding of a case is caused by its change."""
    assert fired(changed(good(SAMPLE))) == set()


@each_row("rule", FIRES)
def test_a_broken_rule_is_reported(rule):
    assert rule in fired(changed(good(SAMPLE), FIRES[rule]))


@each_row("rule", HOLDS)
def test_a_value_just_inside_the_limit_is_not_reported(rule):
    assert rule not in fired(changed(good(SAMPLE), HOLDS[rule]))


WARNINGS = [
    ("R044", "0201", "UFY9M", "UFY9MH"),
    ("R045", "0210", "1234567890", "12345678903"),
    ("R046", "9907", "1234567890", "12345678903"),
    ("R047", "0211", "IT12345678904", " IT12345678903 "),
    ("R054", "0106", "1234567", "12345678"),
    ("R055", "0190", "1" * 19, "1" * 20),
    ("R056-1", "9944", "NL123456789B1", "NL123456789B01"),
    ("R057", "0217", "1" * 19, "1" * 20),
]


@pytest.mark.parametrize(("rule", "scheme", "broken", "held"), WARNINGS)
def test_an_identifier_without_the_form_of_its_scheme_is_a_warning(rule, scheme, broken, held):
    for identifier, reported in ((broken, True), (held, False)):
        content = changed(good(SAMPLE), endpoint(scheme, identifier))

        assert (f"PEPPOL-COMMON-{rule}" in fired(content)) is reported


def test_every_fatal_rule_has_a_case():
    """Except the rule that can never fire."""
    assert {rule.id for rule in rules()} - CANNOT_FIRE == set(FIRES)
