"""Renders an invoice as PDF/A-3a and PDF/UA-1 with the e-invoice attached.

`render` and `render_factur_x` are the entry points. All texts of the pages are made in Python
(`content`); typst (`engine`) lays them out by the template (`template/invoice.typ`).
"""

from __future__ import annotations

import hashlib
from decimal import localcontext
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from einvoice.documents.pdf import engine, factur_x
from einvoice.documents.pdf.content import Content, page
from einvoice.documents.pdf.glyphs import SIGN, Glyphs
from einvoice.documents.pdf.packing import packed
from einvoice.documents.pdf.words import locale_of
from einvoice.domain.branding import Branding
from einvoice.domain.invoice import Invoice
from einvoice.domain.money import EXACT

# The description (BT-123) of the PDF that is embedded in an e-invoice.
DESCRIPTION: Final = "Printed form of this invoice"
_NAME: Final = "invoice.xml"


def render(invoice: Invoice, branding: Branding, xml: bytes, *, delivered: bool = True) -> bytes:
    """The PDF of the invoice with its XML attached, in the language of its buyer.

    The pages of an invoice that is not `delivered` say so. The same arguments give the same bytes.
    """
    texts = content(invoice, branding, delivered=delivered)
    return packed(
        engine.pdf(texts, branding.logo, engine.Attachment(_NAME, xml), invoice.issue_date)
    )


def render_factur_x(
    invoice: Invoice, branding: Branding, cii: bytes, *, delivered: bool = True
) -> bytes:
    """The same pages with the invoice as CII attached, marked as Factur-X."""
    texts, profile = content(invoice, branding, delivered=delivered), factur_x.profile_of(invoice)
    attached = engine.Attachment(profile.file_name, cii)
    made = engine.pdf(texts, branding.logo, attached, invoice.issue_date)
    return packed(made, lambda xmp: factur_x.marked(xmp, profile))


@cache
def renderer_version() -> str:
    """A digest of all that the pages depend on besides the invoice and the branding."""
    digest = hashlib.sha256(f"{version('typst')} {version('pikepdf')}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.*")):
        if path.suffix in (".py", ".toml", ".typ"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def content(invoice: Invoice, branding: Branding, *, delivered: bool = True) -> Content:
    """The texts of the pages, with only characters that the fonts have."""
    with localcontext(EXACT):  # long figures keep all their digits
        texts = page(invoice, branding, locale_of(invoice.buyer.address), delivered=delivered)
    glyphs = Glyphs()
    drawing = texts["payment"] and texts["payment"].pop("code")
    fit = glyphs.fit(texts)
    assert isinstance(fit, dict)  # noqa: S101 - a dictionary stays one
    fit["code"] = drawing
    fit["missing"] = fit["missing"].replace("{sign}", SIGN) if glyphs.replaced else ""
    return fit
