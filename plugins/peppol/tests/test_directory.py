"""DNS and SMP together: what is kept, and for how long."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from as4_server import network
from dns.rcode import NXDOMAIN
from test_statuses import ERROR, OUTCOME

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
from einvoice_peppol import directory, invoice_response, mls
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.directory import Directory
from einvoice_peppol.known import Known
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.smp_documents import TYPE_ABSENT, Endpoint, NotOffered
from einvoice_peppol.trust import Trust
from plugins.peppol.tests import pki, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of, naptr, responding, scripted
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.memory_store import MemoryStore

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


# -- absence ---------------------------------------------------------------------------------------


@pytest.fixture
def remembered(found, monkeypatch):
    """`found` with a store; `at(hours)`: a directory of another process, at that time."""
    store = MemoryStore()

    def at(hours: float) -> Directory:
        monkeypatch.setattr(clock, "now", lambda: pki.NOW + timedelta(hours=hours))
        return Directory(found._sml, found._smp, Known(store, "peppol-test"))

    return at


@pytest.mark.parametrize("absent", ["name", "type", "page", "group"])
def test_what_was_registered_before_is_absent_only_after_some_hours(
    server, found, remembered, absent
):
    """In every process; and from the beginning if it has come back meanwhile."""
    offer(server)
    path = path_of(PARTICIPANT, BIS_INVOICE)
    records, answers = found.dns.answer, dict(server.answers)

    def lose():
        if absent == "name":
            found.dns.answer = responding(rcode=NXDOMAIN)
        elif absent == "page":
            server.put(path, b"<html>", 404)
        else:
            del server.answers[path if absent == "type" else path_of(PARTICIPANT)]
            if absent == "group":
                server.answers.pop(path, None)

    def restore():
        found.dns.answer = records
        server.answers.update(answers)

    def state(hours):
        here = remembered(hours)
        answer = here.registration(PARTICIPANT) if absent == "group" else ask(here)
        if isinstance(answer, Registration | Endpoint):
            return "there"
        return "may return" if answer.may_return else "gone"

    seen = {0: state(0)}
    lose()
    seen |= {hours: state(hours) for hours in (1, 4.9, 5.1, 6)}
    restore()
    seen[30] = state(30)
    lose()
    seen |= {hours: state(hours) for hours in (31, 34.9, 35.1)}

    assert seen == {
        0: "there", 1: "may return", 4.9: "may return", 5.1: "gone", 6: "gone",
        30: "there", 31: "may return", 34.9: "may return", 35.1: "gone",
    }  # fmt: skip


def test_what_was_never_registered_is_absent_at_once(server, found, remembered):
    """A page in place of a publisher's answer may be of its proxy: that is not believed at once."""
    first = remembered(0)
    assert ask(first) == NotOffered(TYPE_ABSENT)
    assert first.registration(PARTICIPANT) == NotRegistered()
    server.put(path_of(PARTICIPANT, BIS_INVOICE), b"<html>", 404)

    assert [ask(remembered(hours)).may_return for hours in (1, 4.9, 5.1)] == [True, True, False]
    assert remembered(1).registration(PARTICIPANT) == NotRegistered()


def test_a_store_that_fails_hinders_no_lookup(server, found):
    class Away(MemoryStore):
        def get(self, key):
            raise OSError("database away")

    offer(server)
    here = Directory(found._sml, found._smp, Known(Away(), "peppol-test"))

    assert isinstance(ask(here), Endpoint)
    found.dns.answer = responding(rcode=NXDOMAIN)
    here.forget(PARTICIPANT)
    assert ask(here) == NotRegistered(may_return=True)


