"""Our own SMP: its entries, its answers to lookups, and the SML."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from publishing_network import ENDPOINT, Closed, participant

from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.network.endpoints import Request
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
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import entry_routes, smp_writing
from einvoice_peppol.locator import LocatorAway
from einvoice_peppol.own_smp import BookEntry
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp_documents import NotOffered

OURS, FOREIGN = participant(1), participant(2)
CARD = BusinessCard("Acme & Sons <NV>", "BE")


@pytest.fixture
def closed(pki):
    made = Closed(pki)
    yield made
    made.close()


@pytest.fixture
def ours(closed, c2):
    return closed.provider("OURS", c2)


@pytest.fixture
def theirs(closed, c3):
    return closed.provider("THEIRS", c3)


class TestPublishing(PublishesContract):
    @pytest.fixture
    def access_point(self, ours):
        return ours

    @pytest.fixture
    def own_participant(self):
        return OURS

    @pytest.fixture
    def foreign_participant(self, theirs):
        assert theirs.publish(FOREIGN, theirs.receivable, None) == Listed()
        return FOREIGN

    @pytest.fixture
    def migration_key(self, theirs, foreign_participant):
        return theirs.move_out(foreign_participant).key

    @pytest.fixture
    def away(self, ours, monkeypatch):
        def no_dns(*_):
            raise DirectoryUnavailable("DNS does not answer")

        def no_sml(*_):
            raise LocatorAway("the SML does not answer")

        def _away():
            monkeypatch.setattr(Sml, "publisher", no_dns)
            monkeypatch.setattr(ours.entries.locator, "_call", no_sml)

        return _away


def test_a_published_participant_is_found_with_all_its_types(closed, ours, c2):
    """By the lookup that we make of others: DNS, group, signed metadata, certificates."""
    ours.publish(OURS, ours.receivable, CARD)
    found = closed.directory()

    assert set(found.registration(OURS).document_types) == set(entry_routes.RECEIVABLE)
    wrong = []
    for document_type, process in entry_routes.OF_PARTICIPANTS.items():
        if document_type.scheme == "peppol-doctype-wildcard":
            value = document_type.value.replace("-1*::", "-1@be-1::")
            document_type = DocumentTypeId(document_type.scheme, value)
        endpoint = found.endpoint(OURS, document_type, process)
        if (endpoint.address, endpoint.certificate) != (ENDPOINT, c2.certificate):
            wrong.append(document_type)
    assert wrong == []
    assert ours.registered_here(OURS)


def test_a_renewed_certificate_is_in_every_answer_at_once(closed, ours, other):
    ours.publish(OURS, ours.receivable, None)
    smp = ours.entries
    smp._target = lambda: replace(smp_writing.Target(ENDPOINT, other.certificate))

    found = closed.directory().endpoint(OURS, BIS_INVOICE, BIS_BILLING_PROCESS)
    assert found.certificate == other.certificate


def test_a_participant_moves_from_one_provider_to_the_other(closed, ours, theirs, c2, c3):
    ours.publish(OURS, ours.receivable, None)
    key = ours.move_out(OURS)
    assert isinstance(key, MigrationKey)
    assert theirs.move_in(OURS, key.key, theirs.receivable, CARD) == Listed()

    assert closed.directory().receiving_seat(OURS) == c3.seat
    assert ours.status(OURS, ours.receivable) == EntryStatus(True, False)
    assert isinstance(ours.publish(OURS, ours.receivable, None), EntryRefused)
    assert ours.withdraw(OURS) == Withdrawn()
    assert closed.directory().receiving_seat(OURS) == c3.seat, "it is not ours to delete"
    assert isinstance(ours.move_in(OURS, key.key, ours.receivable, None), EntryRefused), "once"


def test_a_withdrawn_participant_is_not_registered(closed, ours):
    ours.publish(OURS, ours.receivable, CARD)
    ours.withdraw(OURS)

    assert closed.registry.participants == {}
    assert isinstance(closed.directory().registration(OURS), NotRegistered)


class Killed(BaseException):
    pass


def test_a_kill_at_any_point_is_made_good_by_the_next_call(closed, ours, monkeypatch):
    """The calls are the steps of publishing and withdrawing; each is the last one, once."""
    smp, number, wrong = ours.entries, 10, []
    for publishes in (True, False):
        for last in range(5):
            number += 1
            name = participant(number)
            if not publishes:
                ours.publish(name, ours.receivable, CARD)
            steps = iter(range(100))
            with pytest.MonkeyPatch.context() as patch:
                for owner, method in ((smp, "_put"), (smp.locator, "create"),
                                      (smp.locator, "delete")):  # fmt: skip
                    patch.setattr(owner, method, _until(last, steps, getattr(owner, method)))
                with suppress(Killed):
                    ours.publish(name, ours.receivable, CARD) if publishes else ours.withdraw(name)
            if publishes:
                ours.publish(name, ours.receivable, CARD)
            else:
                ours.withdraw(name)
            is_in_book = smp.entry(name) is not None
            is_in_sml = closed.registry.participants.get(str(name)) == "OURS"
            if (is_in_book, is_in_sml) != (publishes, publishes):
                wrong.append((publishes, last, is_in_book, is_in_sml))

    assert wrong == []


def _until(last, steps, function):
    """The function, which ends the process before its last step, or after it where it is odd."""

    def _call(*given):
        step = next(steps)
        if step * 2 == last:
            raise Killed
        result = function(*given)
        if step * 2 + 1 == last:
            raise Killed
        return result

    return _call


def test_dns_is_asked_who_has_what_the_sml_refuses(closed, ours, monkeypatch):
    """The SML refuses what was registered a moment ago, also by us: DNS may not know it yet."""
    closed.registry.participants[str(OURS)] = "OURS"
    refused = ours.publish(OURS, ours.receivable, None)

    assert isinstance(refused, NotYet)
    assert refused.retry_after == 60


def test_an_sml_that_is_away_changes_no_entry(closed, ours, monkeypatch):
    ours.publish(OURS, ours.receivable, None)

    def away(*_):
        raise LocatorAway("the SML does not answer")

    for name in ("create", "delete", "migrate", "prepare_to_migrate"):
        monkeypatch.setattr(ours.entries.locator, name, away)
    assert isinstance(ours.withdraw(OURS), NotYet)
    assert ours.publish(OURS, ours.receivable[:1], None) == Listed(), "it is registered"
    assert isinstance(ours.publish(FOREIGN, ours.receivable, None), NotYet)
    assert isinstance(ours.move_out(OURS), NotYet)
    assert ours.entries.entry(OURS).listed


def test_metadata_may_be_at_another_smp(closed, ours, theirs, c3, pki):
    """A redirect of SMP 1.4, followed by our own lookup."""
    ours.publish(OURS, ours.receivable, None)
    theirs.entries._put(OURS, BookEntry((BIS_INVOICE,), listed=True))
    address = theirs.entries._settings.address + smp_writing.path_of(OURS, BIS_INVOICE)
    ours.entries.redirect(OURS, BIS_INVOICE, address, "POP000009")

    with pytest.raises(Exception, match="the SMP of the redirect is"):
        closed.directory().endpoint(OURS, BIS_INVOICE, BIS_BILLING_PROCESS)
    uid = pki.smp.certificate.subject.rfc4514_string()
    ours.entries.redirect(OURS, BIS_INVOICE, address, uid)
    found = closed.directory().endpoint(OURS, BIS_INVOICE, BIS_BILLING_PROCESS)
    assert found.certificate == c3.certificate
    with pytest.raises(LookupError):
        ours.entries.redirect(FOREIGN, BIS_INVOICE, address, uid)


GROUP = "/iso6523-actorid-upis::0088:9520000000001"
PATHS = {
    "/": 200,
    GROUP: 200,
    GROUP.upper().replace("ISO6523-ACTORID-UPIS", "iso6523-actorid-upis"): 200,
    f"{GROUP}/services/{BIS_INVOICE}": 200,
    f"{GROUP}/services/{BIS_CREDIT_NOTE}": 404,
    f"{GROUP}/services/": 404,
    f"{GROUP}/services": 404,
    f"{GROUP}/other/{BIS_INVOICE}": 404,
    f"/businesscard{GROUP}": 200,
    "/businesscard/": 404,
    "/businesscard": 404,
    "/iso6523-actorid-upis::0088:9520000000099": 404,
    "/other-scheme::0088:9520000000001": 404,
    "/iso6523-actorid-upis::": 404,
    "/iso6523-actorid-upis:0088:9520000000001": 404,
    "/" + "a" * 10_000: 404,
    "/iso6523-actorid-upis::0088:\u2028\x00": 404,
    f"{GROUP}/services/busdox-docid-qns::{'x' * 10_000}": 404,
}


def test_each_path_has_its_answer(ours):
    ours.publish(OURS, (BIS_INVOICE,), CARD)
    smp = ours.entries
    found = {path: smp.answer(Request("GET", path)).status for path in PATHS}

    assert found == PATHS
    for method in ("PUT", "POST", "DELETE"):
        assert smp.answer(Request(method, GROUP)).status == 405
    card = smp.answer(Request("GET", f"/businesscard{GROUP}")).body.decode()
    assert "<Name>Acme &amp; Sons &lt;NV&gt;</Name><CountryCode>BE</CountryCode>" in card


def test_an_unknown_process_is_not_offered(closed, ours):
    ours.publish(OURS, ours.receivable, None)
    found = closed.directory().endpoint(
        OURS, BIS_INVOICE, ProcessId("cenbii-procid-ubl", "urn:other")
    )

    assert isinstance(found, NotOffered)


def test_an_entry_is_stored_and_read():
    card = BusinessCard("Acme", "BE")
    redirects = {str(BIS_INVOICE): ("https://smp.example", "POP000001")}
    entry = BookEntry((BIS_INVOICE, BIS_CREDIT_NOTE), card, True, redirects)

    assert BookEntry.of_text(entry.to_text()) == entry
    assert BookEntry.of_text(BookEntry(()).to_text()).types == ()
    assert len(BookEntry(entry_routes.RECEIVABLE, card).to_text()) < 64 * 1024


def test_the_largest_participant_id_fits_the_key_of_the_store(ours):
    longest = ParticipantId("0088", "9" * 130)

    assert ours.publish(longest, ours.receivable, None) == Listed()
