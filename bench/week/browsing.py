"""People in real browsers: write, credit, book a bill, filter, export; each one after the other.

A form is left open, and filled in and sent some journeys later, whatever was started again since.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from bench.week.accounts import Account
from einvoice import clock
from tests.browser import _QUIET
from tests.web.pages.invoice_form import FILLED, FORM

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PERSON = "P"  # with which the numbers of invoices begin that persons write
STEP_MS = 20_000
EXPORT_MS = 60_000
_OPEN_ALL = "() => document.querySelectorAll('details').forEach(each => { each.open = true })"
_INVOICES, _LOGIN = "/dashboard/invoices", "/dashboard/login?"


@dataclass(frozen=True, slots=True)
class Journey:
    """One journey of a person, in minutes, and the fault that ended it; "" if it went well."""

    began: float
    ended: float
    what: str
    fault: str = ""


class Person:
    """A person, in the accounts in turn. `name` is in the numbers of the invoices it writes."""

    def __init__(
        self,
        name: str,
        url: str,
        accounts: list[Account],
        token: Callable[[Account], str],
        minute: Callable[[], float],
        accept: Callable[[str, str], None],
        *,
        first: float,
        every: float,
    ) -> None:
        self._name, self._url, self._accounts, self._token = name, url, accounts, token
        self._minute, self._accept, self._every = minute, accept, every
        self.journeys: list[Journey] = []
        self.written: dict[str, int] = {}  # number → tenant
        self._ends = threading.Event()
        self._turn, self._due = 0, first
        self._left: tuple[Page, Account, str] | None = None
        self._invoice: tuple[Account, str, str] | None = None  # written last: account, id, number
        self._thread = threading.Thread(target=self._run, name=f"person {name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ends.set()
        self._thread.join(120)

    def _run(self) -> None:
        path = shutil.which("chromium")
        if path is None:
            return
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path, args=list(_QUIET), timeout=180_000
            )
            while not self._ends.wait(0.2):
                if self._minute() >= self._due:
                    self._due = self._minute() + self._every
                    self._journey(browser)
            browser.close()

    def _journey(self, browser: Browser) -> None:
        acts = (self._write, self._credit, self._book, self._filter, self._export, self._finish)
        act = acts[self._turn % len(acts)]
        account = self._accounts[self._turn // len(acts) % len(self._accounts)]
        self._turn += 1
        began, what = self._minute(), act.__name__.strip("_")
        try:
            act(browser, account)
        except Exception as fault:  # noqa: BLE001 - Playwright's and ours: each is told in the diary
            words = f"{type(fault).__name__}: {str(fault)[:300]}"
            self.journeys.append(Journey(began, self._minute(), what, words))
        else:
            self.journeys.append(Journey(began, self._minute(), what))

    @contextmanager
    def _page(self, browser: Browser, account: Account, path: str) -> Iterator[Page]:
        page = self._opened(browser, account, path)
        try:
            yield page
        finally:
            page.context.close()

    def _opened(self, browser: Browser, account: Account, path: str) -> Page:
        """A page of an account, in a fresh profile, logged in."""
        page = browser.new_context(locale="en-GB", accept_downloads=True).new_page()
        page.set_default_timeout(STEP_MS)
        try:
            self._log_in(page, account)
            page.goto(f"{self._url}{path}")
        except BaseException:
            page.context.close()
            raise
        return page

    def _log_in(self, page: Page, account: Account) -> None:
        page.goto(f"{self._url}/dashboard/login/local?token={self._token(account)}")

    # -- journeys ----------------------------------------------------------------------------------

    def _write(self, browser: Browser, account: Account) -> None:
        """Write an invoice; leave another form open."""
        number = self._number(account)
        with self._page(browser, account, f"{FORM}?environment=test") as page:
            invoice = self._sent(page, account, number)
        self._invoice = account, invoice, number
        if self._left is None:
            left = self._opened(browser, account, f"{FORM}?environment=test")
            self._left = left, account, self._number(account, "o")
            left.fill('[name="invoice.number"]', self._left[2])

    def _finish(self, browser: Browser, account: Account) -> None:
        """Fill in the form that was left open, and send it."""
        if self._left is None:
            return
        page, account, number = self._left
        self._left = None
        try:
            self._sent(page, account, number)
        finally:
            page.context.close()

    def _credit(self, browser: Browser, _: Account) -> None:
        """Credit the invoice that was written last."""
        if self._invoice is None:
            return
        account, invoice, number = self._invoice
        self._invoice = None
        with self._page(browser, account, f"{_INVOICES}/{invoice}") as page:
            page.get_by_role("link", name="Credit note for it").click()
            page.wait_for_selector('[name="invoice.number"]')
            credit = f"{number}c"
            page.fill('[name="invoice.number"]', credit)
            self._accepted(page, account, credit)

    def _book(self, browser: Browser, account: Account) -> None:
        """Book the first bill to an account."""
        with self._page(browser, account, "/dashboard/bills?environment=test") as page:
            bills = page.locator('.list tbody a[href*="/dashboard/invoices/"]')
            if not bills.count():
                return
            bills.first.click()
            page.fill('[name="glAccountCode"]', "6130")
            page.locator('form[action$="/account"] button, form:has([name="glAccountCode"]) button'
                         ).first.click()  # fmt: skip
            page.wait_for_load_state()

    def _filter(self, browser: Browser, account: Account) -> None:
        """Search the list, and sort it."""
        with self._page(browser, account, f"{_INVOICES}?environment=test") as page:
            page.fill("#q", "W")
            page.wait_for_load_state("networkidle")
            page.goto(f"{self._url}{_INVOICES}?environment=test&sort=-grandTotal")

    def _export(self, browser: Browser, account: Account) -> None:
        """Request an export, wait for it and download it."""
        with self._page(browser, account, "/dashboard/settings/exports") as page:
            page.get_by_role("button", name="Request an export").click()
            link = page.get_by_role("link", name="Download").first
            link.wait_for(timeout=EXPORT_MS)
            with page.expect_download(timeout=EXPORT_MS) as download:
                link.click()
            if download.value.failure():
                raise AssertionError(f"the download failed: {download.value.failure()}")

    # -- a form ------------------------------------------------------------------------------------

    def _number(self, account: Account, end: str = "") -> str:
        return f"{PERSON}{account.number}{self._name}-{self._turn}{end}"

    def _sent(self, page: Page, account: Account, number: str) -> str:
        """Fill in the form and send it; the id of the invoice."""
        today = clock.today().isoformat()
        values = FILLED | {"invoice.number": number, "invoice.lineItems.0.unitPrice": "50.50",
                           "invoice.issueDate": today, "invoice.dueDate": today}  # fmt: skip
        for name, value in values.items():
            page.evaluate(_OPEN_ALL)
            field = page.locator(f'[name="{name}"]').first
            if field.evaluate("each => each.tagName") == "SELECT":
                field.select_option(value)
            elif field.get_attribute("type") != "hidden":
                field.fill(value)
        return self._accepted(page, account, number)

    def _accepted(self, page: Page, account: Account, number: str) -> str:
        """Send the form, again while it is not taken; the id of its invoice."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            page.locator("button.primary.whole").click()
            try:
                page.wait_for_url(lambda url: _id_of(url) is not None, timeout=STEP_MS)
            except Exception:  # noqa: BLE001 - a time-out: the page says why
                if _LOGIN in page.url:  # the session has ended; what was written is a draft
                    draft = parse_qs(urlsplit(page.url).query)["next"][0]
                    self._log_in(page, account)
                    page.goto(f"{self._url}{draft}")
                    continue
                said = page.locator(".message, .error, [role=alert]").all_inner_texts()
                if not any("again" in each for each in said):
                    place = f"{page.title()!r} at {page.url}"
                    words = f"{number} was not sent: {said[:4]}, {place}"
                    raise AssertionError(words) from None
                continue
            invoice = _id_of(page.url) or ""
            self.written[number] = account.number
            self._accept(number, invoice)
            return invoice
        raise AssertionError(f"{number} was not sent in a minute")


def _id_of(url: str) -> str | None:
    """The invoice whose page it is; None: another page."""
    name = urlsplit(url).path.removeprefix(f"{_INVOICES}/")
    return name if len(name) == 36 else None
