"""Files that a page offers have the rows that the page shows, also after a filter."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile

import pytest
from werkzeug.test import TestResponse

from tests.web.caller import Caller
from tests.web.inbox import Inbox
from tests.web.pages.test_protection import filled, rules
from tests.web.pages.visitor import Visitor

INVOICES, BILLS = "/dashboard/invoices", "/dashboard/bills"
PARTIES = ("/dashboard/customers", "/dashboard/suppliers")
# Filters of each page with files, and how many rows they leave.
FILTERS: dict[str, dict[str, int]] = {
    INVOICES: {
        "environment=test": 4, "environment=live": 0, "environment=test&networkStatus=Failed": 1,
        "environment=test&q=X-1": 1, "environment=test&direction=received": 2,
        "environment=test&networkStatus=Failed&issueDateFrom=2030-01-01": 0,
    },
    BILLS: {
        "environment=test": 2, "environment=test&state=processed": 0,
        "environment=test&party=nobody": 0, "environment=live": 0,
    },
    **{page: {"": 3, "q=Alice": 1, "q=nobody": 0, "q=0208": 0} for page in PARTIES},
}  # fmt: skip
_FILE = re.compile(r'href="(/dashboard/[^"]*(?:export\.csv|documents\.zip)[^"]*)"')

_FIRST = re.compile(r'<td[^>]*dir="auto"[^>]*><a href="[^"]*/[0-9a-f-]{36}">([^<]*)</a>')
_NUMBER = re.compile(r"[XB]-[12]")

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def visitor(service) -> Visitor:
    """A person of an account with invoices, bills and parties."""
    caller = Caller(service)
    caller.sent(number="X-1")
    caller.sent("0088:9520000000059", number="X-2")
    caller.work()
    inbox = Inbox(caller)
    for number in ("B-1", "B-2"):
        inbox.arrives(number=number)
    one = Visitor(service, caller.tenant)
    for page in PARTIES:
        for name in ("Alice", "Bob", "Carol"):
            answer = one.post(f"{page}/new", {"name": name, "countryCode": "BE"})
            assert answer.status_code == 303, answer.text
    return one


def links(page: TestResponse) -> list[str]:
    return [html.unescape(each) for each in _FILE.findall(page.text)]


def shown(page: TestResponse) -> list[str]:
    """The texts of the first column."""
    return sorted(_FIRST.findall(page.text))


def rows(file: TestResponse) -> list[str]:
    """The numbers or names in a file; of a ZIP, of its documents."""
    assert file.status_code == 200, file.text
    if file.mimetype == "application/zip":
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            return sorted({found for name in archive.namelist() for found in _NUMBER.findall(name)})
    found = csv.DictReader(io.StringIO(file.get_data(as_text=True)))
    column = next(c for c in found.fieldnames or () if c in {"number", "Name", "CompanyName"})
    return sorted(row[column] for row in found)


@pytest.mark.parametrize("page", FILTERS)
def test_each_file_has_the_rows_of_its_page(visitor, page):
    for query, count in FILTERS[page].items():
        for headers in ({}, {"HX_Request": "true"}):
            answer = visitor.get(f"{page}?{query}", **headers)
            results = answer.text.partition('id="results"')[2]
            files = links(answer)

            assert len(shown(answer)) == count, query
            assert files or not count
            for file in files:
                assert rows(visitor.get(file)) == shown(answer), (query, file)
                if page != BILLS:  # whose page is loaded as a whole
                    assert html.escape(file) in results, "a filter leaves it as it was"


def test_every_page_with_such_a_file_is_compared(visitor, service):
    pages = {filled(rule): rule for rule in rules(service, "GET")}
    found = set()
    for address in pages:
        answer = visitor.get(f"{address}?environment=test")
        if answer.mimetype == "text/html" and links(answer):
            found.add(address)

    assert found | {"/dashboard/suppliers"} == FILTERS.keys()
