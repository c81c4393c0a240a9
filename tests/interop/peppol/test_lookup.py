"""peppol-commons 12.4.0 looks up participants of a closed network: dnsmasq and a signed SMP.

The same network is looked up by our directory. peppol-commons asks port 53 only, so this needs the
right to listen there.
"""

from __future__ import annotations

import socket

import pytest

from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, ParticipantId
from plugins.peppol.tests import smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.interop.peppol import foreign

pytestmark = pytest.mark.interop

REGISTERED = ParticipantId("0208", "0403019261")
STRANGER = ParticipantId("0208", "0848934496")
ENDPOINT = "http://127.0.0.1:8000/networks/peppol-test/"
ADDRESS = "127.0.53.1"


def _may_listen():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((ADDRESS, 53))
        except OSError:
            return False
    return True


@pytest.fixture(scope="module")
def smp():
    with smp_servers.serving() as server:
        yield server


@pytest.fixture(scope="module")
def looked_up(smp, folder):
    """A function from participant and document type to what peppol-commons prints."""
    if not _may_listen():
        pytest.skip(f"port 53 of {ADDRESS} cannot be used")
    record = f"--naptr-record={name_of(REGISTERED)},100,10,U,Meta:SMP,!.*!{smp.url}!"

    def _looked_up(participant, document_type=BIS_INVOICE):
        given = {
            "dns": ADDRESS, "zone": ZONE, "receiver": participant, "type": document_type.value,
            "process": "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
        }  # fmt: skip
        return foreign.said_by("Lookup", folder, *(f"{n}={v}" for n, v in given.items()))

    with dnsmasq(f"--local=/{ZONE}/", record, address=ADDRESS, port=53):
        yield _looked_up


@pytest.fixture
def registered(smp, pki):
    """Registers the participant with metadata signed by this key."""

    def _registered(signer):
        content = information(REGISTERED, endpoint(pki.c3.certificate, ENDPOINT))
        smp.put(path_of(REGISTERED), group(REGISTERED, BIS_INVOICE, base=smp.url))
        smp.put(path_of(REGISTERED, BIS_INVOICE), signed(content, signer))

    return _registered


def test_a_participant_of_ours_is_found(looked_up, registered, pki):
    registered(pki.smp)
    said = looked_up(REGISTERED)

    assert said[-1] == f"endpoint {ENDPOINT} of POP000002", said
    assert len([each for each in said if each.startswith("type ")]) == 1


def test_a_type_that_is_not_registered_is_not_offered(looked_up, registered, pki):
    registered(pki.smp)

    assert looked_up(REGISTERED, BIS_CREDIT_NOTE)[-1] == "type not offered"


def test_a_participant_that_dns_does_not_know_is_not_registered(looked_up):
    assert looked_up(STRANGER)[-1] == "not registered"


def test_metadata_of_a_foreign_signer_are_refused(looked_up, registered, pki):
    registered(pki.foreign)

    assert looked_up(REGISTERED)[-1].startswith("failure ")
