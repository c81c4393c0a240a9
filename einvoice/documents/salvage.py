"""The main terms of a damaged document: what can still be read of one that is no XML.

A received document is stored whatever it is, and found and paid by its number, seller and amounts.
So what a broken declaration, a cut end, a wrong byte or a stray `&` leaves is read here, as far as
a parser can follow it. Terms that cannot be read are None (`summary`); nothing is guessed.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final

from einvoice.documents.cii.names import ROOT as CII_ROOT
from einvoice.documents.summary import DocumentSummary, summary
from einvoice.xml import other_encoding, recovered

MAX_BYTES: Final = 10 * 1024 * 1024  # of a damaged document; it takes some 0.1 s
_UBL = "urn:oasis:names:specification:ubl:schema:xsd"
_ROOTS = {f"{{{_UBL}:{name}-2}}{name}" for name in ("Invoice", "CreditNote")} | {CII_ROOT}
_BEGINNING = re.compile(
    r"<(?:[A-Za-z_][\w.-]{0,40}:)?(?:Invoice|CreditNote|CrossIndustryInvoice)(?=[\s>])", re.ASCII
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UTF_16 = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}


def salvaged(document: bytes) -> DocumentSummary | None:
    """The terms of a UBL or CII document that can be found; None if it is not to be recognised."""
    if len(document) > MAX_BYTES:
        return None
    text = _text(document)
    begins = _BEGINNING.search(text)
    if begins is None:
        return None
    # A text that is cut off is not known: of "2026-10" the number may be 2026-1001.
    whole = text[begins.start() : text.rfind(">") + 1]
    root = recovered(_NOT_XML.sub("", whole).encode())
    return summary(root) if root is not None and root.tag in _ROOTS else None


def _text(document: bytes) -> str:
    """The text in the declared encoding, else in UTF-8, else in Windows-1252."""
    if wide := _UTF_16.get(document[:2]):
        return document[2:].decode(wide, "replace")
    declared = other_encoding(document)
    for encoding in (declared, "utf-8"):
        try:
            return document.decode(encoding) if encoding else document.decode()
        except UnicodeDecodeError:
            continue
    return document.decode("windows-1252", "replace")
