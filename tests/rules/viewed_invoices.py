"""Invoices of random values that rules compare with, so that many of their conditions hold."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from einvoice.domain.invoice import DocumentKind, Invoice

# Values that rules compare with, so that many conditions hold.
_VALUES = """S Z E AE K G O L M B VAT TAX 380 381 384 30 58 49 EUR SEK XXX BE SE NO DE IT GR DK
130 50 0088 0208 0192 9930 SEPA C62 HUR 432 3 FC 95 VATEX-EU-AE BE0403019261 SE556036079301"""
WORDS = _VALUES.split()
TEXTS = st.sampled_from(
    [*WORDS, "", " ", " S ", "#AAI#text", "#XXX#text", "a\r\nb", "x" * 40, "<&>"]
)
NUMBERS = st.sampled_from(
    [Decimal(n) for n in ("0", "0.00", "1", "10", "100", "25", "1.005", "-1", "1E+2", "0.001")]
)
DATES = st.sampled_from([date(2026, 1, 1), date(2026, 12, 31)])

st.register_type_strategy(str, TEXTS)
st.register_type_strategy(Decimal, NUMBERS)
st.register_type_strategy(date, DATES)
# The form of a document; that it is self-billed is said by its type code.
st.register_type_strategy(
    DocumentKind, st.sampled_from([DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE])
)
INVOICES = st.from_type(Invoice)
