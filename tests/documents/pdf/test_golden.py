"""The pages of six invoices have not changed since they were last reviewed (`make golden`)."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from einvoice.documents import pdf
from einvoice.documents.pdf import engine
from tests.documents.pdf.pages import FEW, FOLDER, PPI, difference, pages
from tests.documents.pdf.samples import ACME, GOLDEN, TRANSFER, an_invoice


def golden(name: str) -> Image.Image:
    return Image.open(FOLDER / f"{name}.png").convert("L")


def drawn(invoice, branding=ACME) -> Image.Image:
    """The first page."""
    png, *_ = engine.page_images(pdf.content(invoice, branding), branding.logo, PPI)
    return Image.open(BytesIO(png)).convert("L")


def test_the_pages_equal_the_golden_ones(tmp_path) -> None:
    found = dict(pages())

    assert found.keys() == {path.stem for path in FOLDER.glob("*.png")}
    changed = {name: difference(page, golden(name)) for name, page in found.items()}
    assert {name: share for name, share in changed.items() if share > FEW} == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"number": "2026-0043-B"},
        {"payment": (replace(TRANSFER, remittance="RF18539007547035"),)},
        {"notes": ()},
        {"due_date": None},
    ],
)
def test_a_change_of_one_fact_is_noticed(changes) -> None:
    """The tolerance covers the edges of letters, not a changed text."""
    before = drawn(an_invoice())

    assert difference(before, drawn(an_invoice())) == 0
    assert difference(before, drawn(an_invoice(**changes))) > FEW


def test_every_golden_invoice_has_the_expected_number_of_pages() -> None:
    for name, (invoice, branding, count) in GOLDEN.items():
        texts = pdf.content(invoice, branding)
        assert len(engine.page_images(texts, branding.logo, 20)) == count, name
