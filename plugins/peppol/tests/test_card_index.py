"""Our own SMP tells the Peppol Directory of its business cards."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest
from publishing_network import OPEN, Closed, participant

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.publishing import BusinessCard, Listed, Withdrawn
from einvoice_peppol import own_smp
from einvoice_peppol.card_index import LAG, MAX_REFUSED, CardIndex, CardNews, NotTold
from tests.memory_store import MemoryStore

RECORDED = json.loads(Path(__file__).with_name("directory_requests.json").read_text())
ONE, TWO = participant(1), participant(2)
CARD = BusinessCard("Acme & Sons <NV>", "BE")
PAGE = (200, "text/html", b"<!DOCTYPE html><h1>Blocked</h1>")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def _answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked.append((self.command, self.path, self.headers["content-type"], body))
        self.server.seen(self.command, (body.decode() or unquote(self.path)).rpartition("::")[2])
        status, kind, content = self.server.answers(self.command, self.path, body)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_PUT = do_DELETE = _answer  # noqa: N815 - names of http.server

    def log_message(self, *_):
        pass


class Directory(ThreadingHTTPServer):
    """A stand-in of the indexer, with the participants that it lists."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked, self.listed = [], set()
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.says = None
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def answers(self, *_):
        return self.says or (204, "text/plain", b"")

    def seen(self, method, name):
        if self.says is None:
            (self.listed.add if method == "PUT" else self.listed.discard)(name)


@pytest.fixture
def directory():
    made = Directory()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def index(directory):
    return CardIndex(directory.url, None, OPEN)


@pytest.fixture
def later(monkeypatch):
    """A function that lets the time of records pass."""
    began, passed = clock.now(), [timedelta(0)]
    monkeypatch.setattr(clock, "now", lambda: began + passed[0])

    def _later(by=LAG + timedelta(seconds=1)):
        passed[0] += by

    return _later


@pytest.fixture
def closed(pki):
    made = Closed(pki)
    yield made
    made.close()


@pytest.fixture
def ours(closed, c2, index):
    """Our own SMP, beside a Directory."""
    point = closed.provider("OURS", c2)
    smp = point.entries
    smp._news = CardNews("peppol-test", index, smp._store)
    return point


def tell(point):
    (duty,) = point.entries.duties()
    return duty.run()


def names(directory):
    return [(method, (body or unquote(path).encode()).decode().rpartition("::")[2])
            for method, path, _, body in directory.asked]  # fmt: skip


@pytest.mark.parametrize("call", ["add", "remove"])
def test_the_calls_are_those_of_the_client_of_phoss(directory, index, call):
    getattr(index, call)(ParticipantId.parse("0208:0403019261"))
    ((method, path, kind, body),) = directory.asked

    assert RECORDED[call] == {
        "method": method, "path": path, "contentType": kind, "body": body.decode(),
    }  # fmt: skip


def test_the_directory_hears_of_each_change_once(directory, ours, later):
    """Not of what does not change; nothing before the SML has had the time to list it."""
    assert ours.publish(ONE, ours.receivable, CARD) == Listed()
    assert tell(ours) == 0
    later()
    assert tell(ours) == 1
    ours.publish(ONE, ours.receivable[:2], CARD)
    later()
    assert tell(ours) == 0
    ours.publish(ONE, ours.receivable, replace(CARD, name="Acme"))
    later()
    assert tell(ours) == 1
    assert directory.listed == {str(ONE)}
    assert ours.withdraw(ONE) == Withdrawn()
    later()
    tell(ours)

    assert names(directory) == [("PUT", str(ONE)), ("PUT", str(ONE)), ("DELETE", str(ONE))]
    assert directory.listed == set()


def test_a_participant_without_a_card_is_no_news(directory, ours, later):
    ours.publish(ONE, ours.receivable, None)
    later()
    assert tell(ours) == 0
    ours.publish(ONE, ours.receivable, CARD)
    ours.publish(ONE, ours.receivable, None)
    later()
    tell(ours)

    assert names(directory) == [("DELETE", str(ONE))]


