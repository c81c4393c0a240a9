"""Payments of sent invoices at the dashboard: of one, of several at once, and by CSV."""

from __future__ import annotations

import io
import re
from decimal import Decimal

import pytest

from einvoice.domain.roles import Role
from einvoice.services.inbound import payment_import
from einvoice.web.locales import LANGUAGES
from tests.browser import serving, visiting
from tests.web.buyer.shop import Shop
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/invoices/payments"
DAY = "2026-11-21"


@pytest.fixture
def shop(app) -> Shop:
    return Shop(app)


@pytest.fixture
def visitor(shop) -> Visitor:
    one = Visitor(shop.app, shop.tenant)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def paid(visitor: Visitor, invoice: str) -> list[tuple[float, str, str | None]]:
    """What is stored of an invoice, as the API lists it."""
    listed = visitor.person.get(f"/api/invoices/{invoice}/payments").json["items"]
    return [(each["amount"], each["date"], each["reference"]) for each in listed]


def sheet(visitor: Visitor, *invoices: str):
    """The page to which the button of the list leads, and the fields of its form."""
    page = visitor.followed(visitor.post(f"{PAGE}/chosen", {"invoice": list(invoices)}))
    hidden = {
        name: re.findall(rf'name="{name}"[^>]* value="([^"]*)"', page.text)
        for name in ("invoice", "before", "amount")
    }
    return page, hidden


def test_several_invoices_are_paid_at_once_each_with_its_open_amount(shop, visitor):
    """The rest of what was paid in part; a row without an amount is left out."""
    first, second, third = (shop.invoice(number=f"P-{n}") for n in range(3))
    visitor.person.post(f"/api/invoices/{second}/payments", {"amount": 234.5, "date": DAY})
    _, fields = sheet(visitor, first, second, third)
    assert fields["amount"] == ["1234.50", "1000.00", "1234.50"]
    fields["amount"][2] = " "
    done = visitor.post(PAGE, {**fields, "date": DAY, "reference": "B-7"})

    assert "The payments are stored." in visitor.followed(done).text
    assert paid(visitor, first) == [(1234.5, DAY, "B-7")]
    assert paid(visitor, second) == [(234.5, DAY, None), (1000.0, DAY, "B-7")]
    assert paid(visitor, third) == []


def test_a_refused_row_is_named_and_the_others_are_stored(shop, visitor):
    good, bad = shop.invoice(number="P-1"), shop.invoice(number="P-2")
    _, fields = sheet(visitor, good, bad)
    fields["amount"] = ["10", "0"]
    page = visitor.post(PAGE, {**fields, "date": DAY})

    assert page.status_code == 409
    assert "Payments stored: 1." in page.text
    assert re.findall(r'name="invoice" value="([^"]*)"', page.text) == [bad]
    assert "must not be zero" in page.text
    assert (paid(visitor, good), paid(visitor, bad)) == ([(10.0, DAY, None)], [])


def test_the_list_marks_what_is_paid_and_finds_what_is_not(shop, visitor):
    paid_one, part, none = (shop.invoice(number=f"P-{n}") for n in range(3))
    for invoice, amount in ((paid_one, 1234.5), (part, 1234.49)):
        visitor.person.post(f"/api/invoices/{invoice}/payments", {"amount": amount, "date": DAY})
    listed, found, left = (
        visitor.get(f"/dashboard/invoices?environment=test{query}").text
        for query in ("", "&paid=true", "&paid=false")
    )
    rows = {
        which: re.findall(r'<a href="/dashboard/invoices/([0-9a-f-]+)">P-', page)
        for which, page in (("all", listed), ("paid", found), ("left", left))
    }

    assert rows == {"all": [none, part, paid_one], "paid": [paid_one], "left": [none, part]}
    assert listed.count('<span class="paid"') == 1
    assert '<strong dir="auto">Not paid in full</strong>' in left


def test_two_tabs_with_the_same_sheet_pay_once(shop, visitor):
    """The second says that something was stored since, and shows what is open now."""
    invoice = shop.invoice(number="P-1")
    _, fields = sheet(visitor, invoice)
    first, second = (visitor.post(PAGE, {**fields, "date": DAY}) for _ in range(2))

    assert (first.status_code, second.status_code) == (303, 409)
    assert "was stored since this page was shown" in second.text
    assert len(paid(visitor, invoice)) == 1


