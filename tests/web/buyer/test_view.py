"""What a buyer gets through a link: a page or JSON, and one 404 (decisions 13)."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from einvoice.store.core import db
from einvoice.store.core.resources import resources_of
from einvoice.store.tables import Invoice
from tests.web.buyer.shop import BROWSER, Shop, encoded

UNKNOWN = "A" * 43
# What is no token of ours, as it stands in a path.
MALFORMED = (
    "x", "x" * 42, "x" * 3000, "%00", "%FF", "%ED%A0%80", "é", "a/b", "%2e%2e%2fpdf", "a%20b",
    "'%20OR%201=1", "a/pdf/b", "", "/", f"/{UNKNOWN}", f"//{UNKNOWN}", f"{UNKNOWN}/", "a//b",
)  # fmt: skip
LOGO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)


@pytest.fixture
def shop(service) -> Shop:
    return Shop(service)


class Page(HTMLParser):
    """A page's elements, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements, self.words, self.styling = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.styling = tag == "style"

    def handle_data(self, data):
        if not self.styling:
            self.words.append(data.replace("\xa0", " ").replace("\u202f", " "))

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def test_json_has_the_documented_fields(shop):
    token = shop.link(number="2026-001", supplier_name="Acme NV")
    answer = shop.open(token)

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json == {
        "vendorName": "Acme NV",
        "invoiceNumber": "2026-001",
        "amountDue": 1234.5,
        "amountPaid": None,
        "paid": False,
        "currency": "EUR",
        "taxCurrency": None,
        "taxAmountInTaxCurrency": None,
        "issueDate": "2026-11-21",
        "dueDate": "2026-12-21",
        "deliveryStatus": "Delivered",
        "deliveredMeans": "receiver",
        "codes": [],
        "lines": [],
        "pdfUrl": f"http://127.0.0.1:8000/api/invoices/view/{token}/pdf",
        "provider": "eInvoice",
    }


def test_the_amount_due_is_what_is_left_after_prepayment_to_the_cent(shop):
    token = shop.link(grand_total=Decimal("121.00"), payable=Decimal("0.10"), due_date=None)

    assert b'"amountDue":0.10,' in shop.open(token).data
    assert shop.open(token).json["dueDate"] is None


@pytest.mark.parametrize(
    ("kind", "paid", "rows", "is_paid"),
    [
        ("invoice", None, [], False),
        ("invoice", "0.00", [], False),
        ("invoice", "1234.49", ["Paid €1,234.49", "Still to pay €0.01"], False),
        ("invoice", "1234.50", ["Paid €1,234.50"], True),
        ("invoice", "1300.00", ["Paid €1,300.00"], True),
        ("creditNote", "1234.50", [], True),
    ],
)
def test_a_buyer_sees_what_its_sender_says_was_paid(shop, kind, paid, rows, is_paid):
    """The amount due stays that of the document."""
    invoice = shop.invoice(kind=kind)
    its = sa.update(Invoice).where(Invoice.id == invoice)
    with shop.app.app_context(), db.writing() as connection:
        connection.execute(its.values(amount_paid=paid and Decimal(paid)))
    token = shop.link(invoice)
    body = shop.open(token).json
    text = Page(shop.open(token, BROWSER, Accept_Language="en-GB").text).text

    assert re.findall(r"(?:Paid|Still to pay) €[0-9.,]+", text) == rows
    assert (body["amountDue"], body["paid"]) == (1234.5, is_paid)
    assert body["amountPaid"] == (paid and Decimal(paid))