def test_an_entry_from_before_is_told_when_it_is_published_again(directory, ours, later):
    """The form of entries changes with the Directory, so a republication writes all of them."""
    news, ours.entries._news = ours.entries._news, None
    ours.publish(ONE, ours.receivable, CARD)
    ours.entries._news = news
    ours.publish(ONE, ours.receivable, CARD)
    later()

    assert tell(ours) == 1
    assert directory.listed == {str(ONE)}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((500, "text/plain", b"no"), "HTTP status 500: no"),
        ((503, "text/plain", b""), "HTTP status 503"),
        ((403, "text/plain", b"who?"), "refuses the certificate of our SMP"),
        (PAGE, "a page answers in place"),
        ((302, "text/plain", b""), "302"),
    ],
)
def test_what_was_not_told_is_told_later_in_its_order(directory, ours, later, answer, says):
    ours.publish(ONE, ours.receivable, CARD)
    ours.publish(TWO, ours.receivable, CARD)
    later()
    directory.says = answer
    for _ in range(2):
        with pytest.raises(NotTold, match=says):
            tell(ours)
    directory.says, directory.asked = None, []

    assert tell(ours) == 2
    assert names(directory) == [("PUT", str(ONE)), ("PUT", str(TWO))]
    assert tell(ours) == 0


def test_a_directory_that_is_away_is_told_later(ours, later, index):
    ours.publish(ONE, ours.receivable, CARD)
    later()
    address, index._address = index._address, "http://127.0.0.1:9/"
    with pytest.raises(NotTold, match="does not answer"):
        tell(ours)
    index._address = address

    assert tell(ours) == 1


def test_one_refused_participant_does_not_stop_the_others(directory, ours, later, monkeypatch):
    """It is tried at each run, and the duty fails, so that doctor shows it."""

    def answers(_, path, body):
        is_one = str(ONE).encode() in body
        return (400, "text/plain", b"no such participant") if is_one else (204, "text/plain", b"")

    ours.publish(ONE, ours.receivable, CARD)
    ours.publish(TWO, ours.receivable, CARD)
    later()
    directory.answers = answers
    with pytest.raises(NotTold, match=f"{ONE}: HTTP status 400: no such participant"):
        tell(ours)
    assert ("PUT", str(TWO)) in names(directory)
    del directory.answers
    assert tell(ours) == 1

    assert tell(ours) == 0


def test_a_directory_that_refuses_all_is_told_nothing_more(directory, index, later):
    store = MemoryStore()
    news = CardNews("peppol-test", index, store)
    for number in range(MAX_REFUSED + 10):
        news.note(participant(number))
    later()
    directory.says = (400, "text/plain", b"no")
    for _ in range(2):
        with pytest.raises(NotTold, match=f"{MAX_REFUSED} participants"):
            news.tell(lambda _: True)
    assert len(set(names(directory))) <= MAX_REFUSED + 1
    directory.says = None

    assert news.tell(lambda _: True) == MAX_REFUSED + 10


def test_the_card_of_another_smp_is_left_alone(directory, closed, ours, c3, later):
    """After a move the new provider tells the Directory."""
    theirs = closed.provider("THEIRS", c3)
    ours.publish(ONE, ours.receivable, CARD)
    later()
    tell(ours)
    key = ours.move_out(ONE).key
    assert theirs.move_in(ONE, key, theirs.receivable, CARD) == Listed()
    assert ours.withdraw(ONE) == Withdrawn()
    later()
    tell(ours)

    assert names(directory) == [("PUT", str(ONE))]


def test_killed_anywhere_the_directory_ends_with_what_the_book_has(
    directory, ours, later, monkeypatch
):
    """At each write into the store and each call, before and after it; then it is done again."""

    class Killed(BaseException):
        pass

    smp, store = ours.entries, ours.entries._store
    original = {name: getattr(store, name) for name in ("put", "append")}
    left = [0]

    def kill():
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    def killing(name):
        def call(*given):
            kill()
            original[name](*given)
            kill()

        return call

    def told(name):
        call = getattr(CardIndex, name)

        def killed(self, participant):
            kill()
            call(self, participant)
            kill()

        return killed

    for name in original:
        monkeypatch.setattr(store, name, killing(name))
    for name in ("add", "remove"):
        monkeypatch.setattr(CardIndex, name, told(name))
    for at in range(1, 12):
        name = participant(100 + at)
        for step in (
            lambda name=name: ours.publish(name, ours.receivable, CARD),
            lambda: tell(ours),
            lambda name=name: ours.withdraw(name),
            lambda: tell(ours),
        ):
            left[0] = at
            with suppress(Killed):
                step()
            left[0] = 0
            assert step() is not None
            later()
        left[0] = 0
        tell(ours)
        assert smp.entry(name) is None
        assert str(name) not in directory.listed, at


def test_the_directory_is_told_only_where_there_is_one(closed, c2):
    point = closed.provider("ALONE", c2)

    assert list(point.entries.duties()) == []
    assert point.entry_form() == own_smp.FORM
