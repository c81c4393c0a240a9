"""A service with the network mail, whose tenant sends in the sandbox."""

import email
from email.policy import SMTP

import pytest

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.network.hookspec import hookimpl
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.inbound import mailboxes
from einvoice.store import outbox
from einvoice_mail.incoming import Incoming
from einvoice_mail.notices import Desk
from einvoice_mail.profiles import MAIL_BIS, MAIL_EN16931, MAIL_XRECHNUNG
from einvoice_mail.receiver import Office
from einvoice_mail.spool import Spool
from einvoice_mail.suppression import Suppression
from plugins.mail.tests import mails
from tests import sandbox
from tests.memory_store import MemoryStore
from tests.workers import await_calls, claimed

ADDRESS = "bills-x7@in.example.com"


class Plugin:
    """The network mail with the access points of a test."""

    EINVOICE_INTERFACE = 2

    def __init__(self, *points):
        self.points = points

    @hookimpl
    def einvoice_profiles(self):
        return (MAIL_EN16931, MAIL_XRECHNUNG, MAIL_BIS)

    @hookimpl
    def einvoice_access_points(self, settings, inbox):
        self.inbox = inbox
        return self.points


class Mails(sandbox.Sandbox):
    def send_by_mail(self, receiver=None, *, contact=None, number=None, **routing):
        body = sandbox.a_body("0088:9520000000004", None)
        body["routing"] |= {"receiverParticipantId": receiver, "network": "mail", **routing}
        body["routing"] = {k: v for k, v in body["routing"].items() if v is not None}
        if contact:
            body["invoice"]["buyer"]["contact"] = {"email": contact}
        if number:
            body["invoice"]["number"] = number
        headers = self.headers | {"Prefer": "respond-async"}
        answer = self.client.post("/api/invoices/send", json=body, headers=headers)
        self.work(60)
        return answer

    def artefact(self, invoice_id, kind):
        """The content of the newest artefact of a type."""
        listed = self.get(f"/api/invoices/{invoice_id}/artefacts").json["items"]
        found = [item for item in listed if item["type"] == kind][-1]
        return self.get(f"/api/invoices/{invoice_id}/artefacts/{found['artefactId']}").data

    def mail(self, invoice_id):
        content = self.artefact(invoice_id, "MAIL")
        return email.message_from_bytes(content, policy=SMTP)


@pytest.fixture
def point():
    return mails.an_access_point(environment=Environment.TEST)


@pytest.fixture
def incoming(tmp_path):
    """The access point whose connections are addresses."""
    return Incoming(
        Environment.TEST,
        "in.example.com",
        Spool(tmp_path / "mails"),
        MemoryStore(),
        "mx.example.com",
    )


@pytest.fixture
def plugin(point, incoming):
    return Plugin(point, incoming)


@pytest.fixture
def office(plugin, incoming, tmp_path, service):
    """What the LMTP service answers with."""
    desk = Desk(plugin.inbox, "mail-test", Suppression(MemoryStore(), "mail-test"))
    return Office(
        "in.example.com",
        (incoming,),
        {"mail-test": desk},
        "bounces@operator.example",
        Spool(tmp_path / "mails"),
    )


@pytest.fixture
def service(make_app, plugin):
    app = make_app(plugins=[einvoice_loopback, plugin])
    with app.app_context():
        yield Mails.of(app)


@pytest.fixture
def arrive(service, office, move):
    """Connects an address, hands mails over, and lets a worker read them; the bills."""
    new = NewConnection(Environment.TEST, "mail-in-test", "BILLS-X7")
    accounts.create(service.tenant, new, service.runtime)

    def _arrive(*contents):
        for content in contents:
            assert office.answer_content("b@s.example", ADDRESS, content).startswith("250")
        mailboxes.schedule(service.runtime)
        for _ in range(3):
            move(minutes=2)
            ids, token = claimed(outbox.PLUGINS, service.tenant)
            mailboxes.run(ids, token, service.runtime)
            await_calls()
        return service.get("/api/invoices?direction=received").json["items"]

    return _arrive
