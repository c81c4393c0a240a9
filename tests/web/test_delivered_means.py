"""What Delivered means: the receiver has it, the receiver's platform, or an authority only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice.domain.delivery import DeliveredMeans
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION, Delivered, Outcome, Pending, receipt
from einvoice.services.delivery import operations
from einvoice.store.core import db
from einvoice.store.tables import Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.networks import toll
from tests.networks.toll.access_point import Toll
from tests.networks.toll.selling import a_send
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.documented import posted, undocumented
from tests.web.submission.documents import request_of, two_lines

PLATFORM, AUTHORITY = DeliveredMeans.PLATFORM, DeliveredMeans.AUTHORITY
CALLED_BACK = Delivered((receipt(b"<Receipt/>"),))
# The languages of the page, with their words for the three.
WORDS = {
    "en": (
        "Delivered electronically",
        "Handed to the receiver's platform",
        "Accepted by",
        "Sent by e-mail",
        "Reported to the tax authority",
    ),
    "de": (
        "Elektronisch zugestellt",
        "An die Plattform",
        "Von der Behörde",
        "Per E-Mail gesendet",
        "An die Steuerbehörde gemeldet",
    ),
    "fr": (
        "Remise électronique",
        "Remise à la plateforme",
        "Acceptée par",
        "Envoyée par e-mail",
        "Déclarée à l’administration fiscale",
    ),
    "nl": (
        "Elektronisch afgeleverd",
        "Overgedragen aan het platform",
        "Aanvaard door",
        "Per e-mail verzonden",
        "Gemeld aan de belastingdienst",
    ),
    "sv": (
        "Levererad elektroniskt",
        "Överlämnad till",
        "Godkänd av",
        "Skickad med e-post",
        "Rapporterad till skattemyndigheten",
    ),
    "es": (
        "Entregada electrónicamente",
        "Entregada a la plataforma",
        "Aceptada por",
        "Enviada por correo",
        "Comunicada a la administración tributaria",
    ),
    "it": (
        "Consegnata elettronicamente",
        "Consegnata alla piattaforma",
        "Accettata",
        "Inviata per e-mail",
        "Comunicata all’amministrazione fiscale",
    ),
    "pl": (
        "Doręczono elektronicznie",
        "Przekazano na platformę",
        "Przyjęto przez",
        "Wysłano e-mailem",
        "Zgłoszono organowi podatkowemu",
    ),
}


class Waiting(Toll):
    """A network that reports the outcome by a call-back."""

    name = "toll-waiting"

    def submit(self, envelope, prepared) -> Outcome:
        return Pending(f"ref-{envelope.number}")


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self, means: DeliveredMeans, point: type[Toll] = Toll) -> None:
        self.point = point()
        self.point.capabilities = replace(self.point.capabilities, delivered_means=means)

    @hookimpl
    def einvoice_access_points(self, inbox) -> Iterator[Toll]:
        self.inbox = inbox
        yield self.point

    einvoice_rule_sets = hookimpl(lambda self: toll.einvoice_rule_sets())
    einvoice_profiles = hookimpl(lambda self: toll.einvoice_profiles())


def service_of(make_app, plugin):
    return Caller(make_app([plugin, einvoice_loopback]))


def delivered(caller) -> str:
    sent = caller.send(a_send())
    assert sent.status_code == 200, sent.text
    caller.work()
    return sent.json["invoiceId"]


def finished(caller, invoice):
    """Until the simulator has delivered it."""
    for _ in range(3):
        caller.work()
        caller.call("POST", f"/api/sandbox/invoices/{invoice}/advance")
    caller.work()


def shared(caller, invoice) -> str:
    path = f"/api/invoices/{invoice}/share"
    return Dashboard(caller.app, caller.tenant).post(path).json["shareToken"]


@pytest.mark.parametrize("means", [PLATFORM, AUTHORITY])
def test_status_event_and_buyer_s_page_say_who_has_it(make_app, means):
    caller = service_of(make_app, Plugin(means))
    invoice = delivered(caller)

    assert caller.get(f"/api/invoices/{invoice}").json["deliveredMeans"] == means
    tracked = caller.bearer("GET", f"/v1/invoices/{invoice}")
    assert tracked.json["deliveredMeans"] == means
    (event,) = [e for e in posted(caller) if e["eventType"] == "transaction.sent"]
    assert event["deliveredMeans"] == means
    assert undocumented(caller) == []
    link = f"/api/invoices/view/{shared(caller, invoice)}"
    assert caller.client.get(link).json["deliveredMeans"] == means


def test_a_receiver_has_what_peppol_delivered(make_app):
    """Also while it is not delivered yet: it says what Delivered will mean."""
    caller = Caller(make_app())
    invoice = caller.sent()
    before = caller.get(f"/api/invoices/{invoice}").json
    finished(caller, invoice)
    (event,) = [e for e in posted(caller) if e["eventType"] == "transaction.sent"]

    assert (before["networkStatus"], before["deliveredMeans"]) == ("Processing", "receiver")
    assert event["deliveredMeans"] == "receiver"


def test_a_document_submitted_as_xml_has_it_in_its_events(make_app, monkeypatch):
    caller = Caller(make_app())
    point = runtime_of(caller.app).access_points["simulator"]
    monkeypatch.setattr(
        point, "capabilities", replace(point.capabilities, delivered_means=PLATFORM)
    )
    sent = caller.bearer(
        "POST", "/v1/invoices", request_of(two_lines("M-1")), Prefer="respond-async"
    )
    assert sent.status_code == 202, sent.text
    finished(caller, sent.json["id"])

    found = {e["eventType"]: e.get("deliveredMeans") for e in posted(caller)}
    assert found["transaction.sent"] == found["invoice.delivered"] == "platform"
    assert undocumented(caller) == []


def test_an_outcome_by_call_back_means_the_same(make_app):
    plugin = Plugin(AUTHORITY, Waiting)
    caller = service_of(make_app, plugin)
    invoice = delivered(caller)
    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Processing"
    settled = plugin.inbox.settle("toll-waiting", "ref-T-1", CALLED_BACK)

    assert settled.changed
    assert [e["deliveredMeans"] for e in posted(caller)] == ["authority"]


def test_an_operator_s_outcome_means_the_same(make_app):
    caller = service_of(make_app, Plugin(AUTHORITY, Waiting))
    invoice = delivered(caller)
    with caller.app.app_context():
        with db.writing() as connection:
            connection.execute(sa.update(Transmission).values(attention=True))
            connection.execute(sa.delete(Outbox))
        transaction = caller.get(f"/api/invoices/{invoice}").json["transactionId"]
        points = runtime_of(caller.app).access_points
        operations.resolve(transaction, "delivered", b"<Mail/>", "mail.xml", None, points)

    assert [e["deliveredMeans"] for e in posted(caller)] == ["authority"]


def test_a_removed_access_point_leaves_it_open(make_app):
    invoice = delivered(caller := service_of(make_app, Plugin(AUTHORITY)))
    without = Caller(make_app(), tenant=caller.tenant)

    assert without.get(f"/api/invoices/{invoice}").json["deliveredMeans"] is None


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_buyer_s_page_words_it_in_its_language(make_app, monkeypatch, language):
    caller = Caller(make_app())
    shop = Shop(caller.app)
    token = shop.link()
    runtime = runtime_of(caller.app)
    shown = []
    for means in DeliveredMeans:
        for point in runtime.access_points:
            can = replace(point.capabilities, delivered_means=means)
            monkeypatch.setattr(point, "capabilities", can)
        headers = {"Accept": "text/html", "Accept-Language": language}
        page = caller.client.get(f"/api/invoices/view/{token}", headers=headers).text
        shown.append([words in page.replace("&#39;", "'") for words in WORDS[language]])

    assert shown == [[means is own for own in DeliveredMeans] for means in DeliveredMeans]


def test_faulty_means_stop_the_start(make_app):
    with pytest.raises(Exception, match="delivered_means is str, not DeliveredMeans"):
        make_app([Plugin("court")])  # type: ignore[arg-type]
