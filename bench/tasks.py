"""Walk the tasks of people at the pages, and count what they take: `python -m bench.tasks`.

The service of `einvoice demo --fill` on loopback, and Chromium, in which an owner is logged in.
Each task begins on the page where it is thought of (a list, the overview), as in the review of
2026-11-23 with which it is compared, and ends when the page says that it is done. A press of a
button, link, choice or key is a click; a text, a choice of files and a paste are fields. The
seconds are those of the machine, without a person's.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import Error

from einvoice.cli.demo import ENVIRON, prepared
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from tests.browser import chromium
from tests.ports import free_port
from tests.web.submission.documents import SAMPLES, two_lines

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# As a spreadsheet puts them on the clipboard.
ROWS = """Workshop on site\t2\tDAY\t950\t21
Travel\t120\tKMT\t0.42\t21
Technical book\t3\tC62\t38.50\t6
Licence, per seat\t12\tC62\t49.90\t21
Support\t7.5\tHUR\t95\t21"""
GOOD_CUSTOMERS, BAD_CUSTOMERS = 288, 12
FILES = 40


@dataclass
class Hand:
    """The actions of a person at a page, counted. `at`: the origin of the service."""

    page: Page
    at: str
    clicks: int = 0
    fields: int = 0

    def begins(self, path: str) -> None:
        """The page on which a task begins; the way to it is not counted."""
        self.goes(f"/dashboard{path}")
        self.page.wait_for_load_state("networkidle")
        self.clicks = self.fields = 0

    def goes(self, path: str) -> None:
        """Load a page; a picture that a page before still loads may abort the first attempt."""
        try:
            self.page.goto(f"{self.at}{path}")
        except Error:
            self.page.goto(f"{self.at}{path}")

    def begins_at(self, link: Locator) -> None:
        """A task begins on the page of a link."""
        self.begins((link.get_attribute("href") or "").removeprefix("/dashboard"))

    def click(self, locator: Locator) -> None:
        self.clicks += 1
        locator.click()

    def press(self, locator: Locator, key: str) -> None:
        self.clicks += 1
        locator.press(key)

    def button(self, name: str | re.Pattern[str]) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=isinstance(name, str)).first)

    def link(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name).first)

    def fill(self, locator: Locator, text: str) -> None:
        self.fields += 1
        locator.fill(text)

    def choose(self, selector: str, *files: tuple[str, bytes]) -> None:
        """Choose files, by one dialogue of the browser or by dragging them."""
        self.fields += 1
        given = [
            {"name": name, "mimeType": "application/octet-stream", "buffer": content}
            for name, content in files
        ]
        self.page.set_input_files(selector, given)  # type: ignore[arg-type]

    def paste(self, locator: Locator, text: str) -> None:
        """Put rows of a spreadsheet, which are on the clipboard, into a field."""
        self.fields += 1
        locator.evaluate(
            """(field, text) => {
            const data = new DataTransfer();
            data.setData('text/plain', text);
            field.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true}));
            }""",
            text,
        )

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until the page has a text."""
        self.page.locator("main").get_by_text(text).first.wait_for()

    def named(self, name: str) -> Locator:
        return self.page.locator(f'[name="{name}"]')


def _customer(hand: Hand) -> None:
    hand.fill(hand.page.locator("#search"), "Alpha")
    hand.page.locator("#customers button").first.wait_for()
    hand.press(hand.page.locator("#search"), "Enter")
    hand.page.wait_for_function(
        """() => document.querySelector('[name="invoice.buyer.name"]').value !== ''"""
    )


def _send(hand: Hand) -> None:
    hand.button("Send")
    hand.sees("The invoice is on its way.")


def _attach(hand: Hand) -> None:
    hand.choose("#files", ("hours.csv", b"day;hours\n1;8\n"))
    hand.sees("hours.csv")