def test_a_person_gets_a_page_with_the_same_facts(shop):
    token = shop.link(number="2026-001", supplier_name="Bäcker & Söhne <GmbH>")
    answer = shop.open(token, BROWSER, Accept_Language="en-GB,en;q=0.8")
    page = Page(answer.text)

    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    for words in (
        "Bäcker & Söhne <GmbH>",
        "Invoice 2026-001",
        "Amount due €1,234.50",
        "Due 21 December 2026",
        "Issued 21 November 2026",
        "Delivered electronically 21 November 2026",
        "Download PDF",
    ):
        assert words in page.text
    assert page.all("html") == [{"lang": "en-GB"}]
    assert page.all("a") == [
        {
            "class": "download",
            "href": f"http://127.0.0.1:8000/api/invoices/view/{token}/pdf",
            "download": None,
        }
    ]


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        ({"tax_currency": "SEK", "tax_amount_in_tax_currency": Decimal("242.50")}, 1),
        ({}, 0),
    ],
)
def test_vat_in_its_accounting_currency_is_shown_if_the_invoice_states_it(shop, changes, rows):
    """Decisions 20.8: on the page, and as JSON."""
    token = shop.link(**changes)
    body = shop.open(token).json
    text = shop.open(token, BROWSER, Accept_Language="en-GB").text

    assert text.count("<dt>VAT in SEK</dt>") == rows
    assert text.count("242.50") == rows
    assert body["taxCurrency"] == changes.get("tax_currency")
    assert (body["taxAmountInTaxCurrency"] == 242.5) is bool(rows)


def test_the_profile_changes_nothing_but_the_look(service):
    """Decisions 20.9: name, amounts and dates are the document's, whatever the profile says."""
    profile = {
        "displayName": "Other Brand",
        "addressLines": ["Rue de la Loi 1"],
        "iban": "BE68539007547034",
        "accountName": "Other Holder",
        "email": "other@example.com",
        "phone": "+32 2 111 11 11",
        "website": "https://other.example",
    }
    facts = {"number": "2026-001", "supplier_name": "Kaai BV"}
    plain, shop = Shop(service), Shop(service, **profile)
    pages = [
        re.sub(r"view/[^/]+/", "", each.open(each.link(**facts), BROWSER).text)
        for each in (plain, shop)
    ]

    assert pages[0] == pages[1]
    assert shop.open(shop.link(**facts)).json["vendorName"] == "Kaai BV"


def test_a_credit_note_is_named_so_and_requests_no_payment(shop):
    page = Page(shop.open(shop.link(kind="creditNote", number="CN-7"), BROWSER).text)

    assert "Creditnota CN-7" in page.text
    assert "Gecrediteerd bedrag" in page.text
    assert "Te betalen" not in page.text


@pytest.mark.parametrize(("environment", "said"), [("test", True), ("live", False)])
def test_a_sandbox_invoice_says_that_nothing_is_to_be_paid(shop, environment, said):
    answer = shop.open(shop.link(environment=environment), BROWSER, Accept_Language="en")

    assert ("Nothing has to be paid." in answer.text) is said


@pytest.mark.parametrize(
    ("asked", "country", "language", "amount", "due"),
    [
        ("nl", "BE", "nl-BE", "€ 1.234,50", "21 december 2026"),
        ("fr-CH,de;q=0.9", "BE", "fr-CH", "1 234,50 €", "21 décembre 2026"),
        ("de", "AT", "de-AT", "€ 1.234,50", "21. Dezember 2026"),
        ("pt,it;q=0.5", "DE", "it", "1.234,50 €", "21 dicembre 2026"),
        ("de;q=0,sv;q=0.3", None, "sv", "1 234,50 €", "21 december 2026"),
        ("ja", "ES", "es-ES", "1.234,50 €", "21 de diciembre de 2026"),
        ("", "PL", "pl-PL", "1 234,50 €", "21 grudnia 2026"),
        ("", "FI", "en-FI", "1 234,50 €", "21 December 2026"),
        ("", None, "en", "€1,234.50", "December 21, 2026"),
        ("*;q=0.1", "DE", "de-DE", "1.234,50 €", "21. Dezember 2026"),
        ("xx-../../etc,de-<script>", "FR", "de", "1.234,50 €", "21. Dezember 2026"),
    ],
)
def test_the_browser_then_the_buyers_country_choose_the_language(
    shop, asked, country, language, amount, due
):
    token = shop.link(receiver_country=country)
    answer = shop.open(token, BROWSER, Accept_Language=asked)
    page = Page(answer.text)

    assert page.all("html") == [{"lang": answer.headers["Content-Language"]}]
    assert (answer.headers["Content-Language"], amount in page.text, due in page.text) == (
        language,
        True,
        True,
    ), page.text