def test_a_bill_among_the_chosen_says_how_it_is_paid(shop, visitor):
    page, fields = sheet(visitor, shop.invoice(direction="received"), shop.invoice(number="P-1"))

    assert "say that you have paid it by a response (PD)" in page.text
    assert len(fields["invoice"]) == 1


def test_invoices_of_other_tenants_and_environments_are_not_in_the_sheet(app, shop, visitor):
    theirs, live = Shop(app).invoice(), shop.invoice(environment="live")
    _, fields = sheet(visitor, theirs, live, "nothing")
    stored = visitor.post(
        PAGE, {"invoice": [theirs], "amount": ["1"], "before": ["0"], "date": DAY}
    )
    alone = visitor.post(f"{PAGE}/{theirs}", {"amount": "1", "date": DAY})

    assert fields["invoice"] == []
    assert (stored.status_code, alone.status_code) == (409, 404)
    assert "Payments stored: 0." in stored.text


def test_one_invoice_is_paid_on_its_page(shop, visitor):
    """With what is open, as it is written in the language of the page."""
    invoice = shop.invoice(number="P-1")
    address = f"/dashboard/invoices/{invoice}"
    page = visitor.get(address, Accept_Language="fr-FR").text
    refused = visitor.post(f"{PAGE}/{invoice}", {"amount": "many", "date": DAY, "before": "0"})
    done = visitor.post(f"{PAGE}/{invoice}", {"amount": "234.50", "date": DAY, "before": "0"})
    late = visitor.post(f"{PAGE}/{invoice}", {"amount": "1", "date": DAY, "before": "0"})

    assert 'value="1234,50"' in page
    assert refused.status_code == 409
    assert 'value="many"' in refused.text
    assert "The payment is stored." in visitor.followed(done).text
    assert late.status_code == 409
    assert paid(visitor, invoice) == [(234.5, DAY, None)]


def test_what_was_paid_before_is_not_compared_if_it_is_no_amount(shop, visitor):
    """Of a hidden field, which somebody may have changed: each is taken as unknown."""
    invoice = shop.invoice(number="P-1")
    given = ("sNaN", "NaN", "Infinity", "x", "")
    done = [
        visitor.post(f"{PAGE}/{invoice}", {"amount": "1", "date": DAY, "before": each})
        for each in given
    ]

    assert [each.status_code for each in done] == [303] * len(given)


def test_who_may_only_read_pays_nothing(app, shop):
    viewer = Visitor(app, shop.tenant, role=Role.VIEWER, subject="vic")
    invoice = shop.invoice()

    assert viewer.get(PAGE).status_code == 403
    for path in (PAGE, f"{PAGE}/chosen", f"{PAGE}/import", f"{PAGE}/{invoice}"):
        assert viewer.post(path).status_code == 403, path
    assert "/payments/" not in viewer.get(f"/dashboard/invoices/{invoice}").text


def upload(visitor: Visitor, text: str | bytes, **given: str):
    content = text if isinstance(text, bytes) else text.encode()
    return visitor.post(f"{PAGE}/import", {"file": (io.BytesIO(content), "p.csv"), **given})


FILE = f"""number;amount;date;reference
P-1;1 234,50;21.11.2026;B-1
P-2;200;{DAY};
P-2;200;{DAY};
P-9;1,00;{DAY};
P-3;zero;31.02.2026;
;5;{DAY};
P-3;-1,00;{DAY};
P-3;1,00;2999-01-01;
"""
FAULTS = {
    5: 'P-9</td><td dir="auto">No invoice was sent with this number in this environment.',
    6: "is not an amount",
    7: "The row names no invoice",
    8: "takes back more than was paid, which is 0",
    9: "must not be in the future",
}


