"""The names of an invoice's fields in a request body: whole paths, and only paths."""

from __future__ import annotations

import pytest

from einvoice.domain.field_names import SEND_FIELDS, FieldNames

FLAT = FieldNames(
    {
        "invoice.lineItems": "lines",
        "invoice.lineItems[].taxRate": "lines[].rate",
        "totals.grandTotal": "total",
    }
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("invoice.lineItems", "lines"),
        ("invoice.lineItems[3]", "lines[3]"),
        ("invoice.lineItems[3].name", "lines[3].name"),
        ("invoice.lineItems[3].taxRate", "lines[3].rate"),
        ("invoice.lineItems[3].taxRateNote", "lines[3].taxRateNote"),
        ("invoice.lineItem", "invoice.lineItem"),
        ("my.totals.grandTotal", "my.totals.grandTotal"),
        ("", ""),
    ],
)
def test_a_path_is_translated_whole_or_not_at_all(path: str, name: str) -> None:
    assert FLAT.of(path) == name
    assert FLAT.in_template(f"See {path}.") == f"See {name}."
    assert SEND_FIELDS.of(path) == path
