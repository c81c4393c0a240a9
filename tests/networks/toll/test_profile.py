"""The contract of profiles, kept by the toll bill and by those of the service."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest

from einvoice.documents.profiles import BIS_BILLING, SELF_BILLING, XRECHNUNG
from einvoice.domain.additions import Additions
from einvoice.domain.invoice import (
    Address,
    Contact,
    CreditTransfer,
    Invoice,
    PaymentMeans,
)
from einvoice.domain.profiles import Profile
from einvoice.network import samples
from einvoice.network.profile_testing import ProfileContract
from einvoice.rules import RuleSet
from tests.networks.toll import form

_counter = itertools.count()


def short(number: str = "S-1") -> Invoice:
    return samples.invoice(number=number)


class TestTollBill(ProfileContract):
    @pytest.fixture
    def profile(self) -> Profile:
        return form.PROFILE

    @pytest.fixture
    def rule_set(self) -> RuleSet:
        return form.RULES

    @pytest.fixture
    def evidence(self) -> dict[str, bytes]:
        return {form.SEAL: form.seal("S-1", b"<Toll/>")}


class TestBisBilling(ProfileContract):
    @pytest.fixture
    def profile(self) -> Profile:
        return BIS_BILLING


class TestXRechnung(ProfileContract):
    @pytest.fixture
    def profile(self) -> Profile:
        return XRECHNUNG

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        """With the contact, the addresses and the account that German rules ask for."""
        invoice = samples.invoice(buyer_reference="04011000-12345-03")
        contact = Contact("Ann", "+32 9 123 45 67", "ann@example.com")
        address = Address("Street 1", city="Ghent", postal_code="9000", country="BE")
        seller = replace(invoice.seller, contact=contact, address=address)
        buyer = replace(invoice.buyer, address=address)
        account = CreditTransfer("BE68539007547034")
        means = PaymentMeans("58", transfers=(account,))
        return [replace(invoice, seller=seller, buyer=buyer, payment=(means,))]


class TestSelfBilling(ProfileContract):
    @pytest.fixture
    def profile(self) -> Profile:
        return SELF_BILLING

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        return [samples.invoice(type_code="389")]


def counted(invoice: Invoice) -> bytes:
    return form.write(replace(invoice, number=f"S-{next(_counter)}"))


def other_number(invoice: Invoice) -> bytes:
    return form.write(replace(invoice, number="S-2"))


def changing(_: object) -> Additions:
    return Additions(lines=(str(next(_counter)),))


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"write": counted}, "test_the_same_invoice_gives_the_same_bytes"),
        ({"write": other_number}, "test_samples_become_documents_of_the_network"),
        ({"types": {}}, "test_samples_become_documents_of_the_network"),
        ({"additions": changing}, "test_additions_depend_on_the_handout_alone"),
        ({"additions": lambda _: None}, "test_additions_depend_on_the_handout_alone"),
        ({"write": lambda _: b"<Toll/>"}, "test_its_functions_can_be_sent_to_another_process"),
    ],
)
def test_a_faulty_profile_fails_the_contract(change, broken):
    profile, contract = replace(form.PROFILE, **change), ProfileContract()
    given = {"invoices": [short()], "rule_set": form.RULES, "evidence": {}}
    wanted = getattr(contract, broken)
    names = wanted.__code__.co_varnames[2 : wanted.__code__.co_argcount]

    with pytest.raises((AssertionError, AttributeError, pickle.PicklingError)):
        wanted(profile, **{name: given[name] for name in names})


def test_an_invoice_that_breaks_a_rule_fails_the_contract():
    with pytest.raises(AssertionError, match="TOLL-01"):
        ProfileContract().test_samples_keep_the_rules(
            form.PROFILE, [short("S-" + "1" * 20)], form.RULES
        )