def write_invoice(hand: Hand) -> None:
    """Five lines with two rates, whose rows are in a spreadsheet, and an attachment."""
    hand.begins("/invoices?environment=test")
    hand.link("New invoice")
    _customer(hand)
    hand.fill(hand.named("invoice.buyerReference"), "PO-4711")
    hand.paste(hand.named("invoice.lineItems.0.description"), ROWS)
    hand.page.locator(".line").nth(4).wait_for()
    _attach(hand)
    _send(hand)


def type_invoice(hand: Hand) -> None:
    """The same, with lines that are typed: Enter opens the next one."""
    hand.begins("/invoices?environment=test")
    hand.link("New invoice")
    _customer(hand)
    hand.fill(hand.named("invoice.buyerReference"), "PO-4712")
    rows = [row.split("\t") for row in ROWS.splitlines()]
    for number, (text, quantity, _, price, rate) in enumerate(rows):
        at = f"invoice.lineItems.{number}."
        hand.fill(hand.named(f"{at}description"), text)
        hand.fill(hand.named(f"{at}quantity"), quantity)
        hand.fill(hand.named(f"{at}unitPrice"), price)
        vat = hand.named(f"{at}vat")
        if vat.input_value() != f"S|{rate}":
            hand.fields += 1
            vat.select_option(f"S|{rate}")
        if number < len(rows) - 1:
            hand.press(hand.named(f"{at}unitPrice"), "Enter")
            hand.page.locator(".line").nth(number + 1).wait_for()
    _attach(hand)
    _send(hand)


def correct_failed(hand: Hand) -> None:
    """An invoice that its access point refused gets another receiver; it leaves the work."""
    hand.begins("?environment=test")
    hand.goes("/dashboard")
    # Those that their access point has refused; others are sent again as they are.
    row = hand.page.locator(".matters li", has_text=re.compile("2026-10(56|29)")).first
    number = row.locator(".matter a").inner_text()
    hand.click(row.get_by_role("link", name=re.compile("^Correct")))
    hand.fill(hand.named("routing.receiverParticipantId"), "0088:9520000000004")
    _send(hand)
    hand.goes("/dashboard")
    hand.page.locator("main").first.wait_for()
    assert hand.page.locator(".matters .matter", has_text=number).count() == 0, number


def credit(hand: Hand) -> None:
    hand.begins("/invoices?environment=test&networkStatus=Delivered&direction=sent")
    hand.click(hand.page.locator("td.number a").first)
    hand.link("Credit note")
    hand.button("Send")
    hand.sees("on its way")


def find_amount(hand: Hand) -> None:
    """One of last month, of which the amount is known, with the comma of the bank statement."""
    hand.begins("/invoices?environment=test")
    wanted = hand.page.locator("tr", has_text="EUR").nth(25)
    number = wanted.locator("td.number").inner_text()
    figure = wanted.locator("td.amount").inner_text().removesuffix("EUR").strip()
    typed = figure.replace(",", "").replace(".", ",")
    hand.fill(hand.page.locator("#q"), typed)
    hand.page.locator("#results tbody tr").nth(3).wait_for(state="detached")
    hand.page.locator("#results tbody tr", has_text=number).first.wait_for()


def import_customers(hand: Hand) -> None:
    """Three hundred customers, of which twelve are wrong."""
    rows = ["name;countryCode;email"]
    rows += [f"Customer {each};BE;c{each}@example.com" for each in range(GOOD_CUSTOMERS)]
    rows += [f";BE;wrong{each}@example.com" for each in range(BAD_CUSTOMERS)]
    hand.begins("/customers")
    hand.choose("#file", ("customers.csv", "\n".join(rows).encode()))
    hand.button(re.compile("^Check"))
    hand.sees("Rows that cannot be imported")
    hand.button(re.compile("^Import"))
    hand.sees(f"{GOOD_CUSTOMERS} added")


def _bill(hand: Hand, number: int) -> None:
    hand.begins("/bills?environment=test")
    supplier = "Kantoorbenodigdheden"
    hand.click(hand.page.locator("tr", has_text=supplier).nth(number).locator("td.number a"))
    hand.page.locator("#booking").wait_for()


