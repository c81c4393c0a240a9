"""When the largest element of a page is painted: `python -m bench.paint`.

The service of `einvoice demo --fill` on loopback, and Chromium, in which an owner is logged in.
Each page is opened with an empty cache and then with a warm one, five times each: the median of the
milliseconds until the largest contentful paint, and the kilobytes on the wire. The goals are one
second and 30 KB (cold; the picture of the PDF beside a form is loaded later and not counted).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.tasks import running
from tests.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, StorageState

GOAL_MS, TIMES = 1000, 5
PAGES = {
    "overview": "/dashboard",
    "invoices": "/dashboard/invoices?environment=test",
    "new invoice": "/dashboard/invoices/new?environment=test",
    "bills": "/dashboard/bills?environment=test",
    "customers": "/dashboard/customers",
    "check": "/dashboard/check",
    "webhooks": "/dashboard/developers/webhooks?environment=test",
    "usage": "/dashboard/developers/usage?days=92",
}
_PAINT = """() => new Promise(done => new PerformanceObserver(list => {
    const last = list.getEntries().at(-1);
    const bytes = [...performance.getEntriesByType('navigation'),
                   ...performance.getEntriesByType('resource')]
        .filter(one => one.name.includes('/dashboard') && !one.name.includes('/pdf'))
        .reduce((sum, one) => sum + one.transferSize, 0);
    done([last.startTime, bytes]);
}).observe({type: 'largest-contentful-paint', buffered: true}))"""


def _painted(page: Page, address: str) -> tuple[float, int]:
    """Milliseconds until the paint, and bytes on the wire."""
    page.goto(address, wait_until="load")
    milliseconds, size = page.evaluate(_PAINT)
    return milliseconds, size


def _measured(browser: Browser, state: StorageState, address: str) -> tuple[float, float, float]:
    """The medians of cold and warm paints in milliseconds, and the KB of a cold load."""
    cold, warm, sizes = [], [], []
    for _ in range(TIMES):
        context = browser.new_context(viewport={"width": 1440, "height": 900}, storage_state=state)
        page = context.new_page()
        first, size = _painted(page, address)
        again, _ = _painted(page, address)
        cold.append(first)
        warm.append(again)
        sizes.append(size)
        context.close()
    return statistics.median(cold), statistics.median(warm), statistics.median(sizes) / 1000


def measured(link: str) -> int:
    """Print a row for each page; how many are above the goal."""
    slow = 0
    print("| Page | cold, ms | warm, ms | KB, cold |\n|---|---|---|---|")
    with chromium() as browser:
        context = browser.new_context()
        context.new_page().goto(link)
        state = context.storage_state()
        for name, path in PAGES.items():
            cold, warm, size = _measured(browser, state, link.partition("/dashboard")[0] + path)
            slow += cold > GOAL_MS
            print(f"| {name} | {cold:.0f} | {warm:.0f} | {size:.1f} |", flush=True)
    return slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", help="the login that a running `einvoice demo --fill` prints")
    options = parser.parse_args()
    if options.link:
        sys.exit(measured(options.link))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (origin, ids):
        sys.exit(measured(f"{origin}/dashboard/login/local?token={ids['owner']}"))


if __name__ == "__main__":
    main()
