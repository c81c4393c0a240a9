"""French invoices: the business process, and the numbers of the parties."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from einvoice import clock
from einvoice.domain.errors import InvalidField
from einvoice.domain.invoice import Identifier
from einvoice.network.profile_testing import ProfileContract
from einvoice.validation import Light, judge
from einvoice_fr_ctc import companies, form
from tests.networks.fr import company
from tests.networks.fr.company import BUYER, SELLER, french_invoice

BY_NAME = {each.name: each for each in form.PROFILES}


class TestFrenchInvoices(ProfileContract):
    @pytest.fixture(params=["fr-ctc", "fr-s1", "fr-m1-cii"])
    def profile(self, request):
        return BY_NAME[request.param]

    @pytest.fixture
    def invoices(self):
        return [french_invoice(), french_invoice("B1", notes=(*company.NOTES, ("BAR", "B2B")))]


@pytest.mark.parametrize("name", ["fr-s1", "fr-b1", "fr-m1", "fr-s1-cii", "fr-b1-cii"])
def test_a_profile_writes_its_business_process_and_breaks_no_rule(name):
    profile = BY_NAME[name]
    document = profile.write(profile.adapt(french_invoice()).invoice)

    judged = judge(document, on=clock.today(), asked="br-fr")
    assert judged.verdict is not None
    assert [each.id for each in judged.verdict.findings if each.flag == "fatal"] == []
    assert judged.light is not Light.RED
    assert name.split("-")[1].upper().encode() in document


def test_an_invoice_without_vat_needs_no_amount_in_euro():
    """It is 0 by any rate; VAT of another amount is the sender's to convert (BR-FR-CO-12)."""
    made = replace(french_invoice(), currency="USD")
    free = replace(made, totals=replace(made.totals, tax=Decimal("0.00")))
    profile = BY_NAME["fr-s1"]

    found = [profile.adapt(each).invoice for each in (free, made)]
    assert [each.accounting_currency for each in found] == ["EUR", None]
    assert [each.totals.tax_in_accounting_currency for each in found] == [0, None]


def test_a_business_process_is_never_guessed():
    """The error names the field and the profiles to choose from."""
    peppol = replace(french_invoice(), profile="urn:fdc:peppol.eu:2017:poacc:billing:01:1.0")
    with pytest.raises(InvalidField) as raised:
        form.NAMED.adapt(peppol)

    (fault,) = raised.value.errors
    assert fault.pointer == "/invoice/profile"
    assert "fr-s1" in fault.message


@pytest.mark.parametrize(
    ("changes", "legal_id", "siret", "is_derived"),
    [
        ({}, (SELLER, "0002"), None, False),
        ({"legal_id": Identifier("100 000 009")}, (SELLER, "0002"), None, False),
        ({"legal_id": Identifier("10000000900022")}, (SELLER, "0002"), "10000000900022", True),
        ({"legal_id": None}, (SELLER, "0002"), None, True),
        ({"legal_id": None, "vat_id": None}, (SELLER, "0002"), None, True),
        ({"legal_id": Identifier("7", "0060")}, ("7", "0060"), None, False),
        ({"legal_id": None, "vat_id": None, "endpoint": None}, None, None, False),
    ],
)
def test_the_siren_is_taken_from_what_the_sender_gives(changes, legal_id, siret, is_derived):
    seller = replace(company.party(SELLER, "Vendeur"), **changes)
    adapted = form.NAMED.adapt(french_invoice(seller=seller))
    found = adapted.invoice.seller

    assert (found.legal_id and (found.legal_id.value, found.legal_id.scheme)) == legal_id
    sirets = [e.value for e in found.identifiers if e.scheme == companies.SIRET]
    assert sirets == ([siret] if siret else [])
    assert bool(adapted.warnings) is is_derived


def test_parties_of_other_countries_stay_as_they_are():
    buyer = company.party(BUYER, "Buyer")
    abroad = replace(buyer, legal_id=None, address=replace(buyer.address, country="DE"))

    assert form.numbered(abroad) == abroad
