"""The mailbox that is polled, at a real Dovecot over TLS: each mail is a bill once, or stays."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from einvoice.domain.environments import Environment
from einvoice.network.connections import Connection
from einvoice_mail import imap_notes
from einvoice_mail.imap import REFUSED, ImapPoller
from einvoice_mail.imap_notes import Notes
from einvoice_mail.incoming import Incoming
from einvoice_mail.receiver import LATER, Office
from einvoice_mail.spool import Spool
from plugins.mail.tests.test_reading import UBL, a_mail
from tests.interop.mail import dovecot
from tests.interop.mail.cutting import Cutting
from tests.memory_store import MemoryStore
from tests.ports import free_port

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not dovecot.is_installed(), reason="needs Dovecot, and root"),
]
CONNECTION = Connection("c1", "t1", Environment.TEST, "BILLS-X7")
ADDRESS = "bills-x7@in.example.com"


@pytest.fixture(scope="module")
def running(open_folder):
    with dovecot.running(open_folder / "imap", free_port()) as server:
        yield server


@pytest.fixture
def server(running):
    """Its mailbox is empty."""
    with running.session() as imap:
        imap.delete(REFUSED)
        _, [count] = imap.select()
        if int(count):
            imap.store("1:*", "+FLAGS.SILENT", "\\Deleted")
            imap.expunge()
    return running


@pytest.fixture
def point(tmp_path):
    made = Incoming(Environment.TEST, "in.example.com", Spool(tmp_path), MemoryStore())
    made.open(CONNECTION)
    return made


@pytest.fixture
def office(point, tmp_path):
    return Office("in.example.com", (point,), {}, "bounces@operator.example", Spool(tmp_path))


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def poller_of(office, store):
    def make(server, mailbox=None, **changes):
        mailbox = mailbox or server.mailbox
        return ImapPoller(
            replace(office, **changes), mailbox, "Delivered-To", Notes(store), server.ca_file
        )

    return make


def a_bill(number, *files, to=ADDRESS):
    """A mail with an invoice of its own."""
    content = UBL.replace(b"</", f"<!-- {number} --></".encode(), 1)
    head = f"Return-Path: <b@s.example>\r\nDelivered-To: {to}\r\n".encode()
    return head + a_mail((f"{number}.xml", "text/xml", content), *files)


def bills(point):
    """The names of the invoices that workers have read, those of a mail that came twice twice."""
    found, cursor = [], None
    while True:
        fetched = point.fetch(CONNECTION, cursor)
        found += [each.instance_id for each in fetched.documents]
        if not json.loads(fetched.cursor):
            return found
        cursor = fetched.cursor


def test_each_new_mail_is_a_bill_once(server, poller_of, point):
    server.put(*[a_bill(number) for number in range(3)])
    poller = poller_of(server)

    assert poller.round() == 3
    assert poller.round() == 0
    assert len(set(bills(point))) == 3
    assert server.count() == 0
    server.put(a_bill(3))
    assert poller.round() == 1
    assert len(bills(point)) == 1


@pytest.mark.parametrize("kept", range(2_500, 9_000, 500))
def test_a_connection_that_is_lost_in_the_middle_doubles_nothing(server, poller_of, point, kept):
    """At any place: what was stored and not yet deleted is known when it is read again."""
    server.put(*[a_bill(number) for number in range(4)])
    between = Cutting(server.port)
    between.after = kept
    poller = poller_of(server, replace(server.mailbox, port=between.port))
    poller.round()
    between.after = None
    found = bills(point)
    poller.round()
    between.stop()

    found += bills(point)
    assert len(found) == len(set(found)) == 4
    assert server.count() == 0


def test_a_wrong_password_is_named_and_not_shown(server, poller_of, store):
    mailbox = replace(server.mailbox, password="no such secret")
    poller = poller_of(server, mailbox)

    assert poller.round() == 0
    check = imap_notes.checked(mailbox, Notes(store), server.ca_file)
    assert "refuses the user or the password" in check.sentence
    assert "no such secret" not in check.sentence + str(store.values)


def test_a_missing_folder_is_named(server, poller_of, store):
    """Also one whose name is not ASCII; made, it is read."""
    mailbox = replace(server.mailbox, folder="Rechnungen/Eingänge")
    poller = poller_of(server, mailbox)
    poller.round()
    missing = Notes(store).check(mailbox)
    with server.session() as imap:
        imap.create('"Rechnungen/Eing&AOQ-nge"')
        imap.append('"Rechnungen/Eing&AOQ-nge"', "", None, a_bill(1))

    assert "there is no folder Rechnungen/Eingänge" in missing.sentence
    assert poller.round() == 1
    assert Notes(store).check(mailbox).level == "good"


def test_a_certificate_that_is_not_trusted_is_named(server, poller_of, store):
    check = imap_notes.checked(server.mailbox, Notes(store), "")

    assert "its certificate is not accepted" in check.sentence
    assert "EINVOICE_MAIL_CA_FILE" in check.sentence


def test_numbers_that_begin_anew_change_nothing(server, poller_of, point):
    """UIDVALIDITY: the same UID is another mail."""
    server.put(a_bill(1))
    poller = poller_of(server)
    poller.round()
    server.number_anew()
    server.put(a_bill(2))

    assert poller.round() == 1
    assert len(set(bills(point))) == 2


def test_a_mail_of_30_mb_is_read(server, poller_of, point):
    picture = ("scan.png", "image/png", b"\x89PNG" + bytes(22 * 1024 * 1024))
    content = a_bill(1, picture)
    assert len(content) > 30 * 1024 * 1024
    server.put(content)

    assert poller_of(server).round() == 1
    assert len(bills(point)) == 1


def test_a_server_that_starts_again_is_read_again(server, poller_of, point, store):
    server.put(a_bill(1))
    poller = poller_of(server)
    server.stop()
    try:
        assert poller.round() == 0
        assert "cannot be reached" in Notes(store).check(server.mailbox).sentence
    finally:
        server.start()
    assert poller.round() == 1
    assert len(bills(point)) == 1


def test_a_mailbox_of_2000_mails_is_emptied(server, poller_of, point):
    """Within as many rounds as the folder of the address is emptied in between."""
    server.put(*[a_bill(number) for number in range(2_000)])
    poller, found, rounds = poller_of(server), [], 0
    while server.count():
        poller.round()
        found += bills(point)
        rounds += 1

    assert len(found) == len(set(found)) == 2_000
    assert rounds == 2


def test_mails_that_stay_hold_back_no_others(server, poller_of, point):
    """An address whose workers are away, before another one."""
    away = Connection("c2", "t2", Environment.TEST, "AWAY-99")
    point.open(away)
    key = "address mail-in-test AWAY-99"
    known = json.loads(point.addresses.store.get(key))
    point.addresses.store.put(key, json.dumps(known | {"at": known["at"] - 7200}))
    server.put(*[a_bill(number, to="away-99@in.example.com") for number in range(3)], a_bill(9))

    assert poller_of(server).round() == 1
    assert server.count() == 3
    assert len(bills(point)) == 1


def test_what_is_refused_lies_in_a_folder_of_its_own(server, poller_of):
    """And a mail that somebody else has marked as deleted is left alone."""
    server.put(a_bill(1), a_bill(2, to="nobody@in.example.com"))
    with server.session() as imap:
        imap.select()
        imap.store("1", "+FLAGS", "\\Deleted")

    assert poller_of(server).round() == 1
    assert (server.count(), server.count(REFUSED)) == (1, 1)


def test_without_a_database_everything_stays(server, poller_of, point, store, monkeypatch):
    """A fault in asking for an address is no refusal, and the poller goes on."""
    server.put(a_bill(1), a_bill(2))
    poller = poller_of(server)
    with monkeypatch.context() as away:
        away.setattr(point.addresses.store, "get", lambda _: 1 / 0)
        assert poller.round() == 0
    assert "2 mails stay" in Notes(store).check(server.mailbox).sentence
    assert LATER.startswith("451")

    assert poller.round() == 2
