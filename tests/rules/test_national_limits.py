"""Limits and conditions of the national rules: each code, length and notation on either side.

A row is (rule, change, whether the rule is reported after it); in UBL with the country whose
correct invoice is changed. STOPPED-… are evaluation errors: the rule needs a single value.
"""

from __future__ import annotations

import pytest

from einvoice.rules import PACKS, Layer, Syntax
from einvoice.xml import parse
from tests.rules.changes import add, both, changed, drop, drop_all, good, put, put_all
from tests.rules.countries_cii import (
    ADDRESS,
    CREDIT_NOTE,
    CREDITOR,
    DUE,
    LEGAL_ID,
    MEANS,
    NO_MEANS,
    SAMPLE,
    SELLER,
    SWEDISH,
    TAX_ID,
    bank,
    mandate,
    means,
    reason,
    seller_in,
    vat_number,
    within,
)
from tests.rules.countries_cii import fired as fired_cii
from tests.rules.countries_ubl import (
    ACCOUNT,
    BRANCH,
    CODE,
    COUNTRY,
    DESCRIBED,
    ENDPOINT,
    LEGAL,
    PAY,
    REGISTRATION,
    SUB,
    VAT_NUMBER,
    A,
    L,
    R,
    S,
    T,
    fired,
    paid_by,
)
from tests.tables import each_row

TWO_VALUES, BAD_NUMBER = "STOPPED-CARDINALITY", "STOPPED-NUMBER"
OTHER_NUMBER = f"{S}/cac:PartyTaxScheme[2]/cbc:CompanyID"

# --- Denmark


def duty(text: str) -> str:
    code = f"{A}/cbc:AllowanceChargeReasonCode := ZZZ"
    return f"{code} ; {A}/cbc:AllowanceChargeReason := {text}"


def seller_id(scheme: str) -> str:
    identifier = f'<cbc:ID schemeID="{scheme}">1</cbc:ID>'
    return f"{S} + <cac:PartyIdentification>{identifier}</cac:PartyIdentification>"


DUTIES = {
    "0000": False, "9999": False, "-0.5": True, "01E4": True, "abcd": True, "1": True,
    "' 1234 '": False, "a#b": False, "#ab": True, "ab#": True,
}  # fmt: skip
DENMARK = [
    *(("DK-R-004", duty(text), reported) for text, reported in DUTIES.items()),
    ("DK-R-006", paid_by("31"), True),
    ("DK-R-006", f"- {PAY}/{CODE} ; - {ACCOUNT}", False),
    ("DK-R-006", f"{PAY}/{CODE} := 42 ; {ACCOUNT} + {BRANCH}", False),
    (
        "DK-R-006",
        f"{PAY}/{CODE} := 42 ; {ACCOUNT} + {BRANCH} ; {ACCOUNT}/cbc:ID := ' '",
        True,
    ),
    ("DK-R-006", f"{PAY}/{CODE} := 42 ; {ACCOUNT} + {BRANCH.replace('1234', ' ')}", True),
    ("DK-R-008", paid_by("50", "01#", "123456789"), True),
    ("DK-R-009", paid_by("58", "04#1"), False),
    ("DK-R-009", paid_by("50", "01#1"), False),
    ("DK-R-011", paid_by("58", "71#1"), False),
    ("DK-R-011", paid_by("93", "73#1"), False),
    ("DK-R-011", paid_by("93", "71#1234567890123456"), False),
    ("DK-R-011", paid_by("93", "71#12345678901234567"), True),
    ("DK-R-013", seller_id(" "), True),
    ("DK-R-013", seller_id("0088"), False),
    ("DK-R-014", f"{S}/{LEGAL}@schemeID := ' 0184 '", False),
]
DANISH_CREDIT_NOTE = [("DK-R-016", f"- {T}/cbc:PayableAmount", False)]

# --- Germany

DISCOUNT = "#SKONTO#TAGE=7#PROZENT=2.00#"
TAXED = ("S", "Z", "E", "AE", "K", "G", "L", "M")
TYPES = ("326", "380", "384", "389", "381", "875", "876", "877")
UNREGISTERED = f"- {S}/cac:PartyTaxScheme ; - {R}"
ONE_LINE = f"- {L.replace('[1]', '[position() > 1]')} ; - cac:AllowanceCharge"
ONE_CATEGORY = f"{UNREGISTERED} ; {ONE_LINE} ; {L}/cac:Item/cac:ClassifiedTaxCategory"
ADJUSTMENTS_ONLY = f"{UNREGISTERED} ; - //cac:ClassifiedTaxCategory"