def test_a_link_opens_with_what_mail_programs_add_to_it(service):
    """invoiceninja#11350; what is cut from the link is no secret, and a wrong one stays wrong."""
    shop, invoice = delivered_document(service, "2026-1")
    token = shop.link(invoice)
    plain, pdf = shop.open(token), shop.open(f"{token}/pdf")
    failed = []
    for added in ("/", ".", "/.", ",", ")", ">", "%20", "%E2%80%9D", "/////"):
        same = shop.open(token + added).data == plain.data
        pages = [shop.open(f"{token}{one}") for one in (f"/pdf{added}", f"{added}/pdf")]
        if not same or {page.content_type for page in pages} != {pdf.content_type}:
            failed.append(added)
        if shop.open(f"{UNKNOWN}{added}").status_code != 404:
            failed.append(f"unknown {added}")

    assert (plain.status_code, pdf.status_code, failed) == (200, 200, [])
    assert shop.open(f"{token}x").status_code == shop.open(f"{token}/x").status_code == 404


@pytest.mark.parametrize("end", ["", "/pdf"])
@pytest.mark.parametrize("accept", [None, "application/json", "*/*", BROWSER])
def test_unknown_revoked_and_malformed_tokens_get_the_same_response(shop, accept, end):
    """Byte for byte, except the request id."""
    invoice = shop.invoice()
    revoked = shop.link(invoice)
    shop.revoke(invoice)
    answers = [shop.open(token + end, accept) for token in (UNKNOWN, revoked, *MALFORMED)]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.data for answer in answers}) == 1
    headers = [{k: v for k, v in a.headers.items() if k != "X-Request-Id"} for a in answers]
    assert all(one == headers[0] for one in headers)


def test_the_404_for_programs_names_neither_the_request_nor_the_address(shop):
    answer = shop.open(UNKNOWN)

    assert answer.content_type == "application/problem+json"
    assert answer.json == {
        "type": "http://127.0.0.1:8000/errors/not-found",
        "title": "Not found",
        "status": 404,
        "detail": "This link is not valid. Ask the sender of the invoice for a new one.",
    }


def test_the_404_for_people_is_a_page_in_their_language(shop):
    answer = shop.open(UNKNOWN, BROWSER, Accept_Language="fr")

    assert "Ce lien n’est pas valable" in Page(answer.text).text
    assert answer.headers["Content-Language"] == "fr"


def test_every_token_costs_one_query(service, shop):
    """Malformed tokens are hashed and queried too, so the time reveals nothing."""
    invoice = shop.invoice()
    revoked = shop.link(invoice)
    shop.revoke(invoice)
    asked = []

    def note(_c, _cursor, statement, *_):
        asked.append(statement)

    with service.app_context():
        engine = db.db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        for token in (UNKNOWN, revoked, *MALFORMED):
            before = len(asked)
            shop.open(token)
            assert len([one for one in asked[before:] if "share_links" in one]) == 1, token
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("accept", [None, BROWSER])
@pytest.mark.parametrize("token", [None, UNKNOWN])
def test_responses_are_not_cached_indexed_or_referred(shop, token, accept):
    answer = shop.open(token or shop.link(), accept)

    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Vary"].removesuffix(", Accept-Encoding") == "Accept, Accept-Language"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")


