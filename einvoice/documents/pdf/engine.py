"""Runs typst: one compiler of each layout per process, used by one thread at a time.

It can read only the directory of the template, has only the packaged fonts, and gets its time as an
argument, so that the same data give the same bytes on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
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
# PDF/A-3a: for archiving, with structure and attachments; PDF/UA-1: accessible.
STANDARDS: Final[list[typst.PDFStandard]] = ["a-3a", "ua-1"]
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to the PDF; the first one is the e-invoice."""

    name: str
    xml: bytes


class Layout(StrEnum):
    """How an invoice is laid out: a template. The same texts are on all."""

    PAGES = "invoice.typ"
    RECEIPT = "receipt.typ"  # a strip of paper of 80 mm


@cache
def _compiler(layout: Layout) -> typst.Compiler:
    fonts = typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FONTS)]
    )
    template = str(_TEMPLATE / layout)
    return typst.Compiler(template, root=str(_TEMPLATE), font_paths=fonts)


def pdf(
    data: Mapping[str, Any],
    logo: bytes | None,
    attached: Sequence[Attachment],
    day: date,
    layout: Layout = Layout.PAGES,
) -> bytes:
    """The pages as PDF with the e-invoice attached; its timestamp is midnight of `day`."""
    midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    made = _compile_with_logo(
        data, logo, attached, layout, format="pdf", pdf_standards=STANDARDS, timestamp=midnight
    )
    assert isinstance(made, bytes)  # noqa: S101 - a list of pages is returned for PNG only
    return made


def page_images(
    data: Mapping[str, Any], logo: bytes | None, ppi: float, layout: Layout = Layout.PAGES
) -> list[bytes]:
    """The pages as PNG."""
    made = _compile_with_logo(data, logo, (), layout, format="png", ppi=ppi)
    return made if isinstance(made, list) else [made or b""]


def _compile_with_logo(
    data: Mapping[str, Any],
    logo: bytes | None,
    attached: Sequence[Attachment],
    layout: Layout,
    **options: Any,
) -> bytes | list[bytes] | None:
    """Compile the pages; without the logo, if typst cannot decode it."""
    try:
        return _compile(data, logo, attached, layout, options)
    except typst.TypstError as fault:
        if logo is None:
            raise
        log.warning("logo left out", reason=str(fault.message))
        return _compile(data, None, attached, layout, options)


def _compile(
    data: Mapping[str, Any],
    logo: bytes | None,
    attached: Sequence[Attachment],
    layout: Layout,
    options: Mapping[str, Any],
) -> bytes | list[bytes] | None:
    """All inputs are strings, so nothing in them is interpreted as markup."""
    inputs = {
        "data": json.dumps(data, ensure_ascii=False),
        "logo": json.dumps(list(logo or b"")),
        "attached": json.dumps([{"name": a.name, "xml": _text(a.xml)} for a in attached]),
    }
    with _lock:
        made: bytes | list[bytes] | None = _compiler(layout).compile(sys_inputs=inputs, **options)
    return made


def _text(xml: bytes) -> str:
    """The document as text; serialised again if it is not in UTF-8."""
    try:
        return xml.decode("utf-8")
    except UnicodeDecodeError:
        root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8").decode("utf-8")
