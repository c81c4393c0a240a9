"""The words about rules of Slovakia, the Emirates and Oman in the language of their country."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path

import pytest

from einvoice.domain.roles import Role
from einvoice.rules.layers import Layer
from einvoice.web.shared import report_words, rule_words
from einvoice_peppol import mls
from tests.validation.every_rule import distinct
from tests.web.pages.visitor import Visitor

SAMPLE = Path(__file__).parents[1] / "samples" / "good_ubl.xml"
REFUSED = "The tax authority refuses the report: "
PINT_OF = {Layer.PINT_AE_UBL: "ar", Layer.PINT_OM_UBL: "ar"}
sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def language_of(rule) -> str | None:
    return "sk" if rule.id.startswith("SK-R-") else PINT_OF.get(rule.layer)


def test_every_rule_of_slovakia_the_emirates_and_oman_has_words():
    """And only they have."""
    wanted = {"sk": set(), "ar": set()}
    for rule in distinct():
        if language := language_of(rule):
            wanted[language].add(rule.id)

    assert {language: set(words) for language, words in rule_words.tables().items()} == wanted
    assert min(map(len, wanted.values())) >= 7


def test_every_code_of_a_refused_report_has_words():
    for language, tables in report_words._words().items():
        assert set(tables["code"]) == set(mls._REASONS), language
        assert all(words.startswith(f"{code} ") for code, words in tables["code"].items())


def test_the_files_say_that_they_await_native_readers():
    folder = rule_words.resources.files(rule_words.__package__)
    for name in ("rule_words.toml", "report_words.toml"):
        head = " ".join(folder.joinpath(name).read_text("utf-8")[:400].replace("#", "").split())
        assert "await a review by native readers" in head, name


@pytest.mark.parametrize(
    ("reason", "codes"),
    [
        (f"{REFUSED}2 faults; BV: ibr-tdd-09; SV: no UUID; BV: a", "BV SV"),
        (f"{REFUSED}FD: away", "FD"),
        (f"{REFUSED}the value XX: 1 of BV is unknown", ""),
        ("no answer within 30 days; BV: a", ""),
    ],
)  # fmt: skip
def test_codes_of_a_refusal_are_explained_once(reason, codes):
    own = report_words.of_country("SK", "Failed", reason)

    assert [each[:2] for each in own.codes] == codes.split()


@sqlite
def test_a_finding_stands_on_a_page_in_the_language_of_its_country_too(make_app) -> None:
    """Right below the words in the language of the page."""
    visitor = Visitor(make_app(), role=Role.MEMBER)
    document = SAMPLE.read_bytes()
    for name, value in (
        (b"CustomizationID", b"urn:peppol:pint:billing-1@ae-1"),
        (b"ProfileID", b"urn:peppol:bis:billing"),
    ):
        document = re.sub(b"(<cbc:%s>)[^<]*" % name, rb"\g<1>" + value, document)

    page = visitor.post("/dashboard/check", {"files": [(io.BytesIO(document), "emirates.xml")]})

    own = re.findall(r'ibr-193-ae<[^<>]*>(?:(?!</li>).)*?<span lang="ar" dir="rtl"[^>]*>(.*?)<',
                     page.get_data(as_text=True), re.DOTALL)  # fmt: skip
    assert [html.unescape(each) for each in own] == [rule_words.tables()["ar"]["ibr-193-ae"]]
