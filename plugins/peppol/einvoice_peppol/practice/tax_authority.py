"""A stand-in of the tax authorities, the fifth corner, in a practice network.

It takes tax data documents by AS4, judges them by our rules, keeps them in a book and answers each
by a Message Level Status: accepted (AP), or refused (RE) with what is wrong. It is nobody's
authority, and its answers say so.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Final, cast

from lxml import etree

from einvoice import clock, rules
from einvoice.documents.tax_data import TaxDataReport, read_tax_data
from einvoice.domain.buyers import Buyer
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.tax_data import PROFILE, SPECIFICATIONS, ReporterRole, ReportType
from einvoice.network.endpoints import Request, Response
from einvoice.network.types import (
    ClosedInbox,
    Delivered,
    Duplicate,
    Envelope,
    Inbound,
    InboundVerdict,
    NotServiced,
    Stored,
)
from einvoice.rules import Declared, Flag
from einvoice.rules.reading import Element
from einvoice.xml import NotXml, parse
from einvoice_peppol import mls
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.configuration import Network
from einvoice_peppol.mls import Issue, Mls
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.tax_authorities import is_report

STAND_IN: Final = "stand-in of a tax authority, for practice"
ANSWER_SECONDS: Final = 0.2
Judge = Callable[[bytes], Sequence[str]]
_IDS: Final = uuid.UUID("4a1f0c65-9d2e-5c2b-8f47-51d1c3a9b6e0")


def faults_of(content: bytes) -> list[str]:
    """The faults of a tax data document by our rules, as `rule: requirement`."""
    try:
        root = parse(content)
        country = read_tax_data(content).report.country
    except (NotXml, UnreadableDocument) as fault:
        return [f"it cannot be read: {fault}"]
    says = Declared(root.tag, SPECIFICATIONS[country].specification, PROFILE)
    chosen = rules.built_in().choose(says).rule_set.on(clock.today())
    syntax = rules.built_in().syntax_of(root.tag)
    if syntax is None or not chosen.judges(syntax):
        return [f"no rules judge {etree.QName(root).localname}"]
    found = chosen.engine(syntax).check(cast("Element", root), content)
    return [f"{each.id} at {each.place}" for each in found.findings if each.severity is Flag.FATAL]


@dataclass(frozen=True, slots=True)
class Entry:
    """A report in the book.

    number    of the document that it reports, and `uuid` of that document or ""
    provider  its service provider id
    faults    why it was refused; empty: it was accepted
    """

    report: TaxDataReport
    number: str
    uuid: str
    provider: ParticipantId
    instance_id: str
    at: datetime
    content: bytes
    faults: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        return not self.faults

    @property
    def document(self) -> tuple[str, str]:
        """The common key of both reports of a document: country and transport id, or of
        Slovakia, whose reports have none, the document's UUID."""
        return self.report.country, self.report.transport_id or self.uuid


class Book(ClosedInbox):
    """The reports that arrived, in their order."""

    def __init__(self, judge: Judge = faults_of) -> None:
        self.entries: list[Entry] = []
        self.waiting: list[Entry] = []  # for their answers
        self._judge = judge
        self._receipts: dict[tuple[str, str], bytes | None] = {}
        self._lock = Lock()

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        """Keep a report, once for each message."""
        if not is_report(inbound.document_type):
            return NotServiced("the tax authority takes tax data documents only")
        key = (inbound.sender.canonical, inbound.instance_id)
        with self._lock:
            if key in self._receipts:
                return Duplicate(inbound.instance_id, self._receipts[key])
            entry = self._entry(inbound)
            self._receipts[key] = inbound.receipt
            self.entries.append(entry)
            self.waiting.append(entry)
        return Stored(inbound.instance_id, inbound.receipt)

    def _entry(self, inbound: Inbound) -> Entry:
        faults = tuple(self._judge(inbound.document))
        try:
            found = read_tax_data(inbound.document)
        except (NotXml, UnreadableDocument):
            return Entry(
                _UNREAD, "", "", inbound.sender, inbound.instance_id, clock.now(),
                inbound.document, faults or ("it cannot be read",),
            )  # fmt: skip
        entry = Entry(
            report=found.report,
            number=found.text("cbc:ID"),
            uuid=found.text("cbc:UUID"),
            provider=inbound.sender,
            instance_id=inbound.instance_id,
            at=clock.now(),
            content=inbound.document,
            faults=faults,
        )
        return replace(entry, faults=faults or tuple(self._contradictions(entry)))

    def _contradictions(self, entry: Entry) -> Iterator[str]:
        """The fault of a report beside the earlier reports on the same document."""
        report = entry.report
        before = [
            each.report.type
            for each in self.entries
            if each.document == entry.document
            and each.report.role is report.role
            and each.report.reporter == report.reporter
            and each.accepted
        ]
        if report.type in before:
            yield f"the document was reported before by this party ({report.type.value})"
        if report.type is ReportType.WITHDRAW and not before:
            yield "nothing was reported that could be withdrawn"

    def of(self, number: str) -> list[Entry]:
        """The reports of a document, by its number."""
        return [each for each in self.entries if each.number == number]

    def lines(self) -> Iterator[str]:
        """The book, one line a report."""
        for each in self.entries:
            report, of = each.report, SPECIFICATIONS[each.report.country]
            verdict = "accepted" if each.accepted else f"refused: {'; '.join(each.faults)}"
            yield (
                f"{each.at:%H:%M:%S}  {of.country}  {of.types[report.type]:2} "
                f"{of.roles[report.role]:2} {of.scopes[report.scope]:4} {each.number}  of "
                f"{':'.join(report.reporter)} by {each.provider}  {verdict}"
            )