def terms(*notes: str) -> str:
    written = "".join(f"<cbc:Note>{note}</cbc:Note>" for note in notes)
    return f". + <cac:PaymentTerms>{written}</cac:PaymentTerms>"


def email(text: str) -> str:
    return f"{S}/cac:Contact/cbc:ElectronicMail := {text}"


GERMANY = [
    *(("DE-R-016", f"{ONE_CATEGORY}/cbc:ID := {code}", code != "O") for code in (*TAXED, "O")),
    ("DE-R-016", f"{UNREGISTERED} ; {L}/cac:Item/cac:ClassifiedTaxCategory/cbc:ID := O", True),
    ("DE-R-016", f"{ADJUSTMENTS_ONLY} ; - cac:AllowanceCharge[2]", True),
    ("DE-R-016", f"{ADJUSTMENTS_ONLY} ; - cac:AllowanceCharge[1]", True),
    (
        "DE-R-016",
        f"{ADJUSTMENTS_ONLY} ; - cac:AllowanceCharge[2] ; {A}/cbc:ChargeIndicator := x",
        False,
    ),
    ("DE-R-016", f"{S}/{VAT_NUMBER} := ' ' ; - {R}", True),
    *(("DE-R-017", f"cbc:InvoiceTypeCode := {code}", False) for code in TYPES),
    ("DE-R-017", "cbc:InvoiceTypeCode := ' 380 '", False),
    ("DE-R-018", terms(f"{DISCOUNT}\n"), False),
    ("DE-R-018", terms(DISCOUNT), True),  # without a line end
    ("DE-R-018", terms(f"{DISCOUNT}\n{DISCOUNT}\n"), False),
    ("DE-R-018", terms(f"{DISCOUNT}\n#SKONTO#\n"), True),
    ("DE-R-018", terms(f" {DISCOUNT} \n"), False),
    ("DE-R-018", terms(" #SKONTO# \n"), True),
    ("DE-R-018", terms("30 days", "#SKONTO#\n"), False),  # only the first note is read
    (TWO_VALUES, f"{terms(f'{DISCOUNT}{chr(10)}')} ; {terms(f'{DISCOUNT}{chr(10)}')}", True),
    (TWO_VALUES, terms(f"{DISCOUNT}\n"), False),
    ("DE-R-019", f"{PAY}/{CODE} := ' 58 ' ; {ACCOUNT}/cbc:ID := DE1", True),
    ("DE-R-019", f"{PAY}/{CODE} := 30 ; {ACCOUNT}/cbc:ID := DE1", False),
    ("DE-R-023-1", f"{PAY}/{CODE} := ' 58 ' ; - {ACCOUNT}", True),
    *(("DE-R-024-1", f"{PAY}/{CODE} := {code} ; - {ACCOUNT}", True) for code in (48, 54, 55)),
    ("DE-R-028", email("' a@b.c '"), False),
    ("DE-R-028", email("a@b.c d"), True),
    ("DE-R-028", email("a@b@c.d"), True),
]
GERMAN_CREDIT_NOTE = [
    ("DE-R-017", "cbc:InvoiceTypeCode := ' 381 '", False),
    ("DE-R-017", "cbc:InvoiceTypeCode := 325", True),
]

# --- Greece


def number(text: str) -> str:
    return f"cbc:ID := {text}"


def branch(text: str) -> str:
    return number(f"094259216|01/11/2026|{text}|1.1|A|1")


