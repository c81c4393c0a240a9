"""Lines of a new invoice: a table, one choice of VAT, pasted rows, and what is proposed."""

from __future__ import annotations

import html
import re

import pytest
from playwright.sync_api import expect

from einvoice.domain.roles import Role
from einvoice.store.tables import Invoice
from tests.browser import serving, visiting
from tests.web.caller import Caller
from tests.web.pages.invoice_form import FORM, LINE, error_at, filled, value_of
from tests.web.pages.visitor import Visitor

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
# Text on the clipboard, and (description, quantity, unit, price, rate) of its lines.
PASTED = {
    "Paper\t2\t1.50": [("Paper", "2", "HUR", "1.50", "21")],
    "Paper\t€ 1.50": [("Paper", "1", "HUR", "1.50", "21")],
    "Hours\t7.5\thour\t80\t6 %\nTravel\t10\tKMT\t0.4\t21%": [
        ("Hours", "7.5", "HUR", "80", "6"), ("Travel", "10", "KMT", "0.4", "21"),
    ],
    "Item\tQty\tPrice\nA\t1\t2\n\nB\t3\t4\n": [
        ("A", "1", "HUR", "2", "21"), ("B", "3", "HUR", "4", "21"),
    ],
    '"two\nlines"\t1\t2': [("two\nlines", "1", "HUR", "2", "21")],
    "Only a text\nAnother": [
        ("Another", "1", "HUR", "", "21"),
    ],
    "\t\t\n": [],
}  # fmt: skip


@pytest.fixture
def caller(service) -> Caller:
    return Caller(service)


@pytest.fixture
def visitor(caller) -> Visitor:
    one = Visitor(caller.app, caller.tenant, Role.MEMBER)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def choices(page: str, line: int = 0) -> tuple[list[str], str]:
    """The texts of the choice of VAT, and the value that is chosen."""
    part = page.partition(f'name="invoice.lineItems.{line}.vat"')[2].partition("</select>")[0]
    chosen = re.search(r'value="([^"]*)" selected', part)[1]
    return re.findall(r">([^<]+)</option>", part), chosen


def pasted(answer) -> list[tuple[str, ...]]:
    """The lines behind the first one, as the page shows them."""
    names = ("description", "quantity", "unitCode", "unitPrice", "taxRate")
    numbers = re.findall(r'name="invoice\.lineItems\.(\d+)\.description"', answer.text)[1:]
    found = []
    for number in numbers:
        at = f"invoice.lineItems.{number}."
        part = answer.text.partition(f'name="{at}unitCode"')[2]
        unit = re.search(r'value="(\w+)" selected', part)[1]
        row = [unit if name == "unitCode" else value_of(answer, at + name) for name in names]
        found.append(tuple(row))
    return found


def test_vat_is_one_choice_with_the_rates_of_the_seller_s_country(visitor):
    """The last invoice tells the country; its standard rate is chosen."""
    assert choices(visitor.get(FORM).text)[1] == "S|"
    sent = visitor.post(FORM, filled(visitor))
    assert sent.status_code == 303
    texts, chosen = choices(visitor.get(FORM).text)

    assert texts[:3] == ["21 %", "12 %", "6 %"]
    assert texts[-1] == "Another rate"
    assert chosen == "S|21"


@pytest.mark.parametrize(
    ("vat", "rate", "totals"),
    [
        ("S|6", "21", "€107.06"), ("S|21", "", "€122.21"), ("AE|", "21", "€101.00"),
        ("S|", "10", "€111.10"),
    ],
)  # fmt: skip
def test_the_choice_of_vat_counts_whatever_the_fields_behind_it_say(visitor, vat, rate, totals):
    form = filled(visitor) | {f"{LINE}vat": vat, f"{LINE}taxRate": rate}
    answer = visitor.post(f"{FORM}/check", form)

    assert totals in answer.text
    assert choices(answer.text)[1] == vat


def test_a_seller_in_the_emirates_has_the_categories_and_closed_rows_of_pint(visitor):
    """Their values are shown in words; those of another country are not offered."""
    seller = {"invoice.supplier.address.countryCode": "AE"}
    kind = {"invoice.transactionTypes.0": "export", f"{LINE}itemType": "G"}
    page = visitor.post(
        f"{FORM}/check", filled(visitor) | seller | kind | {f"{LINE}vat": "N|"}
    ).text
    texts, chosen = choices(page)

    assert (texts[0], chosen) == ("5 %", "N|")
    assert "Margin scheme" in texts
    assert "Export outside the EU" not in texts
    for row, value in {"pint": "Export", "pint-line-0": "Goods"}.items():
        summary = page.partition(f'<details class="closed" id="{row}">')[2].partition("</summary>")
        assert f'dir="auto">{value}<' in summary[0]


def test_a_vat_category_that_is_not_offered_is_kept(visitor):
    """A copy of an invoice of the API may have one."""
    form = filled(visitor) | {f"{LINE}taxCategory": "L", f"{LINE}taxRate": "7"}
    page = visitor.post(f"{FORM}/check", form)

    assert choices(page.text)[1] == "L|"
    assert value_of(page, f"{LINE}taxRate") == "7"


@pytest.mark.parametrize("vat", ["", "S", "x" * 30, "<b>|", "ZZ|21"])
def test_a_choice_that_there_is_not_is_no_fault_of_the_service(visitor, vat):
    assert visitor.post(f"{FORM}/check", filled(visitor) | {f"{LINE}vat": vat}).status_code < 500