def first_bill(hand: Hand) -> None:
    """A bill of a supplier without a remembered account: booked to one that is typed, approved."""
    _bill(hand, 0)
    hand.fill(hand.named("glAccountCode"), "612000")
    hand.press(hand.named("glAccountCode"), "Enter")
    hand.sees("Booked.")
    _approve(hand)


def _approve(hand: Hand) -> None:
    hand.button("Approve")
    hand.sees("The response is on its way to the seller.")


def next_bill(hand: Hand) -> None:
    """The next bill of that supplier has the account; it is approved."""
    _bill(hand, 1)
    if hand.named("glAccountCode").input_value() != "612000":
        hand.button(re.compile("612000"))
        hand.sees("Booked.")
    _approve(hand)


def check_files(hand: Hand) -> None:
    """A UBL with a wrong sum and a PDF with an invoice inside."""
    good = (SAMPLES / "good_ubl.xml").read_bytes()
    wrong = good.replace(b'<cbc:TaxAmount currencyID="EUR">', b'<cbc:TaxAmount currencyID="XXX">')
    hand.begins("/check")
    hand.choose("#files", ("wrong.xml", wrong), ("factur-x.pdf", _pdf(hand)))
    hand.page.locator("#file-2").wait_for()
    hand.page.locator("pre").first.wait_for()


def _pdf(hand: Hand) -> bytes:
    """The PDF of an invoice of the account, with the invoice inside."""
    page = hand.page.request.get(f"{hand.at}/dashboard/invoices?environment=test&direction=sent")
    found = re.search(r"/dashboard/invoices/([0-9a-f-]{36})", page.text())
    assert found
    answer = hand.page.request.get(f"{hand.at}/dashboard/invoices/{found[1]}/pdf")
    assert answer.ok, answer.status
    return answer.body()


def send_forty(hand: Hand) -> None:
    """Forty files, of which two are wrong."""
    made = [(f"{each}.xml", two_lines(f"F-{each:03}")) for each in range(FILES - 2)]
    broken = two_lines("F-900").replace(b">181.50<", b">181.51<")
    hand.begins("/send?environment=test")
    hand.choose("#files", *made, ("wrong.xml", broken), ("no-invoice.xml", b"<a/>"))
    hand.button("Send")
    hand.sees(re.compile("Delivered: 38, in progress: 0"))
    hand.sees("Not sent: 2")


def logo(hand: Hand) -> None:
    """The logo, and the PDF with it."""
    hand.begins("/settings")
    drawn = io.BytesIO()
    Image.new("RGB", (240, 80), "navy").save(drawn, "PNG")
    hand.choose("#logo", ("logo.png", drawn.getvalue()))
    hand.page.wait_for_load_state("networkidle")  # the sample beside the form is drawn with it
    hand.button("Save")
    hand.page.locator("img.logo").wait_for()


def share(hand: Hand) -> None:
    """The link for the buyer, and what the buyer sees of it on a phone."""
    hand.begins("/invoices?environment=test&direction=sent&response=accepted")
    hand.begins_at(hand.page.locator("td.number a").first)
    hand.button("Make a link")
    address = hand.page.locator("#link").input_value()
    browser = hand.page.context.browser
    assert browser
    phone = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True)
    try:
        seen = phone.new_page()
        seen.goto(address)
        seen.get_by_text("Demo NV").first.wait_for()
    finally:
        phone.close()


def make_key(hand: Hand) -> None:
    hand.begins("/developers/keys?environment=test")
    hand.fill(hand.named("name"), "ERP of the head office")
    hand.press(hand.named("name"), "Enter")
    hand.page.locator("#secret").wait_for()


def add_webhook(hand: Hand) -> None:
    hand.begins("/developers/webhooks?environment=test")
    hand.fill(hand.named("url"), "http://127.0.0.1:65531/erp")
    hand.press(hand.named("url"), "Enter")
    hand.page.locator("#signingSecret").wait_for()