WRONG_NUMBER = number("094259217|01/11/2026|0|1.1|A|1")
SPACED_VAT = f"{S}/cac:PartyTaxScheme[1]/cac:TaxScheme/cbc:ID := ' VAT ' ; - {R}"
GREECE = [
    ("GR-R-001-2", f"{WRONG_NUMBER} ; {S}/{VAT_NUMBER} := EL094259217", True),
    ("GR-R-001-2", f"- {R} ; {S}/{VAT_NUMBER} := EL090000045", True),
    ("GR-R-001-2", f"- {S}/cac:PartyTaxScheme ; {R}/{VAT_NUMBER} := EL090000045", True),
    ("GR-R-001-2", f"{S}/{VAT_NUMBER} := EL0942592169", False),
    ("GR-R-001-2", f"{S}/{VAT_NUMBER} := EL090000045 ; {R}/{VAT_NUMBER} := EL0942592169", False),
    ("GR-R-001-3", number("094259216|01112026|0|1.1|A|1"), True),
    (
        "GR-R-001-3",
        f"{number('094259216|41/11/2026|0|1.1|A|1')} ; cbc:IssueDate := 2026-11-41",
        True,
    ),
    ("GR-R-001-3", number("094259216|01/11/2026/1|0|1.1|A|1"), False),
    ("GR-R-001-3", "cbc:IssueDate := 2026-11-01-1", False),
    ("GR-R-001-4", branch(""), True),
    ("GR-R-001-4", branch("x"), True),
    (BAD_NUMBER, branch("1.5"), True),
    ("GR-R-003", f"{S} + {REGISTRATION.format('1', 'TAX')}", False),
    ("GR-R-003", f"{SPACED_VAT} ; {S}/{VAT_NUMBER} := EL094259217", True),
    (
        "GR-R-004-1",
        f"{S}/{COUNTRY} := BE ; . + {DESCRIBED.format('400002', '##M.AR.K##', '')}",
        False,
    ),
    ("GR-R-009", f"- {S}/cac:PartyTaxScheme ; {S}/{ENDPOINT} := 1", True),
]

# --- Iceland

EINDAGI = f". + {DESCRIBED.format('2026-12-31', 'EINDAGI', '')}"
LONG = "123456789012"
ICELAND = [
    ("IS-R-001", "cbc:InvoiceTypeCode := ' 380 '", False),
    ("IS-R-006", paid_by("9", account=f"' {LONG} '"), False),
    (TWO_VALUES, f"{paid_by('9', account=LONG)} ; {PAY} ++", True),
    (TWO_VALUES, paid_by("9", account=LONG), False),
    (TWO_VALUES, f"{EINDAGI} ; {EINDAGI}", True),
    (TWO_VALUES, EINDAGI, False),
    ("IS-R-010", f"{EINDAGI} ; - cbc:DueDate", True),
]
ICELANDIC_CREDIT_NOTE = [
    ("IS-R-001", "cbc:InvoiceTypeCode := ' 381 '", False),
    ("IS-R-001", "cbc:InvoiceTypeCode := 386", True),
]

# --- Italy, the Netherlands, Norway

ITALY = [
    ("IT-R-001", f"{OTHER_NUMBER} := ' 12345678903 '", False),
    ("IT-R-001", f"{OTHER_NUMBER} := 12345678903x", True),
    ("IT-R-001", f"{S}/{VAT_NUMBER} := IT-1", False),
    ("IT-R-001", f"{SPACED_VAT} ; {S}/{COUNTRY} := IT ; {S}/{VAT_NUMBER} := IT-1", False),
]
NETHERLANDS = [
    ("NL-R-002", f"{S}/{COUNTRY} := ' nl ' ; - {S}/cac:PostalAddress/cbc:CityName", True),
    ("NL-R-003", f"{S}/{LEGAL} := ' '", True),
    ("NL-R-007", f"- {PAY} ; {T}/cbc:PayableAmount := 0.01", True),
    ("NL-R-007", f"- {PAY} ; {T}/cbc:PayableAmount := -1", False),
    *(("NL-R-008", f"{PAY}/{CODE} := {code}", False) for code in (30, 48, 49, 57, 58, 59)),
    ("NL-R-008", f"{PAY}/{CODE} := ' 30 '", False),
]
DUTCH_CREDIT_NOTE = [
    ("NL-R-007", f"- {PAY} ; {T}/cbc:PayableAmount := 0", False),
    ("NL-R-007", f"- {PAY} ; {T}/cbc:PayableAmount := 1", False),
    ("NL-R-007", f"- {PAY} ; {T}/cbc:PayableAmount := -0.01", True),
]
NORWAY = [
    ("NO-R-001", f"- {S}/cac:PartyTaxScheme ; - {R} ; {S}/{COUNTRY} := NO", False),
    (TWO_VALUES, f"{S} + {REGISTRATION.format('NO1', ' VAT ')}", True),
    (TWO_VALUES, f"{S} + {REGISTRATION.format('Foretaksregisteret', 'TAX')}", True),
    (TWO_VALUES, "", False),
    ("NO-R-002", f"{OTHER_NUMBER} := ' Foretaksregisteret '", False),
    ("NO-R-002", f"{S}/cac:PartyTaxScheme[2]/cac:TaxScheme/cbc:ID := ' TAX '", False),
]

# --- Sweden


def giro(account: str, name: str = "PLUSGIRO", code: str = "30") -> str:
    place = f"{ACCOUNT} + {BRANCH.replace('1234', f'SE:{name}')}"
    return f"{PAY}/{CODE} := {code} ; {ACCOUNT}/cbc:ID := {account} ; {place}"


