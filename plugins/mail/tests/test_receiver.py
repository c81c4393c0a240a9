"""The LMTP service: a mail is answered 250 after it is on disk, and strangers get no mail."""

import smtplib
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.network.connections import Broken, Connection, Works
from einvoice.network.types import Busy
from einvoice_mail import spool
from einvoice_mail.incoming import UNKNOWN_SENDER, Incoming
from einvoice_mail.notices import Desk
from einvoice_mail.rates import Counter
from einvoice_mail.receiver import LmtpService, Office
from einvoice_mail.spool import Spool
from einvoice_mail.suppression import Suppression
from plugins.mail.tests.test_notices import Kept, a_report, an_answer
from plugins.mail.tests.test_reading import PDF, UBL, a_mail
from tests.memory_store import MemoryStore

ADDRESS = "bills-x7@in.example.com"


def a_connection(account="BILLS-X7", tenant="t1", id_="c1"):
    return Connection(id_, tenant, Environment.TEST, account)


@pytest.fixture
def point(tmp_path):
    made = Incoming(Environment.TEST, "in.example.com", Spool(tmp_path), MemoryStore())
    assert isinstance(made.open(a_connection()), Works)
    return made


@pytest.fixture
def inbox():
    return Kept()


@pytest.fixture
def office(point, inbox, tmp_path):
    desk = Desk(inbox, "mail", Suppression(MemoryStore(), "mail"))
    return Office(
        "in.example.com", (point,), {"mail": desk}, "bounces@operator.example", Spool(tmp_path)
    )


@contextmanager
def lmtp(office):
    service = LmtpService(office, "127.0.0.1", 0)
    service.start()
    try:
        with smtplib.LMTP("127.0.0.1", service.port, timeout=30) as client:
            yield client
    finally:
        service.stop()


def fetched(point, cursor=None):
    return point.fetch(a_connection(), cursor)


def test_a_mail_becomes_a_bill_with_the_mail_as_evidence(office, point):
    """From the mail server to the worker; the next fetch removes it."""
    content = a_mail(("i.xml", "text/xml", UBL))
    with lmtp(office) as client:
        client.sendmail("bob@supplier.example", [ADDRESS], content)
    first = fetched(point)
    again = fetched(point)
    after = fetched(point, first.cursor)

    [bill] = first.documents
    assert bill.document == UBL
    assert str(bill.sender) == "0208:0123456749"
    kept = bill.evidence[0].content
    assert kept.startswith(b"Return-Path: <bob@supplier.example>\r\n")
    assert kept.endswith(content.strip() + b"\r\n")
    assert "bob@supplier.example" in bill.warnings[0].message
    assert [each.instance_id for each in again.documents] == [bill.instance_id]
    assert after.documents == ()
    assert not office.spool.folder(point.name, "BILLS-X7").waiting()


@pytest.mark.parametrize(
    "address",
    [
        "nobody@in.example.com",
        "bills-x7@elsewhere.example",
        "../bills-x7@in.example.com",
        "bills-x7/../../etc@in.example.com",
        f"{'x' * 60}@in.example.com",
        "bounces@operator.example",
    ],
)
def test_other_addresses_are_refused_in_the_conversation(office, address):
    """The mail server of the sender says so: no mail is sent to whom the sender claims to be."""
    with lmtp(office) as client, pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        client.sendmail("bob@supplier.example", [address], a_mail())

    assert refused.value.recipients[address][0] in (550, 553, 501)


def test_each_recipient_has_an_answer_of_its_own(office, point):
    with lmtp(office) as client:
        content = a_mail(("i.xml", "text/xml", UBL))
        refused = client.sendmail("b@s.example", [ADDRESS, "nobody@in.example.com"], content)

    assert list(refused) == ["nobody@in.example.com"]
    assert len(fetched(point).documents) == 1


def test_a_notice_is_stored_before_it_is_acknowledged(office, inbox):
    """It returns to the address of its transmission, from nobody."""
    with lmtp(office) as client:
        client.sendmail("", ["bounces+txn-01ab@operator.example"], a_report())

    assert [reference for _, reference, _ in inbox.settled] == ["txn_01ab"]


