"""Collections of all requests of a key, for Postman, Bruno and Insomnia (format 2.1): one for keys
of accounts, and one for keys of platforms, whose requests name a tenant.

Made by `make clients` from the examples of the contract. Its variables are `baseUrl`, `apiKey` and
what requests take from earlier answers: the lookup stores `accessPointRef`, a send `invoiceId`, and
what creates something its id. So the requests work one by one and all together, from top to bottom:
in each folder those that end something are the last, and they end what the folder has created.
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
# The member of an answer, or of the first one of its list, that is kept, by operation.
_KEPT = {
    "lookupParticipant": "accessPointRef", "sendInvoice": "invoiceId", "sendInvoices": "batchId",
    "submitBatch": "batchId", "listArtefacts": "artefactId", "listEvents": "eventId",
    "createDraft": "draftId", "createConnection": "connectionId", "createConnectionLink": "linkId",
    "createKey": "keyId", "createMailAddress": "mailAddressId", "createOauthClient": "clientId",
    "addParticipant": "participantId", "createWebhook": "webhookId",
    "listWebhookDeliveries": "deliveryId", "createPlatformWebhook": "webhookId",
    "listPlatformWebhookDeliveries": "deliveryId", "createPlatformTenant": "tenantId",
    "claimTenantParticipant": "participantId",
}  # fmt: skip
_OF_LISTS = frozenset({"artefactId", "eventId", "deliveryId"})
_BILL = ("receiveDocument", "invoiceId", "billId")  # what the requests of the folder Bills take
_SENT = {"Idempotency-Key": "{{$guid}}", "X-Tenant": "{{tenantId}}"}
_FIXED = {"environment": "test"}
_OTHER_NAMES = {"tenant": "tenantId"}  # variables of parameters
# Parameters without which a request is refused, by operation.
_ASKED = {
    "lookupParticipant": {"participantId": RECEIVER},
    "searchParticipants": {"name": "60 s"},
}
_VARIABLES = {"baseUrl": "http://127.0.0.1:8000", "apiKey": ""} | dict.fromkeys(
    [*_KEPT.values(), "billId", "reportId", "heldAddressId"], ""
)
_NAME = re.compile(r"\{([^}]+)\}")


def collection(document: Json, paths: Json, scheme: str = "apiKey") -> Json:
    """The requests of `paths` that a key of this scheme opens (`apiKey`, `platform`), with the
    examples of the whole document, in folders by tag. What the first opens is not in the second."""
    name = "einvoice" if scheme == "apiKey" else "einvoice, for platforms"
    folders: dict[str, list[Json]] = {name: [] for name in _tags(document)}
    for path, all_methods in document["paths"].items():
        for method in METHODS:
            if method in all_methods and method in paths.get(path, {}):
                operation = document["paths"][path][method]
                schemes = {each for way in operation["security"] for each in way}
                if ("apiKey" in schemes) != (scheme == "apiKey"):
                    continue
                shared = document["paths"][path].get("parameters", [])
                given = [_resolved(document, each) for each in (*shared, *operation["parameters"])]
                request = _item(path, method, operation, given)
                folders[operation["tags"][0]].append(request)
    return {
        "info": {"name": name, "schema": SCHEMA},
        "auth": {
            "type": "apikey",
            "apikey": [
                {"key": "key", "value": "x-api-key"},
                {"key": "value", "value": "{{apiKey}}"},
                {"key": "in", "value": "header"},
            ],
        },
        "variable": [{"key": name, "value": value} for name, value in _VARIABLES.items()],
        "item": [
            {"name": tag, "item": sorted(items, key=_ends_something)}
            for tag, items in folders.items()
            if items
        ],
    }


def _tags(document: Json) -> list[str]:
    """The folders; a bill arrives in the sandbox before those that work with one."""
    names = [tag["name"] for tag in document["tags"] if tag["name"] != "Sandbox"]
    at = names.index("Bills")
    return [*names[:at], "Sandbox", *names[at:]]


def _ends_something(item: Json) -> bool:
    request = item["request"]
    return request["method"] == "DELETE" or request["url"]["path"][-1] in ("close", "purge")


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
            "url": _url(path, operation, parameters),
        },
    }
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        text = _text(operation["operationId"], content["application/json"]["example"])
        options = {"raw": {"language": "json"}}
        made["request"]["body"] = {"mode": "raw", "raw": text, "options": options}
        made["request"]["header"].append({"key": "Content-Type", "value": "application/json"})
    script = _script(operation["operationId"])
    if script:
        run = {"type": "text/javascript", "exec": script}
        made["event"] = [{"listen": "test", "script": run}]
    return made


def _script(operation_id: str) -> list[str]:
    """The lines that keep what later requests take; none for most operations."""
    name = _KEPT.get(operation_id)
    variable = name
    if operation_id == _BILL[0]:
        _, name, variable = _BILL
    if name is None:
        return []
    found = "(answer.items || [])[0]" if name in _OF_LISTS else "answer"
    return [
        "const answer = pm.response.code < 300 ? pm.response.json() : {};",
        f"const found = {found};",
        f'if (found && found.{name}) pm.collectionVariables.set("{variable}", found.{name});',
    ]


def _headers(parameters: list[Json]) -> Iterator[Json]:
    """The headers of a request; others than those of _SENT are sent when a person ticks them."""
    for each in parameters:
        if each["in"] == "header":
            own = _SENT.get(each["name"])
            value = own or str(each.get("example", ""))
            yield {"key": each["name"], "value": value} | ({} if own else {"disabled": True})


def _url(path: str, operation: Json, parameters: list[Json]) -> Json:
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
    asked = _ASKED.get(operation["operationId"], {})
    query = [
        each | {"value": asked[each["key"]], "disabled": False} if each["key"] in asked else each
        for each in query
    ]
    names = [part[1:] for part in parts if part.startswith(":")]
    variables = [{"key": n, "value": _value(n, operation["tags"][0])} for n in names]
    shown = "&".join(f"{q['key']}={q['value']}" for q in query if not q["disabled"])
    raw = "{{baseUrl}}/" + "/".join(parts) + (f"?{shown}" if shown else "")
    made: Json = {"raw": raw, "host": ["{{baseUrl}}"], "path": parts}
    return made | ({"query": query} if query else {}) | ({"variable": variables} if names else {})


def _value(name: str, tag: str) -> str:
    """The value of a parameter of the path."""
    if tag == "Bills" and name == "invoiceId":
        return "{{billId}}"
    return _FIXED.get(name) or f"{{{{{_OTHER_NAMES.get(name, name)}}}}}"


def _example(parameter: Json) -> str:
    value = parameter.get("example", parameter.get("schema", {}).get("example", ""))
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _text(operation_id: str, example: Any) -> str:
    """The body as text; a send has the reference that was looked up, and a number of its own."""
    if operation_id == "sendInvoice":
        example["routing"]["accessPointRef"] = "{{accessPointRef}}"
        example["routing"]["receiverParticipantId"] = RECEIVER
        example["invoice"]["number"] = "2026-{{$timestamp}}"
    if operation_id == "addPayments":
        example["payments"][0]["invoiceId"] = "{{invoiceId}}"
    return json.dumps(example, indent=2, ensure_ascii=False)
