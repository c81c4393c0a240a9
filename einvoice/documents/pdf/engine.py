"""Typst, kept warm: one compiler in a process, used by one thread at a time.

What it may read is this directory, its fonts are those packaged here, and the time it knows is the
one it is given: the same data make the same bytes on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import typst

from einvoice.documents.pdf.glyphs import FONTS

_TEMPLATE: Final = Path(__file__).parent / "template"
# PDF/A-3a: archived with its structure, carries the e-invoice; PDF/UA-1: readable by all.
STANDARDS: Final[list[typst.PDFStandard]] = ["a-3a", "ua-1"]
_lock = Lock()


@cache
def _compiler() -> typst.Compiler:
    fonts = typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FONTS)]
    )
    return typst.Compiler(
        str(_TEMPLATE / "invoice.typ"), root=str(_TEMPLATE), font_paths=fonts, sys_inputs=_EMPTY
    )


_EMPTY: Final = {"data": "{}", "logo": "[]", "xml": ""}


def pdf(
    data: Mapping[str, Any],
    logo: bytes | None,
    xml: bytes,
    day: date,
    xml_name: str = "invoice.xml",
) -> bytes:
    """The pages as PDF with the e-invoice attached, dated to the day of the invoice."""
    midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    made = _compiled(
        format="pdf",
        sys_inputs=_inputs(data, logo, xml) | {"xml_name": xml_name},
        pdf_standards=STANDARDS,
        timestamp=midnight,
    )
    assert isinstance(made, bytes)  # noqa: S101 - a list is what pictures come as
    return made


def pictures(data: Mapping[str, Any], logo: bytes | None, ppi: float) -> list[bytes]:
    """The pages as PNG: what a golden image or a preview is made of."""
    made = _compiled(format="png", ppi=ppi, sys_inputs=_inputs(data, logo, b""))
    return made if isinstance(made, list) else [made or b""]


def _inputs(data: Mapping[str, Any], logo: bytes | None, xml: bytes) -> dict[str, str]:
    """What the template sees: texts only, so nothing in them can be taken for markup."""
    return {
        "data": json.dumps(data, ensure_ascii=False),
        "logo": json.dumps(list(logo or b"")),
        "xml": xml.decode("utf-8"),
    }


def _compiled(**options: Any) -> bytes | list[bytes] | None:
    with _lock:
        made: bytes | list[bytes] | None = _compiler().compile(**options)
    return made
