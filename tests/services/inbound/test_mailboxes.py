"""Documents are fetched from mailboxes once each, with their cursor, whatever happens."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.request import SendWarning
from einvoice.network import samples
from einvoice.network.connections import NeedsPerson
from einvoice.network.mailboxes import (
    MAX_DOCUMENTS,
    Fetched,
    FetchTerms,
    MailboxDocument,
    NotFetched,
    StatedHead,
)
from einvoice.services import plugin_calls
from einvoice.services.account import tenants
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.delivery import messages, transmit
from einvoice.services.inbound import arrival_storage, mailboxes, notices
from einvoice.store import outbox
from einvoice.store.connections import connections as connection_rows
from einvoice.store.core import db
from einvoice.store.tables import (
    Artefact,
    Connection,
    Event,
    Invoice,
    MailboxCursor,
    Outbox,
    Tenant,
    Transmission,
)
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.crashes import crash_before
from tests.networks.toll import mailbox
from tests.networks.toll.answering import acknowledgement
from tests.networks.toll.mailbox import PASSWORD, AnsweringMail, TollMail, TollMailPlugin
from tests.stored import rows
from tests.workers import await_calls, claimed

MINUTES = timedelta(minutes=1)
ROOT = Path(__file__).parents[3]
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def books() -> Iterator[mailbox.Mailboxes]:
    with mailbox.running() as books:
        yield books


@pytest.fixture
def plugin(books) -> TollMailPlugin:
    return TollMailPlugin(books.url)


@pytest.fixture
def mail(plugin) -> TollMail:
    return plugin.mail


@pytest.fixture
def app(make_app, plugin) -> Iterator[Flask]:
    app = make_app(plugins=[plugin])
    with app.app_context():
        yield app


def connected(app, tenant, account="RO1"):
    new = NewConnection(Environment.TEST, "toll-mail", account, credentials={"password": PASSWORD})
    return accounts.create(tenant, new, runtime_of(app))


def work(app, tenant) -> int:
    """Fetch what is due, as a worker does; how many rows were due."""
    mailboxes.schedule(runtime_of(app))
    ids, token = claimed(outbox.PLUGINS, tenant)
    mailboxes.run(ids, token, runtime_of(app))
    await_calls()
    return len(ids)


def begin(app, move) -> None:
    """Make the first fetch of new connections due."""
    mailboxes.schedule(runtime_of(app))
    move(minutes=1)


def message_statuses():
    query = sa.select(Transmission.status).where(Transmission.invoice_id.is_(None))
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


def numbers() -> list[str]:
    with db.reading() as connection:
        query = sa.select(Invoice.number).where(Invoice.direction == "received")
        return sorted(connection.execute(query).scalars())


def due_in() -> timedelta:
    ((due,),) = rows(Outbox.due_at)
    return due - clock.now()


def arrivals() -> int:
    """The number of events that say that a document arrived."""
    return [kind for (kind,) in rows(Event.type)].count("transaction.received")


def drain(app, tenant, move) -> None:
    for _ in range(20):
        work(app, tenant)
        move(minutes=2)


def test_a_mailbox_is_fetched_page_by_page_for_its_tenant(app, tenant, books, mail, move):
    """Each document once, with its event; the receiver is the tenant of the connection."""
    connected(app, tenant)
    books.put("RO1", *(f"B-{number}" for number in range(7)))
    begin(app, move)
    drain(app, tenant, move)

    assert numbers() == [f"B-{number}" for number in range(7)]
    assert {owner for (owner,) in rows(Invoice.tenant_id)} == {tenant}
    assert {receiver for (receiver,) in rows(Invoice.receiver)} == {None}
    assert arrivals() == 7
    assert mail.fetched[:4] == [("RO1", None), ("RO1", "3"), ("RO1", "6"), ("RO1", "7")]


def test_the_state_of_the_connection_is_stored_with_the_cursor(app, tenant, books, mail, move):
    """A session or token that the fetch has changed is there for the next one."""
    made = connected(app, tenant)
    books.put("RO1", "B-1")
    begin(app, move)
    work(app, tenant)
    ((cursor, documents),) = rows(MailboxCursor.cursor, MailboxCursor.documents)
    assert (cursor, documents) == ("1", 1)

    move(minutes=15)
    work(app, tenant)
    with db.reading_session() as database:
        found = connection_rows.find(database, tenant, made.id)
        sealed = connection_rows.sealed(found)
    opened = mailboxes.sealing.opened(sealed, runtime_of(app).settings)
    assert opened.state == {"fetches": "2"}


@pytest.mark.parametrize("statement", range(26))
def test_a_worker_that_dies_at_any_statement_loses_and_doubles_nothing(
    app, tenant, books, mail, move, statement
):
    """The next worker fetches from the same cursor."""
    connected(app, tenant)
    books.put("RO1", "B-1", "B-2")
    begin(app, move)
    ids, token = claimed(outbox.PLUGINS, tenant)
    (row,) = outbox.held(ids, token, clock.now())
    with crash_before(statement):
        mailboxes._work(token, runtime_of(app), row)
    move(minutes=20)
    outbox.release_expired(clock.now())
    drain(app, tenant, move)

    assert numbers() == ["B-1", "B-2"]
    assert arrivals() == 2
    assert rows(MailboxCursor.cursor, MailboxCursor.documents) == [("2", 2)]


def test_a_network_that_lists_a_document_again_stores_it_once(app, tenant, books, mail, move):
    """Also after the connection was made again, which begins without a cursor."""
    made = connected(app, tenant)
    books.put("RO1", "B-1")
    begin(app, move)
    work(app, tenant)
    accounts.revoke(tenant, made.id)
    move(minutes=20)
    work(app, tenant)
    assert rows(MailboxCursor.connection_id) == []

    connected(app, tenant)
    begin(app, move)
    work(app, tenant)
    assert mail.fetched[-1] == ("RO1", None)
    assert numbers() == ["B-1"]


@ONE_DATABASE
def test_documents_of_two_tenants_for_one_account_are_two(app, tenant, books, mail, move):
    """An office and its client may both have an account for a tax number."""
    other = tenants.create("Other")
    books.put("RO1", "B-1")
    for owner in (tenant, other):
        connected(app, owner)
    begin(app, move)
    for owner in (tenant, other):
        work(app, owner)

    assert sorted(owner for (owner,) in rows(Invoice.tenant_id)) == sorted([tenant, other])


@ONE_DATABASE
def test_a_document_that_cannot_be_read_is_kept_and_the_cursor_goes_on(
    app, tenant, books, mail, move
):
    """It is listed with a warning, and the next ones arrive."""
    connected(app, tenant)
    books.put("RO1", b"\x00 no invoice", "B-2", b"")
    begin(app, move)
    work(app, tenant)

    assert rows(MailboxCursor.cursor) == [("3",)]
    warned = [warnings for (warnings,) in rows(Invoice.warnings)]
    assert sum("unreadable-document" in str(one) for one in warned) == 2


def test_a_document_that_the_database_refuses_is_stored_unread(
    app, tenant, books, mail, move, monkeypatch
):
    """Its bytes are kept, and the others of its page are not affected."""
    connected(app, tenant)
    books.put("RO1", "B-1", "B-2", "B-3")
    add, seen = arrival_storage.add, []

    def refusing(connection, new):
        if new.row.head.number == "B-2":
            seen.append(new)
            twice = {"id": tenant, "name": "x", "created_at": clock.now()}
            connection.execute(sa.insert(Tenant).values(twice))
        return add(connection, new)

    monkeypatch.setattr(arrival_storage, "add", refusing)
    begin(app, move)
    work(app, tenant)

    assert len(seen) == 1
    assert sorted(map(str, (n for (n,) in rows(Invoice.number)))) == ["B-1", "B-3", "None"]
    assert rows(MailboxCursor.cursor) == [("3",)]


def test_a_quota_is_kept_also_after_a_crash(app, tenant, books, mail, move):
    """No fetch begins before `retry_after` or `at_least` is over."""
    mail.terms = FetchTerms(every=20 * MINUTES, at_least=10 * MINUTES)
    connected(app, tenant)
    begin(app, move)
    ids, token = claimed(outbox.PLUGINS, tenant)
    (row,) = outbox.held(ids, token, clock.now())
    mail.outcomes = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        mailboxes._work(token, runtime_of(app), row)  # the process is gone
    move(minutes=6)
    outbox.release_expired(clock.now())
    work(app, tenant)
    assert len(mail.fetched) == 1
    assert due_in() == 4 * MINUTES

    move(minutes=4)
    mail.outcomes = [NotFetched("quota", retry_after=3600)]
    work(app, tenant)
    assert len(mail.fetched) == 2
    assert due_in() == timedelta(hours=1)


@ONE_DATABASE
def test_a_fetch_that_fails_is_repeated_with_growing_pauses(app, tenant, books, mail, move):
    """At most its interval; the reason is shown without secrets."""
    connected(app, tenant)
    mail.outcomes = [OSError("no"), NotFetched(f"not {PASSWORD}"), OSError("no"), OSError("no")]
    begin(app, move)
    pauses = []
    for _ in range(4):
        assert work(app, tenant) == 1
        pauses.append(due_in().total_seconds())
        move(seconds=pauses[-1])
        if len(pauses) == 2:
            assert rows(MailboxCursor.fault) == [("not …",)]

    assert pauses == [30, 60, 120, 240]
    work(app, tenant)
    assert rows(MailboxCursor.failures, MailboxCursor.fault) == [(0, None)]


@ONE_DATABASE
@pytest.mark.parametrize(
    "fetched",
    [
        Fetched(cursor="x" * 100_001),
        Fetched(cursor=None),
        Fetched(cursor="1", documents=tuple(
            MailboxDocument(str(n), mailbox.SENDER, mailbox.BIS_INVOICE,
                            mailbox.BIS_BILLING_PROCESS, b"x")
            for n in range(MAX_DOCUMENTS + 1)
        )),
        "documents",
        NeedsPerson(connection_id="another", reason="no"),
    ],
)  # fmt: skip
def test_a_faulty_fetch_stores_nothing(app, tenant, books, mail, move, fetched):
    connected(app, tenant)
    mail.outcomes = [fetched]
    begin(app, move)
    work(app, tenant)

    assert rows(MailboxCursor.cursor, MailboxCursor.failures) == [(None, 1)]
    assert numbers() == []
    assert rows(Connection.state) == [("active",)]


@ONE_DATABASE
def test_a_document_that_cannot_be_read_shows_what_the_list_says_of_it(app, tenant, mail, move):
    """With the warnings of its access point. What a readable document says itself stands."""
    stated = StatedHead(
        number="S-1",
        issue_date=date(2026, 11, 2),
        currency="PLN",
        grand_total=Decimal("123.45"),
        supplier_name="Widget",
        supplier_tax_id="PL1111111111",
    )
    warning = SendWarning("digest-differs", "Its digest is another one.")
    readable = samples.inbound(number="B-1").document
    mail.outcomes = [
        Fetched("1", tuple(
            MailboxDocument(str(n), mailbox.SENDER, mailbox.BIS_INVOICE,
                            mailbox.BIS_BILLING_PROCESS, content, stated=stated, warnings=given)
            for n, (content, given) in enumerate([(b"\x81\x81", (warning,)), (readable, ())])
        ))
    ]  # fmt: skip
    connected(app, tenant)
    begin(app, move)
    work(app, tenant)

    columns = (Invoice.number, Invoice.issue_date, Invoice.grand_total, Invoice.supplier_name)
    first, second = sorted(rows(*columns, Invoice.supplier_tax_id), reverse=True)
    assert first == ("S-1", date(2026, 11, 2), Decimal("123.45"), "Widget", "PL1111111111")
    assert (second[0], second[3] != "Widget") == ("B-1", True)
    warned = sorted([each["code"] for each in found] for (found,) in rows(Invoice.warnings))
    assert warned == [[], ["unreadable-document", "digest-differs"]]


@ONE_DATABASE
def test_a_mailbox_that_reads_again_is_told_what_is_stored(app, tenant, books, mail, move):
    """Of its own account only."""
    asked = []

    def fetch_new(connection, cursor, known):
        asked.append(sorted(known([f"{connection.account}-{n}" for n in range(3)] + ["RO1-0"])))
        return mail.fetch(connection, cursor)

    mail.fetch_new = fetch_new
    connected(app, tenant)
    books.put("RO1", "B-1", "B-2")
    begin(app, move)
    work(app, tenant)
    move(minutes=15)
    connected(app, tenant, "RO2")
    begin(app, move)
    work(app, tenant)

    assert asked[0] == []
    assert sorted(asked[1:]) == [[], ["RO1-0", "RO1-1"]]


@ONE_DATABASE
def test_a_connection_that_needs_a_person_is_not_fetched_until_it_works(
    app, tenant, books, mail, move
):
    made = connected(app, tenant)
    mail.outcomes = [NeedsPerson(connection_id=made.id, reason="consent has ended")]
    books.put("RO1", "B-1")
    begin(app, move)
    work(app, tenant)
    assert rows(Connection.state, Connection.reason) == [("needs-person", "consent has ended")]
    move(minutes=30)
    work(app, tenant)
    assert len(mail.fetched) == 1

    accounts.check(tenant, made.id, runtime_of(app))
    move(minutes=15)
    work(app, tenant)
    assert numbers() == ["B-1"]


@ONE_DATABASE
def test_connections_are_fetched_side_by_side_within_the_concurrency(
    app, tenant, books, mail, move, monkeypatch
):
    """And never two fetches of one connection."""
    monkeypatch.setattr(plugin_calls, "WAIT_SECONDS", 0.2)
    for number in range(6):
        connected(app, tenant, f"RO{number}")
    begin(app, move)
    mail.gate = threading.Event()
    ids, token = claimed(outbox.PLUGINS, tenant)
    mailboxes.run(ids, token, runtime_of(app))
    until = time.monotonic() + 5
    while mail.running < 4 and time.monotonic() < until:
        time.sleep(0.01)
    mail.gate.set()
    await_calls()

    assert mail.most_running == 4
    assert len({account for account, _ in mail.fetched}) == len(mail.fetched) == 4


@ONE_DATABASE
def test_news_of_a_sent_document_reach_its_own_tenant_only(app, tenant, books, mail, move):
    """Evidence is kept once, however often the mailbox lists it."""
    other = tenants.create("Other")
    mine, foreign = accepted(tenant, number="S-1"), accepted(other, number="S-2")
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE transmissions SET access_point = 'toll-mail-test'"))
    books.news["RO1"] = [(mine.transmission_id, "<Seal/>"), (foreign.transmission_id, "<Seal/>")]
    connected(app, tenant)
    begin(app, move)
    work(app, tenant)
    move(minutes=15)
    work(app, tenant)

    assert len(mail.fetched) == 2
    assert rows(Artefact.transmission_id) == [(mine.transmission_id,)]


@ONE_DATABASE
def test_a_mailbox_that_is_not_fetched_for_long_is_overdue(app, tenant, books, mail, move):
    """After three intervals and an hour."""
    connected(app, tenant)
    begin(app, move)
    work(app, tenant)
    mail.outcomes = [OSError("no")] * 1000
    move(minutes=80)
    assert mailboxes.overdue() == []
    move(minutes=20)
    assert [one.account for one in mailboxes.overdue()] == ["RO1"]


WORKS_UNTIL_KILLED = """
import sys, time, uuid
from datetime import timedelta
from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.network.mailboxes import FetchTerms
from einvoice.services.inbound import mailboxes
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests import databases
from tests.computing import InProcess
from tests.networks.toll.mailbox import TollMailPlugin

