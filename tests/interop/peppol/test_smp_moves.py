"""Participants move to and from phoss SMP 7.1.7, which registers them at an SML.

Whatever is killed or answers 500 in between, a repetition ends with what was wanted.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from einvoice.http import Response
from einvoice.network.publishing import (
    BusinessCard,
    EntryRefused,
    EntryStatus,
    Listed,
    MigrationKey,
    NotYet,
    Withdrawn,
)
from einvoice.network.publishing_testing import PublishesContract
from einvoice_peppol.practice import sml as practice_sml
from einvoice_peppol.publishing import PublishingPeppol
from einvoice_peppol.rest_smp import RestSmp
from einvoice_peppol.smp_writing import Target
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


@pytest.fixture(scope="module", autouse=True)
def built():
    if not (foreign.BUILT / "smp" / "classpath").exists():
        pytest.skip("phoss SMP is not compiled here: make peppol-interop compiles it")


@pytest.fixture(scope="module")
def closed(pki):
    made = Closed(pki)
    yield made
    made.close()


@pytest.fixture(scope="module")
def smp(pki, folder, closed, tmp_path_factory):
    sml = (closed.locator, practice_sml.ZONE)
    with foreign.smp(pki, folder, tmp_path_factory.mktemp("smp"), sml) as running:
        closed.registry.smps[foreign.SMP_ID] = running.url
        yield running


@pytest.fixture
def phoss(smp, closed, identity):
    """The access point that publishes at phoss SMP."""
    target = Target(ENDPOINT, identity("c2").certificate, "mailto:ap@example.com")
    entries = RestSmp(smp.url, USER, PASSWORD, lambda: target, closed.directory(), MemoryStore(),
                           policy=OPEN,
                      limits=PATIENT, seconds=4 * PATIENCE_SECONDS)  # fmt: skip
    own = network(identity("c2"), trusted=closed.trusted, directory=closed.directory())
    return PublishingPeppol(own, entries)


@pytest.fixture(scope="module")
def theirs(closed, identity):
    """Another provider, with our own SMP."""
    return closed.provider("THEIRS", identity("c3"))


def owner(closed, name):
    """The SMP that the SML has for a participant."""
    return closed.registry.participants.get(name.canonical)


def wanted(phoss, name):
    return phoss.status(name, phoss.receivable) == EntryStatus(True, True)


class TestPhoss(PublishesContract):
    @pytest.fixture
    def access_point(self, phoss):
        yield phoss
        for number in (1, 2):
            phoss.withdraw(participant(number))

    @pytest.fixture
    def own_participant(self):
        return participant(1)

    @pytest.fixture
    def foreign_participant(self, theirs):
        assert theirs.publish(participant(2), theirs.receivable, None) == Listed()
        yield participant(2)
        theirs.withdraw(participant(2))

    @pytest.fixture
    def migration_key(self, theirs, foreign_participant):
        return theirs.move_out(foreign_participant).key

    @pytest.fixture
    def away(self, phoss):
        def _away():
            phoss.entries._base = "http://127.0.0.1:9"

        return _away


def test_a_participant_is_registered_at_the_sml_and_taken_away_again(closed, phoss):
    name = participant(10)
    assert phoss.publish(name, phoss.receivable, CARD) == Listed()
    assert owner(closed, name) == foreign.SMP_ID
    assert phoss.publish(name, phoss.receivable[:2], None) == Listed()
    assert phoss.status(name, phoss.receivable[:2]) == EntryStatus(True, True)
    assert phoss.withdraw(name) == Withdrawn()

    assert owner(closed, name) is None
    assert phoss.status(name, phoss.receivable) == EntryStatus(False)
    assert phoss.withdraw(name) == Withdrawn()


def test_a_participant_of_another_provider_is_refused_until_its_key_is_given(closed, phoss, theirs):
    name, other = participant(11), participant(12)
    for each in (name, other):
        assert theirs.publish(each, theirs.receivable, CARD) == Listed()
    refused = phoss.publish(name, phoss.receivable, CARD)
    assert isinstance(refused, EntryRefused)
    assert refused.elsewhere
    key, foreign_key = (theirs.move_out(each).key for each in (name, other))

    for wrong in ("Wr0ng#Key!77", foreign_key):
        answer = phoss.move_in(name, wrong, phoss.receivable, CARD)
        assert isinstance(answer, EntryRefused), answer
        assert owner(closed, name) == "THEIRS"
    assert phoss.move_in(name, key, phoss.receivable, CARD) == Listed()
    assert owner(closed, name) == foreign.SMP_ID
    assert wanted(phoss, name)
    assert phoss.move_in(name, key, phoss.receivable, CARD) == Listed()
    assert theirs.withdraw(name) == Withdrawn()
    assert closed.directory().registration(name).document_types


def test_a_participant_moves_out_by_its_key_and_is_withdrawn_here(closed, phoss, theirs):
    """A second key ends the first; the entry of the new provider stays when ours is withdrawn."""
    name = participant(13)
    assert phoss.publish(name, phoss.receivable, CARD) == Listed()
    first, second = phoss.move_out(name), phoss.move_out(name)
    assert isinstance(first, MigrationKey)
    assert isinstance(second, MigrationKey)
    assert first.key != second.key
    assert isinstance(theirs.move_in(name, first.key, theirs.receivable, CARD), EntryRefused)
    assert theirs.move_in(name, second.key, theirs.receivable, CARD) == Listed()
    assert owner(closed, name) == "THEIRS"

    assert phoss.withdraw(name) == Withdrawn()
    assert owner(closed, name) == "THEIRS"
    assert phoss.status(name, phoss.receivable) == EntryStatus(False)
    assert set(closed.directory().registration(name).document_types) == set(theirs.receivable)


def test_a_wrong_password_moves_nothing(closed, phoss, theirs):
    name = participant(14)
    assert theirs.publish(name, theirs.receivable, None) == Listed()
    key = theirs.move_out(name).key
    right = phoss.entries._headers
    phoss.entries._headers = right | {"authorization": "Basic d3Jvbmc6d3Jvbmc="}
    refused = phoss.move_in(name, key, phoss.receivable, None)
    assert isinstance(refused, NotYet)
    assert refused.retry_after == 300.0
    phoss.entries._headers = right

    assert phoss.move_in(name, key, phoss.receivable, None) == Listed()
    assert owner(closed, name) == foreign.SMP_ID


# -- faults in between -----------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends here."""


