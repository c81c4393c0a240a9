"""peppol-commons 12.4.0 looks up participants of a closed network: dnsmasq and a signed SMP.

The same network is looked up by our directory. peppol-commons asks port 53 only, so this needs the
right to listen there.
"""

from __future__ import annotations

import socket

import pytest

from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    WILDCARD_SCHEME,
    ParticipantId,
)
from einvoice.network.publishing import Listed
from einvoice_peppol import entry_routes
from plugins.peppol.tests import smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.publishing_network import ENDPOINT as PUBLISHED
from plugins.peppol.tests.publishing_network import Closed, participant
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.interop.peppol import foreign

pytestmark = pytest.mark.interop

REGISTERED = ParticipantId("0208", "0403019261")
STRANGER = ParticipantId("0208", "0848934496")
ENDPOINT = "http://127.0.0.1:8000/networks/peppol-test/"
ADDRESS = "127.0.53.1"


def _may_listen(address=ADDRESS):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 53))
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


def test_a_participant_of_our_own_smp_is_found(pki, folder, identity):
    """Group and signed metadata as our SMP answers them, for each type that it publishes."""
    server = "127.0.53.2"
    if not _may_listen(server):
        pytest.skip(f"port 53 of {server} cannot be used")
    closed, name = Closed(pki), participant(7)
    try:
        ours = closed.provider("OURS", identity("c3"))
        assert ours.publish(name, ours.receivable, None) == Listed()
        address = ours.entries._settings.address
        record = f"--naptr-record={name_of(name)},100,10,U,Meta:SMP,!.*!{address}!"
        given = {"dns": server, "zone": ZONE, "receiver": name}
        wrong = {}
        with dnsmasq(f"--local=/{ZONE}/", record, address=server, port=53):
            for kind, process in entry_routes.OF_PARTICIPANTS.items():
                if kind.scheme == WILDCARD_SCHEME:
                    continue
                asked = given | {"type": kind.value, "process": process.value}
                said = foreign.said_by("Lookup", folder, *(f"{n}={v}" for n, v in asked.items()))
                if said[-1] != f"endpoint {PUBLISHED} of POP000002":
                    wrong[kind.value] = said[-1]
    finally:
        closed.close()

    assert wrong == {}


def test_a_participant_of_our_own_smp_is_found_by_oxalis(pki, folder, identity):
    """Its lookup reads group and signed metadata of each type; DNS is left out."""
    if not (foreign.BUILT / "oxalis" / "classpath").exists():
        pytest.skip("Oxalis is not compiled here: make peppol-interop compiles it")
    closed, name = Closed(pki), participant(8)
    try:
        ours = closed.provider("OURS", identity("c3"))
        assert ours.publish(name, ours.receivable, None) == Listed()
        address = ours.entries._settings.address
        processes = {
            kind.value: process.value
            for kind, process in entry_routes.OF_PARTICIPANTS.items()
            if kind.scheme != WILDCARD_SCHEME
        }
        found = foreign.found_by_oxalis(folder, address, name, processes)
    finally:
        closed.close()

    assert {found.get(kind) for kind in processes} == {PUBLISHED}
