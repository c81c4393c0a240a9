"""The invoice as a PDF that one is proud to send: PDF/A-3a and PDF/UA-1, the e-invoice inside.

`render` is the way in. The engine is typst (`engine`); what the pages say is made in Python
(`content`) and laid out by the template (`template/invoice.typ`).
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

# How an e-invoice calls the PDF inside it (BT-123), in the language of networks.
DESCRIPTION: Final = "Printed form of this invoice"
_NAME: Final = "invoice.xml"


def render(invoice: Invoice, branding: Branding, xml: bytes) -> bytes:
    """The PDF of the invoice with its XML attached, in the language of its buyer.

    The same arguments give the same bytes.
    """
    said = content(invoice, branding)
    return packed(engine.pdf(said, branding.logo, engine.Attached(_NAME, xml), invoice.issue_date))


def render_factur_x(invoice: Invoice, branding: Branding, cii: bytes) -> bytes:
    """The same pages with the invoice as CII inside, and the marks of Factur-X."""
    said = content(invoice, branding)
    attached = engine.Attached(factur_x.FILE_NAME, cii)
    made = engine.pdf(said, branding.logo, attached, invoice.issue_date)
    return packed(made, factur_x.marked)


@cache
def renderer_version() -> str:
    """Changes whenever the pages of the same invoice may come out differently."""
    digest = hashlib.sha256(f"{version('typst')} {version('pikepdf')}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.*")):
        if path.suffix in (".py", ".toml", ".typ"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def content(invoice: Invoice, branding: Branding) -> Content:
    """What the pages say, with nothing in it that the fonts cannot show."""
    with localcontext(EXACT):  # long figures keep all their digits on the way
        said = page(invoice, branding, locale_of(invoice.buyer.address))
    glyphs = Glyphs()
    drawing = said["payment"] and said["payment"].pop("code")
    fit = glyphs.fit(said)
    assert isinstance(fit, dict)  # noqa: S101 - a dictionary stays one
    fit["code"] = drawing
    fit["missing"] = fit["missing"].replace("{sign}", SIGN) if glyphs.replaced else ""
    return fit