def test_of_a_belgian_company_the_registered_id_is_named(server, found):
    """Looked up with its VAT number, it is registered with its enterprise number."""
    offer(server)
    vat = ParticipantId("9925", "BE0123456749")
    known = found.dns.answer

    def answer(query):
        of_number = name_of(PARTICIPANT) in query.question[0].name.to_text()
        return (known if of_number else responding(rcode=NXDOMAIN))(query)

    found.dns.answer = answer

    assert found.registration(vat) == NotRegistered(registered_as=PARTICIPANT)
    absent = found.endpoint(vat, BIS_INVOICE, BIS_BILLING_PROCESS)
    assert absent == NotRegistered(registered_as=PARTICIPANT)
    other = ParticipantId("9925", "BE0403019261")
    assert found.registration(other) == NotRegistered()
    assert found.registration(ParticipantId("0106", "0123456749")) == NotRegistered()


def test_a_participant_without_a_list_of_types_is_registered_by_their_metadata(server, found):
    """Some publishers lose the list (group) and keep the metadata."""
    offer(server)
    del server.answers[path_of(PARTICIPANT)]

    assert found.registration(PARTICIPANT).document_types == (BIS_INVOICE,)
    assert found.receiving_seat(PARTICIPANT) == "POP000002"


@pytest.mark.parametrize("listed", [(), (BIS_INVOICE,)])
def test_a_wildcard_that_no_list_names_is_asked_for(server, found, listed):
    """As metadata of other types are, which are asked for whatever the list says."""
    registered = DocumentTypeId(WILDCARD_SCHEME, f"{PINT}*::2.1")
    offer(server, document_type=registered)
    server.put(path_of(PARTICIPANT), group(PARTICIPANT, *listed))
    if not listed:
        del server.answers[path_of(PARTICIPANT)]

    assert isinstance(ask(found, DocumentTypeId(WILDCARD_SCHEME, f"{PINT}@jp-1::2.1")), Endpoint)


def test_a_type_that_a_list_lacks_is_not_taken(server, found):
    """Though some publishers have metadata for every type that they are asked about."""
    offer(server)
    assert found.may_take(PARTICIPANT, BIS_INVOICE)
    assert not found.may_take(PARTICIPANT, BIS_CREDIT_NOTE)
    found.forget(PARTICIPANT)
    del server.answers[path_of(PARTICIPANT)]

    assert found.may_take(PARTICIPANT, BIS_CREDIT_NOTE)


PROVIDER = ParticipantId("0242", "000001")
ANSWERS = {
    "status": (PROVIDER, mls.DOCUMENT_TYPE, mls.PROCESS),
    "response": (PARTICIPANT, invoice_response.DOCUMENT_TYPE, invoice_response.PROCESS),
}
REFUSED = replace(OUTCOME, valid=False, findings=(ERROR,))
LISTS = {"the type": True, "others": False, "nothing": False, "no list": True}


def test_statuses_and_responses_are_held_back_where_the_list_lacks_their_type(
    server, time, trusted, c3
):
    """Though the publisher has metadata for them, as for every type (phax/phase4, issue 351)."""
    names = [(name_of(who), "NAPTR", naptr(f"!.*!{server.url}!")) for who, *_ in ANSWERS.values()]
    sent = {}
    with scripted(responding(*names)) as (address, _):
        for who, document_type, process in ANSWERS.values():
            content = information(
                who, endpoint(RECEIVER.certificate), document_type=document_type, process=process
            )
            server.put(path_of(who, document_type), signed(content, SIGNER))
            for listed in LISTS:
                types = {"the type": [document_type], "others": [BIS_INVOICE]}.get(listed, [])
                server.put(path_of(who), group(who, *types))
                if listed == "no list":
                    del server.answers[path_of(who)]
                smp = Smp(TRUST, Policy(https_only=False, allow_private=True))
                found = Directory(Sml(ZONE, [address]), smp)
                peppol = Peppol(network(c3, trusted=trusted, directory=found))
                sent[who, listed] = (
                    bool([*peppol.received_outcome(REFUSED)])
                    if who == PROVIDER
                    else peppol.takes_responses(who)
                )

    assert sent == {(who, each): LISTS[each] for who, *_ in ANSWERS.values() for each in LISTS}


# -- what is kept ----------------------------------------------------------------------------------


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