SWEDEN = [
    ("SE-R-001", f"{S}/{VAT_NUMBER} := NO123", False),
    ("SE-R-001", f"{S}/{VAT_NUMBER} := 'SE556012579001 '", False),
    ("SE-R-002", f"{S}/{VAT_NUMBER} := SE556012579001x", False),  # twelve characters are read
    ("SE-R-002", f"{S}/{VAT_NUMBER} := SEx56012579001", True),
    (TWO_VALUES, f"{S} + {REGISTRATION.format('SE1', 'VAT')}", True),
    (TWO_VALUES, "", False),
    ("SE-R-003", f"- {S}/{LEGAL}", False),
    ("SE-R-004", f"{S}/{LEGAL} := ' 5560125790 '", False),
    ("SE-R-013", f"{S}/{LEGAL} := ' 5560125790 '", False),
    ("SE-R-005", f"{OTHER_NUMBER} := '  Godkänd  för F-skatt '", False),
    ("SE-R-005", f"{OTHER_NUMBER} := Moms ; - {S}/{LEGAL}", False),
    ("SE-R-005", f"{S} + {REGISTRATION.format('Moms', 'vat')}", False),
    ("SE-R-005", f"{S} + {REGISTRATION.format('Moms', ' VAT ')}", False),
    *(("SE-R-006", f"{SUB}//cbc:Percent := {rate}", False) for rate in (25, 12, 6)),
    *(("SE-R-006", f"{SUB}//cbc:Percent := {rate}", True) for rate in (24, 11, 5)),
    ("SE-R-006", f"{L}//cbc:Percent := 24 ; {S}/{VAT_NUMBER} := NO1", False),
    ("SE-R-007", giro("x"), True),
    ("SE-R-007", giro("x", code="' 30 '"), True),
    ("SE-R-007", giro("x", code="58"), False),
    ("SE-R-007", giro("x", name="PLUSGIRO "), True),
    ("SE-R-010", giro("12345678"), False),
    ("SE-R-010", giro("123456789"), True),
    ("SE-R-010", giro("' 1 '"), True),
    ("SE-R-009", giro("1234567", name="BANKGIRO"), False),
    ("SE-R-009", giro("123456789", name="BANKGIRO"), True),
    ("SE-R-011", f"{PAY}/{CODE} := 50", True),
]

UBL = {
    "DK": DENMARK,
    "DK credit note": DANISH_CREDIT_NOTE,
    "DE": GERMANY,
    "DE credit note": GERMAN_CREDIT_NOTE,
    "GR": GREECE,
    "IS": ICELAND,
    "IS credit note": ICELANDIC_CREDIT_NOTE,
    "IT": ITALY,
    "NL": NETHERLANDS,
    "NL credit note": DUTCH_CREDIT_NOTE,
    "NO": NORWAY,
    "SE": SWEDEN,
}
UBL_CASES = [(base, *row) for base, rows in UBL.items() for row in rows]


@each_row(("base", "rule", "change", "reported"), UBL_CASES)
def test_a_national_rule_for_ubl_is_reported_exactly_outside_its_limits(
    base, rule, change, reported
):
    assert (rule in fired(base, change)) is reported


# --- CII


def registration(number, scheme):
    return add(
        SELLER,
        f'<ram:SpecifiedTaxRegistration><ram:ID schemeID="{scheme}">{number}</ram:ID>'
        "</ram:SpecifiedTaxRegistration>",
    )


def item_class(list_id, version):
    path = "DesignatedProductClassification/ClassCode"
    return both(
        within("DK"), put(f"{path}/@listID", list_id), put(f"{path}/@listVersionID", version)
    )


def giro_account(text, name="SE:PLUSGIRO", code="30"):
    account = f"<ram:ProprietaryID>{text}</ram:ProprietaryID>"
    return both(
        seller_in("SE"),
        put(f"{MEANS}/TypeCode", code),
        add("PayeePartyCreditorFinancialAccount", account),
        bank(name),
    )


def dutch_due(amount, *changes):
    return both(seller_in("NL"), NO_MEANS, put(DUE, amount), *changes)


def swedish(**texts):
    paths = {"vat": TAX_ID, "legal": LEGAL_ID}
    return both(SWEDISH, *(put(paths[name], text) for name, text in texts.items()))


