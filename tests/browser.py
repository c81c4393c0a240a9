"""A real browser for pages: headless Chromium, and an ear for everything it says and asks.

def test_the_page_is_quiet(browser, service):
    with serving(service) as origin, visiting(browser, origin) as visit:
        visit.page.goto(f"{origin}/docs")

    assert visit.said == []
    assert visit.outside == []

Playwright takes 12 MB of a process: it is imported by the first test that has a browser.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from werkzeug.serving import make_server

from tests.servers import NotInstalled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Ends with its file: Playwright's event loop, while it runs, is in the way of all others."""
    with chromium() as started:
        yield started


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; `make test` installs it."""
    path = shutil.which("chromium")
    if path is None:
        raise NotInstalled("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=list(_QUIET), timeout=180_000
        )
        yield started
        started.close()


@dataclass
class Visit:
    """A page, what the browser said of it (console, errors), and what it asked for."""

    page: Page
    origin: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def outside(self) -> list[str]:
        """What was asked of other hosts."""
        own = (f"{self.origin}/", "data:", "blob:")
        return [url for url in self.asked if not url.startswith(own)]


@contextmanager
def visiting(browser: Browser, origin: str, **context: object) -> Iterator[Visit]:
    """A fresh profile; `context` are Playwright's options, such as locale or viewport."""
    profile = browser.new_context(**context)
    page = profile.new_page()
    page.set_default_timeout(120_000)
    visit = Visit(page, origin)
    page.on("console", lambda message: visit.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: visit.said.append(f"uncaught: {error}"))
    page.on("request", lambda request: visit.asked.append(request.url))
    try:
        yield visit
    finally:
        profile.close()


def accessibility(page: Page, *, iframes: bool = False) -> tuple[list[str], set[str]]:
    """What axe-core finds wrong with a page, and the rules that it passes.

    By its rules for WCAG 2.2, A and AA, and good practice.
    """
    page.evaluate((Path(__file__).parent / "axe" / "axe.min.js").read_text())
    found = page.evaluate(f"axe.run(document, {{iframes: {str(iframes).lower()}}})")
    wrong = [f"{w['id']}: {w['help']}: {w['nodes'][0]['html']}" for w in found["violations"]]
    return wrong, {rule["id"] for rule in found["passes"]}


def expect(locator: Locator) -> Any:
    """Playwright's assertions about an element, which wait until they hold."""
    from playwright.sync_api import expect as expected

    return expected(locator)


@contextmanager
def serving(app: Flask, port: int = 0) -> Iterator[str]:
    """The application on this port, or on a free one; yields its origin."""
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()
