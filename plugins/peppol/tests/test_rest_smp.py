"""The client of phoss SMP's REST interface beside a stand-in: order of calls, faults, moves.

`tests/interop/peppol/test_smp.py` has the same beside phoss SMP itself.
"""

from __future__ import annotations

import base64
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

import pytest
from as4_server import network
from publishing_network import ENDPOINT, OPEN

from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
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
from einvoice.network.types import DirectoryUnavailable
from einvoice_peppol import rest_smp, smp_writing
from einvoice_peppol.publishing import PublishingPeppol
from einvoice_peppol.rest_smp import RestSmp
from einvoice_peppol.smp_writing import Target, segment
from tests.memory_store import MemoryStore

OURS, FOREIGN = ParticipantId("0208", "0403019261"), ParticipantId("0208", "0848934496")
CARD = BusinessCard("Acme NV", "BE")
XML, TEXT, PAGE = "application/xml", "text/plain;charset=utf-8", "text/html; charset=utf-8"


class Phoss(ThreadingHTTPServer):
    """What phoss SMP does, as its source says and as it was seen to answer.

    book     what it has: path → body
    foreign  participants that the SML has of another SMP, with their migration keys
    script   answers in place of its own, one for each request
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.book, self.foreign, self.moving, self.asked, self.script = {}, {}, {}, [], []
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, method, path, body, password):
        self.asked.append((method, path))
        if self.script:
            return self.script.pop(0)
        if method != "GET" and password != "admin:secret":
            return 403, TEXT, b"Invalid password provided for user 'admin'"
        kind, _, rest = path.partition("/")
        if kind == "migration":
            return self._migration(*rest.split("/"))
        if kind == "businesscard" and method == "POST":
            return 200, TEXT, b""
        return getattr(self, f"_{method.lower()}")(path, body)

    def _put(self, path, body):
        name, is_type, _ = path.partition("/services/")
        if "/" not in path and path not in self.book and path in self.foreign:
            return 500, TEXT, b"Failed to create in SML: it is registered already"
        if is_type and name not in self.book:
            return 404, TEXT, b"Service Group not found"
        self.book[path] = body
        return 200, TEXT, b""

    def _get(self, path, _):
        if path not in self.book:
            return 404, TEXT, b"not found"
        if "/services/" in path:
            inner = self.book[path].decode()
            return (
                200,
                XML,
                f'<SignedServiceMetadata xmlns="{smp_writing.SMP}">{inner}'.encode()
                + (b"</SignedServiceMetadata>"),
            )
        types = [
            each.partition("/services/")[2] for each in self.book if each.startswith(path + "/")
        ]
        references = "".join(
            f'<ServiceMetadataReference href="{self.url}/x/services/{smp_writing.quoted(each)}"/>'
            for each in types
        )
        return (
            200,
            XML,
            self.book[path].replace(
                b"<ServiceMetadataReferenceCollection>",
                b"<ServiceMetadataReferenceCollection>" + references.encode(),
            ),
        )

    def _delete(self, path, _):
        if path not in self.book:
            return 404, TEXT, b"not found"
        if "/" not in path and path in self.foreign:
            return 500, TEXT, b"Failed to delete in SML"
        for each in [each for each in self.book if each == path or each.startswith(path + "/")]:
            del self.book[each]
        return 200, TEXT, b""

    def _migration(self, direction, step, *rest):
        if direction == "inbound":
            (key,) = rest
            if step in self.book:
                return 400, TEXT, b"The Service Group already exists."
            if self.foreign.get(step) != key:
                return 500, TEXT, b"Failed to confirm the migration for participant in SML"
            del self.foreign[step]
            self.book[step] = smp_writing.group(step.partition("::")[2])
            return 200, XML, b'<migrationInboundResponse success="true"/>'
        (name,) = rest
        if step == "start" and name in self.moving:
            return 400, TEXT, b"The outbound Participant Migration is already in progress"
        if step == "start":
            self.moving[name] = f"Ab12#$key{len(self.asked)}"
            body = f"<migrationKey>{self.moving[name]}</migrationKey>"
            return (
                200,
                XML,
                (
                    f'<migrationOutboundResponse success="true">{body}</migrationOutboundResponse>'
                ).encode(),
            )
        self.moving.pop(name, None)
        if step == "finalize":
            self.book = {
                each: body for each, body in self.book.items() if not each.startswith(name)
            }
        return 200, TEXT, b""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet

    def _do(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        token = self.headers.get("authorization", "").removeprefix("Basic ")
        password = base64.b64decode(token).decode()
        given = self.server.answer(self.command, unquote(self.path)[1:], body, password)
        status, kind, content = given
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        if 300 <= status < 400:
            self.send_header("location", "https://login.example/")
        self.end_headers()
        self.wfile.write(content)

    def __getattr__(self, name):
        """`do_GET` and the others."""
        if name.startswith("do_"):
            return self._do
        raise AttributeError(name)

    def log_message(self, *_):
        pass


class FixedSeats:
    """A directory that says by whose access point each participant receives."""

    def __init__(self):
        self.seats = {}

    def forget(self, participant):
        pass

    def receiving_seat(self, participant):
        return self.seats.get(participant.canonical)


@pytest.fixture
def phoss():
    server = Phoss()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def seats():
    return FixedSeats()


@pytest.fixture
def point(phoss, seats, c2, trusted):
    target = Target(ENDPOINT, c2.certificate)
    entries = RestSmp(
        phoss.url, "admin", "secret", lambda: target, seats, MemoryStore(), policy=OPEN
    )
    return PublishingPeppol(network(c2, trusted=trusted, directory=seats), entries)


class TestRestSmp(PublishesContract):
    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def own_participant(self):
        return OURS

    @pytest.fixture
    def foreign_participant(self, phoss, seats):
        phoss.foreign[unquote(segment(FOREIGN))] = "Ab12#$theirKey"
        seats.seats[str(FOREIGN)] = "POP000002"
        return FOREIGN

    @pytest.fixture
    def migration_key(self, foreign_participant):
        return "Ab12#$theirKey"

    @pytest.fixture
    def away(self, phoss):
        def _away():
            phoss.answer = lambda *_: (503, TEXT, b"")

        return _away


def published(point):
    assert point.publish(OURS, point.receivable, CARD) == Listed()


FAULTS = {
    "500": (500, TEXT, b"Internal error"),
    "503": (503, TEXT, b""),
    "502 of a proxy": (502, PAGE, b"<html><body>Bad gateway</body></html>"),
    "403": (403, TEXT, b"Invalid password"),
    "403 of a firewall": (403, PAGE, b"<html>Request rejected</html>"),
    "a page": (200, PAGE, b"<!DOCTYPE html><title>Log in</title>"),
    "a page without its type": (200, "", b"  <html>Log in</html>"),
    "a redirect": (302, TEXT, b""),
    "412": (412, TEXT, b"The writable REST API is disabled"),
    "404 of a proxy": (404, PAGE, b"<html>Not found</html>"),
    "teapot": (418, TEXT, b"\x00\xff" * 50_000),
}


STEPS = {"publish": (0, 1, 3), "withdraw": (0, 1), "move_out": (0, 1), "status": (0, 1)}


def test_no_fault_in_between_is_success_or_final(point, phoss):
    """At calls of each operation; the same operation succeeds afterwards."""
    types, wrong = point.receivable[:2], []
    given = {"publish": (OURS, types, CARD), "status": (OURS, types)}
    for name, fault in FAULTS.items():
        for operation, places in STEPS.items():
            for place in places:
                point.publish(OURS, types, CARD)
                before = len(phoss.asked)
                phoss.answer = _faulty(phoss, before + place, fault)
                try:
                    outcome = getattr(point, operation)(*given.get(operation, (OURS,)))
                except DirectoryUnavailable:
                    outcome = NotYet("unavailable")
                del phoss.answer
                fine = isinstance(outcome, NotYet) or _is_of_the_card(phoss, before, place)
                if not fine:
                    wrong.append((name, operation, place, outcome))

    assert wrong == []


def _faulty(phoss, place, fault):
    """The answers of the server, with one of them replaced."""
    real = phoss.answer

    def answer(*asked):
        if len(phoss.asked) == place:
            phoss.asked.append(asked[:2])
            return fault
        return real(*asked)

    return answer


def _is_of_the_card(phoss, before, place):
    """Whether the call was one about the business card, without which a participant is reached."""
    return phoss.asked[before + place][1].startswith("businesscard/")


def test_a_wrong_password_waits_for_the_operator(point, phoss):
    point.entries._headers["authorization"] = "Basic " + base64.b64encode(b"admin:old").decode()
    refused = point.publish(OURS, point.receivable, CARD)

    assert isinstance(refused, NotYet)
    assert refused.retry_after == 300
    assert refused.reason.startswith("the SMP refuses our user or password: Invalid password")


def test_a_group_that_cannot_be_read_is_no_absence(point, phoss):
    published(point)
    for body in (b"", b"<ServiceGroup/>", b"no xml", smp_writing.group(FOREIGN)):
        phoss.script = [(200, XML, body)]
        with pytest.raises(DirectoryUnavailable):
            point.status(OURS, point.receivable)


def test_the_entry_is_there_before_the_directory_is_told(point, phoss):
    published(point)
    name = unquote(segment(OURS))

    assert phoss.asked[0] == ("PUT", name)
    assert phoss.asked[-2:] == [
        ("PUT", f"businesscard/{name}"),
        ("POST", f"businesscard/{name}/push"),
    ]


@pytest.mark.parametrize("status", [404, 412])
def test_an_smp_without_business_cards_publishes_without_them(point, phoss, status):
    real = phoss.answer

    def answer(method, path, *rest):
        found = real(method, path, *rest)
        return (status, TEXT, b"disabled") if path.startswith("businesscard") else found

    phoss.answer = answer
    assert point.publish(OURS, point.receivable, CARD) == Listed()
    assert point.withdraw(OURS) == Withdrawn()


def test_what_moved_away_is_finalised_at_the_smp(point, phoss, seats):
    """The SML lets nobody but the new provider delete it."""
    published(point)
    phoss.foreign[unquote(segment(OURS))] = ""
    assert isinstance(point.withdraw(OURS), NotYet), "DNS does not say so yet"
    seats.seats[str(OURS)] = "POP000002"
    assert point.withdraw(OURS) == Withdrawn()
    assert phoss.book == {}


def test_a_second_key_ends_the_first_migration(point, phoss):
    published(point)
    first, second = point.move_out(OURS), point.move_out(OURS)

    assert isinstance(first, MigrationKey)
    assert isinstance(second, MigrationKey)
    assert first.key != second.key
    assert ("PUT", f"migration/outbound/cancel/{unquote(segment(OURS))}") in phoss.asked


def test_no_call_begins_that_could_end_after_its_operation(point, phoss, seats):
    seconds = rest_smp.CALL_LIMITS.total
    target = point.entries._now
    point.entries = RestSmp(phoss.url, "admin", "secret", target, seats, MemoryStore(), policy=OPEN,
                            seconds=seconds)  # fmt: skip

    assert point.publish(OURS, point.receivable, CARD) == NotYet("the SMP takes too long")
    assert phoss.asked == []


def test_a_refusal_that_is_about_the_request_is_final(point, phoss):
    phoss.script = [(400, TEXT, b"Failed to parse the participant identifier")]

    refused = point.publish(OURS, point.receivable, CARD)
    assert refused == EntryRefused("Failed to parse the participant identifier")


def test_another_address_or_certificate_is_not_complete(point, phoss, seats, c2, other, trusted):
    published(point)
    for address, identity in ((ENDPOINT, other), (f"{ENDPOINT}x", c2)):
        target = Target(address, identity.certificate)
        entries = RestSmp(
            phoss.url, "admin", "secret", lambda t=target: t, seats, MemoryStore(), policy=OPEN
        )
        assert entries.status(OURS, point.receivable) == EntryStatus(True, False)
        assert entries.form != point.entries.form
    del phoss.book[unquote(smp_writing.path_of(OURS, BIS_INVOICE))[1:]]
    assert point.status(OURS, point.receivable) == EntryStatus(True, False)
