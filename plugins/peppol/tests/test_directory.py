"""DNS and SMP together: what is kept, and for how long."""

from __future__ import annotations

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    WILDCARD_SCHEME,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.http import Policy
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_peppol import directory
from einvoice_peppol.directory import Directory
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.trust import Trust
from plugins.peppol.tests import pki, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of, naptr, responding, scripted
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed

PARTICIPANT = ParticipantId("0208", "0123456749")
RECEIVER = pki.leaf(pki.ACCESS_POINTS, "POP000002")
SIGNER = pki.leaf(pki.SMPS, "POP000010", number=11)
TRUST = Trust(pki.anchors(pki.ACCESS_POINTS), pki.anchors(pki.SMPS), Environment.TEST)
PINT = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:peppol:pint:billing-1"


class Time:
    def __init__(self):
        self.seconds = 1000.0

    def monotonic(self):
        return self.seconds


@pytest.fixture
def time(monkeypatch):
    own = Time()
    monkeypatch.setattr(clock, "now", lambda: pki.NOW)
    return own


@pytest.fixture
def server():
    with smp_servers.serving() as running:
        yield running


def offer(server, participant=PARTICIPANT, document_type=BIS_INVOICE):
    server.put(path_of(participant), group(participant, document_type))
    content = information(participant, endpoint(RECEIVER.certificate), document_type=document_type)
    server.put(path_of(participant, document_type), signed(content, SIGNER))


@pytest.fixture
def found(server, time, monkeypatch):
    """A directory whose DNS knows one participant, and its SMP."""
    answer = responding((name_of(PARTICIPANT), "NAPTR", naptr(f"!.*!{server.url}!")))
    with scripted(answer) as (address, script):
        smp = Smp(TRUST, Policy(https_only=False, allow_private=True))
        made = Directory(Sml(ZONE, [address]), smp)
        monkeypatch.setattr(directory, "clock", time)
        made.dns = script
        yield made


def ask(found, document_type=BIS_INVOICE):
    return found.endpoint(PARTICIPANT, document_type, BIS_BILLING_PROCESS)


def test_a_registration_names_types_endpoint_and_certificate(server, found):
    offer(server)

    assert found.registration(PARTICIPANT) == Registration(
        (BIS_INVOICE,),
        "https://ap.example/as4",
        "CN=POP000002,O=Throw-away,C=BE",
        RECEIVER.certificate.not_valid_after_utc,
    )


def test_a_registration_without_invoices_has_no_endpoint(server, found):
    offer(server, document_type=BIS_CREDIT_NOTE)

    assert found.registration(PARTICIPANT) == Registration((BIS_CREDIT_NOTE,))


def test_a_registration_whose_metadata_are_refused_is_shown_without_them(server, found):
    offer(server)
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"<html/>")

    assert found.registration(PARTICIPANT) == Registration((BIS_INVOICE,))


def test_a_participant_without_a_group_is_not_registered(found):
    assert found.registration(PARTICIPANT) == NotRegistered()


def test_a_participant_that_dns_does_not_know_is_not_registered_and_no_smp_is_asked(server, found):
    other = ParticipantId("0208", "0000000097")
    with dnsmasq(f"--local=/{ZONE}/") as address:
        found._sml = Sml(ZONE, [address])

        assert found.registration(other) == NotRegistered()
        assert found.endpoint(other, BIS_INVOICE, BIS_BILLING_PROCESS) == NotRegistered()
    assert server.asked == []


def test_an_answer_is_kept_for_a_quarter_of_an_hour(server, found, time):
    offer(server)
    for seconds in (0, 899, 901):
        time.seconds = 1000.0 + seconds
        assert isinstance(ask(found), Endpoint)

    assert len(server.asked) == 2
    assert len(found.dns.asked) == 2


def test_an_answer_is_asked_for_again_after_it_was_forgotten(server, found):
    """After the access point refused: its certificate may have been replaced."""
    offer(server)
    ask(found)
    found.forget(ParticipantId("0208", "0000000097"))
    ask(found)
    assert len(server.asked) == 1
    found.forget(PARTICIPANT)
    ask(found)

    assert len(server.asked) == 2


def test_what_is_not_offered_is_kept_for_a_minute(server, found, time):
    for seconds in (0, 59, 61):
        time.seconds = 1000.0 + seconds
        assert isinstance(ask(found), NotOffered)

    assert len(server.asked) == 2


def test_an_outage_is_not_kept(server, found):
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"", 503)
    with pytest.raises(DirectoryUnavailable):
        ask(found)
    offer(server)

    assert isinstance(ask(found), Endpoint)


def test_the_number_of_kept_answers_is_bounded():
    kept = directory._Kept(most=2)
    asked = []

    def answer(key):
        return kept.get(key, lambda: asked.append(key) or key)

    for key in ("a", "b", "a", "c", "a", "b"):
        answer(key)

    assert asked == ["a", "b", "c", "b"]


def test_a_wildcard_is_asked_for_by_its_registered_type(server, found):
    registered = DocumentTypeId(WILDCARD_SCHEME, f"{PINT}*::2.1")
    offer(server, document_type=registered)

    assert isinstance(ask(found, DocumentTypeId(WILDCARD_SCHEME, f"{PINT}@jp-1::2.1")), Endpoint)
    other = DocumentTypeId(WILDCARD_SCHEME, f"{PINT.replace('billing', 'selfbilling')}@jp-1::2.1")
    assert isinstance(ask(found, other), NotOffered)


def test_each_process_has_an_answer_of_its_own(server, found):
    offer(server)
    ask(found)
    other = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing_with_response")

    assert isinstance(found.endpoint(PARTICIPANT, BIS_INVOICE, other), NotOffered)


def test_the_seat_that_receives_invoices_is_that_of_the_endpoint(server, found):
    offer(server)

    assert found.receiving_seat(PARTICIPANT) == "POP000002"


def test_a_participant_of_pint_only_has_a_receiving_seat(server, found):
    registered = DocumentTypeId(WILDCARD_SCHEME, f"{PINT}*::2.1")
    server.put(path_of(PARTICIPANT), group(PARTICIPANT, registered))
    content = information(
        PARTICIPANT,
        endpoint(RECEIVER.certificate),
        document_type=registered,
        process=directory.PINT_BILLING,
    )
    server.put(path_of(PARTICIPANT, registered), signed(content, SIGNER))

    assert found.receiving_seat(PARTICIPANT) == "POP000002"


def test_without_invoices_there_is_no_receiving_seat(server, found):
    assert found.receiving_seat(PARTICIPANT) is None
    found.forget(PARTICIPANT)
    offer(server, document_type=BIS_CREDIT_NOTE)

    assert found.receiving_seat(PARTICIPANT) is None


def test_an_outage_is_no_answer_about_the_receiving_seat(server, found):
    """A claim must not be refused because an SMP does not answer."""
    server.put(path_of(PARTICIPANT), b"", 503)

    with pytest.raises(DirectoryUnavailable):
        found.receiving_seat(PARTICIPANT)
