"""The routes of mail: addresses, domains, a preview, and another address for what came back."""

import re
from dataclasses import replace

import pytest

from einvoice.mail import Mailbox, Outgoing, smarthosts
from einvoice.services.account import mail_domains
from einvoice.web.openapi.examples import BODIES
from tests.web.console import OperatorPerson, OperatorProgram
from tests.web.dashboard import Dashboard

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def person(service):
    return Dashboard(service.client.application, service.tenant)


def test_an_address_is_made_changed_and_closed(person):
    new = {"environment": "test", "name": "Vans", "glAccountCode": "6130"}
    made = person.post("/api/mail/addresses", new)
    path = f"/api/mail/addresses/{made.json['mailAddressId']}"
    changed = person.call("PATCH", path, {"name": "Lorries", "glAccountCode": None})
    rotated = person.post(f"{path}/rotate", {})
    listed = person.get("/api/mail/addresses?environment=test").json["items"]
    closed = person.call("DELETE", f"/api/mail/addresses/{rotated.json['mailAddressId']}", None)

    assert made.status_code == 201, made.text
    assert made.json["address"].endswith("@in.example.com")
    assert (changed.json["name"], changed.json["glAccountCode"]) == ("Lorries", None)
    assert [each["address"] for each in listed] == [rotated.json["address"]]
    assert closed.status_code == 204
    assert person.get(path).status_code == 404


def test_a_domain_is_added_shown_and_removed(person, service, monkeypatch):
    """Without a mail server there is nothing to send from it."""
    refused = person.post("/api/mail/domains", {"domain": "muster.example"})
    outgoing = Outgoing(smarthosts("smtp://127.0.0.1:1"), Mailbox("i@op.example"), "b@op.example")
    runtime = replace(service.runtime, outgoing=outgoing)
    made = mail_domains.add(service.tenant, "muster.example", runtime)
    path = f"/api/mail/domains/{made.id}"
    shown = person.get(path).json

    assert (refused.status_code, refused.json["type"].rpartition("/")[2]) == (409, "conflict")
    assert shown["state"] == "pending"
    assert shown["records"][1]["name"].endswith("._domainkey.muster.example")
    assert person.call("DELETE", path, None).status_code == 204
    assert person.get("/api/mail/domains").json["items"] == []


def test_a_preview_shows_the_words_that_are_not_stored(person):
    shown = person.post("/api/mail/preview", BODIES["MailPreviewRequest"])
    wrong = person.post("/api/mail/preview", {"language": "tlh"})

    assert shown.status_code == 200, shown.text
    assert shown.json["subject"].startswith("Rechnung 2026-0001 von ")
    assert shown.json["attachments"] == ["invoice.pdf", "invoice.xml"]
    assert wrong.status_code == 400


def test_choices_of_mails_are_stored_once_for_each_language(person):
    words = {"language": "de", "subject": "Rechnung {number}"}
    stored = person.call("PATCH", "/api/tenant", {"mail": {"templates": [words]}})
    twice = person.call("PATCH", "/api/tenant", {"mail": {"templates": [words, words]}})

    assert stored.json["mail"]["templates"] == [words | {"text": None}]
    assert twice.status_code == 400
    assert twice.json["errors"][0]["pointer"] == "/mail/templates/1/language"


def test_an_invoice_that_came_back_is_sent_to_another_address(service):
    sent = service.send_by_mail(email="bounced@example.com").json["invoiceId"]
    body, headers = {"email": "ap@example.com"}, service.headers | {"Prefer": "respond-async"}
    path = f"/api/invoices/{sent}/resend"
    wrong = service.client.post(path, json={"email": "nobody"}, headers=headers)
    again = service.client.post(path, json=body, headers=headers)
    service.work(60)

    assert wrong.status_code == 400
    assert again.status_code == 200, again.json
    assert service.mail(sent)["to"] == "ap@example.com"


def test_files_of_xrechnung_are_judged_as_xrechnung(service, person):
    """The tenant's choice for the buyer's country decides the profile of the document."""
    person.call("PATCH", "/api/tenant", {"mail": {"attachments": "pdf-and-xrechnung"}})
    refused = service.send_by_mail(email="ap@example.com")
    person.call("PATCH", "/api/tenant", {"mail": {"attachments": "pdf-and-bis"}})
    sent = service.send_by_mail("0208:0403019261", email="ap@example.com")

    assert refused.status_code == 400, refused.json
    assert "BR-DE-" in refused.text
    assert sent.status_code == 200, sent.json
    document = service.artefact(sent.json["invoiceId"], "UBL")
    assert b"urn:fdc:peppol.eu:2017:poacc:billing:3.0" in document


def test_an_address_on_hold_is_seen_and_lifted(person, service, point):
    """By its own account; then mail goes there again."""
    hold(point, service)
    listed = person.get("/api/mail/held-addresses?environment=test").json["items"]
    path = f"/api/mail/held-addresses/{listed[0]['heldAddressId']}"
    stranger = Dashboard(service.client.application)
    others = stranger.get("/api/mail/held-addresses?environment=test").json["items"]
    foreign = stranger.call("DELETE", path, None)
    lifted = person.call("DELETE", path, None)

    assert (listed[0]["address"], listed[0]["reason"]) == ("gone@example.com", "550 5.1.1 gone")
    assert (others, foreign.status_code) == ([], 404)
    assert lifted.status_code == 204
    assert person.call("DELETE", path, None).status_code == 404
    assert person.get("/api/mail/held-addresses?environment=test").json["items"] == []


def test_operators_see_and_lift_the_addresses_of_all(service, point):
    hold(point, service)
    program = OperatorProgram(service.client.application)
    [listed] = program.get("/held-addresses").json["items"]
    path = f"/tenants/{service.tenant}/held-addresses/{listed['heldAddressId']}/lift"

    assert (listed["tenantId"], listed["environment"]) == (service.tenant, "test")
    assert [program.post(path, {}).status_code for _ in range(2)] == [204, 404]


def test_the_console_shows_mail_and_lifts_an_address(service, point):
    """With the lines that the access points say of themselves."""
    hold(point, service)
    person = OperatorPerson(service.client.application)
    page = person.get("/networks").text
    [form] = re.findall(r'action="/operator(/networks/held/[^"]+)"', page)
    lifted = person.followed(person.post(form)).text

    assert "gone@example.com" in page
    assert 'Undeliverable in 24 hours</dt><dd dir="auto">0' in page
    assert 'einvoice mail receive</dt><dd dir="auto">It never ran.' in page
    assert "The address gets e-mails again." in lifted
    assert "gone@example.com" not in lifted


def hold(point, service):
    point._bounced.add(service.tenant, "gone@example.com", "550 5.1.1 gone")