def test_a_wrong_rate_is_shown_at_the_choice(visitor):
    form = filled(visitor) | {f"{LINE}vat": "S|", f"{LINE}taxRate": "210"}

    assert "at most 100" in error_at(visitor.post(FORM, form), f"{LINE}taxRate")


def test_the_next_number_is_proposed_for_each_kind(visitor):
    assert value_of(visitor.get(FORM), "invoice.number") == ""
    visitor.post(FORM, filled(visitor) | {"invoice.number": "INV-0099"})
    credit = {"invoice.number": "CN-7", "invoice.type": "creditNote"}
    visitor.post(FORM, filled(visitor) | credit | {"invoice.precedingInvoice.number": "INV-0099"})

    assert value_of(visitor.get(FORM), "invoice.number") == "INV-0100"
    assert value_of(visitor.get(f"{FORM}?environment=live"), "invoice.number") == ""


def test_an_old_number_that_was_sent_again_is_not_counted_from(visitor):
    for number in ("2026-0101", "2026-0103", "2026-0099"):
        visitor.post(FORM, filled(visitor) | {"invoice.number": number})

    assert value_of(visitor.get(FORM), "invoice.number") == "2026-0104"


def test_rows_of_a_spreadsheet_become_lines(visitor):
    form = filled(visitor)
    wrong = {}
    for text, lines in PASTED.items():
        answer = visitor.post(f"{FORM}/form", form | {"edit": "paste", "pasted": text})
        if pasted(answer) != lines:
            wrong[text] = pasted(answer)

    assert wrong == {}


def test_pasted_rows_replace_a_blank_line_and_end_at_the_most(visitor):
    blank = {f"{LINE}description": "", f"{LINE}unitPrice": ""}
    text = "".join(f"Item {number}\t1\t2\n" for number in range(300))
    answer = visitor.post(
        f"{FORM}/form", filled(visitor) | blank | {"edit": "paste", "pasted": text}
    )

    assert value_of(answer, f"{LINE}description") == "Item 0"
    assert answer.text.count('class="line"') == 200


@pytest.mark.parametrize("text", ["\x00", "\t" * 90_000, '"' * 100_000, "<script>\t1\t2"])
def test_hostile_text_on_the_clipboard_is_text(visitor, text):
    answer = visitor.post(f"{FORM}/form", filled(visitor) | {"edit": "paste", "pasted": text})

    assert answer.status_code == 200
    assert "<script>\t" not in answer.text
    assert "<script>1" not in answer.text


def test_the_pdf_is_drawn_beside_a_form_that_is_complete_and_nothing_is_sent(caller, visitor):
    form = filled(visitor)
    drawn = visitor.post(f"{FORM}/drawn", form)
    waits = visitor.post(f"{FORM}/drawn", form | {"invoice.number": ""})

    assert drawn.data.startswith(b"%PDF")
    assert "once the invoice is complete" in waits.text
    for answer in (drawn, waits):
        assert answer.status_code == 200
        assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    assert caller.count(Invoice) == 0


def test_a_closed_row_shows_what_its_fields_have_and_opens_where_one_is_wrong(visitor):
    form = filled(visitor) | {"invoice.paymentTerms": "30 days <b>net</b>"}
    page = visitor.post(f"{FORM}/check", form).text
    wrong = visitor.post(FORM, form | {"invoice.supplier.address.countryCode": "Belgium"}).text

    assert "30 days &lt;b&gt;net&lt;/b&gt;" in page.partition('id="payment-terms"')[2][:300]
    assert '<details class="closed" id="more-supplier">' in page
    assert '<details class="closed" id="more-supplier" open>' in wrong


def test_in_the_browser_at_most_15_fields_are_open_and_rows_are_pasted(caller, browser):
    person = Visitor(caller.app, caller.tenant, log_in=False)
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(origin + person.link)
        page.goto(f"{origin}{FORM}?environment=test")
        seen = "main input:visible, main select:visible, main textarea:visible"
        assert page.locator(seen).count() <= 15
        page.locator(f'[name="{LINE}description"]').evaluate(
            """(field, text) => {
              const data = new DataTransfer();
              data.setData('text/plain', text);
              field.dispatchEvent(new ClipboardEvent('paste', {
                clipboardData: data, bubbles: true, cancelable: true}));
            }""",
            "Hours\t7.5\thour\t80\nTravel\t10\tkilometre\t0.4",
        )
        expect(page.locator(".line")).to_have_count(2)
        expect(page.locator('[name="invoice.lineItems.1.description"]')).to_have_value("Travel")
        page.locator('[name="invoice.lineItems.1.unitPrice"]').press("Enter")
        expect(page.locator(".line")).to_have_count(3)
        expect(page.locator('[name="invoice.lineItems.2.description"]')).to_be_focused()
        assert page.locator("#pasted").input_value() == ""

    assert visit.said == []


def test_text_of_pasted_cells_is_escaped(visitor):
    text = "<img src=x>\t1\t2"
    answer = visitor.post(f"{FORM}/form", filled(visitor) | {"edit": "paste", "pasted": text})

    assert html.escape("<img src=x>") in answer.text
    assert "<img src=x>" not in answer.text
