"""Example bodies of responses, made of the examples of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]


def sample(schema: Document, schemas: Mapping[str, Document]) -> Any:
    """A value of the schema, with its required members; `schemas` are the components by name."""
    for name in ("example", "default"):
        if name in schema:
            return schema[name]
    if "$ref" in schema:
        return sample(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    for name in ("oneOf", "anyOf"):
        if name in schema:
            return sample(schema[name][0], schemas)
    if "allOf" in schema:
        parts = [sample(part, schemas) for part in schema["allOf"]]
        return {name: value for part in parts for name, value in part.items()}
    return _of_type(schema, schemas)


def _of_type(schema: Document, schemas: Mapping[str, Document]) -> Any:
    if "items" in schema:
        return [sample(schema["items"], schemas)]
    if "enum" in schema:
        return schema["enum"][0]
    shapes = schema.get("properties", {})
    required = schema.get("required", ())
    return {name: sample(shape, schemas) for name, shape in shapes.items() if name in required}