OTHER_CLASS = add(
    "SpecifiedTradeProduct",
    '<ram:DesignatedProductClassification><ram:ClassCode listID="STI">1</ram:ClassCode>'
    "</ram:DesignatedProductClassification>",
)
DIGITS_16 = "1234567890123456"
CII_DUTIES = {
    "0000": False, "9999": False, "-0.5": True, "01E4": True, "abcd": True, "1": True,
    "a#b": False, "#ab": True, "ab#": True,
}  # fmt: skip
CII_DENMARK = [
    *(("DK-R-004", reason(text), reported) for text, reported in CII_DUTIES.items()),
    ("DK-R-003", item_class("TST", "1"), True),
    ("DK-R-003", item_class("TST", "19.05.01"), False),
    ("DK-R-003", item_class("STI", "1"), False),
    ("DK-R-003", both(item_class("TST", "1"), OTHER_CLASS), True),
    ("DK-R-003", both(item_class("TST", "19.05.01"), OTHER_CLASS), False),
    ("DK-R-006", means("42"), True),
    ("DK-R-006", both(within("DK"), drop(f"{MEANS}/TypeCode")), False),
    ("DK-R-007", both(means("49"), CREDITOR), True),
    ("DK-R-007", both(means("49"), mandate(MEANS)), True),
    ("DK-R-008", means("50", "01#1", "1234567"), False),
    ("DK-R-009", means("50", "01#1", "1234567"), False),
    ("DK-R-009", means("58", "04#1"), False),
    ("DK-R-010", means("93", "73#1", "12345678"), False),
    ("DK-R-011", means("93", "73#1", "12345678"), False),
    ("DK-R-011", means("58", "71#1"), False),
    ("DK-R-011", means("93", f"71#{DIGITS_16}", "12345678"), False),
    ("DK-R-011", means("93", f"71#{DIGITS_16}7", "12345678"), True),
    ("DK-R-013", both(within("DK"), put(f"{SELLER}/GlobalID/@schemeID", " ")), True),
    ("DK-R-014", both(seller_in("DK"), put(f"{LEGAL_ID}/@schemeID", " 0184 ")), False),
]
CII_NETHERLANDS = [
    *(
        (
            "NL-R-001",
            both(
                seller_in("NL"),
                put("ExchangedDocument/TypeCode", code),
                drop_all("InvoiceReferencedDocument"),
            ),
            code != "380",
        )
        for code in ("81", "83", "381", "396", "532", " 381 ", "380")
    ),
    ("NL-R-002", both(seller_in(" nl "), drop(f"{ADDRESS}/CityName")), True),
    ("NL-R-007", dutch_due("0.01"), True),
    ("NL-R-007", dutch_due("-1"), False),
    ("NL-R-007", dutch_due("0", CREDIT_NOTE), False),
    ("NL-R-007", dutch_due("1", CREDIT_NOTE), False),
    ("NL-R-007", dutch_due("-0.01", CREDIT_NOTE), True),
    *(
        ("NL-R-008", both(within("NL"), put(f"{MEANS}/TypeCode", code)), False)
        for code in ("30", "48", "49", "57", "58", "59", " 30 ")
    ),
]
CII_NORWAY = [
    ("NO-R-001", seller_in("NO"), False),
    ("NO-R-001", vat_number("NO123456785MVAX"), True),
    ("NO-R-001", vat_number("NO000000000MVA"), True),  # zeros are not an organisation number
    ("NO-R-001", both(vat_number("NO1"), registration("NO2", "VAT")), False),  # ambiguous
    ("NO-R-002", seller_in("NO"), True),
    ("NO-R-002", both(seller_in("NO"), vat_number("Foretaksregisteret", "FC")), False),
    ("NO-R-002", both(seller_in("NO"), vat_number(" Foretaksregisteret ", "FC")), False),
    (
        "NO-R-002",
        both(seller_in("NO"), vat_number("1", "FC"), registration("Foretaksregisteret", "FC")),
        False,
    ),
]
CII_ITALY = [
    ("IT-R-001", seller_in("IT"), False),
    ("IT-R-001", both(seller_in("IT"), drop(f"{TAX_ID}/@schemeID")), True),
    ("IT-R-001", both(seller_in("IT"), vat_number("1", " FC ")), True),
    ("IT-R-001", both(seller_in("IT"), vat_number("12345678901x", "FC")), True),
    ("IT-R-001", both(seller_in("IT"), vat_number(" 12345678901 ", "FC")), False),
    ("IT-R-003", both(vat_number("it1"), drop(f"{ADDRESS}/CityName")), True),
]
CII_SWEDEN = [
    ("SE-R-001", both(seller_in("SE"), vat_number("NO1")), False),
    ("SE-R-001", swedish(vat="SE556000475501 "), False),
    ("SE-R-001", both(swedish(vat="SE55600047550"), registration("x", "FC")), True),
    ("SE-R-002", swedish(vat="SE556000475501x"), False),  # twelve characters are read
    ("SE-R-002", swedish(vat="SEx56000475501"), True),
    ("SE-R-003", both(SWEDISH, drop(LEGAL_ID)), False),
    ("SE-R-004", swedish(legal=" 5560004755 "), False),
    ("SE-R-013", swedish(legal=" 5560004755 "), False),
    ("SE-R-005", SWEDISH, False),
    ("SE-R-005", both(seller_in("SE"), vat_number("x", "FC"), drop(LEGAL_ID)), False),
    ("SE-R-005", both(SWEDISH, vat_number(" Godkänd  för F-skatt ", "FC")), False),
    ("SE-R-006", both(SWEDISH, registration("x", "FC")), True),
    *(
        ("SE-R-006", both(SWEDISH, put_all("RateApplicablePercent", rate)), reported)
        for rate, reported in (("25", False), ("12", False), ("6", False), ("5", True), ("0", True))
    ),
    ("SE-R-007", giro_account("x"), True),
    ("SE-R-007", giro_account("x", code=" 30 "), True),
    ("SE-R-007", giro_account("x", code="58"), False),
    ("SE-R-007", giro_account("x", name=" SE:PLUSGIRO "), True),
    ("SE-R-007", giro_account("x", name="1234"), False),
    ("SE-R-010", giro_account("1"), True),
    ("SE-R-010", giro_account(" 1 "), True),
    ("SE-R-010", giro_account("12"), False),
    ("SE-R-010", giro_account("12345678"), False),
    ("SE-R-010", giro_account("123456789"), True),
    ("SE-R-008", giro_account("x", name="SE:BANKGIRO"), True),
    *(
        ("SE-R-009", giro_account("1" * length, name="SE:BANKGIRO"), length not in (7, 8))
        for length in (6, 7, 8, 9)
    ),
    *(
        ("SE-R-011", both(seller_in("SE"), put(f"{MEANS}/TypeCode", code)), code != "30")
        for code in ("30", "50", "56", " 56 ")
    ),
    *(
        ("SE-R-012", both(within("SE"), put(f"{MEANS}/TypeCode", code)), code != "30")
        for code in ("30", "31", " 31 ")
    ),
    ("SE-R-012", both(seller_in("SE"), put(f"{MEANS}/TypeCode", "31")), False),
]
CII_CASES = [*CII_DENMARK, *CII_NETHERLANDS, *CII_NORWAY, *CII_ITALY, *CII_SWEDEN]


