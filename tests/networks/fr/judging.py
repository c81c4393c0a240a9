"""Exchanges judged by the published interfaces, and documents by the rules of BR-FR.

The interfaces are Flow Service and Directory Service 1.3.0 (EINVOICE_NETWORKS). `ReasonCode` is
read as `anyOf`: as it is published, no official code is valid.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from openapi_schema_validator import OAS30Validator, oas30_format_checker

from einvoice import clock
from einvoice.validation import judge
from tests.networks.fr import DIRECTORY, FLOWS, Exchange, parts_of

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks")) / "fr"
_INTERFACES = {FLOWS: "flow-service-1.3.0.json", DIRECTORY: "directory-service-1.3.0.json"}
_PARAMETER = re.compile(r"\{([^}]+)\}")


@cache
def document(service: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / _INTERFACES[service]).read_text("utf-8"))
    reason = found["components"]["schemas"].get("ReasonCode")
    if reason is not None:
        reason["anyOf"] = reason.pop("oneOf")
    return found


def faults(exchanges: Iterable[Exchange]) -> list[str]:
    """What is wrong with exchanges."""
    return [
        f"{each.method} {each.path}: {fault}"
        for each in exchanges
        for service in _INTERFACES
        if each.path.startswith(f"{service}/")
        for fault in _faults(each, service)
    ]


def _faults(exchange: Exchange, service: str) -> Iterator[str]:
    found = _operation(exchange, service)
    if found is None:
        yield "the interface has no such operation"
        return
    operation, parameters = found
    given = {"path": parameters, "query": exchange.query, "header": exchange.headers}
    for each in operation.get("parameters", []):
        each = _resolved(each, service)
        value = given[each["in"]].get(_name(each))
        if value is not None:
            yield from _errors(each["schema"], value, each["name"], service)
        elif each.get("required"):
            yield f"the parameter {each['name']} is missing"
    if not exchange.headers.get("authorization", "").startswith("Bearer "):
        yield "there is no bearer token"
    yield from _request(exchange, operation, service)
    yield from _response(exchange, operation, service)


def _operation(exchange: Exchange, service: str) -> tuple[Mapping[str, Any], dict[str, str]] | None:
    path = exchange.path.removeprefix(service)
    templates = sorted(document(service)["paths"], key=lambda each: each.count("{"))
    for template in templates:
        literal = _PARAMETER.split(template)
        pattern = "".join(
            "([^/]+)" if place % 2 else re.escape(part) for place, part in enumerate(literal)
        )
        match = re.fullmatch(pattern, path)
        method = document(service)["paths"][template].get(exchange.method.lower())
        if match and method:
            values = map(unquote, match.groups())
            return method, dict(zip(_PARAMETER.findall(template), values, strict=True))
    return None


def _name(parameter: Mapping[str, Any]) -> str:
    name = parameter["name"]
    return str(name).lower() if parameter["in"] == "header" else str(name)


def _request(exchange: Exchange, operation: Mapping[str, Any], service: str) -> Iterator[str]:
    expected = _resolved(operation.get("requestBody", {}), service).get("content")
    kind = exchange.headers.get("content-type", "").partition(";")[0]
    if expected is None:
        if exchange.body:
            yield "it has a body"
    elif kind not in expected:
        yield f"the content type {kind!r} is not one of {sorted(expected)}"
    elif kind == "multipart/form-data":
        yield from _multipart(exchange, expected[kind]["schema"], service)
    else:
        yield from _judged(expected[kind]["schema"], json.loads(exchange.body), "body", service)


def _multipart(exchange: Exchange, schema: Mapping[str, Any], service: str) -> Iterator[str]:
    parts = parts_of(exchange.headers["content-type"], exchange.body)
    values: dict[str, Any] = {name: content.decode("latin-1") for name, content in parts.items()}
    if "flowInfo" in values:
        values["flowInfo"] = json.loads(parts["flowInfo"])
    yield from _judged(schema, values, "body", service)


def _response(exchange: Exchange, operation: Mapping[str, Any], service: str) -> Iterator[str]:
    answer = exchange.answer
    expected = operation["responses"].get(str(answer.status))
    if expected is None:
        yield f"the status {answer.status} is not one of {sorted(operation['responses'])}"
        return
    content = _resolved(expected, service).get("content")
    if content is None:
        if answer.body:
            yield f"{answer.status}: it has a body"
    elif answer.type not in content:
        yield f"{answer.status}: the content type {answer.type!r} is not one of {sorted(content)}"
    elif answer.type == "application/json":
        schema, value = content[answer.type]["schema"], json.loads(answer.body)
        yield from _judged(schema, value, str(answer.status), service)


def _resolved(value: Mapping[str, Any], service: str) -> Mapping[str, Any]:
    while "$ref" in value:
        _, section, kind, name = value["$ref"].split("/")
        value = document(service)[section][kind][name]
    return value


def _errors(schema: Mapping[str, Any], value: Any, where: str, service: str) -> Iterator[str]:
    root = {"allOf": [schema], "components": document(service)["components"]}
    validator = OAS30Validator(root, format_checker=oas30_format_checker)
    for error in validator.iter_errors(value):
        path = ".".join(str(each) for each in (where, *error.absolute_path))
        if not _is_of_a_checksum(error):
            yield f"{path}: {error.message[:300]}"


def _is_of_a_checksum(error: Any) -> bool:
    """The checksum is hexadecimal by its pattern, and base64 by its format."""
    return error.validator == "format" and error.validator_value == "byte"


def _judged(schema: Mapping[str, Any], value: Any, where: str, service: str) -> Iterator[str]:
    yield from _errors(schema, value, where, service)
    yield from _unknown(schema, value, where, service)


def _members(schema: Mapping[str, Any], service: str) -> dict[str, Any]:
    schema = _resolved(schema, service)
    found = dict(schema.get("properties", {}))
    for word in ("allOf", "oneOf", "anyOf"):
        for each in schema.get(word, ()):
            found |= _members(each, service)
    return found


def _unknown(schema: Mapping[str, Any], value: Any, where: str, service: str) -> Iterator[str]:
    """Members that the schema does not name: one that is misspelt is a fault."""
    if isinstance(value, list):
        items = _resolved(schema, service).get("items", {})
        for each in value:
            yield from _unknown(items, each, where, service)
    if not isinstance(value, dict):
        return
    known = _members(schema, service)
    for name, held in value.items():
        if name in known:
            yield from _unknown(known[name], held, f"{where}.{name}", service)
        elif known and name != "webhookIds":  # which the document requires, and does not describe
            yield f"{where}: the member {name!r} is not known"


def by_own_rules(content: bytes) -> list[str]:
    """The fatal findings of the service's rules for an invoice; none for another file."""
    head = content[:4096]
    if b"CrossDomainAcknowledgement" in head or b"<Report>" in head or head.startswith(b"%PDF"):
        return []
    verdict = judge(content, on=clock.today(), schema=False, asked="br-fr").verdict
    fatal = [] if verdict is None else [each for each in verdict.findings if each.flag == "fatal"]
    return [each.id for each in fatal]
