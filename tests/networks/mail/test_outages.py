"""A mail server that is away for hours, full, or greylists: every mail goes once after it."""

import email
from email.policy import SMTP

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from plugins.mail.tests import mails
from tests.mail_server import CLOSE, USUAL, mail_server
from tests.networks.mail.conftest import Mails, Plugin

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
DAY = 24 * 3600


@pytest.fixture
def server():
    with mail_server() as server:
        yield server


@pytest.fixture
def service(make_app, server):
    point = mails.an_access_point(server.url, Environment.TEST)
    app = make_app(plugins=[einvoice_loopback, Plugin(point)], retry_for_test=DAY)
    with app.app_context():
        yield Mails.of(app)


def transmissions():
    """Status and reason of each, as the console shows them."""
    with db.reading() as connection:
        query = sa.select(Transmission.status, Transmission.reason)
        return [tuple(each) for each in connection.execute(query)]


def recipients(server):
    received = [email.message_from_bytes(each, policy=SMTP) for each in server.messages]
    return [each["to"] for each in received]


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ({"CONNECT": CLOSE}, "127.0.0.1:"),
        ({"RCPT": "450 4.2.0 greylisted, come back"}, "greylisted"),
        ({"END": "452 4.3.1 no space left on the queue"}, "no space left"),
    ],
)
def test_no_mail_is_lost_or_doubled_while_a_mail_server_is_away(
    service, server, move, trouble, reason
):
    """For six hours; the tenant is told after one, once, and each mail goes afterwards."""
    server.replies.update(trouble)
    ids = []
    for name in ("first", "second", "third"):
        ids.append(service.send_by_mail(email=f"{name}@example.com").json["invoiceId"])
        move(minutes=1)
    for _ in range(12):
        move(minutes=30)
        service.work(1800)
    waiting = transmissions()
    told = [service.events(each).count("transaction.delayed") for each in ids]
    server.replies.update(USUAL)
    server.messages.clear()
    move(minutes=10)
    service.work(600)
    service.work(600)

    assert [status for status, _ in waiting] == ["Processing"] * 3
    assert all(reason in why for _, why in waiting), waiting
    assert told == [1, 1, 1]
    assert [service.status(each) for each in ids] == ["Delivered"] * 3
    assert sorted(recipients(server)) == [
        "first@example.com", "second@example.com", "third@example.com",
    ]  # fmt: skip
