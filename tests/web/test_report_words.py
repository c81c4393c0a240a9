"""The words about reports to tax authorities, in the language of their country too."""

from __future__ import annotations

import doctest
import html
import re

import pytest

from einvoice.domain.roles import Role
from einvoice.network.types import Rejected
from einvoice.web.shared import report_words
from tests.services.delivery.test_reports import Plugin, call
from tests.web.caller import Caller
from tests.web.pages.visitor import Visitor

REFUSED = "The tax authority refuses the report: ibr-tdd-09: 1 < 2"
sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_the_words_of_every_language_are_those_of_english() -> None:
    assert doctest.testmod(report_words).failed == 0
    words = report_words._words()
    shapes = {
        name: {part: set(table) for part, table in tables.items() if part != "refused"}
        for name, tables in words.items()
    }

    assert set(words) == {"en", *report_words.LANGUAGES.values()}
    assert all(shape == shapes["en"] for shape in shapes.values())
    assert all("{words}" in tables["refused"] for tables in words.values())


@pytest.mark.parametrize(("country", "language"), report_words.LANGUAGES.items())
def test_a_refusal_keeps_the_words_of_the_authority(country: str, language: str) -> None:
    own = report_words.of_country(country, "Failed", REFUSED)
    other = report_words.of_country(country, "Failed", "no answer within 30 days")

    assert own is not None
    assert other is not None
    assert own.language == language
    assert own.reason.endswith(": ibr-tdd-09: 1 < 2")
    assert not own.reason.startswith("The tax")
    assert other.reason == "no answer within 30 days"


@sqlite
def test_the_page_of_an_invoice_says_it_in_the_languages_of_page_and_country(make_app) -> None:
    """What was refused, why, and what to do: in English, and from right to left in Arabic."""
    plugin = Plugin()
    plugin.point.verdicts = [Rejected("tax-authority", REFUSED)]
    caller = Caller(make_app([plugin]))
    invoice = caller.sent()
    caller.work()
    call(caller)
    visitor = Visitor(caller.app, caller.tenant, Role.VIEWER)
    visitor.post("/dashboard/preferences", {"environment": "test"})

    page = visitor.get(f"/dashboard/invoices/{invoice}").get_data(as_text=True)

    (arabic,) = re.findall(r'<span lang="ar" dir="rtl">(.*?)</span>', page, re.DOTALL)
    own = report_words.said("ar", "Failed", REFUSED)
    assert [text in html.unescape(arabic) for text in (own.state, own.reason, own.next)] == [
        True
    ] * 3
    assert "1 < 2" not in arabic
    assert html.escape(report_words.said("en", "Failed", None).next) in page
