"""/openapi.json documents every route completely and is generated from the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from einvoice.config import Settings
from einvoice.web.explanations import EXPLANATIONS
from einvoice.web.openapi.document import shown
from einvoice.web.openapi.headers import REQUEST_HEADERS, RESPONSE_HEADERS
from einvoice.web.openapi.problems import EVERYWHERE, schema_name
from einvoice.web.problems import PROBLEMS
from einvoice.web.security_requirements import requirement_of
from tests.tables import each_row

Document = dict[str, Any]


def types(shape: Document) -> set[str]:
    """The JSON types of a schema."""
    given = shape.get("type", [])
    return {given} if isinstance(given, str) else set(given)


def validator(shape: Document) -> OAS31Validator:
    return OAS31Validator(shape, format_checker=OAS31Validator.FORMAT_CHECKER)


def slugs_of(operation: Document) -> dict[str, set[str]]:
    """The slugs an operation documents, by status."""
    found: dict[str, set[str]] = {}
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get("application/problem+json", {})
        found[status] = set(content.get("examples", ()))
    return found


def test_the_document_is_valid(whole):
    """By the official schema of OpenAPI, references included."""
    validate(whole)


def test_every_route_is_documented_and_nothing_else(documented, operations):
    addresses = {f"{route.method.upper()} {shown(route.rule)}" for route in documented}

    assert set(operations) == addresses


def described(whole: Document) -> Iterator[tuple[str, Document]]:
    for name, schema in whole["components"]["schemas"].items():
        for part in (schema, *schema.get("allOf", ())):
            for field, shape in part.get("properties", {}).items():
                yield f"{name}.{field}", shape


def test_every_field_has_a_description(whole):
    assert [name for name, shape in described(whole) if not shape.get("description")] == []


def test_every_plain_field_has_an_example_that_fits(whole):
    """Each example is valid for its schema."""
    scalars = {"string", "number", "integer", "boolean"}
    wrong = []
    for name, shape in described(whole):
        if scalars & types(shape):
            if "example" not in shape:
                wrong.append(f"{name} has no example")
            elif not validator(shape).is_valid(shape["example"]):
                wrong.append(f"{name}: {shape['example']!r} is no example")

    assert wrong == []


def test_every_parameter_has_a_description(whole, operations):
    parameters = [p for o in operations.values() for p in o["parameters"] if "$ref" not in p]
    parameters += [p for item in whole["paths"].values() for p in item["parameters"]]
    parameters += whole["components"]["parameters"].values()

    assert [p["name"] for p in parameters if not p.get("description")] == []


def test_every_problem_is_documented_by_a_route_or_everywhere(operations):
    reported = set(EVERYWHERE)
    for operation in operations.values():
        reported |= set().union(*slugs_of(operation).values())

    assert set(PROBLEMS) - reported == set()


def test_a_problem_is_documented_under_its_status(operations):
    for operation in operations.values():
        for status, slugs in slugs_of(operation).items():
            assert {str(PROBLEMS[slug][0]) for slug in slugs} <= {status}


def test_every_route_documents_the_refusals_of_its_credential(documented, operations):
    for route in documented:
        operation = operations[f"{route.method.upper()} {shown(route.rule)}"]
        requirement = requirement_of(route.family.credential)
        reported = set().union(*slugs_of(operation).values())

        assert {*requirement.refusals, "internal-error"} <= reported
        assert operation["security"] == [{scheme: []} for scheme in requirement.schemes]


@each_row("slug", PROBLEMS)
def test_the_schema_of_a_problem_names_its_members(whole, slug):
    schemas, name = whole["components"]["schemas"], schema_name(slug)
    common, *own = schemas[name]["allOf"]
    mapped = schemas["Problem"]["discriminator"]["mapping"]

    assert mapped[f"{Settings().errors_prefix}/{slug}"] == f"#/components/schemas/{name}"
    assert common == {"$ref": "#/components/schemas/Problem"}
    assert set(EXPLANATIONS[slug].members) == {m for part in own for m in part["properties"]}


def test_the_example_of_a_problem_has_its_type_and_status(whole, operations):
    examples = whole["components"]["examples"]
    for operation in operations.values():
        for slugs in slugs_of(operation).values():
            for slug in slugs:
                value = examples[schema_name(slug)]["value"]
                assert value["type"] == f"{Settings().errors_prefix}/{slug}"
                assert value["status"] == PROBLEMS[slug][0]


def test_every_response_header_is_documented(operations):
    send = operations["POST /api/invoices/send"]["responses"]
    budget = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
    replay = {"Idempotency-Key", "Idempotency-Replay", "Preference-Applied"}

    assert {"X-Request-Id"} | budget | replay <= send["200"]["headers"].keys()
    assert not budget & send["401"]["headers"].keys()
    assert all("Retry-After" in send[status]["headers"] for status in ("409", "429", "503"))
    for operation in operations.values():
        for answer in operation["responses"].values():
            assert {"X-Request-Id"} <= answer["headers"].keys() <= RESPONSE_HEADERS.keys()


def test_what_a_header_brings_is_known():
    for header in REQUEST_HEADERS.values():
        assert set(header.response_headers) <= RESPONSE_HEADERS.keys()
        assert set(header.problems) <= PROBLEMS.keys()


def test_what_is_said_to_be_json_is_not_documented_as_text(operations):
    """A validator would refuse every artefact in JSON."""
    wrong = [
        (name, status, media)
        for name, operation in operations.items()
        for status, answer in operation["responses"].items()
        for media, content in answer.get("content", {}).items()
        if media.endswith("json") and content["schema"].get("format") == "binary"
    ]

    assert wrong == []


def test_a_part_of_a_file_is_documented_with_its_content(operations):
    """206 has the media type of the whole file; 304 has no content."""
    partial = {
        name: operation["responses"]
        for name, operation in operations.items()
        if "206" in operation["responses"]
    }

    assert partial
    for name, answers in partial.items():
        assert answers["206"]["content"] == answers["200"]["content"], name
