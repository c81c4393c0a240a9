"""The networks around the service, as stand-ins: what arrived is in `arrived`, by its number."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

import requests

from bench.week.foreign import Foreign, Kept
from bench.week.post import Post
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from tests.networks import anaf, fr, ksef, zatca
from tests.networks.stand_ins import Answer, Faults, Handler, StandIn

_NUMBER = re.compile(rb"<cbc:ID>([^<]{1,40})</cbc:ID>")


class Buyers(StandIn):
    """The network of the buyers, of which tests.access_points.http_access_point is a client."""

    def __init__(self, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(_Buyers, port, faults)
        self.lock = threading.Lock()
        self.arrived: Counter[str] = Counter()  # by number of the invoice
        self.messages: dict[str, str] = {}  # message id → number

    def take(self, message_id: str, document: bytes) -> None:
        number = _number(document)
        with self.lock:
            self.arrived[number] += 1
            self.messages[message_id] = number


class _Buyers(Handler):
    server: Buyers

    def call(self) -> None:
        body = self.received()
        kind, _, name = self.path.strip("/").partition("/")
        fault = self.server.faults(kind)
        self.respond(fault, lambda: self._made(kind, unquote(name), body))

    def _made(self, kind: str, name: str, body: bytes) -> Answer:
        if kind == "participants":
            return Answer(200, f"{BIS_INVOICE}\n{BIS_CREDIT_NOTE}\n".encode(), "text/plain")
        if self.command == "POST":
            self.server.take(name, body)
        if name not in self.server.messages:
            return Answer(404)
        return Answer(200, f"<Receipt><MessageId>{name}</MessageId></Receipt>".encode())


def arrived_at_buyers(service: Buyers) -> Counter[str]:
    """How often the network took the invoice of each number."""
    with service.lock:
        return service.arrived.copy()


def arrived_by(book: Post | Kept) -> Counter[str]:
    """How often a mail server or a foreign access point took the invoice of each number."""
    with book.lock:
        return Counter(book.arrived)


def arrived_at_anaf(service: anaf.Service) -> Counter[str]:
    """How often the authority took the invoice of each number."""
    with service.authority.lock:
        return Counter(upload.number for upload in service.authority.uploads.values())


def arrived_at_ksef(service: ksef.Service) -> Counter[str]:
    """How often the authority gave a number to the invoice of each number of ours."""
    with service.authority.lock:
        return Counter(one.facts.number for one in service.authority.archive.values())


def arrived_at_french(service: fr.Service) -> Counter[str]:
    """How often the platform took the invoice of each number."""
    with service.platform.lock:
        sent = [one.content for one in service.platform.flows.values()
                if one.direction == "Out" and one.syntax not in ("CDAR", "FRR")]  # fmt: skip
    return Counter(_number(content) for content in sent)


def arrived_at_zatca(service: zatca.Service) -> Counter[str]:
    """How often the authority took the invoice of each number."""
    with service.authority.lock:
        taken = [document for _, document in service.authority.taken.values()]
    return Counter(_number(document) for document in taken)


def _number(document: bytes) -> str:
    """The number of the invoice: the first ID after its extensions."""
    found = _NUMBER.search(document.rpartition(b"</ext:UBLExtensions>")[2])
    return found[1].decode() if found else "?"


class Switch:
    """The fault that a network has now; None: it answers."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.calls: Counter[str] = Counter()
        self.seen: dict[str, Counter[str]] = defaultdict(Counter)

    def __call__(self, call: str) -> str | None:
        self.calls[call] += 1
        if self.fault is not None:
            self.seen[self.fault][call] += 1
        return self.fault


@dataclass(frozen=True)
class Networks:
    """The stand-ins of all networks, and the switches of their faults."""

    buyers: Buyers
    anaf: anaf.Service
    ksef: ksef.Service
    fr: fr.Service
    zatca: zatca.Service
    post: Post
    abroad: Foreign
    authority: str  # the address of the tax offices of Peppol, which shows their book
    switches: Mapping[str, Switch]

    def arrived(self) -> Counter[str]:
        """How often the invoice of each number is at its network."""
        return (
            arrived_at_buyers(self.buyers) + arrived_at_anaf(self.anaf)
            + arrived_at_ksef(self.ksef) + arrived_at_french(self.fr)
            + arrived_at_zatca(self.zatca) + arrived_by(self.post) + arrived_by(self.abroad.kept)
        )  # fmt: skip

    def reports(self) -> list[str]:
        """The lines of the book of the tax offices of Peppol."""
        return requests.get(self.authority, timeout=30).text.splitlines()

    def counts(self) -> dict[str, int]:
        """How many documents each network has."""
        return {
            "at the buyers' network": arrived_at_buyers(self.buyers).total(),
            "at RO e-Factura": arrived_at_anaf(self.anaf).total(),
            "at KSeF": arrived_at_ksef(self.ksef).total(),
            "at the French platform": arrived_at_french(self.fr).total(),
            "at Fatoora": arrived_at_zatca(self.zatca).total(),
            "mails at buyers": arrived_by(self.post).total(),
            "at the foreign access point": arrived_by(self.abroad.kept).total(),
            "reports at tax offices": len(self.reports()),
        }
