"""Each exchange is recorded for the reports, where it happens."""

from __future__ import annotations

from dataclasses import replace

import pytest
from as4_server import FixedDirectory, network, serving
from test_statuses import ERROR, OUTCOME, STATUS

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.messages import Step
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import Delivered
from einvoice_peppol import mls
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.end_users import legal_person
from einvoice_peppol.exchanges import Exchanges
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.reporting import RECEIVED, SENT, Ledger
from einvoice_peppol.sbdh import Header
from tests.memory_store import MemoryStore


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def ledger(store):
    return Ledger(store, "peppol-test")


@pytest.fixture
def peppol(c2, c3, trusted, ledger):
    """An access point that sends to another one, and records it."""
    receiver = Receiver(network(c3, trusted=trusted), MemoryInbox())
    with serving(receiver.answer) as server:
        own = network(c2, trusted=trusted, directory=FixedDirectory(server.url, c3))
        yield Peppol(own, Exchanges(own, ledger))


def recorded(ledger):
    return [*ledger.items(clock.today())]


def submitted(peppol, **changes):
    envelope = samples.envelope(**changes)
    return envelope, peppol.submit(envelope, peppol.prepare(envelope))


def test_a_delivered_document_is_recorded(peppol, ledger):
    envelope, outcome = submitted(peppol)
    (item,) = recorded(ledger)

    assert isinstance(outcome, Delivered)
    assert (item.direction, item.c2, item.c3) == (SENT, "POP000001", "POP000002")
    assert (item.document_type, item.process) == (envelope.document_type, envelope.process)
    assert (item.country_c1, item.end_user) == (
        envelope.sender_country,
        legal_person(envelope.sender),
    )
    assert item.key == peppol.prepare(envelope).message_id


def test_what_was_not_delivered_is_not_recorded(peppol, ledger):
    submitted(peppol, receiver=FixedDirectory.stranger)

    assert recorded(ledger) == []


def test_a_status_of_ours_has_no_end_user(peppol, ledger):
    submitted(peppol, document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS)
    for item in recorded(ledger):
        assert item.end_user is None


def test_a_store_that_fails_does_not_hold_back_the_outcome(peppol, store):
    """The document was delivered: what is missing in the report is in the log."""

    def fail(*_):
        raise OSError("away")

    store.append = fail

    assert isinstance(submitted(peppol)[1], Delivered)


def test_a_judged_document_is_recorded_once(peppol, ledger):
    outcome = replace(OUTCOME, receiver_country="NL", valid=False, findings=(ERROR,))
    for _ in range(2):
        [*peppol.received_outcome(outcome)]
    [*peppol.received_outcome(replace(outcome, step=Step.PROCESSED))]
    (item,) = recorded(ledger)

    assert (item.direction, item.c2, item.c3) == (RECEIVED, "POP000001", "POP000001")
    assert (item.country_c1, item.country_c4) == ("BE", "NL")
    assert item.end_user == legal_person(outcome.receiver)
    assert item.at == outcome.received_at


def test_documents_that_were_judged_together_are_recorded_with_one_write(peppol, store, ledger):
    """Each is an item of its own; a document without a seat id, or of another step, is none."""
    writes, append = [], store.append

    def count(*given):
        writes.append(given)
        append(*given)

    store.append = count
    found = peppol.received_outcomes(
        [replace(OUTCOME, instance_id=f"i-{n}") for n in range(3)]
        + [replace(OUTCOME, instance_id="other", step=Step.PROCESSED)]
        + [replace(OUTCOME, instance_id="unknown", state={})]
    )

    assert len(found) == 5
    assert len(writes) == 1
    assert [item.key for item in recorded(ledger)] == [f"POP000001/i-{n}/doc-1" for n in range(3)]


def test_a_judged_document_is_recorded_later_when_the_store_is_away(peppol, store):
    """The exception makes the service repeat the call."""

    def fail(*_):
        raise OSError("away")

    store.append = fail

    with pytest.raises(OSError, match="away"):
        peppol.received_outcome(OUTCOME)


def test_an_unknown_country_is_replaced_by_our_own(peppol, ledger):
    peppol.received_outcome(OUTCOME)

    assert recorded(ledger)[0].country_c4 == "BE"


def test_a_received_status_is_recorded_without_an_end_user(c2, trusted, ledger):
    header = Header(
        STATUS.sender, STATUS.receiver, mls.DOCUMENT_TYPE, mls.PROCESS, "i", clock.now(), "DE"
    )
    Exchanges(network(c2, trusted=trusted), ledger).evidence_received(header, "POP000009")
    (item,) = recorded(ledger)

    assert (item.c2, item.country_c1, item.country_c4) == ("POP000009", "DE", "BE")
    assert item.end_user is None


@pytest.mark.parametrize(
    ("ids", "persons"),
    [
        (["0208:0403019261", "9925:BE0403019261", "9925:be0403019261"], 1),
        (["0208:0403019261", "0208:0123456749"], 2),
        (["9930:DE123456789", "0246:de123456789-00001", "0246:DE123456789-00002"], 1),
        (["0002:552100554", "0009:55210055400013", "0225:552100554", "0225:552100554_AP",
          "9957:FR83552100554"], 1),
        (["0007:5567321707", "9955:SE556732170701"], 1),
        (["0211:IT06363391001", "9906:IT06363391001"], 1),
        (["0088:9520000000004", "0106:12345678", "0208:0123456749"], 3),
        (["0208:040301926", "9925:BE040301926"], 2),
    ],
)  # fmt: skip
def test_an_end_user_is_a_legal_person_whatever_its_id(peppol, ledger, ids, persons):
    """Not an account: one may send for several companies."""
    for each in ids:
        submitted(peppol, sender=ParticipantId.parse(each))

    assert len({item.end_user for item in recorded(ledger)}) == persons
