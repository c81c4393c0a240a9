"""A collection of all requests of a key, for Postman, Bruno and Insomnia (format 2.1).

Made by `make clients` from the examples of the contract. Its variables are `baseUrl`, `apiKey` and
what requests take from earlier answers: the lookup stores `accessPointRef`, a send `invoiceId`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
RECEIVER = "0088:9520000000004"
# Scripts that keep a member of an answer as a variable, by operation.
_KEPT = {"lookupParticipant": "accessPointRef", "sendInvoice": "invoiceId"}
# Parameters without which a request is refused, by operation.
_ASKED = {
    "lookupParticipant": {"participantId": RECEIVER},
    "searchParticipants": {"name": "60 s"},
}
_VARIABLES = {
    "baseUrl": "http://127.0.0.1:8000",
    "apiKey": "",
    "accessPointRef": "",
    "invoiceId": "",
}
_NAME = re.compile(r"\{([^}]+)\}")


def collection(document: Json, paths: Json) -> Json:
    """The requests of `paths`, with the examples of the whole document, in folders by tag."""
    folders: dict[str, list[Json]] = {tag["name"]: [] for tag in document["tags"]}
    for path, all_methods in document["paths"].items():
        for method in METHODS:
            if method in all_methods and method in paths.get(path, {}):
                operation = document["paths"][path][method]
                shared = document["paths"][path].get("parameters", [])
                given = [_resolved(document, each) for each in (*shared, *operation["parameters"])]
                request = _item(path, method, operation, given)
                folders[operation["tags"][0]].append(request)
    return {
        "info": {"name": "einvoice", "schema": SCHEMA},
        "auth": {
            "type": "apikey",
            "apikey": [
                {"key": "key", "value": "x-api-key"},
                {"key": "value", "value": "{{apiKey}}"},
                {"key": "in", "value": "header"},
            ],
        },
        "variable": [{"key": name, "value": value} for name, value in _VARIABLES.items()],
        "item": [{"name": tag, "item": items} for tag, items in folders.items() if items],
    }


def _resolved(document: Json, parameter: Json) -> Json:
    if "$ref" not in parameter:
        return parameter
    found: Json = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return found


def _item(path: str, method: str, operation: Json, parameters: list[Json]) -> Json:
    made: Json = {
        "name": operation["summary"],
        "request": {
            "method": method.upper(),
            "description": operation.get("description", ""),
            "header": list(_headers(parameters)),
            "url": _url(path, operation["operationId"], parameters),
        },
    }
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        text = _text(operation["operationId"], content["application/json"]["example"])
        options = {"raw": {"language": "json"}}
        made["request"]["body"] = {"mode": "raw", "raw": text, "options": options}
        made["request"]["header"].append({"key": "Content-Type", "value": "application/json"})
    if operation["operationId"] in _KEPT:
        name = _KEPT[operation["operationId"]]
        kept = f'pm.collectionVariables.set("{name}", pm.response.json().{name});'
        script = f"if (pm.response.code === 200) {kept}"
        made["event"] = [
            {"listen": "test", "script": {"type": "text/javascript", "exec": [script]}}
        ]
    return made


def _headers(parameters: list[Json]) -> Iterator[Json]:
    """The headers of a request; only an idempotency key is sent unless a person ticks others."""
    for each in parameters:
        if each["in"] == "header":
            own = each["name"] == "Idempotency-Key"
            value = "{{$guid}}" if own else str(each.get("example", ""))
            yield {"key": each["name"], "value": value} | ({} if own else {"disabled": True})


def _url(path: str, operation_id: str, parameters: list[Json]) -> Json:
    parts = [_NAME.sub(r":\1", part) for part in path.strip("/").split("/")]
    query = [
        {
            "key": each["name"],
            "value": _example(each),
            "description": each.get("description", ""),
            "disabled": not each.get("required", False),
        }
        for each in parameters
        if each["in"] == "query"
    ]
    asked = _ASKED.get(operation_id, {})
    query = [
        each | {"value": asked[each["key"]], "disabled": False} if each["key"] in asked else each
        for each in query
    ]
    names = [part[1:] for part in parts if part.startswith(":")]
    variables = [{"key": n, "value": "{{invoiceId}}" if n == "invoiceId" else ""} for n in names]
    shown = "&".join(f"{q['key']}={q['value']}" for q in query if not q["disabled"])
    raw = "{{baseUrl}}/" + "/".join(parts) + (f"?{shown}" if shown else "")
    made: Json = {"raw": raw, "host": ["{{baseUrl}}"], "path": parts}
    return made | ({"query": query} if query else {}) | ({"variable": variables} if names else {})


def _example(parameter: Json) -> str:
    value = parameter.get("example", parameter.get("schema", {}).get("example", ""))
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _text(operation_id: str, example: Any) -> str:
    """The body as text; a send has the reference that was looked up, and a number of its own."""
    if operation_id == "sendInvoice":
        example["routing"]["accessPointRef"] = "{{accessPointRef}}"
        example["routing"]["receiverParticipantId"] = RECEIVER
        example["invoice"]["number"] = "2026-{{$timestamp}}"
    return json.dumps(example, indent=2, ensure_ascii=False)
