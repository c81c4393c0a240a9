"""Concurrent messages: read and stored together, each with an outcome of its own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DataError, OperationalError

from einvoice.domain.directory import SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Overloaded
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.types import Busy, Duplicate, Stored
from einvoice.services.account import tenants
from einvoice.services.directory import entries
from einvoice.services.grouping import Grouping
from einvoice.services.inbound import arrival_storage, arrivals
from einvoice.services.inbound.reception import Reception
from einvoice.store.core import db
from einvoice.store.tables import Artefact, Event, Invoice, Received, Transmission
from einvoice.web.runtime import runtime_of
from tests.crashes import crash_before
from tests.stored import rows

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
OURS = samples.RECEIVER
THEIRS = ParticipantId("0088", "9520000000011")


@pytest.fixture
def owner(app, tenant) -> str:
    tenants.own_participant(tenant, Environment.TEST, OURS)
    return tenant


class Together:
    """Does the work of so many calls as one group, in the order of the calls.

    The process dies right before the given statement of the group; None: it lives.
    """

    def __init__(self, count, dies_before=None):
        self.items, self.count, self.dies_before = [], count, dies_before
        self.finished = threading.Event()

    def run(self, item, work):
        self.items.append(item)
        if len(self.items) < self.count:
            assert self.finished.wait(30)
            return
        try:
            with crash_before(self.dies_before):
                work.compute(self.items)
                work.store(self.items)
        finally:
            self.finished.set()


def inbox_of(app, grouping) -> Reception:
    parts = runtime_of(app)
    return Reception(app.app_context, parts.caches, parts.computing, parts.forms, grouping=grouping)


def delivered(app, messages, grouping=None):
    """The verdicts on messages of one group, or what stopped them."""
    grouping = grouping or Together(len(messages))
    inbox = inbox_of(app, grouping)

    def deliver(place):
        until = time.monotonic() + 30  # the group is in the order of the messages
        while len(getattr(grouping, "items", range(place))) < place and time.monotonic() < until:
            time.sleep(0.001)
        return inbox.deliver_inbound(messages[place])

    with ThreadPoolExecutor(len(messages)) as pool:
        calls = [pool.submit(deliver, place) for place in range(len(messages))]
        return [call.exception() or call.result() for call in calls]


@contextmanager
def counted(event):
    seen = []

    def note(*_):
        seen.append(event)

    sa.event.listen(db.db.engine, event, note)
    yield seen
    sa.event.remove(db.db.engine, event, note)


def test_a_group_is_stored_with_one_commit(app, owner):
    """Each message has its document, receipt and event."""
    messages = [samples.inbound(number=f"G-{n}") for n in range(5)]
    with counted("commit") as alone:
        delivered(app, [samples.inbound()])
    with counted("commit") as together:
        verdicts = delivered(app, messages)

    assert len(together) == len(alone)
    assert [type(verdict) for verdict in verdicts] == [Stored] * 5
    assert [verdict.receipt for verdict in verdicts] == [message.receipt for message in messages]
    stored = dict(rows(Invoice.number, Invoice.id))
    assert [stored[f"G-{n}"] for n in range(5)] == [verdict.document_id for verdict in verdicts]
    for table in (Transmission.id, Received.invoice_id, Artefact.id, Event.id):
        assert len(rows(table)) == 6


@pytest.mark.parametrize("statement", range(12))
def test_a_process_that_dies_at_any_statement_stores_all_or_none_of_a_group(app, owner, statement):
    """The network repeats the messages: then each is there once, with one event."""
    messages = [samples.inbound(number=f"G-{n}") for n in range(3)]
    verdicts = delivered(app, messages, Together(3, dies_before=statement))
    stored_before = len(rows(Invoice.id))
    again = delivered(app, messages)

    assert stored_before in (0, 3)
    assert [verdict for verdict in verdicts if isinstance(verdict, Stored)] == [] or stored_before
    assert {type(one) for one in again} == ({Duplicate} if stored_before else {Stored})
    for table in (Invoice.id, Transmission.id, Received.invoice_id, Artefact.id, Event.id):
        assert len(rows(table)) == 3


def test_the_same_message_twice_in_a_group_is_stored_once(app, owner):
    message = samples.inbound()
    first, other, second = delivered(app, [message, samples.inbound(), message])

    assert (type(first), type(other)) == (Stored, Stored)
    assert second == Duplicate(first.document_id, message.receipt)
    assert len(rows(Invoice.id)) == len(rows(Event.id)) == 2


def test_different_documents_under_one_id_in_a_group_are_all_stored(app, owner):
    """Also beside a repeat of each."""
    one, other, third = (samples.inbound(number=f"G-{n}", instance_id="one") for n in range(3))
    [known] = delivered(app, [one])
    verdicts = delivered(app, [other, one, third, other])
    stored = dict(rows(Invoice.number, Invoice.id))

    assert [type(verdict) for verdict in verdicts] == [Stored, Duplicate, Stored, Duplicate]
    assert [verdict.document_id for verdict in (known, *verdicts)] == [
        stored[f"G-{n}"] for n in (0, 1, 0, 2, 1)
    ]


def test_a_known_message_in_a_group_is_a_duplicate(app, owner):
    """The others of its group are stored."""
    message = samples.inbound()
    [first] = delivered(app, [message])
    again, other = delivered(app, [message, samples.inbound()])

    assert again == Duplicate(first.document_id, message.receipt)
    assert isinstance(other, Stored)


def test_the_second_of_a_number_in_a_group_is_a_possible_duplicate(app, owner):
    """Those of another sender or with another number are none."""
    other_sender = replace(
        samples.inbound(number="N-1"), sender=ParticipantId("0208", "0403019261")
    )
    messages = [samples.inbound(number="N-1"), other_sender]
    messages += [samples.inbound(number="N-1"), samples.inbound(number="N-2")]
    verdicts = delivered(app, messages)
    warned = dict(rows(Invoice.id, Invoice.warnings))

    codes = [[w["code"] for w in warned[verdict.document_id]] for verdict in verdicts]
    assert codes == [[], [], ["possible-duplicate"], []]


def test_each_document_of_a_group_has_a_supplier_of_its_own_tenant(app, owner):
    """By participant id in one directory, by name in the other, and none in the third."""
    other, third = tenants.create("Other"), tenants.create("Third")
    tenants.own_participant(other, Environment.TEST, THEIRS)
    tenants.own_participant(third, Environment.TEST, ParticipantId("0088", "9520000000028"))
    document = samples.inbound().document
    name = document.partition(b"<cbc:RegistrationName>")[2].partition(b"<")[0].decode()
    own = entries.create(
        SUPPLIER, owner,
        {"name": "A", "country_code": "BE", "peppol_id": str(samples.SENDER),
         "default_gl_account_code": "6100"},
    )  # fmt: skip
    by_name = entries.create(SUPPLIER, other, {"name": name, "country_code": "BE"})
    receivers = [OURS, THEIRS, ParticipantId("0088", "9520000000028")]
    verdicts = delivered(app, [replace(samples.inbound(), receiver=each) for each in receivers])
    found = {row[0]: row[1:] for row in rows(
        Received.invoice_id, Received.tenant_id, Received.supplier_id, Received.gl_account_code
    )}  # fmt: skip

    assert [found[verdict.document_id] for verdict in verdicts] == [
        (owner, own.id, "6100"), (other, by_name.id, None), (third, None, None)
    ]  # fmt: skip


@ONE_DATABASE
@pytest.mark.parametrize("step", ["read_all", "add_all"])
def test_a_document_that_breaks_its_group_does_not_hold_back_the_others(
    app, owner, monkeypatch, step
):
    """It alone has the exception."""
    original = getattr(arrival_storage, step)

    def refuse(*given):
        if any(b"G-1" in document for document in _documents(given)):
            raise DataError("INSERT", {}, Exception("refused"))
        return original(*given)

    monkeypatch.setattr(arrival_storage, step, refuse)
    verdicts = delivered(app, [samples.inbound(number=f"G-{n}") for n in range(3)])

    assert [type(verdict) for verdict in verdicts] == [Stored, DataError, Stored]
    assert sorted(number for (number,) in rows(Invoice.number)) == ["G-0", "G-2"]


def _documents(given):
    found = [each for argument in given if isinstance(argument, list) for each in argument]
    return [getattr(each, "arrival", each).document for each in found]


@ONE_DATABASE
@pytest.mark.parametrize("step", ["known_among", "add_all"])
def test_without_the_database_all_messages_of_a_group_are_busy(app, owner, monkeypatch, step):
    """The statement is not repeated for each of them."""
    calls = []

    def away(*_):
        calls.append(step)
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    monkeypatch.setattr(arrival_storage, step, away)
    verdicts = delivered(app, [samples.inbound() for _ in range(3)])

    assert verdicts == [Busy()] * 3
    assert len(calls) == 1
    assert rows(Invoice.id) == []


@ONE_DATABASE
def test_a_message_whose_group_does_not_begin_is_busy(app, owner):
    class Full:
        def run(self, item, work):
            raise Overloaded("The queue is long.")

    assert delivered(app, [samples.inbound()], Full()) == [Busy()]


@ONE_DATABASE
@pytest.mark.parametrize("over", [0, 1])
def test_a_longer_document_is_in_no_group(app, owner, monkeypatch, over):
    """Reading it would hold back the small ones."""
    message = samples.inbound()
    monkeypatch.setattr(arrivals, "MAX_GROUPED_BYTES", len(message.document) - over)
    grouping = Together(1)
    [verdict] = delivered(app, [message], grouping)

    assert isinstance(verdict, Stored)
    assert len(grouping.items) == (0 if over else 1)


def test_messages_of_many_threads_are_each_stored_once(app, owner):
    """Also where each arrives twice at the same time."""
    messages = [samples.inbound(number=f"M-{n}") for n in range(20)]
    inbox = inbox_of(app, Grouping(app.app_context))
    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(inbox.deliver_inbound, [*messages, *messages]))

    assert sum(isinstance(verdict, Stored) for verdict in verdicts) == 20
    assert {type(verdict) for verdict in verdicts} <= {Stored, Duplicate}
    assert len(rows(Invoice.id)) == len(rows(Event.id)) == 20
