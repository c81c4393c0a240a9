"""The mailboxes of the toll authority: kept by a server of its own, fetched over HTTP."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE, ParticipantId
from einvoice.http import Client, Limits, Policy
from einvoice.network import samples
from einvoice.network.connections import (
    CheckOutcome,
    Connection,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    Renew,
    Works,
)
from einvoice.network.hookspec import hookimpl
from einvoice.network.mailboxes import (
    Fetched,
    FetchOutcome,
    FetchTerms,
    MailboxDocument,
    News,
    NotFetched,
)
from einvoice.network.messages import Outgoing, ReceivedOutcome, Step
from einvoice.network.types import (
    AccessPointBase,
    Blocked,
    Capabilities,
    Delivered,
    Envelope,
    NotRegistered,
    NotSent,
    Outcome,
    Prepared,
    Registration,
    receipt,
)
from tests.networks.toll.answering import acknowledgement

PASSWORD = "hunter2-secret"
SENDER = ParticipantId("0190", "00000000000000000003")


class Mailboxes(ThreadingHTTPServer):
    """The authority's books: documents of each account, and who fetched what when.

    quota  seconds that have to pass between two fetches of an account; sooner ones are 429
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.documents: dict[str, list[tuple[str, bytes]]] = {}
        self.news: dict[str, list[tuple[str, str]]] = {}
        self.requests: list[tuple[str, int, float]] = []  # account, from, when
        self.refused = 0
        self.quota = 0.0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def put(self, account: str, *documents: bytes | str) -> None:
        """Add documents to a mailbox; a text is the number of an invoice."""
        box = self.documents.setdefault(account, [])
        for one in documents:
            made = samples.inbound(number=one).document if isinstance(one, str) else one
            box.append((f"{account}-{len(box)}", made))


class _Handler(BaseHTTPRequestHandler):
    server: Mailboxes

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        account, start, count = asked["account"][0], int(asked["from"][0]), int(asked["count"][0])
        books = self.server
        with books.lock:
            before = [at for name, _, at in books.requests if name == account]
            if before and time.monotonic() - before[-1] < books.quota:
                books.refused += 1
                self._answer(429, {})
                return
            books.requests.append((account, start, time.monotonic()))
            found = books.documents.get(account, [])[start : start + count]
            news = books.news.get(account, [])
        left = max(0, len(books.documents.get(account, [])) - start - len(found))
        listed = [[name, base64.b64encode(content).decode()] for name, content in found]
        self._answer(200, {"documents": listed, "left": left, "news": news})

    def _answer(self, status: int, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running() -> Iterator[Mailboxes]:
    books = Mailboxes()
    threading.Thread(target=books.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield books
    finally:
        books.shutdown()
        books.server_close()


class TollMail(AccessPointBase):
    """Fetches pages of `page` documents. The cursor is how many were fetched.

    outcomes  what the next fetches return instead of asking the authority
    """

    name = "toll-mail-test"
    network = "toll-mail"
    environment = Environment.TEST
    capabilities = Capabilities(needs_lookup=False, concurrency=4)

    def __init__(self, url: str, page: int = 3, terms: FetchTerms | None = None) -> None:
        self.url, self.page = url, page
        self.terms = terms or FetchTerms(every=timedelta(minutes=10))
        self.outcomes: list[FetchOutcome | BaseException] = []
        self.fetched: list[tuple[str, str | None]] = []
        self.gate: threading.Event | None = None
        self.running = self.most_running = 0
        self._lock = threading.Lock()
        self._http = Client(Policy(https_only=False, allow_private=True), limits=Limits(total=10.0))

    def serves(self, participant: ParticipantId) -> bool:
        return False

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return NotRegistered()

    def describe(self) -> ConnectionForm:
        return ConnectionForm((ConnectionField("password", "Password", FieldKind.SECRET),))

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        if connection.credentials.get("password") != PASSWORD:
            return NeedsPerson(connection_id=connection.id, reason="The password is wrong.")
        return Works(connection_id=connection.id)

    def fetch_terms(self) -> FetchTerms:
        return self.terms

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        with self._lock:
            self.fetched.append((connection.account, cursor))
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        try:
            return self._fetch(connection, cursor)
        finally:
            with self._lock:
                self.running -= 1

    def _fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        if self.gate is not None:
            self.gate.wait(30)
        if self.outcomes:
            outcome = self.outcomes.pop(0)
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome
        start = int(cursor or "0")
        query = f"account={connection.account}&from={start}&count={self.page}"
        answer = self._http.send("GET", f"{self.url}/?{query}")
        if answer.status == 429:
            return NotFetched("the quota is used up", retry_after=60.0)
        page = json.loads(answer.body)
        fetches = int(connection.state.get("fetches", "0")) + 1
        return Fetched(
            cursor=str(start + len(page["documents"])),
            documents=tuple(
                _document(name, base64.b64decode(content)) for name, content in page["documents"]
            ),
            news=tuple(
                News(reference, evidence=(receipt(text.encode()),))
                for reference, text in page["news"]
            ),
            more=page["left"] > 0,
            connection_state={"fetches": str(fetches)},
        )


def _document(name: str, content: bytes) -> MailboxDocument:
    return MailboxDocument(name, SENDER, BIS_INVOICE, BIS_BILLING_PROCESS, content)


class TollMailPlugin:
    """The plugin of the access point."""

    EINVOICE_INTERFACE = 2

    def __init__(self, url: str, page: int = 3, terms: FetchTerms | None = None) -> None:
        self.mail = TollMail(url, page, terms)

    @hookimpl
    def einvoice_access_points(self) -> Iterator[AccessPointBase]:
        yield self.mail


class AnsweringMail(TollMail):
    """Acknowledges each document, by the account from whose mailbox it came.

    taken  (account, key) of the acknowledgements that the authority has got
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.taken: list[tuple[str, str]] = []
        self.blocked = self.busy = False

    def received_outcome(self, outcome: ReceivedOutcome) -> Iterator[Outgoing]:
        if outcome.step is Step.JUDGED:
            yield acknowledgement(outcome.instance_id, outcome.document_id)

    def bound(self, connection: Connection, renew: Renew) -> BoundMail:
        return BoundMail(self, connection)


class BoundMail(AccessPointBase):
    """The mailbox as seen by one account."""

    name, network, capabilities = TollMail.name, TollMail.network, TollMail.capabilities
    environment = Environment.TEST

    def __init__(self, offered: AnsweringMail, connection: Connection) -> None:
        self._offered, self._connection = offered, connection

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return NotRegistered()

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        if self._offered.blocked:
            return Blocked("consent has ended")
        if self._offered.busy:
            return NotSent("the authority is closed", retry_after=60.0)
        self._offered.taken.append((self._connection.account, envelope.number))
        return Delivered((receipt(b"<Taken/>"),))
