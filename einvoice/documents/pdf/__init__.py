"""Renders an invoice as PDF/A-3a and PDF/UA-1 with the e-invoice attached.

`render` and `render_factur_x` are the entry points. All texts of the pages are made in Python
(`content`); typst (`engine`) lays them out by a template: pages of A4 (`template/invoice.typ`), or
the receipt of a till (`template/receipt.typ`).
"""

from __future__ import annotations

import hashlib
from decimal import localcontext
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from einvoice.documents.pdf import codes, engine, factur_x
from einvoice.documents.pdf.content import Content, page
from einvoice.documents.pdf.engine import Layout as Layout
from einvoice.documents.pdf.glyphs import SIGN, Glyphs
from einvoice.documents.pdf.packing import packed
from einvoice.documents.pdf.words import locale_of
from einvoice.domain.additions import NOTHING, Additions
from einvoice.domain.branding import Branding
from einvoice.domain.invoice import Invoice
from einvoice.domain.money import EXACT

# The description (BT-123) of the PDF that is embedded in an e-invoice.
DESCRIPTION: Final = "Printed form of this invoice"
_NAME: Final = "invoice.xml"


class Mark(StrEnum):
    """The note on pages of an invoice that may not be handed out as it is: a key of the labels."""

    NONE = ""
    UNDELIVERED = "page.undelivered"
    UNCLEARED = "page.uncleared"


def render(
    invoice: Invoice,
    branding: Branding,
    xml: bytes,
    *,
    mark: Mark = Mark.NONE,
    additions: Additions = NOTHING,
    layout: Layout = Layout.PAGES,
) -> bytes:
    """The PDF of the invoice with its XML attached, in the language of its buyer.

    The same arguments give the same bytes.
    """
    texts = content(invoice, branding, mark=mark, additions=additions)
    attached = (engine.Attachment(_NAME, xml), *_further(additions))
    return packed(engine.pdf(texts, branding.logo, attached, invoice.issue_date, layout))


def render_factur_x(
    invoice: Invoice,
    branding: Branding,
    cii: bytes,
    *,
    mark: Mark = Mark.NONE,
    additions: Additions = NOTHING,
) -> bytes:
    """The pages with the invoice attached as CII, marked as Factur-X."""
    texts = content(invoice, branding, mark=mark, additions=additions)
    profile = factur_x.profile_of(invoice)
    attached = (engine.Attachment(profile.file_name, cii), *_further(additions))
    made = engine.pdf(texts, branding.logo, attached, invoice.issue_date)
    return packed(made, lambda xmp: factur_x.marked(xmp, profile))


def _further(additions: Additions) -> tuple[engine.Attachment, ...]:
    found = additions.attached
    return (engine.Attachment(found.name, found.content),) if found else ()


@cache
def renderer_version() -> str:
    """A digest of all that the pages depend on besides the invoice and the branding."""
    digest = hashlib.sha256(f"{version('typst')} {version('pikepdf')}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.*")):
        if path.suffix in (".py", ".toml", ".typ"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def content(
    invoice: Invoice,
    branding: Branding,
    *,
    mark: Mark = Mark.NONE,
    additions: Additions = NOTHING,
) -> Content:
    """The texts of the pages, with only characters that the fonts have."""
    with localcontext(EXACT):  # long figures keep all their digits
        texts = page(invoice, branding, locale_of(invoice.buyer.address), mark=mark)
    texts["additions"] = {
        "lines": list(additions.lines),
        "captions": [code.caption for code in additions.codes],
    }
    glyphs = Glyphs()
    drawing = texts["payment"] and texts["payment"].pop("code")
    fit = glyphs.fit(texts)
    assert isinstance(fit, dict)  # noqa: S101 - a dictionary stays one
    fit["code"] = drawing
    fit["additions"]["codes"] = [codes.drawn(code.text) for code in additions.codes]
    fit["missing"] = fit["missing"].replace("{sign}", SIGN) if glyphs.replaced else ""
    return fit
