"""The report on files as one page: complete, bounded, and safe whatever the documents hold."""

from __future__ import annotations

import hashlib
import re
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from bench.rules import grown
from einvoice import clock
from einvoice.rules import Flag
from einvoice.rules.digests import digest_of
from einvoice.services import forms
from einvoice.validation import texts
from einvoice.validation.levels import Levels
from einvoice.validation.report_page.entries import MAX_FINDINGS, unread
from einvoice.validation.report_page.invoices import MAX_LINES
from einvoice.validation.report_page.page import ReportPage
from einvoice.validation.report_page.texts import MAX_TEXT, style, words
from tests.validation.pages import entry_for

SAMPLES = Path(__file__).parents[1] / "samples"
GOOD = (SAMPLES / "good_ubl.xml").read_bytes()
XRECHNUNG = (SAMPLES / "xrechnung_ubl.xml").read_bytes()
RED = XRECHNUNG.replace(b'unitCode="C62"', b'unitCode="nn"').replace(b">119.00<", b">1.00<")


def page_of(*documents: bytes, **options) -> str:
    page = ReportPage(**options)
    for number, document in enumerate(documents):
        page.add(entry_for(document, f"{number}.xml"))
    return page.bytes().decode()


class Elements(HTMLParser):
    """The names of all elements, the ids, the links within the page, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        given = dict(attrs)
        self.names.add(tag)
        self.attributes |= given.keys()
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))


def test_a_page_has_all_that_an_auditor_asks_for(monkeypatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 23, 10, tzinfo=UTC))
    shown = Elements(page_of(GOOD, RED)).text
    pack = forms.installed().rule_sets["xrechnung"].packs[1]

    for expected in (
        "Made on 2026-11-23 10:00 UTC with einvoice",
        "Files: 2 Green 1 Red 1",
        "Rule set xrechnung-3.0.2-schematron-2.6.0",
        "Release XRechnung 3.0.2 (Schematron 2.6.0) with EN 16931 1.3.16",
        "Chosen because the document says that it is of this kind",
        f"SHA-256 of the rules {digest_of(pack)}",
        f"SHA-256 of the document {hashlib.sha256(RED).hexdigest()}",
        f"SHA-256 of the document {hashlib.sha256(GOOD).hexdigest()}",
        "Error BR-CO-15 The total with VAT must be the total without VAT plus the VAT total.",
        "What to do: Send 119.00 as total with VAT",
        "Place /Invoice[1]/InvoiceLine[1]/InvoicedQuantity[1] Line 69 Value nn Field invoice.line",
        "Invoice RE-2026-17",
        "Lieferant GmbH",
        "Stuhl",
        "VAT breakdown",
    ):
        assert expected in shown, expected


def test_a_page_of_one_file_has_no_list_and_links_lead_to_the_files() -> None:
    one, two = Elements(page_of(RED)), Elements(page_of(GOOD, RED))

    assert (one.links, two.links) == ([], ["#file-1", "#file-2"])
    assert {link[1:] for link in two.links} < set(two.ids)
    assert len(set(two.ids)) == len(two.ids)


HOSTILE = {
    "a script": "<script>alert(1)</script>",
    "an end of the style": "</style></title><img src=x onerror=alert(1)>",
    "quotes": "\"' onload=alert(1) x=`",
    "a template": "{{ 7 * 7 }} {% raw %} ${7*7}",
    "right to left": "\u202egnp.exe \u2066x\u2069 שלום",
    "controls of C1": "\u0085\u009b31m",
    "long": "ab" * 50_000,
    "one word": "W" * 100_000,
    "markup": "&lt;b&gt; &amp; <b>",
}
# Texts of the sample that the hostile ones replace: in the invoice, in findings and their values.
REPLACED = (">Garden chair<", ">Thank you for the order of garden furniture.<", ">EUR<")


def documents_with(text: str) -> list[bytes]:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    found = [GOOD.decode().replace(old, f">{escaped}<", 1) for old in REPLACED]
    found.append(GOOD.decode().replace('unitCode="', f'unitCode="{escaped}', 1))
    found.append(f"<Order><x>{escaped}</x></Order>")
    return [document.encode() for document in found]


@cache
def names_of_elements() -> frozenset[str]:
    """The elements of a page of harmless documents."""
    return frozenset(Elements(page_of(GOOD, RED)).names | {"ul", "li", "ol"})


@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_of_documents_are_text_and_no_more(kind: str) -> None:
    """No element, attribute or character of theirs is one of the page; none is endless."""
    text = HOSTILE[kind]
    page = ReportPage()
    assert all(each.encode() in GOOD for each in REPLACED)
    for document in documents_with(text):
        page.add(entry_for(document, f"{text[:5_000]}.xml"))
    page.add(unread(text, text))
    written = page.bytes().decode()
    found = Elements(written)

    assert found.names <= names_of_elements()
    assert not found.attributes & {"onerror", "onload", "src", "style"}
    assert not set(written) & set("\u202e\u2066\u2069\u0085\u009b\x00")
    assert max(len(each) for each in found.texts if each != style()) < MAX_TEXT + 200
    assert len(written) < 200_000


def test_a_name_that_is_no_utf_8_is_shown() -> None:
    assert "caf� � x.xml" in page_of_name("caf\udce9 \x1b x.xml")


def page_of_name(name: str) -> str:
    page = ReportPage()
    page.add(entry_for(GOOD, name))
    return page.bytes().decode()


def test_long_invoices_and_reports_are_cut_and_say_so() -> None:
    broken = grown("UBL", MAX_LINES + 3).replace(b'unitCode="', b'unitCode="no')
    shown = Elements(page_of(broken)).text

    assert "Lines that are not shown: 3." in shown
    assert shown.count("BR-CL-23") == MAX_FINDINGS
    assert "Findings that are not shown here: " in shown


def test_a_page_with_many_invoices_leaves_out_those_for_which_it_has_no_room() -> None:
    """Every verdict stays."""
    size = len(entry_for(GOOD).invoice.encode())
    for room, shown in ((2 * size, 2), (2 * size - 1, 1), (0, 0)):
        page = page_of(GOOD, GOOD, max_invoice_bytes=room)
        assert page.count("Garden chair") == shown
        assert page.count("The invoice is not shown") == 2 - shown
        assert page.count("Correct: no rule is violated.") == 2


def test_a_page_of_many_files_is_made_in_little_memory() -> None:
    """Of 40 MiB at most a fifth is in memory at a time."""
    size = 100 * 1024
    file = replace(entry_for(GOOD), invoice="x" * size)
    tracemalloc.start()
    page = ReportPage()
    for _ in range(400):
        page.add(file)
    with TemporaryFile() as target:
        page.write(target)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert target.tell() > 400 * size
    assert peak < 400 * size / 5


def test_what_is_no_invoice_has_a_verdict() -> None:
    former = (SAMPLES / "former" / "zugferd_1.xml").read_bytes()
    page = page_of(b"", b"<Order/>", former, GOOD.replace(b"2026-11-02", b"then"))
    found = Elements(page).text

    assert "Amber 1 Red 1 Unreadable 2" in found
    assert "XML-EMPTY" in found
    assert "ZUGFeRD 1.0" in found
    assert "The invoice cannot be shown" in found


def test_a_page_says_which_levels_were_used() -> None:
    levels = Levels("my <levels>.toml", "ab" * 32, {"BR-CO-15": Flag.WARNING})
    found = Elements(page_of(GOOD, levels=levels)).text

    assert "by the file my <levels>.toml." in found
    assert "ab" * 32 in found
    assert "BR-CO-15 Warning" in found


def test_each_language_of_findings_has_the_words_of_the_page() -> None:
    english = words()["en"]
    placeholders = {key: set(re.findall(r"{\w+}", text)) for key, text in english.items()}

    assert set(words()) == {each for each in texts.languages() if texts.language(each)["warnings"]}
    for language, own in words().items():
        found = {key: set(re.findall(r"{\w+}", text)) for key, text in own.items()}
        assert found == placeholders, language
