"""PINT-AE-UBL: the books of the United Arab Emirates, release 1.0.4."""

from __future__ import annotations

from einvoice.rules.book import Book
from einvoice.rules.layers import Layer
from einvoice.rules.pint.ae import amounts, breakdown, codes, document, lines, parties
from einvoice.rules.pint.base import pint_with_types

RELEASE = "1.0.4"
PINT_AE = Book.of(
    Layer.PINT_AE_UBL,
    RELEASE,
    [
        parties.chapter,
        amounts.chapter,
        lines.chapter,
        document.chapter,
        breakdown.chapter,
        codes.chapter,
    ],
)
PINT_UBL_OF_AE = pint_with_types(("380", "480"), ("381", "81"), RELEASE)
PINT_UBL_OF_AE_SELF_BILLING = pint_with_types(("389", "480"), ("261", "81"), RELEASE)
