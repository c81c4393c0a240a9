"""The settings of mail at the dashboard: words, files, domains, addresses, a test to oneself."""

import re

import pytest

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import profile
from einvoice.services.connections import mail_addresses
from plugins.mail.tests.test_notices import a_report
from plugins.mail.tests.test_reading import PDF, UBL, a_mail
from tests.networks.mail.conftest import Mails
from tests.web.pages.visitor import Visitor

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
OUT = "/dashboard/settings/mail"
DOMAINS, ADDRESSES = f"{OUT}/domains", f"{OUT}/addresses"


@pytest.fixture
def service(make_app, plugin):
    """With a mail server that nobody answers at."""
    app = make_app(
        plugins=[einvoice_loopback, plugin],
        mail_smarthosts="smtp://127.0.0.1:1",
        mail_from="invoices@operator.example",
        mail_bounces="bounces@mx.operator.example",
    )
    with app.app_context():
        yield Mails.of(app)


@pytest.fixture
def visitor(service):
    return Visitor(service.client.application, service.tenant)


def stored(service):
    return profile.get(service.tenant).profile.get("mail")


# -- out -------------------------------------------------------------------------------------------


def test_words_of_one_language_are_stored_and_shown_as_the_buyer_gets_them(service, visitor):
    """Those of other languages stay; values stand in their places."""
    words = {"subject": "Rechnung {number}", "text": "Guten Tag {buyer}", "words": "de"}
    page = visitor.followed(visitor.post(OUT, {**words, "replyTo": "ap@muster.example"}))
    visitor.post(OUT, {"subject": "Invoice {number}", "replyTo": "ap@muster.example"})

    assert "Rechnung 2026-0001" in page.text
    assert "Guten Tag Example Buyer" in page.text
    assert stored(service) == {
        "subject": "Invoice {number}",
        "replyTo": "ap@muster.example",
        "templates": [
            {"language": "de", "subject": "Rechnung {number}", "text": "Guten Tag {buyer}"}
        ],
    }


def test_a_preview_stores_nothing(service, visitor):
    """Markup of a tenant is text, in the HTML part too."""
    page = visitor.post(f"{OUT}/preview", {"text": "<b>Hello</b> {link}", "words": ""})

    assert page.status_code == 200
    assert "&lt;b&gt;Hello&lt;/b&gt;" in page.text
    assert "&amp;lt;b&amp;gt;Hello" in page.text  # as an attribute, and escaped in the document
    assert stored(service) is None


def test_files_by_country_are_rows_of_which_blank_ones_are_nothing(service, visitor):
    rows = {"country.0": "", "country.1": "de", "files.0": "pdf-and-xml"}
    visitor.post(OUT, {**rows, "files.1": "pdf-and-xrechnung"})

    assert stored(service) == {
        "attachmentsByCountry": [{"country": "DE", "attachments": "pdf-and-xrechnung"}]
    }


def test_a_refused_form_keeps_what_was_typed_and_marks_its_fields(service, visitor):
    typed = {"replyTo": "nobody", "country.0": "QQ", "files.0": "factur-x", "subject": "x" * 300}
    page = visitor.post(OUT, typed, Accept_Language="de")

    assert page.status_code == 409
    assert {"replyTo", "country.0", "subject"} <= set(re.findall(r'id="([\w.]+)-error"', page.text))
    assert 'value="nobody"' in page.text
    assert stored(service) is None


def test_mail_becomes_the_last_resort_by_a_choice(service, visitor):
    visitor.post(OUT, {"lastResort": "yes"})
    assert profile.get(service.tenant).profile["lastResort"] == "mail"
    visitor.post(OUT, {})
    assert "lastResort" not in profile.get(service.tenant).profile


def test_a_test_that_no_server_takes_is_said(visitor):
    page = visitor.post(f"{OUT}/test", {"words": "de"})

    assert page.status_code == 409
    assert "The test was not sent." in page.text


# -- domains ---------------------------------------------------------------------------------------


