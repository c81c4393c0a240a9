"""Names of artefacts: their type, and of their files."""

from __future__ import annotations

import pytest

from einvoice.domain.artefacts import RECEIPT, ArtefactKind
from einvoice.store.tables import Artefact


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("2026-001", "receipt-2026-001.xml"),
        ('2026/0"1\n', "receipt-2026-0-1.xml"),
        ("../..", "receipt-invoice.xml"),
        ("", "receipt-invoice.xml"),
        (None, "receipt-invoice.xml"),
        ("9" * 200, f"receipt-{'9' * 80}.xml"),
    ],
)
def test_a_file_name_holds_an_invoice_number_safely(number: str | None, name: str) -> None:
    """It is sent in a header and used on any file system."""
    assert RECEIPT.file_name_of(number) == name


@pytest.mark.parametrize("code", ["A", "SEALED_XML", "A" * 32])
def test_a_type_fits_the_column_that_stores_it(code: str) -> None:
    assert ArtefactKind(code, "application/xml", "{number}.xml").code == code
    assert len("A" * 32) == Artefact.__table__.c.kind.type.length


@pytest.mark.parametrize("code", ["", "a", "1A", "A-B", "A" * 33, "Ä"])
def test_any_other_type_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="no type of an artefact"):
        ArtefactKind(code, "application/xml", "{number}.xml")
