"""A network pushes what became of a message, as of a document: one path settles both."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain import ids
from einvoice.network.types import Delivered, NotServiced, Pending, Rejected, Settled, receipt
from einvoice.services.delivery import operations, transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from einvoice.web.runtime import runtime_of
from tests.networks.toll.answering import TollPostPlugin, acknowledgement
from tests.workers import claimed

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def post(make_app):
    plugin = TollPostPlugin()
    app = make_app(plugins=[plugin])
    with app.app_context():
        plugin.post.work = lambda: transmit.advance(
            *claimed(outbox.CHORES, outbox.NO_TENANT), runtime_of(app)
        )
        yield plugin.post


def sent(post) -> str:
    """A report whose outcome is pushed."""
    post.outcomes = [Pending("ref-1")]
    message_id = post.inbox.queue_message(post.name, acknowledgement("k"))
    post.work()
    found = operations.find(message_id)
    assert (found.status, found.phase) == ("Processing", "pending")
    return message_id


def rows() -> list[tuple[str, str]]:
    with db.reading() as connection:
        query = sa.select(Outbox.kind, Outbox.lane).order_by(Outbox.id)
        return list(map(tuple, connection.execute(query).all()))


def test_a_pushed_outcome_settles_a_message_once(post):
    """By the reference of its Pending, or the id of its envelope; its access point is told."""
    message_id = sent(post)
    assert rows() == [(outbox.MESSAGE, outbox.PUSHED)]
    first = post.inbox.settle(post.name, "ref-1", Delivered((receipt(b"<R/>"),)))
    instance = ids.instance_of(message_id)
    again = post.inbox.settle(post.name, instance, Rejected("T-1", "too late"))

    assert (first, again) == (Settled(message_id, True), Settled(message_id, False))
    assert operations.find(message_id).status == "Delivered"
    assert rows() == [(outbox.NOTICE, outbox.PLUGINS)]
    assert isinstance(post.inbox.settle("another", "ref-1", Rejected("T", "x")), NotServiced)


def test_a_pushed_refusal_of_a_report_needs_an_operator(post):
    """No tenant is told of it."""
    message_id = sent(post)
    post.inbox.settle(post.name, "ref-1", Rejected("T-1", "no such period"))
    (found,) = operations.needing_attention()

    assert (found.id, found.status, found.reason) == (message_id, "Failed", "no such period")


def test_a_report_that_a_network_asks_to_wait_is_polled_when_it_says(post):
    message_id = sent(post)
    due = clock.now()
    assert post.inbox.settle(post.name, "ref-1", Pending("ref-2", due)).changed
    post.work()

    assert operations.find(message_id).status == "Delivered"


def test_evidence_about_a_report_has_no_document_to_be_kept_with(post):
    """It answers none, so its network is told that it is nobody's."""
    sent(post)
    verdict = post.inbox.deliver_evidence(post.name, "ref-1", [receipt(b"<R/>")])

    assert isinstance(verdict, NotServiced)
