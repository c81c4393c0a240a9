"""Participants are published at phoss SMP 7.1.7, which answers as our own SMP does."""

from __future__ import annotations

import pytest

from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ProcessId,
)
from einvoice.http import Client, Policy
from einvoice.network.publishing import BusinessCard, EntryStatus, Listed, NotYet, Withdrawn
from einvoice.network.publishing_testing import PublishesContract
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import entry_routes
from einvoice_peppol.publishing import PublishingPeppol
from einvoice_peppol.rest_smp import RestSmp
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.smp_writing import Target, path_of
from plugins.peppol.tests.as4_server import network
from plugins.peppol.tests.publishing_network import (
    ENDPOINT,
    OPEN,
    PATIENCE_SECONDS,
    PATIENT,
    Closed,
    participant,
)
from tests.interop.peppol import foreign
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.interop

USER, PASSWORD = "admin@helger.com", "password"
CARD = BusinessCard("Acme & Sons <NV>", "BE")
STRANGER = participant(99)
PINT = DocumentTypeId(
    "peppol-doctype-wildcard",
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice"
    "##urn:peppol:pint:billing-1@be-1::2.1",
)


@pytest.fixture(scope="module", autouse=True)
def built():
    if not (foreign.BUILT / "smp" / "classpath").exists():
        pytest.skip("phoss SMP is not compiled here: make peppol-interop compiles it")


@pytest.fixture(scope="module")
def address(pki, folder, tmp_path_factory):
    with foreign.smp(pki, folder, tmp_path_factory.mktemp("smp")) as running:
        yield running.url


@pytest.fixture(scope="module")
def closed(pki, address):
    """A closed network in which the SML names phoss SMP for what it lists there."""
    made = Closed(pki)
    made.registry.smps["PHOSS"] = address
    yield made
    made.close()


@pytest.fixture
def phoss(address, closed, identity):
    """A function from certificate and password to the access point that publishes there."""

    def _phoss(leaf="c2", password=PASSWORD, base=address):
        target = Target(ENDPOINT, identity(leaf).certificate, "mailto:ap@example.com")
        entries = RestSmp(base, USER, password, lambda: target, closed.directory(), MemoryStore(),
                           policy=OPEN,
                          limits=PATIENT, seconds=4 * PATIENCE_SECONDS)  # fmt: skip
        own = network(identity(leaf), trusted=closed.trusted, directory=closed.directory())
        return PublishingPeppol(own, entries)

    return _phoss


class TestPhoss(PublishesContract):
    """Without an SML, which is chosen in its pages, phoss SMP moves nothing: 412."""

    @pytest.fixture
    def access_point(self, phoss):
        point = phoss()
        yield point
        point.withdraw(participant(1))

    @pytest.fixture
    def own_participant(self):
        return participant(1)

    test_a_participant_gets_a_key_to_move_out = None


def test_moves_say_what_has_to_be_set(phoss):
    point = phoss()
    point.publish(participant(2), point.receivable, CARD)
    asked = point.move_out(participant(2))

    assert isinstance(asked, NotYet)
    assert "412" in asked.reason
    assert "SML" in asked.reason


def test_a_renewed_certificate_is_seen_and_published(phoss):
    first, renewed = phoss("c2"), phoss("other")
    first.publish(participant(3), first.receivable, CARD)

    assert first.entry_form() != renewed.entry_form()
    assert renewed.status(participant(3), renewed.receivable) == EntryStatus(True, False)
    assert renewed.publish(participant(3), renewed.receivable, CARD) == Listed()
    assert renewed.status(participant(3), renewed.receivable) == EntryStatus(True, True)


def test_a_wrong_password_changes_nothing_and_waits_for_the_operator(phoss):
    right, wrong = phoss(), phoss(password="wrong")
    right.publish(participant(4), right.receivable, None)
    refused = (
        wrong.publish(participant(4), wrong.receivable[:1], None),
        wrong.withdraw(participant(4)),
    )

    assert [type(each) for each in refused] == [NotYet, NotYet]
    assert {each.retry_after for each in refused} == {300.0}
    assert all("password" in each.reason for each in refused)
    assert right.status(participant(4), right.receivable) == EntryStatus(True, True)


def test_an_smp_that_is_away_is_asked_again(phoss):
    away = phoss(base="http://127.0.0.1:9")

    assert isinstance(away.publish(participant(5), away.receivable, None), NotYet)
    assert isinstance(away.withdraw(participant(5)), NotYet)
    with pytest.raises(DirectoryUnavailable):
        away.status(participant(5), away.receivable)


# -- the same answers ------------------------------------------------------------------------------


def _questions(participants):
    """Thirty questions of a sender: who takes what, and where."""
    processes = {
        BIS_INVOICE: (BIS_BILLING_PROCESS, ProcessId("cenbii-procid-ubl", "urn:other")),
        BIS_CREDIT_NOTE: (BIS_BILLING_PROCESS,),
        PINT: (ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing"),),
    }
    routes = [(each, process) for each, some in processes.items() for process in some]
    routes += [
        (each, process)
        for each, process in entry_routes.OF_PARTICIPANTS.items()
        if each not in processes and each.scheme != PINT.scheme
    ]
    for name in participants:
        yield name, None, None
        for each, process in routes:
            yield name, each, process


def _answer(directory, question):
    name, document_type, process = question
    if document_type is None:
        found = directory.registration(name)
        if isinstance(found, NotRegistered):
            return "not registered"
        return (sorted(map(str, found.document_types)), found.endpoint, found.certificate_subject)
    found = directory.endpoint(name, document_type, process)
    match found:
        case Endpoint(address, certificate):
            return (address, certificate.serial_number)
        case NotOffered(reason):
            return reason
        case _:
            return "not registered"


def test_phoss_smp_and_ours_give_the_same_answers_to_the_same_questions(
    closed, phoss, identity, pki
):
    """The lookup of a sender, by DNS, group and signed metadata, is the same at both."""
    names = [participant(20), participant(21), participant(22), STRANGER]
    theirs, ours = phoss(), closed.provider("OURS", identity("c2"))
    ours.entries._target = theirs.entries._now
    answers = []
    for smp, point in (("PHOSS", theirs), ("OURS", ours)):
        all_types = point.receivable
        published = dict(zip(names, (all_types, all_types[:2], all_types[4:]), strict=False))
        for name, types in published.items():
            assert point.publish(name, types, CARD) == Listed()
            closed.registry.participants[str(name)] = smp
            closed.registry.register_name(str(name))
        directory = closed.directory()
        answers.append([_answer(directory, each) for each in _questions(names)])
        for name in published:
            assert point.withdraw(name) == Withdrawn()
            closed.registry.participants.pop(str(name), None)

    assert len(answers[0]) >= 30
    assert answers[0] == answers[1]


def test_business_cards_have_the_same_content(phoss, address, closed, identity):
    point, name = phoss(), participant(30)
    point.publish(name, point.receivable[:1], CARD)
    http = Client(Policy(https_only=False, allow_private=True))
    found = http.send("GET", f"{address}/businesscard{path_of(name)}")
    ours = closed.provider("CARDS", identity("c2"))
    closed.registry.participants.pop(str(name), None)
    ours.publish(name, ours.receivable[:1], CARD)
    own = http.send("GET", f"{ours.entries._settings.address}/businesscard{path_of(name)}")

    for content in (found.body.decode(), own.body.decode()):
        assert "Acme &amp; Sons &lt;NV&gt;" in content
        assert "BE" in content
        assert str(name) in content
