"""An invoice has the verdict of the document written of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.rules import PACKS, RulesVerdict, Syntax

ENGINE = PACKS[0].engine(Syntax.UBL)

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


def findings(verdict: RulesVerdict) -> list[tuple[str, str, str, dict[str, object]]]:
    """The findings of a verdict, sorted."""
    found = [(f.layer, f.id, f.place, dict(f.values)) for f in verdict.findings]
    return sorted(found, key=lambda one: one[:3])


def same(invoice: Invoice) -> None:
    written = etree.fromstring(document_xml(invoice))

    assert findings(ENGINE.check_invoice(invoice)) == findings(ENGINE.check(written))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(INVOICES)
def test_an_invoice_is_judged_like_the_document_written_of_it(invoice):
    """The same rules, places and values, without XML."""
    same(invoice)


def test_an_engine_for_cii_checks_no_invoice():
    """Invoices are sent as UBL."""
    with pytest.raises(ValueError, match="UBL"):
        PACKS[0].engine(Syntax.CII).check_invoice(None)
