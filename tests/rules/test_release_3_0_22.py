"""BIS Billing 3.0.22: its rules beside those of 3.0.21, and what a send is warned of before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from lxml import etree

from einvoice.rules import PACKS, PEPPOL_BIS_BILLING, Flag, Layer, Syntax, pack_on
from einvoice.rules.engine import Engine
from einvoice.rules.evaluation import without_repetition
from einvoice.rules.peppol.ubl import exactly_one
from einvoice.validation import Finding, judge, report_of
from einvoice.xml import parse
from tests.rules import changes
from tests.rules import countries_cii as cii
from tests.rules.applying import applied
from tests.rules.samples import changed
from tests.tables import each_row

BEFORE, AFTER = PACKS
LAST_DAY, FIRST_DAY = date(2027, 2, 23), date(2027, 2, 24)
BOOK = AFTER.book(Layer.PEPPOL_UBL)
ENGINE = Engine([BOOK])
TABLE = Path(exactly_one.__file__).with_name("exactly_one.csv").read_text(encoding="utf-8")
ROWS = [row.split(";") for row in TABLE.splitlines() if row.startswith("PEPPOL")]
PLACES = [(rule, place, element) for rule, _, place, element, _ in ROWS]
PREFIXES = {prefix: uri for uri, prefix in Syntax.UBL.prefixes.items()}
SELLER = "cac:AccountingSupplierParty/cac:Party"
BELGIAN_2 = "2000000042"  # right check digits, but it begins with 2


def fired(engine, changes: str) -> set[tuple[str, str]]:
    found = without_repetition(engine.check(changed(changes))).findings
    return {(each.id, str(each.flag)) for each in found}


def test_the_day_chooses_the_release():
    assert (pack_on(LAST_DAY), pack_on(FIRST_DAY)) == (BEFORE, AFTER)


def test_the_changes_are_those_that_were_announced():
    """137 rules for exactly one element, ten new warnings, five that become fatal, one gone."""
    old = {rule.id: rule.flag for rule in BEFORE.book(Layer.PEPPOL_UBL).rules}
    new = {rule.id: rule.flag for rule in BOOK.rules}

    assert Counter(new[rule] for rule in new.keys() - old.keys()) == {
        Flag.FATAL: 137, Flag.WARNING: 10
    }  # fmt: skip
    assert old.keys() - new.keys() == {"GR-R-001-5"}
    assert {rule for rule in new.keys() & old.keys() if new[rule] != old[rule]} == {
        f"PEPPOL-COMMON-R0{number}" for number in ("54", "55", "56-1", "56-2", "57")
    }


@each_row(("rule", "place", "element"), PLACES)
def test_an_element_occurs_exactly_once(rule, place, element):
    """The rule is broken by none and by two of them, and by nothing else."""
    for count in range(3):
        root = nested(place.split("/"))
        below = next(each for each in root.iter() if not len(each))
        for _ in range(count):
            etree.SubElement(below, tag(element))

        found = {each.id for each in ENGINE.check(root).findings}

        assert (rule in found) is (count != 1), count


def tag(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{PREFIXES[prefix]}}}{local}"


def nested(names: list[str]) -> etree._Element:
    """Elements of these names, each inside the one before."""
    root = element = etree.Element(tag(names[0]), nsmap=PREFIXES)
    for name in names[1:]:
        element = etree.SubElement(element, tag(name))
    return root


def identified(scheme: str, number: str) -> str:
    path = f"{SELLER}/cac:PartyLegalEntity/cbc:CompanyID"
    return f"{path} := {number} ; {path}@schemeID := {scheme}"


def registered(number: str) -> str:
    return f"{SELLER}/cac:PartyTaxScheme/cbc:CompanyID := {number}"


@pytest.mark.parametrize(
    ("rule", "flag", "broken", "held"),
    [
        ("R040", "fatal", identified("0088", "12345670"), identified("0088", "7300010000001")),
        ("R043", "fatal", identified("0208", BELGIAN_2), identified("0208", "1000000021")),
        ("R054", "fatal", identified("0106", "1234567"), identified("0106", "12345678")),
        ("R055", "fatal", identified("0190", "1" * 19), identified("0190", "1" * 20)),
        ("R056-1", "fatal", identified("9944", "NL1"), identified("9944", "NL123456789B01")),
        ("R056-2", "fatal", registered("NL1"), registered("NL123456789B01")),
        ("R057", "fatal", identified("0217", "1" * 11), identified("0217", "1" * 12)),
        ("R058", "warning", registered("lu15027443"), registered("LU15027442")),
        ("R059", "warning", identified("0240", "19741900004"), identified("0240", "19742000004")),
        ("R059", "warning", identified("0240", "19742000005"), identified("0240", "19742400003")),
        ("R062", "warning", registered("BE0123456740"), registered("BE0123456749")),
        ("R062", "warning", registered(f"BE{BELGIAN_2}"), registered("be1")),
    ],
)
def test_an_identifier_is_wrong_just_outside_its_form_and_not_just_inside(rule, flag, broken, held):
    assert (f"PEPPOL-COMMON-{rule}", flag) in fired(ENGINE, broken)
    assert (f"PEPPOL-COMMON-{rule}", flag) not in fired(ENGINE, held)


def test_a_scheme_that_became_allowed_is_allowed():
    wrong = ("PEPPOL-EN16931-CL008", "fatal")
    change = f"{SELLER}/cbc:EndpointID@schemeID := 0158"

    assert wrong in fired(Engine([BEFORE.book(Layer.PEPPOL_UBL)]), change)
    assert wrong not in fired(ENGINE, change)


def swedish_seller(buyer: str) -> str:
    country = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
    address = f"{SELLER}/{country} := SE ; cac:AccountingCustomerParty/cac:Party/{country}"
    return f"{registered('SE556000475501')} ; {address} := {buyer}"


@pytest.mark.parametrize(("buyer", "broken"), [("SE", True), ("DE", False)])
def test_the_swedish_rates_hold_between_swedish_parties_only(buyer, broken):
    """The rate of the sample is 25 or another; the rule is about 17."""
    change = f"{swedish_seller(buyer)} ; //cac:ClassifiedTaxCategory/cbc:Percent ::= 17"

    assert (("SE-R-006", "fatal") in fired(ENGINE, change)) is broken


BUYER = "cac:AccountingCustomerParty/cac:Party"
REPRESENTATIVE = "cac:TaxRepresentativeParty"
COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
NUMBER = "cac:PartyTaxScheme/cbc:CompanyID"


def between(seller: str, buyer: str, kind: str = "380", representative: str = "") -> str:
    """The type of an invoice, and its parties: the country of the address, or VAT/address.

    "SK/CZ" has a Slovak VAT number and a Czech address, "/SK" has no VAT number.
    """
    changes = [f"cbc:InvoiceTypeCode := {kind}"]
    if representative:
        changes.append(f"{REPRESENTATIVE}/{NUMBER} := {representative}2020000001")
    else:
        changes.append(f"- {REPRESENTATIVE}")
    for party, country in ((SELLER, seller), (BUYER, buyer)):
        number, _, address = country.rpartition("/")
        changes.append(f"{party}/{COUNTRY} := {address}")
        if country.startswith("/"):
            changes.append(f"- {party}/cac:PartyTaxScheme")
        else:
            changes.append(f"{party}/{NUMBER} := {number or address}2020000001")
    return " ; ".join(changes)


P0100, P0112 = ("PEPPOL-EN16931-P0100", "fatal"), ("PEPPOL-EN16931-P0112", "fatal")
BEFORE_ENGINE = Engine([BEFORE.book(Layer.PEPPOL_UBL)])


def test_a_type_of_one_country_is_refused_between_others():
    """Germans by address; Slovaks by VAT number, else by address. In 3.0.21 389 is no type."""
    wrong = []
    for seller, buyer, kind, refused in (
        ("SK", "SK", "384", False), ("SK", "CZ", "384", True), ("CZ", "SK", "384", True),
        ("SK/CZ", "SK/DE", "384", False), ("CZ/SK", "SK", "384", True),
        ("/SK", "/sk", "384", False), ("/CZ", "SK", "384", True), ("SK", "/CZ", "384", True),
        ("SK", "SK", "326", True), ("SK", "SK", "389", True), ("SK", "SK", "380", False),
        ("DE", "DE", "326", False), ("DE", "DE", "384", False), ("DE", "DE", "389", False),
        ("SK/DE", "SK/DE", "389", False), ("DE/SK", "DE", "389", True),
        ("DE", "SK", "384", True), ("DE", "SK", "389", True), ("DE", "SK", "380", False),
    ):  # fmt: skip
        found = fired(ENGINE, between(seller, buyer, kind))
        if (P0112 in found) is not refused or P0100 in found:
            wrong.append((seller, buyer, kind, found))

    assert not wrong
    assert P0100 in fired(BEFORE_ENGINE, between("DE", "DE", "389"))
    assert P0112 in fired(BEFORE_ENGINE, between("SK", "SK", "384"))


@pytest.mark.parametrize(
    ("seller", "representative", "refused"),
    [("/CZ", "SK", False), ("/SK", "CZ", True), ("SK/CZ", "CZ", False), ("CZ/SK", "SK", True)],
)
def test_the_representative_is_asked_before_the_address_of_the_seller(
    seller, representative, refused
):
    """Its VAT number counts where the seller has none."""
    assert (P0112 in fired(ENGINE, between(seller, "SK", "384", representative))) is refused


REFERENCE = "cac:BillingReference"


@pytest.mark.parametrize(
    ("seller", "buyer", "kind", "broken"),
    [
        ("SK", "SK", "384", True), ("SK/CZ", "/SK", "384", True), ("SK", "SK", "380", False),
        ("SK", "DE", "384", False), ("CZ/SK", "SK", "384", False),
    ],
)  # fmt: skip
def test_a_slovak_correction_without_the_earlier_invoice_is_a_warning(seller, buyer, kind, broken):
    without = between(seller, buyer, kind) + f" ; - {REFERENCE}"

    assert (("SK-R-001", "warning") in fired(ENGINE, without)) is broken
    assert ("SK-R-001", "warning") not in fired(ENGINE, between(seller, buyer, kind))


@pytest.mark.parametrize(
    ("rule", "party", "element"),
    [
        ("SK-R-002", SELLER, "cbc:StreetName"),
        ("SK-R-003", SELLER, "cbc:CityName"),
        ("SK-R-004", SELLER, "cbc:PostalZone"),
        ("SK-R-005", BUYER, "cbc:StreetName"),
        ("SK-R-006", BUYER, "cbc:CityName"),
        ("SK-R-007", BUYER, "cbc:PostalZone"),
    ],
)
def test_an_address_between_slovak_addresses_is_complete(rule, party, element):
    """The VAT numbers do not count here, and an empty element is one. The sample has streets."""
    warning, address = (rule, "warning"), f"{party}/cac:PostalAddress"
    slovak, missing = between("CZ/SK", "/sk"), f"- {address}/cbc:StreetName"

    assert warning in fired(ENGINE, f"{slovak} ; {missing}")
    assert warning not in fired(ENGINE, f"{slovak} ; {missing} ; {address} + <{element}/>")
    assert warning not in fired(ENGINE, f"{between('SK', 'SK/CZ')} ; {missing}")
    assert warning not in fired(BEFORE_ENGINE, f"{between('SK', 'SK')} ; {missing}")


# -- CII -------------------------------------------------------------------------------------------

CII_BEFORE, CII_AFTER = (Engine([pack.book(Layer.PEPPOL_CII)]) for pack in PACKS)
LEGAL = f"{cii.SELLER}/SpecifiedLegalOrganization/ID"


def fired_cii(engine: Engine, change: Callable[[etree._Element], None]) -> set[tuple[str, str]]:
    found = engine.check(parse(changes.changed(changes.good(cii.SAMPLE), change))).findings
    return {(each.id, str(each.flag)) for each in found}


def test_the_changes_for_cii_are_those_of_the_release_notes():
    """Three new warnings, and five rules that become fatal."""
    old = {rule.id: rule.flag for rule in BEFORE.book(Layer.PEPPOL_CII).rules}
    new = {rule.id: rule.flag for rule in AFTER.book(Layer.PEPPOL_CII).rules}

    assert {rule: new[rule] for rule in new.keys() - old.keys()} == {
        f"PEPPOL-COMMON-R0{number}": Flag.WARNING for number in (58, 59, 62)
    }
    assert old.keys() <= new.keys()
    assert {rule for rule in old if new[rule] != old[rule]} == {
        f"PEPPOL-COMMON-R0{number}" for number in ("54", "55", "56-1", "56-2", "57")
    }


def legal(scheme: str, number: str) -> Callable[[etree._Element], None]:
    return changes.both(changes.put(f"{LEGAL}/@schemeID", scheme), changes.put(LEGAL, number))


def vat(number: str) -> Callable[[etree._Element], None]:
    return cii.vat_number(number, "VA")


@pytest.mark.parametrize(
    ("rule", "flag", "broken", "held"),
    [
        ("R040", "fatal", legal("0088", "12345670"), legal("0088", "7300010000001")),
        ("R043", "fatal", legal("0208", BELGIAN_2), legal("0208", "1000000021")),
        ("R054", "fatal", legal("0106", "1234567"), legal("0106", "12345678")),
        ("R055", "fatal", legal("0190", "1" * 19), legal("0190", "1" * 20)),
        ("R056-1", "fatal", legal("9944", "NL1"), legal("9944", "NL123456789B01")),
        ("R056-2", "fatal", vat("NL1"), vat("NL123456789B01")),
        ("R057", "fatal", legal("0217", "1" * 19), legal("0217", "1" * 20)),
        ("R058", "warning", vat("lu15027443"), vat("LU15027442")),
        ("R059", "warning", legal("0240", "19741900004"), legal("0240", "19742000004")),
        ("R062", "warning", vat("BE0123456740"), vat("BE0123456749")),
    ],
)
def test_an_identifier_in_cii_is_wrong_just_outside_its_form(rule, flag, broken, held):
    assert (f"PEPPOL-COMMON-{rule}", flag) in fired_cii(CII_AFTER, broken)
    assert (f"PEPPOL-COMMON-{rule}", flag) not in fired_cii(CII_AFTER, held)


@pytest.mark.parametrize("number", ["12345670", BELGIAN_2])
def test_a_number_of_another_length_or_start_is_wrong_in_cii_from_this_release(number):
    """A GLN of eight digits, and a Belgian number that begins with 2."""
    change = legal("0088" if len(number) == 8 else "0208", number)
    rule = "PEPPOL-COMMON-R040" if len(number) == 8 else "PEPPOL-COMMON-R043"

    assert (rule, "fatal") not in fired_cii(CII_BEFORE, change)
    assert (rule, "fatal") in fired_cii(CII_AFTER, change)


@pytest.mark.parametrize(("buyer", "broken"), [("SE", True), ("DE", False)])
def test_the_swedish_rates_in_cii_hold_between_swedish_parties_only(buyer, broken):
    """In 3.0.21 they held for every buyer."""
    change = changes.both(
        cii.SWEDISH,
        changes.put(f"{cii.BUYER}/PostalTradeAddress/CountryID", buyer),
        changes.put_all("ApplicableTradeTax/RateApplicablePercent", "17"),
    )

    assert (("SE-R-006", "fatal") in fired_cii(CII_AFTER, change)) is broken
    assert ("SE-R-006", "fatal") in fired_cii(CII_BEFORE, change)


# -- before the release is in force ----------------------------------------------------------------

ANNOUNCED = BEFORE.engine(Syntax.UBL, announced=AFTER)


def test_the_next_release_is_announced_until_it_is_in_force():
    assert PEPPOL_BIS_BILLING.announced(LAST_DAY) is AFTER
    assert PEPPOL_BIS_BILLING.announced(FIRST_DAY) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("", None),
        (identified("0208", BELGIAN_2), ("PEPPOL-COMMON-R043", "warning")),  # refused from then on
        (identified("0208", "0000000001"), ("PEPPOL-COMMON-R043", "fatal")),  # refused today
        (identified("0106", "1"), ("PEPPOL-COMMON-R054", "warning")),  # a warning becomes fatal
        (registered("BE1"), None),  # a new warning is not announced
    ],
)
def test_what_will_be_refused_is_one_warning(change, expected):
    found = [each for each in fired(ANNOUNCED, change) if each[0].startswith("PEPPOL-COMMON")]

    assert found == ([expected] if expected else [])


def test_an_announced_rule_is_of_a_layer_that_says_when_it_binds():
    verdict = ANNOUNCED.check(changed(identified("0106", "1")))

    assert [each.layer.binding_from for each in verdict.findings] == [None, FIRST_DAY]
    assert [each.layer.binding_from for each in without_repetition(verdict).findings] == [FIRST_DAY]


# -- suggestions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("R043", identified("0208", BELGIAN_2)),
        ("R056-1", identified("9944", "NL1")),
        ("R056-2", registered("NL1")),
        ("R058", registered("LU1")),
        ("R059", identified("0240", "1")),
        ("R062", registered("BE1")),
    ],
)
def test_the_example_of_a_suggestion_removes_the_finding(rule, wrong):
    content = changed(wrong)

    def found() -> list[Finding]:
        judged = judge(etree.tostring(content), on=FIRST_DAY, schema=False)
        return [each for each in report_of(judged).findings if each.rule_id.endswith(f"-{rule}")]

    [finding] = found()

    assert applied(content, finding)
    assert not found()


@each_row(("rule", "place", "element"), PLACES[::4])
@each_row("count", [0, 2])
def test_giving_an_element_exactly_once_removes_the_finding(rule, place, element, count):
    root = nested(place.split("/"))
    below = next(each for each in root.iter() if not len(each))
    for _ in range(count):
        etree.SubElement(below, tag(element))
    asked = "peppol-bis-billing"

    def found() -> list[Finding]:
        judged = judge(etree.tostring(root), on=FIRST_DAY, schema=False, asked=asked)
        return [each for each in report_of(judged).findings if each.rule_id == rule]

    [finding] = found()
    assert "exactly once" in (finding.suggestion or "")
    for extra in below[1:]:
        below.remove(extra)
    if count == 0:
        etree.SubElement(below, tag(element))

    assert not found()
