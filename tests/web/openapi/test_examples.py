"""Every body of the document has an example, and each example is valid."""

from __future__ import annotations

from typing import Any

from openapi_schema_validator import OAS31Validator

Document = dict[str, Any]


def faults(whole: Document, schema: Document, value: Any) -> list[str]:
    """What is wrong with a value, by the schema and the components it refers to."""
    rooted = {**schema, "components": whole["components"]}
    found = OAS31Validator(rooted, format_checker=OAS31Validator.FORMAT_CHECKER).iter_errors(value)
    return [f"{error.json_path}: {error.message}" for error in found]


def test_every_json_request_has_a_valid_example(whole, operations, received):
    for name, operation in (operations | received).items():
        for media, body in operation.get("requestBody", {}).get("content", {}).items():
            if media == "application/json":
                assert faults(whole, body["schema"], body["example"]) == [], name


def test_every_json_response_has_a_valid_example(whole, operations):
    """Of problems: one for each type that the operation reports."""
    examples = whole["components"]["examples"]
    for name, operation in operations.items():
        for status, answer in operation["responses"].items():
            for media, body in answer.get("content", {}).items():
                if "json" in media and "$ref" in body["schema"]:
                    shown = [e["$ref"].rpartition("/")[2] for e in body["examples"].values()]
                    assert shown, (name, status)
                    for example in shown:
                        value = examples[example]["value"]
                        assert faults(whole, body["schema"], value) == [], (name, example)


def test_every_example_is_used(whole, operations):
    used = str(operations)
    unused = [n for n in whole["components"]["examples"] if f"/examples/{n}'" not in used]

    assert unused == []