def replay(hand: Hand) -> None:
    """All that a webhook which was down has missed since yesterday."""
    hand.begins("/developers/webhooks?environment=test")
    hand.begins_at(hand.page.locator("table.hooks a", has_text="erp/invoices").first)
    hand.click(hand.page.locator("form.inline:has(#hours) button"))
    hand.sees(re.compile("again"))


def first_by_keyboard(hand: Hand) -> None:
    """From the top of the list to its first invoice."""
    hand.begins("/invoices?environment=test")
    for _ in range(60):
        hand.press(hand.page.locator(":focus, body").last, "Tab")
        if hand.page.evaluate("document.activeElement.hash === '#rows'"):
            hand.press(hand.page.locator(":focus"), "Enter")
        if hand.page.evaluate("!!document.activeElement.closest('td.number')"):
            break
    hand.press(hand.page.locator(":focus"), "Enter")
    hand.page.locator("#says").wait_for()


# Name, the program, and what the review counted: clicks + fields.
TASKS: tuple[tuple[str, Callable[[Hand], None], str], ...] = (
    ("Invoice of five lines with two rates, pasted, and attachment", write_invoice, "12 + 24"),
    ("The same, typed", type_invoice, "12 + 24"),
    ("Correct a failed one", correct_failed, "3 + 1"),
    ("Credit one", credit, "3 + 1"),
    ("Find one of last month by amount", find_amount, "0 + 3"),
    ("Import 300 customers, 12 of them wrong", import_customers, "4 + 2"),
    ("Bill: account and answer", first_bill, "5 + 4"),
    ("The next bill of that supplier", next_bill, "5 + 4"),
    ("Check a UBL and a Factur-X", check_files, "1 + 1"),
    ("Send 40 files, 2 of them wrong", send_forty, "1 + 1"),
    ("Logo, and the PDF with it", logo, "3 + 1"),
    ("Link for the buyer, who opens it on a phone", share, "1 + 0"),
    ("Key", make_key, "2 + 1"),
    ("Webhook", add_webhook, "2 + 1"),
    ("Send again what a webhook missed", replay, "1 for each"),
    ("First invoice by keyboard", first_by_keyboard, "43 tabs"),
)  # fmt: skip


@contextmanager
def running(directory: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The filled service: its origin, and the credentials of the demo."""
    listen = f"127.0.0.1:{free_port()}"
    settings = Settings(
        data_dir=str(directory), base_url=f"http://{listen}", webhook_allow_private=True,
        log_level="ERROR",
    )  # fmt: skip
    ids = prepared(settings, "http://127.0.0.1:65532/hook", fill=True)
    with Stack(directory, listen, ENVIRON):
        yield f"http://{listen}", ids


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="tasks whose name has this text")
    parser.add_argument("--link", help="the login that a running `einvoice demo --fill` prints")
    options = parser.parse_args()
    if options.link:
        sys.exit(walked(options.link, options.only))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (origin, ids):
        sys.exit(walked(f"{origin}/dashboard/login/local?token={ids['owner']}", options.only))


def walked(link: str, only: str) -> int:
    """Do the tasks, and print a row for each; how many could not be done."""
    failed = 0
    print("| Task, in clicks + fields | review | now | seconds of the machine |\n|---|---|---|---|")
    with chromium() as browser:
        look = {"width": 1440, "height": 900}
        page = browser.new_context(viewport=look, locale="en-GB", timezone_id="UTC").new_page()
        page.set_default_timeout(60_000)
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(link)
        hand = Hand(page, link.partition("/dashboard")[0])
        for name, task, before in TASKS:
            if only in name:
                failed += not _done(hand, name, task, before)
    return failed


def _done(hand: Hand, name: str, task: Callable[[Hand], None], before: str) -> bool:
    start = time.perf_counter()
    try:
        task(hand)
    except (AssertionError, Error) as fault:
        print(f"{name}: at {hand.page.url}: {fault}", file=sys.stderr)
        return False
    took = time.perf_counter() - start
    print(f"| {name} | {before} | {hand.clicks} + {hand.fields} | {took:.1f} |", flush=True)
    return True


if __name__ == "__main__":
    main()