def test_a_file_stores_its_good_rows_and_names_the_others_by_line(shop, visitor):
    """Two equal rows of one file are two payments."""
    invoices = [shop.invoice(number=f"P-{n}") for n in (1, 2, 3)]
    checked = upload(visitor, FILE, check="yes")
    assert "Nothing was stored. 3 would be stored, 0 are stored already, 5 are wrong, of 8" in (
        checked.text
    )
    assert [paid(visitor, each) for each in invoices] == [[], [], []]
    (kept,) = re.findall(r'name="kept" value="([^"]*)"', checked.text)
    done = visitor.post(f"{PAGE}/import", {"kept": kept})

    assert "3 stored, 0 were stored already, 5 wrong, of 8 rows." in done.text
    for line, words in FAULTS.items():
        assert re.search(rf"<tr><td>{line}</td>.*{re.escape(words)}", done.text), line
    assert [paid(visitor, each) for each in invoices] == [
        [(1234.5, DAY, "B-1")], [(200.0, DAY, None)] * 2, [],
    ]  # fmt: skip


def test_a_row_takes_back_what_rows_before_it_have_paid_and_no_more(shop, visitor):
    invoice = shop.invoice(number="P-1")
    rows = "".join(f"P-1,{amount},{DAY}\n" for amount in ("5", "-4", "-2", "-1"))
    done = upload(visitor, f"number,amount,date\n{rows}")

    assert re.search(r"<tr><td>4</td>.*takes back more than was paid, which is 1", done.text)
    assert [amount for amount, *_ in paid(visitor, invoice)] == [5.0, -4.0, -1.0]


def test_the_same_file_twice_changes_nothing(shop, visitor):
    """Nor does it beside one more row, which is stored."""
    first, second = (shop.invoice(number=f"P-{n}") for n in (1, 2))
    upload(visitor, FILE)
    before = paid(visitor, first), paid(visitor, second)
    again = upload(visitor, FILE)
    more = upload(visitor, f"{FILE}P-2;200;{DAY};\n")

    assert "0 stored, 3 were stored already" in again.text
    assert "1 stored, 3 were stored already" in more.text
    assert (paid(visitor, first), paid(visitor, second)[:2]) == before
    assert len(paid(visitor, second)) == 3


def test_what_was_stored_between_check_and_lock_is_not_stored_again(shop, visitor, monkeypatch):
    """As by another process: the payments are compared again once the invoice is locked."""
    invoice = shop.invoice(number="P-1")
    row = f"number,amount,date\nP-1,5.00,{DAY}\n"
    prepared = payment_import._prepared

    def _beside(*args):
        found = list(prepared(*args))
        monkeypatch.setattr(payment_import, "_prepared", prepared)
        visitor.person.post(f"/api/invoices/{invoice}/payments", {"amount": 5, "date": DAY})
        return found

    monkeypatch.setattr(payment_import, "_prepared", _beside)
    second = upload(visitor, row)

    assert "0 stored, 1 were stored already" in second.text
    assert paid(visitor, invoice) == [(5.0, DAY, None)]


def test_a_number_that_several_invoices_have_needs_the_id(shop, visitor):
    """A failed one counts only where no other has the number."""
    one, two = shop.invoice(number="P-1"), shop.invoice(number="P-1")
    failed, good = shop.invoice(number="P-2", status="Failed"), shop.invoice(number="P-2")
    rows = f"P-1,,1,{DAY}\n,{two},2,{DAY}\nP-2,,3,{DAY}\n"
    done = upload(visitor, f"number,invoiceId,amount,date\n{rows}")

    assert "2 stored, 0 were stored already, 1 wrong" in done.text
    assert "fill in the column invoiceId" in done.text
    assert [len(paid(visitor, each)) for each in (one, two, failed, good)] == [0, 1, 0, 1]


def test_rows_of_other_tenants_environments_and_directions_are_unknown(app, shop, visitor):
    """By their ids and by their numbers."""
    theirs, live = Shop(app).invoice(number="T-1"), shop.invoice(number="L-1", environment="live")
    bill = shop.invoice(number="B-1", direction="received")
    ids = "".join(f",{id_},1,{DAY}\n" for id_ in (theirs, live, bill))
    numbers = "".join(f"{number},,1,{DAY}\n" for number in ("T-1", "L-1", "B-1"))
    done = upload(visitor, f"number,invoiceId,amount,date\n{ids}{numbers}")

    assert "0 stored, 0 were stored already, 6 wrong" in done.text
    assert done.text.count("No invoice was sent with this number in this environment.") == 3
    assert [paid(visitor, each) for each in (live, bill)] == [[], []]


