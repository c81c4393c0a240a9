"""Typst, kept warm: one compiler in a process, used by one thread at a time.

What it may read is the directory of the template, its fonts are those packaged here, and the time
it knows is the one it is given: the same data make the same bytes on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import typst
from lxml import etree

from einvoice.documents.pdf.glyphs import FONTS
from einvoice.observability import logging

log = logging.get(__name__)

_TEMPLATE: Final = Path(__file__).parent / "template"
# PDF/A-3a: archived with its structure, carries the e-invoice; PDF/UA-1: readable by all.
STANDARDS: Final[list[typst.PDFStandard]] = ["a-3a", "ua-1"]
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Attached:
    """The e-invoice inside the PDF."""

    name: str
    xml: bytes


@cache
def _compiler() -> typst.Compiler:
    fonts = typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FONTS)]
    )
    template = str(_TEMPLATE / "invoice.typ")
    return typst.Compiler(template, root=str(_TEMPLATE), font_paths=fonts)


def pdf(data: Mapping[str, Any], logo: bytes | None, attached: Attached, day: date) -> bytes:
    """The pages as PDF with the e-invoice attached, dated to the day of the invoice."""
    midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    made = _compiled(
        data, logo, attached, format="pdf", pdf_standards=STANDARDS, timestamp=midnight
    )
    assert isinstance(made, bytes)  # noqa: S101 - a list is what pictures come as
    return made


def page_images(data: Mapping[str, Any], logo: bytes | None, ppi: float) -> list[bytes]:
    """The pages as PNG: what a golden page is made of."""
    made = _compiled(data, logo, Attached("", b""), format="png", ppi=ppi)
    return made if isinstance(made, list) else [made or b""]


def _compiled(
    data: Mapping[str, Any], logo: bytes | None, attached: Attached, **options: Any
) -> bytes | list[bytes] | None:
    """Set the pages; a logo that is a picture only in name is left out."""
    try:
        return _set(data, logo, attached, options)
    except typst.TypstError as fault:
        if logo is None:
            raise
        log.warning("logo left out", reason=str(fault.message))
        return _set(data, None, attached, options)


def _set(
    data: Mapping[str, Any], logo: bytes | None, attached: Attached, options: Mapping[str, Any]
) -> bytes | list[bytes] | None:
    """What the template sees are texts only, so nothing in them can be taken for markup."""
    inputs = {
        "data": json.dumps(data, ensure_ascii=False),
        "logo": json.dumps(list(logo or b"")),
        "xml_name": attached.name,
        "xml": _text(attached.xml),
    }
    with _lock:
        made: bytes | list[bytes] | None = _compiler().compile(sys_inputs=inputs, **options)
    return made


def _text(xml: bytes) -> str:
    """The document as text: byte for byte, or where it is not in UTF-8 written anew so."""
    try:
        return xml.decode("utf-8")
    except UnicodeDecodeError:
        root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8").decode("utf-8")
