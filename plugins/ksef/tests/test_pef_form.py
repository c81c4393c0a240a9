"""PEF as the form of invoices, its rules, and the official schemas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from lxml import etree

from einvoice import clock, validation
from einvoice.domain.additions import Handout
from einvoice.domain.errors import InvalidField
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.network import samples as samples_of_network
from einvoice.network.profile_testing import ProfileContract
from einvoice.rules import PEPPOL_BIS_BILLING, ChosenBy, with_built_in
from einvoice_ksef import poland
from einvoice_ksef.fa3.rules import RULES as FA
from einvoice_ksef.pef import form
from einvoice_ksef.pef.rules import RULES
from plugins.ksef.tests import official, polish
from tests.networks.ksef.schemas import invoice_fault

RULE_SETS = with_built_in([FA, RULES], partial(with_built_in, [FA, RULES]))


def bis(made: Invoice | None = None) -> bytes:
    """A document of BIS Billing, as the profile writes it."""
    return form.PROFILE.write(form.PROFILE.adapt(made or addressed(polish.invoice())).invoice)


def addressed(made: Invoice) -> Invoice:
    """The invoice with what BIS Billing asks for beside EN 16931."""
    endpoint = samples_of_network.invoice().seller.endpoint
    return replace(
        made,
        seller=replace(made.seller, endpoint=endpoint),
        buyer=replace(made.buyer, endpoint=endpoint),
        buyer_reference="4711",
    )


def judged(document: bytes, network: str = RULES.name):
    return validation.judge(document, on=clock.today(), rule_sets=RULE_SETS, network=network)


def found_in(document: bytes) -> set[str]:
    """The rules that a document breaks on its way to the network for PEF."""
    judgement = judged(document)
    assert not judgement.schema, judgement.schema
    return {found.id for found in judgement.verdict.findings}


class TestPef(ProfileContract):
    @pytest.fixture
    def profile(self):
        return form.PROFILE

    @pytest.fixture
    def rule_set(self):
        return RULES

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        return [addressed(polish.INVOICES[name]()) for name in ("invoice", "credit note")]


# -- the form --------------------------------------------------------------------------------------


def test_it_takes_invoices_and_credit_notes():
    """KSeF takes self-billed documents by other permissions, which are not asked for."""
    kinds = {kind for kind in DocumentKind if form.PROFILE.type_of(kind)}

    assert kinds == {DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE}


def test_a_character_that_ksef_refuses_is_refused_before():
    with pytest.raises(InvalidField, match="U\\+0084"):
        form.adapt(addressed(polish.invoice(number="A\u0084")))


@pytest.mark.parametrize(
    ("access_point", "host"),
    [
        ("ksef-pef-live", "qr.ksef.mf.gov.pl"),
        ("ksef-pef-test", "qr-test.ksef.mf.gov.pl"),
        ("ksef-pef-demo", "qr-demo.ksef.mf.gov.pl"),
    ],
)
def test_the_code_leads_to_the_environment_of_the_access_point(access_point, host):
    number = "5265877635-20250826-0100001AF629-AF"
    handout = Handout(polish.invoice(), b"<Invoice/>", True, {}, number, access_point=access_point)
    [code] = form.PROFILE.additions(handout).codes

    assert code.text.startswith(f"https://{host}/invoice/")
    assert code.caption == number


# -- the choice of the rules -----------------------------------------------------------------------


def test_a_document_of_bis_billing_is_judged_for_its_network():
    judgement = judged(bis())

    assert (judgement.choice.rule_set, judgement.choice.by) == (RULES, ChosenBy.NETWORK)
    assert judgement.verdict.findings == ()


def test_without_the_network_it_stays_one_of_bis_billing():
    """Also for KSeF: there it becomes FA(3)."""
    assert judged(bis(), FA.name).choice.rule_set is PEPPOL_BIS_BILLING
    assert judged(bis(), PEPPOL_BIS_BILLING.name).choice.rule_set is PEPPOL_BIS_BILLING


def test_each_release_of_bis_billing_has_a_pack():
    assert len(RULES.packs) == len(PEPPOL_BIS_BILLING.packs)
    for mine, theirs in zip(RULES.packs, PEPPOL_BIS_BILLING.packs, strict=True):
        assert (mine.valid_from, mine.valid_to) == (theirs.valid_from, theirs.valid_to)
        assert set(mine.books) > {book for book in theirs.books if "UBL" in book.layer}


def test_rules_of_bis_billing_hold():
    made = addressed(polish.invoice())
    without = bis(replace(made, buyer=replace(made.buyer, endpoint=None)))

    assert "PEPPOL-EN16931-R010" in found_in(without)


# -- the rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda it: b"\xef\xbb\xbf" + it, "KSEF-BOM"),
        (lambda it: it.replace(b"UTF-8", b"US-ASCII", 1), "KSEF-ENCODING"),
        (lambda it: it.replace(b"?>", b"?><?note?>", 1), "KSEF-INSTRUCTION"),
        (lambda it: it.replace(b"4711", b"4711\xc2\x84"), "KSEF-CHARACTER"),
        (lambda it: it.replace(b"?>", b"?><!--" + b" " * 1_000_000 + b"-->", 1), "KSEF-SIZE"),
    ],
)
def test_what_ksef_refuses_of_every_document_is_found(change, rule):
    assert rule not in found_in(bis())
    assert rule in found_in(change(bis()))


def test_the_date_of_issue_is_not_after_today():
    today, tomorrow = poland.today(), poland.today() + timedelta(days=1)

    assert "KSEF-DATE" not in found_in(bis(replace(addressed(polish.invoice()), issue_date=today)))
    assert "KSEF-DATE" in found_in(bis(replace(addressed(polish.invoice()), issue_date=tomorrow)))


def test_the_seller_has_a_nip():
    made = addressed(polish.invoice())
    foreign = replace(made.seller, vat_id="DE123456788", tax_registration=None, legal_id=None)

    assert "KSEF-PEF-SELLER" not in found_in(bis(made))
    assert "KSEF-PEF-SELLER" in found_in(bis(replace(made, seller=foreign)))


def test_a_wrong_check_digit_of_a_nip_is_a_warning():
    made = addressed(polish.invoice())
    wrong = bis(replace(made, buyer=replace(made.buyer, vat_id="PL5265877636")))
    [found] = [each for each in judged(wrong).verdict.findings if each.id.startswith("KSEF-NIP")]

    assert (found.id, str(found.severity)) == ("KSEF-NIP-BUYER", "warning")


# -- the official material -------------------------------------------------------------------------


@official.needed
@pytest.mark.parametrize(
    ("name", "system_code"), [("invoice", "PEF (3)"), ("credit note", "PEF_KOR (3)")]
)
def test_what_is_written_is_valid_to_the_official_schema(name, system_code):
    document = bis(addressed(polish.INVOICES[name]()))

    assert invoice_fault(system_code, etree.fromstring(document)) is None


@official.needed
@pytest.mark.parametrize("system_code", ["PEF (3)", "PEF_KOR (3)"])
def test_the_official_schema_is_that_of_ubl_with_the_polish_elements(system_code):
    """So that the schema of UBL, by which documents are judged, refuses what that refuses."""
    assert official.different_parts(system_code) == set()


@official.needed
def test_the_polish_extension_is_judged_as_far_as_its_rules_are_published():
    judgement = judged(official.filled("invoice-template-fa-3-pef-correction.xml"))

    assert judgement.choice.rule_set is RULES
    assert judgement.schema == ()
    assert judgement.unjudged == "extension"
    found = {each.id: str(each.severity) for each in judgement.verdict.findings}
    assert found == {"BR-CO-09": "warning", "BR-CO-16": "warning", "UBL-CR-001": "warning"}


@official.needed
def test_what_ksef_checks_holds_for_the_polish_extension_too():
    sample = official.filled("invoice-template-fa-3-pef-correction.xml")
    document = sample.replace(b"?>", b"?><?note?>", 1)
    fatal = {each.id for each in judged(document).verdict.findings if str(each.severity) == "fatal"}

    assert fatal == {"KSEF-INSTRUCTION"}


@official.needed
def test_the_official_template_is_judged_as_bis_billing():
    """It writes VAT numbers without their country, which EN 16931 refuses."""
    judgement = judged(official.filled("invoice-template-fa-3-pef.xml"))

    assert judgement.choice.rule_set is RULES
    assert {each.id for each in judgement.verdict.findings} == {"BR-CO-09"}
