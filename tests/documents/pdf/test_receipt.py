"""The receipt of a till: the texts of the pages on a strip of paper."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from pypdf import PdfReader

from einvoice.documents import pdf
from einvoice.documents.pdf import Layout
from einvoice.domain.additions import Additions, QrCode
from tests.documents.pdf.samples import ACME, an_invoice

POINTS_OF_80_MM = 80 * 72 / 25.4
POINTS_OF_5_M = 14400
SEALED = Additions(codes=(QrCode("AQ5TYW1wbGU=", "Tax invoice"),), lines=("Tax invoice", "KSeF 1"))


def receipt(invoice, **more) -> PdfReader:
    made = pdf.render(invoice, ACME, b"<Invoice/>", layout=Layout.RECEIPT, **more)
    return PdfReader(BytesIO(made))


def texts(reader: PdfReader) -> str:
    return " ".join(" ".join(page.extract_text().split()) for page in reader.pages)


def test_it_is_one_strip_of_80_mm_with_what_the_pages_say():
    reader = receipt(an_invoice(), additions=SEALED, mark=pdf.Mark.UNDELIVERED)
    (page,) = reader.pages
    text = texts(reader)

    assert float(page.mediabox.width) == pytest.approx(POINTS_OF_80_MM, abs=0.1)
    for said in (
        "Acme Manufacturing", "USt-IdNr. BE0123456749", "Rechnung 2026-0042", "Müller Maschinenbau",
        "Bearing housing BH-40 1.188,00", "12 Stk. × 99,00 · 21 %", "Zahlbetrag 2.201,89 €",
        "Tax invoice", "KSeF 1", "noch nicht zugestellt",
    ):  # fmt: skip
        assert said in text
    assert text.count("Tax invoice") == 1  # as the caption of its code
    assert "invoice.xml" in reader.attachments


@pytest.mark.parametrize(("lines", "pages"), [(1, 1), (40, 1), (400, 7)])
def test_no_page_is_longer_than_a_page_may_be(lines, pages):
    invoice = an_invoice()
    reader = receipt(replace(invoice, lines=invoice.lines * lines))

    assert len(reader.pages) == pages
    assert all(float(page.mediabox.height) <= POINTS_OF_5_M for page in reader.pages)