def test_rows_name_what_was_sold_whoever_has_billed_it(shop, visitor):
    """A document that a buyer has issued, and not one that was issued for a supplier."""
    sold, bought = (
        shop.invoice(number=number, direction=direction, kind="selfBilledInvoice")
        for number, direction in (("S-1", "received"), ("S-2", "sent"))
    )
    done = upload(visitor, f"number,amount,date\nS-1,5,{DAY}\nS-2,5,{DAY}\n")

    assert "1 stored, 0 were stored already, 1 wrong" in done.text
    assert [len(paid(visitor, each)) for each in (sold, bought)] == [1, 0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty"),
        (b"number,sum\n", "The header lacks"),
        (b"PK\x03\x04", "spreadsheet"),
        (b"number,amount,date\n" + b"P,1,2026-11-21\n" * 1001, "more than"),
        (b"number,amount,date\n" + b"x" * 262_144, "at most 256 KiB"),
    ],
    ids=["empty", "columns", "spreadsheet", "rows", "bytes"],
)
def test_a_file_that_is_not_read_says_why(visitor, content, words):
    refused = upload(visitor, content, check="yes")

    assert refused.status_code == 409
    assert words in refused.text


def test_the_refused_rows_are_downloaded_in_the_language_of_the_page(visitor):
    report = visitor.post(
        f"{PAGE}/import",
        {"file": (io.BytesIO(FILE.encode()), "p.csv"), "report": "yes"},
        Accept_Language="fr",
    )

    assert "n’est pas un montant" in report.get_data(as_text=True)
    assert report.headers["Content-Disposition"] == 'attachment; filename="payments-report.csv"'


def test_the_page_is_in_every_language(shop, visitor):
    """With the words of each fault."""
    texts = set()
    for language in LANGUAGES:
        page = visitor.post(
            f"{PAGE}/import",
            {"file": (io.BytesIO(FILE.encode()), "p.csv"), "check": "yes"},
            Accept_Language=language,
        ).text
        texts.add(re.findall(r"<h1>(.*?) <", page)[0])
        assert (FAULTS[7] in page) == (language == "en"), language
    assert len(texts) == len(LANGUAGES)


@pytest.mark.more
def test_invoices_are_chosen_and_paid_and_a_file_is_imported_in_a_browser(build, browser, tmp_path):
    """By the buttons alone, without a fault in the console."""
    service = build()
    shop = Shop(service)
    invoices = [shop.invoice(number=f"P-{n}") for n in (1, 2)]
    visitor = Visitor(service, shop.tenant, log_in=False)
    file = tmp_path / "bank.csv"
    file.write_text(f"number;amount;date\nP-1;5,00;{DAY}\nP-7;5,00;{DAY}\n")
    with serving(service) as origin, visiting(browser, origin, locale="fr-FR") as one:
        page = one.page
        page.goto(origin + visitor.link)
        page.goto(f"{origin}/dashboard/invoices?environment=test")
        for each in page.get_by_role("checkbox", name="P-").all():
            each.check()
        page.get_by_role("button", name="Marquer comme encaissées").click()
        page.get_by_label("Encaissé le").fill(DAY)
        page.get_by_role("button", name="Enregistrer les encaissements").click()
        page.get_by_text("Les encaissements sont enregistrés.").wait_for()
        page.get_by_role("link", name="Encaissements").click()
        page.set_input_files("#file", file)
        page.get_by_role("button", name="Vérifier").click()
        page.get_by_role("cell", name="Aucune facture n’a été envoyée").wait_for()
        page.get_by_role("button", name="Enregistrer les encaissements : 1").click()
        page.get_by_text("1 enregistrés, 0 l’étaient déjà, 1 incorrects").wait_for()
        page.goto(f"{origin}/dashboard/invoices/{invoices[0]}")
        page.locator("summary", has_text="Encaissements").click()
        shown = page.locator("ul[aria-label=Encaissements] li").all_inner_texts()

    assert [re.sub(r"\s", " ", each).split(":")[1].strip() for each in shown] == [
        "1 234,50 €", "5,00 €",
    ]  # fmt: skip
    assert Decimal(str(paid(visitor, invoices[1])[0][0])) == Decimal("1234.5")