def test_a_domain_says_what_to_put_into_dns_and_can_be_removed(service, visitor):
    page = visitor.followed(visitor.post(DOMAINS, {"domain": "Muster.example"}))
    [place] = re.findall(rf'action="({DOMAINS}/[^"]+)/delete"', page.text)

    assert "v=spf1 include:mx.operator.example ~all" in page.text
    assert "_einvoice.muster.example" in page.text
    assert page.text.count("Not asked yet") == 4
    assert Visitor(service.client.application).post(f"{place}/delete").status_code == 404
    assert "No domain of your own yet" in visitor.followed(visitor.post(f"{place}/delete")).text


def test_a_domain_of_others_is_refused_at_its_field(visitor):
    page = visitor.post(DOMAINS, {"domain": "gmail.com"})

    assert page.status_code == 409
    assert 'id="domain-error"' in page.text


# -- addresses on hold -----------------------------------------------------------------------------


def test_an_address_on_hold_is_shown_and_lifted(service, visitor, point):
    """With the words of its server; that of another account is not there."""
    point._bounced.add(service.tenant, "gone@example.com", "550 <5.1.1> gone")
    page = visitor.get(f"{OUT}/held?environment=test").text
    [form] = re.findall(rf'action="({OUT}/held/[^"]+)"', page)
    foreign = Visitor(service.client.application).post(form)
    lifted = visitor.followed(visitor.post(form)).text

    assert "gone@example.com" in page
    assert "550 &lt;5.1.1&gt; gone" in page
    assert foreign.status_code == 404
    assert "The address gets e-mails again." in lifted
    assert "gone@example.com" not in lifted


# -- addresses -------------------------------------------------------------------------------------


def test_an_address_is_made_changed_replaced_and_closed(service, visitor):
    place = f"{ADDRESSES}?environment=test"
    made = visitor.followed(visitor.post(place, {"name": "Vans", "glAccountCode": "6130"})).text
    assert 'value="6130"' in made
    [first] = re.findall(r'value="([a-z0-9-]+@in\.example\.com)"', made)
    [form] = re.findall(rf'action="({ADDRESSES}/[^"?/]+)\?environment=test"', made)
    visitor.post(form, {"name": "Lorries", "glAccountCode": ""})
    rotated = visitor.followed(visitor.post(f"{form}/rotate?environment=test")).text
    [second] = re.findall(r'value="([a-z0-9-]+@in\.example\.com)"', rotated)
    [form] = re.findall(rf'action="({ADDRESSES}/[^"?]+)/close', rotated)

    assert first != second
    assert 'value="Lorries"' in rotated
    assert 'value="6130"' not in rotated
    assert Visitor(service.client.application).post(f"{form}/close").status_code == 404
    visitor.post(f"{form}/close")
    assert mail_addresses.all_of(service.tenant, Environment.TEST, service.runtime) == []


def test_the_page_says_what_became_of_the_last_mails(arrive, visitor):
    """A bill, or a bill to fill in."""
    arrive(
        a_mail(("i.xml", "text/xml", UBL), Subject="First"),
        a_mail(("i.pdf", "application/pdf", PDF), Subject="Second"),
    )
    page = visitor.get(f"{ADDRESSES}?environment=test").text
    became = re.findall(r"<td[^>]*>[^<]*: (\w+)\.[^<]*</td><td><a [^>]*><span[^>]*>([^<]+)", page)

    assert sorted(became) == [
        ("First", "Bill"),
        ("Second", "Bill to fill in"),
    ]


# -- another address -------------------------------------------------------------------------------


def test_a_mail_that_came_back_is_sent_again_to_another_address(service, office, visitor):
    sent = service.send_by_mail(email="buyer@example.org").json
    token = sent["transactionId"].replace("_", "-")
    office.answer_content("", f"bounces+{token}@operator.example", a_report())
    place = f"/dashboard/invoices/{sent['invoiceId']}"
    refused = visitor.post(f"{place}/resend", {"email": "nobody"})
    again = visitor.post(f"{place}/resend", {"email": "other@example.org"})
    service.work(60)

    assert (refused.status_code, again.status_code) == (409, 303)
    assert 'value="nobody"' in refused.text
    assert service.mail(sent["invoiceId"])["to"] == "other@example.org"
    assert "Send it again by e-mail" not in visitor.get(place).text


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
def test_settings_of_mail_are_of_administrators(service, role):
    person = Visitor(service.client.application, service.tenant, role, "ben")

    assert [person.get(each).status_code for each in (OUT, DOMAINS, ADDRESSES)] == [403] * 3
