"""The page that checks files: lights, findings with their places, and nothing stored."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice.domain.roles import Role
from einvoice.services.send import unsent
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.dashboard import file_checks, uploads
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/check"
SAMPLES = Path(__file__).parents[2] / "samples"
UBL, CII = (SAMPLES / f"good_{form}.xml" for form in ("ubl", "cii"))


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app, role=Role.VIEWER)


def check(visitor, *contents: bytes, names=("a.xml", "b.xml", "c.xml", "d.xml"), **fields: str):
    files = [(io.BytesIO(content), name) for content, name in zip(contents, names, strict=False)]
    return visitor.post(PAGE, {"files": files, **fields})


@pytest.mark.parametrize("path", [UBL, CII])
def test_a_correct_file_is_green(visitor, path):
    page = check(visitor, path.read_bytes()).text

    assert ">Correct</span>" in page
    assert 'class="badge bad"' not in page


def test_a_finding_has_its_rule_its_line_and_the_line_of_the_document(app, visitor):
    wrong = UBL.read_bytes().replace(
        b'<cbc:TaxAmount currencyID="EUR">', b'<cbc:TaxAmount currencyID="XXX">', 1
    )
    page = check(visitor, wrong).text

    assert ">Wrong</span>" in page
    assert "PEPPOL-EN16931-R051" in page
    assert "<pre>&lt;cbc:TaxAmount currencyID=&#34;XXX&#34;&gt;" in page
    with app.app_context(), db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(Invoice)).scalar() == 0


@pytest.mark.parametrize(
    "content", [b"", b"no document", b"<a", b"%PDF-1.7 nothing", b"\x00" * 100, b"<x>&lol;</x>"]
)
def test_what_is_no_invoice_is_red_with_a_reason(visitor, content):
    answer = check(visitor, content)

    assert answer.status_code == 200
    assert ">Wrong</span>" in answer.text
    assert 'class="badge bad">Error' in answer.text


def test_several_files_are_judged_each_and_too_many_are_named(visitor, monkeypatch):
    monkeypatch.setattr(file_checks, "MAX_FILES", 2)
    page = check(visitor, UBL.read_bytes(), b"<a/>", CII.read_bytes()).text

    assert [page.count(f">{name}</h2>") for name in ("a.xml", "b.xml", "c.xml")] == [1, 1, 0]
    assert "Not checked yet: 1." in page


def test_a_file_that_cannot_be_judged_now_does_not_hide_the_others(visitor, monkeypatch):
    judge = unsent.validate

    def busy(submission, *rest):
        if submission.content == b"<busy/>":
            raise file_checks.ComputingUnavailable("Too many wait.")
        return judge(submission, *rest)

    monkeypatch.setattr(unsent, "validate", busy)
    page = check(visitor, b"<busy/>", UBL.read_bytes()).text

    assert "Too many wait." in page
    assert ">Correct</span>" in page


def test_names_and_contents_of_files_are_text_on_the_page(visitor):
    script = "<script>alert(1)</script>"
    wrong = UBL.read_bytes().replace(
        b"</cbc:Name>", b"&lt;script&gt;alert(1)&lt;/script&gt;</cbc:Name>"
    )
    page = check(visitor, wrong, names=(f"{script}.xml",)).text

    assert script not in page


def test_the_report_is_a_file_with_every_file_of_the_form(visitor, monkeypatch):
    """The page of the command line, in the language of the person; nothing else is judged."""
    judge = unsent.validate

    def busy(submission, *rest):
        if submission.content == b"<busy/>":
            raise file_checks.ComputingUnavailable("Too many wait.")
        return judge(submission, *rest)

    monkeypatch.setattr(unsent, "validate", busy)
    contents = (UBL.read_bytes(), b"<a/>", b"<busy/>", CII.read_bytes())
    answer = check(visitor, *contents, download="html")

    assert answer.headers["Content-Disposition"] == "attachment; filename=report.html"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src")
    assert re.findall(r'<h2 id="name-\d"><span class="light (\w+)">', answer.text) == [
        "green", "unreadable", "unreadable", "green"
    ]  # fmt: skip
    assert hashlib.sha256(contents[0]).hexdigest() in answer.text
    assert "Too many wait." in answer.text
    assert "Garden chair" in answer.text
    assert 'name="download" value="html"' in visitor.get(PAGE).text


def test_the_files_of_a_zip_are_judged(visitor):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("good.xml", UBL.read_bytes())
        written.writestr("bad.xml", b"<a/>")
    page = check(visitor, archive.getvalue(), names=("both.zip",)).text

    assert [page.count(f">{name}</h2>") for name in ("good.xml", "bad.xml", "both.zip")] == [
        1,
        1,
        0,
    ]
    assert (page.count(">Correct</span>"), page.count(">Wrong</span>")) == (1, 1)


def packed(*contents: bytes) -> bytes:
    """A ZIP of files of these contents."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for number, content in enumerate(contents):
            written.writestr(f"{number}.xml", content)
    return archive.getvalue()


def left_in(page: str) -> int:
    """How many files the page says were not checked."""
    found = re.search(r"Not checked yet: (\d+)\.", page)
    return int(found[1]) if found else 0


@pytest.mark.parametrize("is_damaged", [False, True])
def test_what_is_unpacked_is_bounded_for_all_zips_together(visitor, monkeypatch, is_damaged):
    """Also where it is too large to be taken, or damaged."""
    read: list[int] = []
    unpacked = zipfile.ZipExtFile.read

    def counted(self, n=-1):
        part = unpacked(self, n)
        read.append(len(part))
        return part

    monkeypatch.setattr(uploads, "MAX_UNPACKED", 100_000)
    monkeypatch.setattr(uploads, "_PART_BYTES", 1000)
    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    bomb = packed(b"x" * (50_000 if is_damaged else 150_000))
    if is_damaged:  # the digest of its content, in the list
        place = bomb.index(b"PK\x01\x02") + 16
        bomb = bomb[:place] + b"\0\0\0\0" + bomb[place + 4 :]
    page = check(visitor, *[bomb] * 5, names=[f"{number}.zip" for number in range(5)]).text

    assert sum(read) <= 100_001
    assert page.count("<h2") + left_in(page) >= 5


def test_places_are_counted_for_all_zips_together(visitor, monkeypatch):
    monkeypatch.setattr(file_checks, "MAX_FILES", 3)
    page = check(visitor, packed(b"<a/>", b"<b/>"), packed(b"<c/>", b"<d/>"), b"<e/>").text

    assert left_in(page) == 2
    assert page.count(">Wrong</span>") == 3


def test_zips_with_many_entries_are_not_opened(visitor, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_ENTRIES", 3)
    page = check(visitor, packed(b"<a/>", b"<b/>"), packed(b"<c/>", b"<d/>"), b"<e/>").text

    assert left_in(page) == 2
    assert page.count(">Wrong</span>") == 3