def test_without_a_database_a_notice_stays_at_the_mail_server(office, inbox, monkeypatch):
    monkeypatch.setattr(inbox, "settle", lambda *_: Busy())

    answer = office.answer_content("", "bounces+txn-1@operator.example", a_report())
    assert answer.startswith("451")


def test_without_a_database_a_recipient_is_asked_for_later(office, point, monkeypatch):
    """With a 5xx the mail server would return the mail to its sender."""
    monkeypatch.setattr(point.addresses.store, "get", lambda _: 1 / 0)
    with lmtp(office) as client, pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        client.sendmail("bob@supplier.example", [ADDRESS], a_mail())

    assert refused.value.recipients[ADDRESS] == (451, b"4.3.0 it cannot be stored now")


def test_a_mail_that_is_sent_again_is_stored_once(office, point, monkeypatch):
    """A mail server that lost the answer sends the same bytes, also after they were read."""
    content = a_mail(text="no invoice")
    told = []
    for _ in range(2):
        assert office.answer_content("a@b.example", ADDRESS, content).startswith("250")
        assert office.answer_content("a@b.example", ADDRESS, content).startswith("250")
        first = fetched(point)
        told += [*first.unusable, *fetched(point, first.cursor).unusable]
    later = clock.now() + timedelta(days=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    point.addresses.refresh(a_connection())
    office.spool.folder(point.name, "BILLS-X7").remove(["0"])
    office.answer_content("a@b.example", ADDRESS, content)

    assert len(told) == 1
    assert len(fetched(point).unusable) == 1


def test_a_full_folder_is_answered_later(office, monkeypatch):
    """A flood fills the folder of one address, and no other."""
    monkeypatch.setattr(spool, "MAX_FILES", 2)
    contents = [a_mail(text=str(number)) for number in range(3)]
    answers = [office.answer_content("a@b.example", ADDRESS, each) for each in contents]

    assert [each[:3] for each in answers] == ["250", "250", "452"]


def test_a_disk_that_is_full_loses_no_mail(office, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool.os, "fsync", full)

    assert office.answer_content("a@b.example", ADDRESS, a_mail()).startswith("451")


def test_a_mail_that_stops_its_reader_is_put_aside(office, point, monkeypatch):
    """After three tries, so that the mails behind it are read."""
    office.answer_content("a@b.example", ADDRESS, a_mail(text="first"))
    monkeypatch.setattr(point, "_bills", lambda *_: 1 / 0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            fetched(point)
    monkeypatch.undo()
    office.answer_content("a@b.example", ADDRESS, a_mail(("i.xml", "text/xml", UBL)))

    assert [each.document for each in fetched(point).documents] == [UBL]


def test_a_line_that_is_longer_than_allowed_is_taken(office, point):
    """Clients write them, and not every mail server folds them: refused, the bill would be lost."""
    content = b"Content-Type: text/xml\r\n\r\n" + UBL.replace(b"\n", b"") + b"<!--" + b"x" * 9_000
    with lmtp(office) as client:
        client.sendmail("b@s.example", [ADDRESS], content + b"-->\r\n")

    assert len(fetched(point).documents) == 1


def test_mails_that_nobody_reads_are_named(office, point, monkeypatch):
    """After an hour; and those that stopped their reader, with their place."""
    assert spool.checked(office.spool).level == "good"
    office.answer_content("a@b.example", ADDRESS, a_mail())
    assert spool.checked(office.spool).level == "good"
    with monkeypatch.context() as later:
        moment = clock.now() + timedelta(hours=2)
        later.setattr(clock, "now", lambda: moment)
        late = spool.checked(office.spool)
    folder = office.spool.folder(point.name, "BILLS-X7")
    for _ in range(4):
        folder.opened(folder.waiting()[0])
    aside = spool.checked(office.spool)

    assert (late.level, "1 mails wait" in late.sentence) == ("error", True)
    assert (aside.level, "bills-x7/aside/" in aside.sentence) == ("warning", True)


def test_a_pdf_without_data_is_a_bill_of_an_unknown_sender(office, point):
    """A person fills it in; what runs by itself in it is named."""
    content = PDF + b"/OpenAction << /JavaScript (x) >>"
    office.answer_content("a@b.example", ADDRESS, a_mail(("i.pdf", "application/pdf", content)))
    [bill] = fetched(point).documents

    assert bill.sender == UNKNOWN_SENDER
    assert [each.code for each in bill.warnings] == ["mail-sender", "mail-active-content"]


def test_a_pdf_that_is_encrypted_says_what_to_ask_for(office, point):
    """Some open without a password; a person sees why another one does not."""
    for content in (PDF, PDF + b"/Encrypt 7 0 R"):
        office.answer_content("a@b.example", ADDRESS, a_mail(("i.pdf", "application/pdf", content)))
    [plain, locked] = [bill.warnings[1:] for bill in fetched(point).documents]

    assert plain == ()
    assert [each.code for each in locked] == ["mail-part-refused"]
    assert "i.pdf: it is encrypted; if it asks for a password" in locked[0].message


def test_a_mail_without_an_invoice_is_shown_to_the_tenant(office, point):
    """With the names of its parts and why they are no bill; the sender gets no answer."""
    program = ("invoice.exe", "application/octet-stream", b"MZ")
    office.answer_content("a@b.example", ADDRESS, a_mail(program))
    found = fetched(point)
    [told] = found.unusable

    assert found.documents == ()
    assert told.reasons == ("invoice.exe: it is a program: nobody should open it",)


@pytest.mark.parametrize(
    ("sender", "fields"), [("", {}), ("a@b.example", {"Auto-Submitted": "auto-replied"})]
)
def test_nobody_is_told_of_what_programs_write(office, point, sender, fields):
    """Notices and out-of-office replies to an address end there."""
    office.answer_content(sender, ADDRESS, a_mail(**fields))

    assert fetched(point).unusable == ()


def test_a_sender_of_too_many_mails_is_asked_to_send_later(office):
    """Others are not held back by it, nor another address."""
    limited = replace(office, counter=Counter(MemoryStore(), "mail-in"), per_sender=2)
    answers = [limited.answer_recipient(ADDRESS, "flood@x.example") for _ in range(3)]

    assert answers[:2] == [None, None]
    assert answers[2].startswith("450")
    assert limited.answer_recipient(ADDRESS, "other@x.example") is None


def test_a_thousand_mails_of_one_sender_are_two_hundred_in_an_hour(office):
    """Mails of nobody are counted as those of one sender; the next hour begins anew."""
    limited = replace(office, counter=Counter(MemoryStore(), "mail-in"))
    for sender in ("flood@x.example", ""):
        answers = [limited.answer_recipient(ADDRESS, sender) for _ in range(1000)]

        assert answers.count(None) == 200
        assert {each[:3] for each in answers if each} == {"450"}


def test_an_answer_to_the_address_of_mails_finds_its_mail(office, inbox):
    """By the Message-ID that it answers; any other mail to it is refused."""
    own = replace(office, sender="invoices@operator.example")
    answer = an_answer(In_Reply_To="<txn-01ab@operator.example>").replace(b"\n", b"\r\n")
    taken = own.answer_content("buyer@example.org", "Invoices@operator.example", answer)
    refused = own.answer_content("buyer@example.org", "invoices@operator.example", an_answer())

    assert own.answer_recipient("invoices@operator.example", "buyer@example.org") is None
    assert taken.startswith("250")
    assert [reference for reference, _ in inbox.evidence] == ["txn_01ab"]
    assert refused.startswith("550")


def test_an_address_belongs_to_one_tenant(point):
    """Until nobody has checked it for a month."""
    taken = point.open(a_connection(tenant="another", id_="c2"))
    changed = point.open(a_connection(id_="c3"))

    assert isinstance(taken, Broken)
    assert isinstance(changed, Works)


@pytest.mark.parametrize("account", ["ABC", "-ABCDEF", "A" * 41, "ABC.DEF", "../../X", "ÄÖÜÄÖÜ"])
def test_a_name_of_an_address_is_one(point, account):
    assert isinstance(point.open(a_connection(account)), Broken)