@contextmanager
def failing(phoss, monkeypatch, at, how):
    """The call `at` fails: it never reaches phoss SMP, or its answer is lost, or is a 500."""
    calls, send = [0], phoss.entries._http.send

    def sent(method, url, **given):
        calls[0] += 1
        if calls[0] != at:
            return send(method, url, **given)
        if how == "before":
            raise Killed
        done = None if how == "500 before" else send(method, url, **given)
        if how == "after":
            raise Killed
        return (
            Response(500, {"content-type": "text/plain"}, b"Internal error")
            if done is None or how == "500 after"
            else done
        )

    with monkeypatch.context() as patch:
        patch.setattr(phoss.entries._http, "send", sent)
        yield calls


def attempt(call):
    try:
        return call()
    except Killed:
        return None


FAULTS = ("before", "after", "500 before", "500 after")


@pytest.mark.parametrize("how", FAULTS)
def test_a_publication_that_fails_at_any_call_is_complete_after_a_repetition(
    closed, phoss, monkeypatch, how
):
    """Publish, change and withdraw; two types, so that the calls are few."""
    name, types = participant(20 + FAULTS.index(how)), phoss.receivable[:2]
    steps = (
        lambda: phoss.publish(name, types, CARD),
        lambda: phoss.publish(name, types[:1], None),
        lambda: phoss.withdraw(name),
    )
    ends = (EntryStatus(True, True), EntryStatus(True, True), EntryStatus(False))
    wrong = []
    for number, (step, end) in enumerate(zip(steps, ends, strict=True)):
        at, reached = 0, True
        while reached:
            at += 1
            if number == 0:
                phoss.withdraw(name)
            else:
                phoss.publish(name, types, CARD)
            with failing(phoss, monkeypatch, at, how) as calls:
                attempt(step)
            reached = calls[0] >= at
            done = step()
            seen = phoss.status(name, types[:1] if number == 1 else types)
            registered = foreign.SMP_ID if end.is_listed else None
            if (seen, owner(closed, name)) != (end, registered):
                wrong.append((number, at, done, seen, owner(closed, name)))

    assert wrong == []


@pytest.mark.parametrize("how", FAULTS)
def test_a_move_that_fails_at_any_call_ends_with_the_participant_here(
    closed, phoss, theirs, monkeypatch, how
):
    types, at, reached, wrong = phoss.receivable[:1], 0, True, []
    while reached:
        at += 1
        name = participant(100 + 20 * FAULTS.index(how) + at)
        assert theirs.publish(name, theirs.receivable, CARD) == Listed()
        key = theirs.move_out(name).key
        with failing(phoss, monkeypatch, at, how) as calls:
            attempt(lambda name=name, key=key: phoss.move_in(name, key, types, CARD))
        reached = calls[0] >= at
        done = phoss.move_in(name, key, types, CARD)
        if (done, owner(closed, name)) != (Listed(), foreign.SMP_ID):
            wrong.append((at, done, owner(closed, name)))

    assert wrong == []


def test_phoss_smp_that_is_killed_goes_on_where_it_was(closed, phoss, smp, theirs):
    """kill -9 after a publication and between the two halves of a move."""
    kept, moving = participant(200), participant(201)
    assert phoss.publish(kept, phoss.receivable[:2], CARD) == Listed()
    assert theirs.publish(moving, theirs.receivable, None) == Listed()
    key = theirs.move_out(moving).key
    smp.kill()
    assert isinstance(phoss.publish(kept, phoss.receivable, CARD), NotYet)
    assert isinstance(phoss.move_in(moving, key, phoss.receivable[:2], None), NotYet)
    smp.start()

    assert phoss.status(kept, phoss.receivable[:2]) == EntryStatus(True, True)
    assert phoss.publish(kept, phoss.receivable, CARD) == Listed()
    assert phoss.move_in(moving, key, phoss.receivable[:2], None) == Listed()
    assert (owner(closed, kept), owner(closed, moving)) == (foreign.SMP_ID, foreign.SMP_ID)
