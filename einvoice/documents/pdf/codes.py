"""QR codes as drawings, for the pages and the buyer's page."""

from __future__ import annotations

import segno


def drawn(text: str) -> str:
    """The QR code of a text as SVG. The same text gives the same drawing."""
    code: str = segno.make_qr(text, error="m").svg_inline(border=0, scale=4)
    return code
