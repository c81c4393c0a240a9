"""The contract is the documentation: what OpenAPI makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from einvoice.web.shared.send_schemas import SendRequest


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    spec = APISpec("API", "1", "3.1.0", plugins=[MarshmallowPlugin()])
    spec.components.schema("SendRequest", schema=SendRequest())
    return spec.to_dict()["components"]["schemas"]


def test_every_object_refuses_other_fields_and_every_field_is_described(schemas):
    assert len(schemas) == 31
    for schema in schemas.values():
        assert schema["additionalProperties"] is False
        assert all(field["description"] for field in schema["properties"].values())


def test_what_is_required_may_not_be_null_and_all_else_may(schemas):
    for schema in schemas.values():
        for name, field in schema["properties"].items():
            nullable = {"type": "null"} in field.get("anyOf", ()) or "null" in field.get("type", ())
            assert nullable is (name not in schema.get("required", ()))


@pytest.mark.parametrize(
    ("schema", "field", "expected"),
    [
        ("LineItem", "description", {"type": "string", "maxLength": 4096, "minLength": 1}),
        ("LineItem", "taxRate", {"type": "number", "minimum": 0, "maximum": 100}),
        ("LineItem", "priceBaseQuantity", {"exclusiveMinimum": 0}),
        ("Invoice", "issueDate", {"type": "string", "format": "date"}),
        ("Invoice", "currency", {"type": "string", "pattern": "^[A-Z]{3}$"}),
        (
            "Invoice",
            "type",
            {"enum": ["invoice", "creditNote", "selfBilledInvoice", "selfBilledCreditNote", None]},
        ),
        ("CashDiscount", "days", {"minimum": 0, "maximum": 365}),
        ("Invoice", "lineItems", {"type": "array", "minItems": 1, "maxItems": 5000}),
        ("Invoice", "metadata", {"type": ["object", "null"], "maxProperties": 50}),
        ("Attachment", "content", {"type": "string", "format": "byte"}),
    ],
)
def test_limits_are_told_as_they_are_enforced(schemas, schema, field, expected):
    assert schemas[schema]["properties"][field].items() >= expected.items()