@each_row(
    ("rule", "change", "reported"),
    CII_CASES,
    ids=[f"{rule}-{number}" for number, (rule, *_) in enumerate(CII_CASES)],
)
def test_a_national_rule_for_cii_is_reported_exactly_outside_its_limits(rule, change, reported):
    assert (rule in fired_cii(changed(good(SAMPLE), change))) is reported


def second_id(path, scheme):
    return add(path, f'<ram:ID schemeID="{scheme}">2</ram:ID>')


GLOBAL_ID = '<ram:GlobalID schemeID="1">2</ram:GlobalID>'
ORGANISATION, TAX = f"{SELLER}/SpecifiedLegalOrganization", f"{SELLER}/SpecifiedTaxRegistration"


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("DK-R-002", both(within("DK"), add(ORGANISATION, "<ram:ID>2</ram:ID>"))),
        ("DK-R-014", both(within("DK"), second_id(ORGANISATION, "0184"))),
        (
            "DK-R-013",
            both(within("DK"), add(SELLER, GLOBAL_ID)),
        ),
        ("IT-R-001", both(seller_in("IT"), vat_number("1", "FC"), second_id(TAX, "FC"))),
    ],
)
def test_a_second_value_where_a_rule_for_cii_needs_one_is_an_evaluation_error(rule, change):
    verdict = PACKS[0].engine(Syntax.CII).check(parse(changed(good(SAMPLE), change)))

    errors = [finding for finding in verdict.findings if finding.id == TWO_VALUES]
    assert rule in {error.values["rule"] for error in errors}
    assert {error.values["count"] for error in errors} == {2}
    assert Layer.PEPPOL_CII in verdict.failed_layers