url, directory, books, tenant = sys.argv[1:]
terms = FetchTerms(every=timedelta(seconds=1), at_least=timedelta(seconds=1))
plugin = TollMailPlugin(books, page=2, terms=terms)
settings = Settings(database_url=url, **{"data_dir": directory} | databases.ALONE)
app = create_app(settings, plugins=[plugin], computing=InProcess())
lease = timedelta(seconds=1)
print("ready", flush=True)
with app.app_context():
    while True:
        mailboxes.schedule(runtime_of(app))
        outbox.release_expired(clock.now())
        token = uuid.uuid4().hex
        found = outbox.claim(outbox.PLUGINS, tenant, 10, token=token, now=clock.now(), lease=lease)
        for row in outbox.held([one.id for one in found], token, clock.now()):
            mailboxes._work(token, runtime_of(app), row)
        time.sleep(0.01)
"""


def test_workers_that_are_killed_lose_and_double_nothing(
    make_app, books, plugin, database_url, tmp_path, monkeypatch
):
    """SIGKILL at random moments: each document is stored once, and each has one event."""
    app = make_app(plugins=[plugin], data_dir=str(tmp_path), lease_margin=0)
    count, dice = 10, random.Random(7)
    books.put("RO1", *(f"B-{number:02}" for number in range(count)))
    with app.app_context():
        tenant = tenants.create("Acme")
        connected(app, tenant)
        mailboxes.schedule(runtime_of(app))
        with db.writing() as connection:
            connection.execute(sa.update(Outbox).values(due_at=clock.now()))
        command = [sys.executable, "-c", WORKS_UNTIL_KILLED, database_url, str(tmp_path)]
        environ = os.environ | {"PYTHONPATH": str(ROOT)}
        deaths, until = 0, time.monotonic() + 180
        while len(numbers()) < count and time.monotonic() < until:
            worker = subprocess.Popen(
                [*command, books.url, tenant], env=environ, cwd=ROOT, stdout=subprocess.PIPE
            )
            worker.stdout.readline()
            # Then each lives longer than the one before: a busy machine is slow.
            time.sleep(dice.uniform(0.4, 2.5) if deaths < 4 else 3.0 * (deaths - 3))
            worker.kill()
            worker.wait()
            worker.stdout.close()
            deaths += 1
            with db.writing() as connection:  # as if the lease had ended
                connection.execute(sa.update(Connection).values(lease_until=None))
                connection.execute(sa.update(Outbox).values(token=None, lease_until=None))

        assert numbers() == [f"B-{number:02}" for number in range(count)]
        assert arrivals() == count
        assert rows(MailboxCursor.cursor, MailboxCursor.documents) == [(str(count), count)]
    assert deaths >= 3


@pytest.fixture
def answering(plugin, books) -> AnsweringMail:
    """The access point acknowledges what it fetches, by the account of the mailbox."""
    plugin.mail = AnsweringMail(books.url)
    return plugin.mail


def notify_and_answer(app, tenant) -> None:
    notices.run(*claimed(outbox.PLUGINS, tenant), runtime_of(app))
    await_calls()
    transmit.advance(*claimed(outbox.CHORES, tenant), runtime_of(app))


def test_an_answer_is_sent_by_the_connection_of_its_mailbox(answering, app, tenant, books, move):
    """Each document is acknowledged by the account that got it."""
    for account in ("RO1", "RO2"):
        connected(app, tenant, account)
        books.put(account, "B-1")
    begin(app, move)
    work(app, tenant)
    notify_and_answer(app, tenant)

    assert sorted(answering.taken) == [("RO1", "RO1-0"), ("RO2", "RO2-0")]


@ONE_DATABASE
def test_an_answer_waits_for_its_connection_and_its_time_does_not_run(
    answering, app, tenant, books, move
):
    """A message is parked as a document is, for longer than it is retried."""
    made = connected(app, tenant)
    books.put("RO1", "B-1")
    begin(app, move)
    work(app, tenant)
    answering.blocked = True
    notify_and_answer(app, tenant)
    assert rows(Connection.state) == [("needs-person",)]
    notify_and_answer(app, tenant)  # parked
    move(days=3)
    answering.blocked = False
    accounts.check(tenant, made.id, runtime_of(app))
    answering.busy = True
    notify_and_answer(app, tenant)
    assert message_statuses() == ["Processing"]
    answering.busy = False
    move(minutes=5)
    notify_and_answer(app, tenant)

    assert answering.taken == [("RO1", "RO1-0")]
    assert message_statuses() == ["Delivered"]


@ONE_DATABASE
def test_a_message_is_not_sent_by_a_connection_of_another_tenant(
    answering, app, tenant, books, move
):
    other = connected(app, tenants.create("Other"), "RO9")
    connected(app, tenant)
    books.put("RO1", "B-1")
    begin(app, move)
    work(app, tenant)
    ((document_id,),) = rows(Invoice.id)
    wrong = acknowledgement("k", document_id, connection_id=other.id)

    with pytest.raises(ValueError, match="no such connection"):
        messages.queue(answering.name, wrong)
    with pytest.raises(ValueError, match="no such connection"):
        messages.queue(answering.name, acknowledgement("k", connection_id="none"))
    assert messages.queue(answering.name, acknowledgement("k", connection_id=other.id))