_UNREAD = TaxDataReport(
    "AE", ReportType.SUBMIT, ReporterRole.SENDER, next(iter(SPECIFICATIONS["AE"].scopes)), ("", ""),
    "", "", datetime.min.replace(tzinfo=UTC),
)  # fmt: skip


class TaxAuthority:
    """The access point of the authorities: its endpoint, its book and its answers.

    own  its place in the network, with a certificate of its own
    """

    def __init__(self, own: Network, judge: Judge = faults_of) -> None:
        self.book = Book(judge)
        self._own = own
        self._receiver, self._sender = Receiver(own, self.book), Peppol(own)

    def answer(self, request: Request) -> Response:
        """The receipt of a message, or its refusal."""
        return self._receiver.answer(request)

    def send_answers(self) -> int:
        """Send the statuses that are due; how many arrived. The others are sent again later."""
        due = list(self.book.waiting)
        sent = 0
        for entry in due:
            envelope = self._envelope(entry)
            prepared = self._sender.prepare(envelope)
            if isinstance(self._sender.submit(envelope, prepared), Delivered):  # type: ignore[arg-type]
                self.book.waiting.remove(entry)
                sent += 1
        return sent

    def _envelope(self, entry: Entry) -> Envelope:
        status = self._status(entry)
        return Envelope(
            transmission_id=f"txn_{status.id}",
            invoice_id="",
            tenant_id="",
            environment=self._own.stage.environment,
            sender=status.sender,
            receiver=status.receiver,
            sender_country=entry.report.country,
            receiver_country=None,
            document_type=mls.DOCUMENT_TYPE,
            process=mls.PROCESS,
            document=mls.write(status),
            number=status.id,
            instance_id=status.id,
            buyer=Buyer("", None),
            profile="",
        )

    def _status(self, entry: Entry) -> Mls:
        words = f"{len(entry.faults)} fault(s), says the {STAND_IN}."
        return Mls(
            id=str(uuid.uuid5(_IDS, f"{entry.provider}/{entry.instance_id}")),
            issued_at=clock.now(),
            sender=mls.spid_of(self._own.seat),
            receiver=entry.provider,
            code=mls.ACCEPTED if entry.accepted else mls.REJECTED,
            instance_id=entry.instance_id,
            description=f"Accepted by the {STAND_IN}." if entry.accepted else words,
            issues=tuple(Issue(mls.RULE, each) for each in entry.faults),
        )


# -- as a server -----------------------------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], authority: TaxAuthority) -> None:
        super().__init__(address, _Handler)
        self.authority = authority


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    timeout = 30

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._reply(self.server.authority.answer(Request("POST", self.path, body, headers=headers)))

    def do_GET(self) -> None:
        """The book."""
        text = "\n".join((STAND_IN, *self.server.authority.book.lines(), ""))
        self._reply(Response(200, text.encode(), "text/plain; charset=utf-8"))

    def _reply(self, answer: Response) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(authority: TaxAuthority, port: int = 0) -> Iterator[str]:
    """Serve an authority, and send its answers, until the block ends; its address."""
    server, ended = _Server(("127.0.0.1", port), authority), Event()

    def answer() -> None:
        while not ended.wait(ANSWER_SECONDS):
            authority.send_answers()

    threads = [Thread(target=server.serve_forever, args=(0.05,), daemon=True)]
    threads.append(Thread(target=answer, daemon=True))
    for each in threads:
        each.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        for each in threads:
            each.join(30)
