"""Contract tests of an access point that fetches documents from mailboxes.

class TestMail(MailboxContract, ConnectedContract, AccessPointContract):
    @pytest.fixture
    def access_point(self): ...

    @pytest.fixture
    def connection(self): ...  # one that works

    @pytest.fixture
    def arrive(self, connection): ...  # puts documents into its mailbox
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from einvoice.network.connections import Connection
from einvoice.network.mailboxes import (
    MAX_BYTES,
    MAX_CURSOR_LENGTH,
    MAX_DOCUMENTS,
    MAX_INTERVAL,
    MAX_NEWS,
    MAX_SECONDS,
    MIN_INTERVAL,
    Fetched,
    Mailbox,
    MailboxDocument,
)

Arrive = Callable[[int], None]

MAX_FETCHES = 50  # until a mailbox with a few documents is empty


class MailboxContract:
    """The tests of an access point that is a `Mailbox`, for its class of tests."""

    @pytest.fixture
    def connection(self) -> Connection:
        """A connection that works at the test network."""
        raise NotImplementedError("supply the fixture connection")

    @pytest.fixture
    def arrive(self) -> Arrive:
        """A function that puts so many new documents into the mailbox of the connection."""
        raise NotImplementedError("supply the fixture arrive")

    def wait(self, seconds: float) -> None:
        """Sleep between two fetches. Override it if the tests control the clock."""
        time.sleep(seconds)

    def test_its_terms_are_within_bounds(self, access_point: Mailbox) -> None:
        assert isinstance(access_point, Mailbox), "an operation is missing"
        terms = access_point.fetch_terms()

        assert MIN_INTERVAL <= terms.at_least <= terms.every <= MAX_INTERVAL
        assert 0 < terms.seconds <= MAX_SECONDS

    def test_every_document_is_fetched_once(
        self, access_point: Mailbox, connection: Connection, arrive: Arrive
    ) -> None:
        """From the first fetch, without a cursor, until there is no more."""
        _, before = self._drained(access_point, connection, None)
        arrive(7)
        documents, _ = self._drained(access_point, connection, before)

        ids = [document.instance_id for document in documents]
        assert len(ids) == 7, f"fetched {len(ids)} of 7 documents"
        assert len(set(ids)) == 7, "two documents have one id"

    def test_a_fetch_that_is_repeated_has_the_same_documents(
        self, access_point: Mailbox, connection: Connection, arrive: Arrive
    ) -> None:
        """A worker that is killed fetches again from the same cursor."""
        _, cursor = self._drained(access_point, connection, None)
        arrive(2)
        first, again = (self._fetched(access_point, connection, cursor) for _ in range(2))

        assert first.documents, "nothing was fetched"
        known = {document.instance_id: document.document for document in again.documents}
        for document in first.documents:
            assert known.get(document.instance_id) == document.document

    def test_an_empty_mailbox_keeps_its_cursor(
        self, access_point: Mailbox, connection: Connection
    ) -> None:
        """And says that there is no more, or it would be fetched without end."""
        _, cursor = self._drained(access_point, connection, None)
        fetched = self._fetched(access_point, connection, cursor)

        assert fetched.documents == ()
        assert not fetched.more

    def _drained(
        self, point: Mailbox, connection: Connection, cursor: str | None
    ) -> tuple[list[MailboxDocument], str]:
        documents: list[MailboxDocument] = []
        for _ in range(MAX_FETCHES):
            fetched = self._fetched(point, connection, cursor)
            documents += fetched.documents
            cursor = fetched.cursor
            if not fetched.more:
                return documents, cursor
        raise AssertionError(f"there is more after {MAX_FETCHES} fetches")

    def _fetched(self, point: Mailbox, connection: Connection, cursor: str | None) -> Fetched:
        self.wait(point.fetch_terms().at_least.total_seconds())
        fetched = point.fetch(connection, cursor)
        assert isinstance(fetched, Fetched), f"fetched {fetched!r}"
        check_fetched(fetched)
        return fetched


def check_fetched(fetched: Fetched) -> None:
    """Assert that the service stores it."""
    assert isinstance(fetched.cursor, str), "a cursor is a text"
    assert len(fetched.cursor) <= MAX_CURSOR_LENGTH, "the cursor is too long"
    assert len(fetched.documents) <= MAX_DOCUMENTS, "too many documents"
    assert len(fetched.news) <= MAX_NEWS, "too many news"
    assert all(isinstance(document, MailboxDocument) for document in fetched.documents)
    size = sum(len(document.document) for document in fetched.documents)
    assert size <= MAX_BYTES or len(fetched.documents) == 1, "too many bytes"
    for values in (fetched.credentials, fetched.connection_state):
        texts = (part for item in (values or {}).items() for part in item)
        assert all(isinstance(part, str) for part in texts), "names and values are texts"
