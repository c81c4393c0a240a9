"""Decisions 19.2: every JSON route refuses bad bodies and unknown fields in the same way."""

from __future__ import annotations

import pytest

from einvoice.domain.errors import InvalidBody, InvalidField
from einvoice.web.bodies import read_body
from einvoice.web.contract import Contract
from einvoice.web.fields import Number, Text


class Customer(Contract):
    name = Text("Name.", max_length=10, required=True)
    terms = Number("Days.", minimum=0, maximum=365)


def test_a_body_becomes_the_contracts_fields():
    assert read_body(Customer(), b'{"name": " A ", "terms": null}') == {"name": "A"}


@pytest.mark.parametrize("body", [b"", b"[]", b'{"name": "A", "name": "B"}', b'{"name": NaN}'])
def test_a_body_that_cannot_be_read_is_invalid(body):
    with pytest.raises(InvalidBody):
        read_body(Customer(), body)


def test_every_offending_field_is_named():
    with pytest.raises(InvalidField) as refusal:
        read_body(Customer(), b'{"terms": 366, "colour": 1}')

    assert [(e.pointer, e.code) for e in refusal.value.errors] == [
        ("/name", "required"),
        ("/terms", "out-of-range"),
        ("/colour", "unknown-field"),
    ]
    assert str(refusal.value) == "/name: is required and 2 more"
