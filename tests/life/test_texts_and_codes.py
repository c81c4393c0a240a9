"""Texts, files and codes as people's programs write them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from einvoice.domain.errors import InvalidField
from tests.life.dry import a_body, a_line, refused, sent

PDF = b"%PDF-1.7\n" + b"x" * 200
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def with_file(content: str, mime_type: str = "application/pdf") -> dict[str, Any]:
    attachment = {"filename": "file", "mimeType": mime_type, "content": content}
    return a_body(attachments=[attachment])


@pytest.mark.parametrize(
    "written",
    [
        base64.encodebytes(PDF).decode(),
        base64.encodebytes(PDF).decode().replace("\n", "\r\n"),
        " " + base64.b64encode(PDF).decode() + "\t\n",
    ],
    ids=["lines of Python and Java", "lines of PHP", "spaces around it"],
)
def test_base64_may_have_white_space(written):
    [document] = sent(with_file(written)).invoice.supporting

    assert document.attachment is not None
    assert document.attachment.content == PDF


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("data:application/pdf;base64,JVBERi0=", "is a data URL: send only what follows 'base64,'"),
        ("JVBERi0", "is not base64: its length of 7 is not a multiple of 4; was it cut off?"),
        ("JVBE_i0=", "is not base64: character 5 is '_'"),
        ("JV\nBE_i0=", "is not base64: character 5 is '_'"),
        ("JVB=Ri0=", "is not base64: it has padding (=) in the wrong place"),
        ("", "must be base64, of at least one byte"),
    ],
)
def test_a_text_that_is_not_base64_is_refused_with_its_fault(written, said):
    refusal = refused(with_file(written))

    assert isinstance(refusal, InvalidField)
    assert [(error.pointer, error.message) for error in refusal.errors] == [
        ("/invoice/attachments/0/content", said)
    ]


# By case: media type, content, and whether it is told.
FILES: dict[str, tuple[str, bytes, bool]] = {
    "a text as PDF": ("application/pdf", b"hello", True),
    "a page of an error as PDF": ("application/pdf", b"<!DOCTYPE html><html>", True),
    "a PDF": ("application/pdf", PDF, False),
    "a PDF after a mark": ("application/pdf", b"\xef\xbb\xbf" + PDF, False),
    "a PDF too far in": ("application/pdf", b" " * 1024 + PDF, True),
    "a JPEG as PNG": ("image/png", b"\xff\xd8\xff\xe0", True),
    "a PNG": ("image/png", PNG, False),
    "a PNG as JPEG": ("image/jpeg", PNG, True),
    "a JPEG": ("image/jpeg", b"\xff\xd8\xff\xe0", False),
    "a CSV": ("text/csv", b"a;b\n1;2\n", False),
    "a CSV in UTF-16": ("text/csv", "a;b".encode("utf-16"), False),
    "an Excel file as CSV": ("text/csv", b"PK\x03\x04\x14", True),
    "a CSV as Excel file": (XLSX, b"a;b\n1;2\n", True),
    "an Excel file": (XLSX, b"PK\x03\x04\x14", False),
    "one byte": ("image/png", b"\x89", True),
}


def test_a_file_that_is_not_what_it_says_is_told():
    failed = []
    for name, (mime_type, content, told) in FILES.items():
        found = sent(with_file(base64.b64encode(content).decode(), mime_type))
        if ("attachment-type-doubtful" in found.codes) is not told or found.report.errors:
            failed.append(name)

    assert failed == []


@pytest.mark.parametrize(
    ("line", "name", "description", "told"),
    [
        ({"name": "Laptop\r\nSerial 1", "description": "x"}, "Laptop Serial 1", "x", True),
        ({"name": "Laptop\t15 inch", "description": "x"}, "Laptop 15 inch", "x", True),
        ({"description": "Laptop\n  Serial 1"}, "Laptop Serial 1", "Laptop\n  Serial 1", False),
        ({"name": "Laptop\xa015", "description": "x"}, "Laptop\xa015", "x", False),
        ({"description": "Laptop"}, "Laptop", None, False),
    ],
)
def test_the_name_of_an_item_is_one_line(line, name, description, told):
    found = sent(a_body(a_line(2, 50, 21) | line))
    [written] = found.invoice.lines

    assert (written.item.name, written.item.description) == (name, description)
    assert ("item-name-in-one-line" in found.codes) is told


# What programs write, and the codes that are suggested for it.
UNITS = {
    "PCE": "C62, H87", "PCS": "C62, H87", "ST": "C62, H87", "STD": "HUR", "STCK": "C62 or H87",
    "hour": "HUR", "Stk": "C62 or H87", "m2": "MTK", "h": "HUR", "QM": "MTK", "MO": "MON",
    "HR": "HUR", "KG": "KGM", "NR": "C62, NAR", "KAR": "XCT", "PLT": "XPX", "PCE ": "C62, H87",
}  # fmt: skip


def test_units_of_other_lists_are_refused_with_a_suggestion():
    failed = []
    for unit, codes in UNITS.items():
        body = a_body(a_line(2, 50, 21, unitCode=unit))
        try:
            words = " ".join(error.suggestion or "" for error in sent(body).report.errors)
        except InvalidField as refusal:
            words = refusal.detail
        if codes not in words:
            failed.append((unit, words))

    assert failed == []


def test_a_unit_that_means_something_else_is_told():
    for unit, name in (("STK", "stick"), ("PAL", "pascal")):
        found = sent(a_body(a_line(2, 50, 21, unitCode=unit)))
        assert dict(found.warning("unit-doubtful").values)["name"] == name
        assert not found.report.errors
    assert "unit-doubtful" not in sent(a_body(a_line(2, 50, 21, unitCode="H87"))).codes
