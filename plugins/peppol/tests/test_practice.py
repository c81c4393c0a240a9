"""The practice network: what its settings give is a network in which both sides find each other."""

from __future__ import annotations

import shutil
import stat

import pytest
import requests
from click.testing import CliRunner
from cryptography import x509

import einvoice_peppol
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    ParticipantId,
)
from einvoice.network import registry
from einvoice.network.publishing import PublishesParticipants
from einvoice.network.types import NotRegistered
from einvoice_peppol import invoice_response, mls, sbdh
from einvoice_peppol.practice import dns, network
from einvoice_peppol.practice.command import practice
from einvoice_peppol.practice.network import AccessPoint
from einvoice_peppol.tax_authorities import TAX_TYPES

SELLER, BUYER = ParticipantId("0208", "0123456749"), ParticipantId("0208", "0403019261")
POINTS = (
    AccessPoint("POP000001", "http://127.0.0.1:8000"),
    AccessPoint("POP000002", "http://127.0.0.1:8001/"),
)


@pytest.fixture
def made(tmp_path):
    if shutil.which("dnsmasq", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        pytest.skip("dnsmasq is not installed (Debian: dnsmasq-base)")
    seats = {SELLER: "POP000001", BUYER: "POP000002"}
    with network.running(tmp_path, POINTS, seats) as running:
        yield running


def access_point(made, seat):
    (point,) = registry.load(made.settings[seat], [einvoice_peppol])
    return point


def test_each_access_point_finds_the_participants_of_the_other(made):
    """With DNS, SMP, certificates and revocation lists checked as in production."""
    seller = access_point(made, "POP000001")
    found = seller.lookup(BUYER)

    assert found.endpoint == "http://127.0.0.1:8001/networks/peppol-test/"
    assert found.document_types == (BIS_INVOICE, BIS_CREDIT_NOTE, invoice_response.DOCUMENT_TYPE)
    assert (seller.registered_here(SELLER), seller.registered_here(BUYER)) == (True, False)
    assert seller.lookup(ParticipantId("0208", "0000000097")) == NotRegistered()
    assert seller.lookup(mls.spid_of("POP000002")).document_types == (mls.DOCUMENT_TYPE,)


def test_documents_in_it_ask_for_their_status(made):
    """So that a positive one comes back too."""
    assert made.settings["POP000001"]["EINVOICE_PEPPOL_TEST_MLS_TYPE"] == sbdh.ALWAYS_SEND


def test_the_key_is_readable_by_its_owner_only(made, tmp_path):
    assert stat.S_IMODE((tmp_path / "POP000001.pem").stat().st_mode) == 0o600


def test_the_network_names_a_renewed_certificate_when_it_is_published(made):
    """For each participant of the access point; its key is in the file."""
    renewed = made.renew("POP000002")
    before = _certificate_of(made, BUYER)
    renewed.publish()
    after = _certificate_of(made, BUYER)

    assert x509.load_pem_x509_certificate(renewed.file.read_bytes()) == after != before
    assert after.not_valid_after_utc > before.not_valid_after_utc
    assert stat.S_IMODE(renewed.file.stat().st_mode) == 0o600
    assert _certificate_of(made, SELLER) != after


@pytest.mark.parametrize(("scheme", "pint"), [("0235", True), ("0248", True), ("0245", False)])
def test_participants_of_countries_with_pint_take_it(scheme, pint):
    """The Emirates and Oman; Slovakia sends BIS Billing."""
    types = [kind for kind, _ in network._routes(ParticipantId(scheme, "1345678901"))]

    assert any("urn:peppol:pint:billing-1" in kind.value for kind in types) is pint
    assert BIS_INVOICE in types


def _certificate_of(made, participant):
    point = access_point(made, "POP000001")
    return point._own.directory.endpoint(participant, BIS_INVOICE, BIS_BILLING_PROCESS).certificate


def test_a_participant_of_an_unknown_access_point_is_refused(tmp_path):
    given = ["--access-point", "POP000001=http://127.0.0.1:1", "--dir", str(tmp_path)]
    result = CliRunner().invoke(practice, [*given, "--participant", f"{BUYER}=POP000009"])

    assert (result.exit_code, result.output) == (1, "Error: there is no access point POP000009\n")


def test_without_dnsmasq_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(dns, "_PATH", str(tmp_path))
    given = ["--access-point", "POP000001=http://127.0.0.1:1", "--dir", str(tmp_path / "practice")]
    result = CliRunner().invoke(practice, given)

    assert result.exit_code == 1
    assert result.output == (
        "Error: dnsmasq is not installed (Debian: apt-get install dnsmasq-base)\n"
    )


@pytest.mark.parametrize("given", ["POP1=http://x", "POP000001", "POP000001=ftp://x"])
def test_an_access_point_without_seat_or_address_is_refused(given, tmp_path):
    result = CliRunner().invoke(practice, ["--access-point", given, "--dir", str(tmp_path)])

    assert result.exit_code == 2
    assert "POP000001=http://127.0.0.1:8000" in result.output


def test_in_a_network_with_an_sml_each_access_point_publishes_by_its_own_smp(tmp_path):
    """Without dnsmasq: DNS has what SMPs have registered, and the participants that are given."""
    with network.running(tmp_path, POINTS, {BUYER: "POP000002"}, publishing=True) as made:
        seller = access_point(made, "POP000001")
        own = made.settings["POP000001"]
        assert isinstance(seller, PublishesParticipants)
        assert seller.lookup(BUYER).endpoint == "http://127.0.0.1:8001/networks/peppol-test/"
        assert seller.lookup(SELLER) == NotRegistered()
        seller.entries.locator.create_smp(own["EINVOICE_PEPPOL_TEST_SMP_ADDRESS"])
        seller.entries.locator.create(SELLER)

        named = seller.entries._directory.publisher(SELLER)
    assert named == "http://127.0.0.1:8000/networks/peppol-test-smp"
    assert stat.S_IMODE((tmp_path / "POP000001-smp.pem").stat().st_mode) == 0o600


def test_a_network_of_a_country_has_a_stand_in_of_its_authority(tmp_path):
    """At its seat in SML and SMP, and each access point reports to it."""
    given = {BUYER: "POP000002"}
    with network.running(tmp_path, POINTS, given, publishing=True, countries=("SK", "AE")) as made:
        seller = access_point(made, "POP000001")
        found = seller.lookup(mls.spid_of(network.AUTHORITY_SEAT))
        book = requests.get(made.authority, timeout=10).text

    assert found.document_types == (TAX_TYPES["SK"], TAX_TYPES["AE"])
    assert seller.reports_received()
    assert book == "stand-in of a tax authority, for practice\n"
