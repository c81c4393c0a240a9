"""`einvoice inbound`: an operator stores a document as if a network had delivered it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.inbound import inbound
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION, BIS_INVOICE
from einvoice.network import samples
from einvoice.services.account import tenants
from einvoice.store.tables import Invoice, Received
from tests.stored import rows

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
CII = (Path(__file__).parents[1] / "samples" / "good_cii.xml").read_bytes()
CREDIT_NOTE = b'<CreditNote xmlns="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"/>'


@pytest.fixture
def hand_in(app, tenant, monkeypatch, tmp_path):
    """Run the command with these bytes for the tenant's participant; the result of the command."""
    monkeypatch.setattr(application, "application", lambda: app)
    tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
    file = tmp_path / "bill.xml"

    def _hand_in(content, *words, to=str(samples.RECEIVER), sender=str(samples.SENDER)):
        file.write_bytes(content)
        words = [str(file), "--to", to, "--from", sender, *words]
        return CliRunner().invoke(inbound, words)

    return _hand_in


def test_a_file_becomes_a_bill_and_its_id_is_printed(hand_in):
    result = hand_in(samples.inbound().document)

    assert result.exit_code == 0
    assert rows(Invoice.id) == [(result.stdout.strip(),)]


def test_the_same_instance_id_is_the_same_bill(hand_in):
    """Without an instance id, each call stores a message of its own."""
    document = samples.inbound().document
    first, again = (hand_in(document, "--instance-id", "one") for _ in range(2))
    other = hand_in(document)

    assert first.stdout == again.stdout != other.stdout
    assert "received before" in again.stderr
    assert len(rows(Invoice.id)) == 2


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (CII, "CrossIndustryInvoice"),
        (CREDIT_NOTE, "CreditNote"),
        (samples.inbound().document, "Invoice"),
        (b"anything", "Invoice"),
    ],
)
def test_the_document_type_follows_from_the_root_element(hand_in, content, kind):
    hand_in(content)

    ((document_type,),) = rows(Received.document_type)
    assert f"::{kind}##" in document_type


BILL = samples.inbound().document
XRECHNUNG = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
UBL = "urn:oasis:names:specification:ubl:schema:xsd"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (BILL, str(BIS_INVOICE)),
        (CREDIT_NOTE, f"busdox-docid-qns::{UBL}:CreditNote-2::CreditNote\n"),
        (CII, f"::CrossIndustryInvoice##{BIS_BILLING_CUSTOMIZATION}::D16B\n"),
        (
            BILL.replace(BIS_BILLING_CUSTOMIZATION.encode(), XRECHNUNG.encode()),
            f"{UBL}:Invoice-2::Invoice##{XRECHNUNG}::2.1\n",
        ),
        (b"anything", "not XML"),
    ],
)  # fmt: skip
def test_the_document_type_that_is_found_is_printed_beside_the_id(hand_in, content, named):
    """To stderr, so that stdout stays the id alone; it is the declared type, too."""
    result = hand_in(content)

    assert result.exit_code == 0
    assert named in result.stderr
    assert rows(Invoice.id) == [(result.stdout.strip(),)]
    if "##" in named:
        ((declared,),) = rows(Received.document_type)
        assert named.strip() in declared


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (f'<Order xmlns="{UBL}:Order-2"/>', f"{UBL}:Order-2::Order are not accepted"),
        (
            f'<ApplicationResponse xmlns="{UBL}:ApplicationResponse-2"/>',
            f"{UBL}:ApplicationResponse-2::ApplicationResponse are not accepted",
        ),
        ("<Invoice/>", "::Invoice are not accepted"),
    ],
)
def test_a_document_of_another_type_is_refused_with_its_type(hand_in, content, named):
    result = hand_in(content.encode())

    assert result.exit_code != 0
    assert named in result.stderr
    assert rows(Invoice.id) == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"to": "0088:9520000000011"}, "no tenant owns"),
        ({"to": "gln-17"}, "--to"),
        ({"sender": ""}, "--from"),
    ],
)
def test_a_document_that_cannot_be_delivered_is_refused(hand_in, words, error):
    result = hand_in(CREDIT_NOTE, **words)

    assert result.exit_code != 0
    assert error in result.stderr
    assert "Traceback" not in result.output
    assert rows(Invoice.id) == []
