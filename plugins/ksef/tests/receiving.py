"""Invoices that a seller sends to the buyer, and the fetches of the buyer's mailbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from einvoice.network.connections import Connection
from einvoice.network.mailbox_testing import check_fetched
from einvoice.network.mailboxes import Fetched, MailboxDocument
from einvoice_ksef.access_point import Ksef
from plugins.ksef.tests import company
from tests.networks.ksef import Service, samples
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.client import Client
from tests.networks.ksef.limits import PRODUCTION

METADATA = "POST /invoices/query/metadata"
DOWNLOAD = "GET /invoices/ksef/{ksefNumber}"
EXPORT = "POST /invoices/exports"
EXPORTED = "GET /invoices/exports/{referenceNumber}"


def arriving(service: Service, authority: Authority) -> Callable[..., list[str]]:
    """A function that lets a seller send so many invoices to the buyer; their KSeF numbers."""
    authority.limits.own[f"Nip:{company.SELLER}"] = dict.fromkeys(PRODUCTION, (10**6,) * 3)
    client = Client(service).sign_in()
    session = client.opened()
    sent: list[str] = []

    def arrived(count: int, **given: Any) -> list[str]:
        numbers = []
        for _ in range(count):
            sent.append(f"R/{len(sent) + 1}")
            numbers.append(client.sent(session, samples.fa3(sent[-1], **given))["ksefNumber"])
        return numbers

    return arrived


class Inbox:
    """The mailbox of a connection as the service keeps it: its cursor, and what is stored."""

    def __init__(self, point: Ksef, connection: Connection) -> None:
        self.point, self.connection = point, connection
        self.cursor: str | None = None
        self.stored: dict[str, MailboxDocument] = {}

    def fetch(self) -> Any:
        """One fetch, whose documents and cursor are stored."""
        outcome = self.point.fetch_new(self.connection, self.cursor, self.known)
        if isinstance(outcome, Fetched):
            check_fetched(outcome)
            self.cursor = outcome.cursor
            for each in outcome.documents:
                self.stored.setdefault(each.instance_id, each)
        return outcome

    def known(self, instance_ids: Any) -> set[str]:
        return set(instance_ids) & set(self.stored)


def drained(
    point: Ksef, connection: Connection, cursor: str | None = None, most: int = 60
) -> tuple[list[MailboxDocument], str]:
    """The documents of all fetches, and the last cursor."""
    documents: list[MailboxDocument] = []
    for _ in range(most):
        fetched = point.fetch(connection, cursor)
        assert isinstance(fetched, Fetched), fetched
        check_fetched(fetched)
        documents += fetched.documents
        cursor = fetched.cursor
        if not fetched.more:
            return documents, cursor
    raise AssertionError("there is always more")


def ids(documents: Any) -> list[str]:
    return [each.instance_id for each in documents]
