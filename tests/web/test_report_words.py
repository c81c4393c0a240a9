"""The words about reports to tax authorities, in the language of their country too."""

from __future__ import annotations

import html
import re

import pytest

from einvoice.domain.errors import FieldError
from einvoice.domain.roles import Role
from einvoice.network.types import Rejected
from einvoice.web.dashboard import refusals, sentences
from einvoice.web.dashboard.words import speaker
from einvoice.web.shared import report_words
from tests.services.delivery.test_reports import Plugin, call
from tests.web.caller import Caller
from tests.web.pages.visitor import Visitor

REFUSED = "The tax authority refuses the report: ibr-tdd-09: 1 < 2"
sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_the_words_of_every_language_are_those_of_english() -> None:
    words = report_words._words()
    shapes = {
        name: {part: set(table) for part, table in tables.items() if part != "refused"}
        for name, tables in words.items()
    }

    assert set(words) == {"en", *report_words.LANGUAGES.values()}
    assert set(words["en"]["send"]) <= set(sentences.texts("en"))
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


@pytest.mark.parametrize(
    ("country", "scheme", "language", "own"),
    [("SK", "0245", "en", "DIČ s 10 číslicami"), ("AE", "0235", "de", "رقمه الضريبي"),
     ("OM", "0248", "en", "0248"), ("BE", "0208", "en", None)],
)  # fmt: skip
def test_a_refused_id_is_worded_in_the_language_of_its_country(country, scheme, language, own):
    """Beside the page's own words: in English what to do as well."""
    message = (
        f"is 9950:X: a party in {country} has a participant id of the scheme {scheme}: a number"
    )
    fault = FieldError("/routing/receiverParticipantId", "participant-id-of-country", message)
    say = speaker(language)

    first, *beside = refusals.worded(fault, say).split(" \u2068")

    assert first == say.sentence(message)
    assert len(beside) == (0 if own is None else 2 if language == "en" else 1)
    assert all(scheme in each and each.endswith("\u2069") for each in beside)
    assert own is None or own in beside[-1]


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