@pytest.mark.parametrize("end", ["", "x"])
def test_a_page_loads_nothing_and_runs_nothing(service, end):
    """One style, allowed by its hash, and the logo inside the page."""
    shop = Shop(service, colour="#c8102e", logo=encoded(LOGO), logoType="image/png")
    answer = shop.open(shop.link() + end, BROWSER)
    page = Page(answer.text)
    style = re.search(r"<style>(.*?)</style>", answer.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert answer.headers["Content-Security-Policy"].split("; ") == [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src data:",
    ]
    assert not {"script", "link", "iframe", "form"} & {tag for tag, _ in page.elements}
    assert not [a for _, a in page.elements if "style" in a or any(n.startswith("on") for n in a)]
    assert all(image["src"].startswith("data:image/png;base64,") for image in page.all("img"))
    assert len(page.all("img")) == (not end)
    assert ("url(" in style, "@import" in style) == (False, False)


@pytest.mark.parametrize("colour", ["red;}body{display:none", "</style>", "#12", None])
def test_an_invalid_colour_is_not_written_to_the_style(service, colour):
    shop = Shop(service, colour=colour)

    assert "--brand: #1f3a5f; --on-brand: #ffffff" in shop.open(shop.link(), BROWSER).text


def test_urls_do_not_depend_on_the_host_header(shop):
    reported = shop.open(shop.link(), Host="evil.example", X_Forwarded_Host="evil.example").json

    assert reported["pdfUrl"].startswith("http://127.0.0.1:8000/")


def delivered_document(service, number: str) -> tuple[Shop, str]:
    """A shop, and its delivered invoice with a real document, as a send makes it."""
    from tests.web.caller import Caller

    caller = Caller(service)
    invoice = caller.sent(number=number)
    shop = Shop(service)
    shop.tenant = caller.tenant
    with service.app_context(), db.writing() as connection:
        connection.execute(
            sa.text(
                "UPDATE transmissions SET status = 'Delivered', settled_at = created_at "
                "WHERE invoice_id = :invoice"
            ),
            {"invoice": invoice},
        )
    return shop, invoice


def test_the_pdf_is_shown_in_place_under_the_invoices_name(service):
    shop, invoice = delivered_document(service, "2026/№ 1")
    answer = shop.open(shop.link(invoice) + "/pdf", BROWSER)

    assert (answer.status_code, answer.content_type) == (200, "application/pdf")
    assert answer.headers["Content-Disposition"] == 'inline; filename="invoice-2026-1.pdf"'
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.data.startswith(b"%PDF-")


# -- so many a minute ------------------------------------------------------------------------------


@pytest.fixture
def limited(build, redis_url, own_budgets):
    """Three requests a minute of each address, behind one proxy."""
    app = build(redis_url=redis_url, limit_buyer=3, trusted_proxies=1)
    yield Shop(app)
    with app.app_context():
        resources_of(app).close()


def visits(shop, address, times, accept=None, token=UNKNOWN):
    return [shop.open(token, accept, X_Forwarded_For=address) for _ in range(times)]


def test_an_address_has_a_limited_number_of_requests(limited):
    """On all routes of the page together; other addresses are not affected."""
    answers = visits(limited, "192.0.2.1", 2) + visits(
        limited, "192.0.2.1", 2, token=limited.link()
    )

    assert [answer.status_code for answer in answers] == [404, 404, 200, 429]
    assert 0 < int(answers[3].headers["Retry-After"]) <= 60
    assert answers[3].json["type"].endswith("/rate-limit-exceeded")
    assert visits(limited, "192.0.2.2", 1)[0].status_code == 404


def test_a_refused_browser_gets_a_page(limited):
    answer = visits(limited, "192.0.2.3", 4, BROWSER)[3]

    assert (answer.status_code, answer.content_type) == (429, "text/html; charset=utf-8")
    assert int(answer.headers["Retry-After"]) > 0


def test_of_ipv6_a_whole_network_is_one_address(limited):
    """A household has 2^64 of them."""
    answers = [visits(limited, f"2001:db8:0:1::{n}", 1)[0].status_code for n in range(1, 5)]

    assert answers == [404, 404, 404, 429]
    assert visits(limited, "2001:db8:0:2::1", 1)[0].status_code == 404


def test_without_redis_nothing_is_refused(build, tmp_path):
    shop = Shop(build(redis_url=f"unix://{tmp_path}/nothing.sock", limit_buyer=1))

    assert {answer.status_code for answer in visits(shop, "192.0.2.4", 4)} == {404}


def test_no_log_line_has_a_token(build, monkeypatch, capsys):
    """Also after an unexpected error: the route is logged, not the path."""
    from einvoice.services.invoices import share_links

    def broken(_: str) -> None:
        raise RuntimeError("broken")

    said = io.StringIO()
    monkeypatch.setattr(share_links, "view", broken)
    monkeypatch.setattr("sys.stderr", said)
    shop = Shop(build(log_level="ERROR"))
    token = shop.link()

    assert shop.open(token).status_code == 500
    assert token not in said.getvalue() + capsys.readouterr().err


def test_a_long_amount_is_written_smaller(shop):
    long = shop.link(payable=Decimal("123456789012.34"), issue_date=date(2026, 1, 2))

    assert 'class="amount long"' in shop.open(long, BROWSER).text
    assert 'class="amount"' in shop.open(shop.link(), BROWSER).text
