"""Requests and answers judged by the official interface (open-api-2.7.0.json, EINVOICE_NETWORKS).

The document allows members that it does not name, so their names are compared too: an optional
member that is misspelt is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from openapi_schema_validator import OAS30Validator, oas30_format_checker

from tests.networks.ksef import BASE, Exchange
from tests.networks.ksef.calls import Request, Route
from tests.networks.ksef.schemas import FOLDER
from tests.networks.stand_ins import Answer

DOCUMENT: Final = FOLDER / "open-api-2.7.0.json"
_NUMBERS: Final = {"integer": int, "number": float}


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return found


def faults(exchanges: Iterable[Exchange], *, requests: bool = True) -> list[str]:
    """What is wrong with exchanges; `requests` False: with the answers only."""
    found = []
    for each in exchanges:
        if each.route is None or not each.request.path.startswith(BASE):
            continue
        if requests:
            found += [f"{each.name}: request: {fault}" for fault in of_request(each)]
        found += [f"{each.name}: {each.answer.status}: {fault}" for fault in of_answer(each)]
    return found


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = document()["paths"][route.template][route.method.lower()]
    return operation


def of_request(exchange: Exchange) -> Iterator[str]:
    assert exchange.route is not None
    request, operation = exchange.request, _operation(exchange.route)
    yield from _parameters(request, operation)
    if operation.get("security") and not request.bearer:
        yield "there is no Bearer token"
    expected = operation.get("requestBody")
    if expected is None:
        if request.body:
            yield "it has a body"
        return
    yield from _body(expected["content"], request.headers.get("content-type", ""), request.body)


def of_answer(exchange: Exchange) -> Iterator[str]:
    assert exchange.route is not None
    answer = exchange.answer
    responses = _operation(exchange.route)["responses"]
    expected = responses.get(str(answer.status))
    if expected is None:
        yield f"the status is not one of {sorted(responses)}"
        return
    yield from _headers(answer, expected.get("headers", {}))
    if "content" in expected:
        yield from _body(expected["content"], answer.type, answer.body)
    elif answer.body:
        yield "it has a body"


def _parameters(request: Request, operation: Mapping[str, Any]) -> Iterator[str]:
    given = {"path": request.params, "query": request.query, "header": request.headers}
    known = {each["name"] for each in operation.get("parameters", [])}
    for each in operation.get("parameters", []):
        value = given[each["in"]].get(each["name"])
        if value is not None:
            yield from _errors(each["schema"], _typed(each["schema"], value), each["name"])
        elif each.get("required"):
            yield f"the parameter {each['name']} is missing"
    yield from (f"the parameter {name} is not known" for name in set(request.query) - known)


def _typed(schema: Mapping[str, Any], text: str) -> Any:
    """The value of a parameter."""
    kind = _resolved(schema).get("type")
    if kind == "array":
        return text.split(",")
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    try:
        return _NUMBERS[kind](text) if kind in _NUMBERS else text
    except ValueError:
        return text


def _headers(answer: Answer, expected: Mapping[str, Any]) -> Iterator[str]:
    for name, value in answer.headers.items():
        if name not in expected:
            yield f"the header {name} is not known"
        else:
            schema = expected[name]["schema"]
            yield from _errors(schema, _typed(schema, value), name)


def _body(content: Mapping[str, Any], given: str, body: bytes) -> Iterator[str]:
    kind = given.partition(";")[0].strip()
    if kind not in content:
        yield f"the content type {kind!r} is not one of {sorted(content)}"
    elif kind.endswith("json"):
        schema, value = content[kind]["schema"], json.loads(body)
        yield from _errors(schema, value, "body")
        yield from _unknown(schema, value, "body")


def _errors(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[str]:
    root = {"allOf": [schema], "components": document()["components"]}
    validator = OAS30Validator(root, format_checker=oas30_format_checker)
    for error in validator.iter_errors(value):
        path = ".".join(str(each) for each in (where, *error.absolute_path))
        yield f"{path}: {error.message[:300]}"


# -- names of members ------------------------------------------------------------------------------


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def members(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The members of an object that a schema names, with their schemas."""
    schema = _resolved(schema)
    found = dict(schema.get("properties", {}))
    for word in ("allOf", "oneOf", "anyOf"):
        for each in schema.get(word, ()):
            found |= members(each)
    return found


def _items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = _resolved(schema)
    for each in schema.get("allOf", ()):
        if found := _items(each):
            return found
    found: Mapping[str, Any] = schema.get("items", {})
    return found


def _unknown(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[str]:
    """Members that the schema does not name."""
    if isinstance(value, list):
        for each in value:
            yield from _unknown(_items(schema), each, where)
    if not isinstance(value, dict):
        return
    known = members(schema)
    for name, held in value.items():
        if name in known:
            yield from _unknown(known[name], held, f"{where}.{name}")
        elif known:
            yield f"{where}: the member {name!r} is not known"
