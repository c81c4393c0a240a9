"""The collections for Postman and Bruno have every request of a key, and they work one by one."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from einvoice.security.api_keys import SCOPES
from tests.web.caller import Caller

CLIENTS = Path(__file__).parents[3] / "clients"
COLLECTION, OF_PLATFORMS = (
    json.loads((CLIENTS / f"{name}.postman_collection.json").read_text())
    for name in ("einvoice", "einvoice-platforms")
)
STALE = "the contract has changed: run `make clients` and commit what it writes"
VARIABLE = re.compile(r"\{\{([^}]+)\}\}")

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


def items(*collections: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in collections or (COLLECTION,):
        for folder in one["item"]:
            yield from folder["item"]


def path_of(request: dict[str, Any]) -> str:
    return "/" + "/".join(re.sub(r"^:(.+)", r"{\1}", part) for part in request["url"]["path"])


class Runner:
    """Makes requests as Postman does: variables replaced, disabled parameters left out."""

    def __init__(self, origin: str, key: str) -> None:
        self.variables = {v["key"]: v["value"] for v in COLLECTION["variable"]}
        self.variables |= {"baseUrl": origin, "apiKey": key, "$timestamp": "1795147506"}

    def filled(self, text: str) -> str:
        own = self.variables | {"$guid": str(uuid.uuid4())}
        return VARIABLE.sub(lambda match: own[match[1]], text)

    def run(self, item: dict[str, Any]) -> requests.Response:
        request = item["request"]
        path = path_of(request)
        for each in request["url"].get("variable", ()):
            path = path.replace(f"{{{each['key']}}}", self.filled(each["value"]) or "none")
        enabled = [q for q in request["url"].get("query", ()) if not q["disabled"]]
        headers = {h["key"]: h["value"] for h in request["header"] if not h.get("disabled")}
        answer = requests.request(
            request["method"],
            self.variables["baseUrl"] + path,
            params={q["key"]: self.filled(q["value"]) for q in enabled},
            headers={k: self.filled(v) for k, v in headers.items()} | self._credential(),
            data=self.filled(request["body"]["raw"]).encode() if "body" in request else None,
            timeout=60,
        )
        for event in item.get("event", ()):
            script = " ".join(event["script"]["exec"])
            name, member = re.findall(r'set\("(\w+)", found\.(\w+)\)', script)[0]
            found = answer.json() if answer.ok else {}
            if "answer.items" in script:
                found = (found.get("items") or [{}])[0]
            self.variables[name] = found.get(member) or self.variables[name]
        return answer

    def _credential(self) -> dict[str, str]:
        settings = {each["key"]: each["value"] for each in COLLECTION["auth"]["apikey"]}
        return {settings["key"]: self.filled(settings["value"])}


def named(name: str) -> dict[str, Any]:
    return next(each for each in items() if each["name"].startswith(name))


def test_it_has_every_request_of_the_contract(build: Any) -> None:
    contract = json.loads((CLIENTS / "contract.json").read_text())["paths"]
    wanted = {(m.upper(), p) for p, item in contract.items() for m in item if m != "parameters"}
    requests_of_both = [each["request"] for each in items(COLLECTION, OF_PLATFORMS)]
    found = {(each["method"], path_of(each)) for each in requests_of_both}

    assert found == wanted, STALE
    assert len(requests_of_both) == len(found)


def test_it_looks_up_sends_and_follows(origin: str, caller: Any) -> None:
    """With no value to fill in but the address and the key."""
    runner = Runner(origin, caller.key)
    steps = ("Look up a Peppol participant", "Send an invoice over", "An invoice with its status")
    answers = [runner.run(named(step)) for step in steps]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[2].json()["number"] == "2026-1795147506"


def test_the_requests_of_an_account_run_from_top_to_bottom(origin: str, caller: Any) -> None:
    """Its key opens them all, and what some create the others find; what nothing here creates is a
    network that needs an account, a report, and what only a failure or a wait allows."""
    runner = Runner(origin, Caller(caller.app, tenant=caller.tenant, scopes=list(SCOPES)).key)
    caller.own()
    refused = {item["name"]: runner.run(item).status_code for item in items()}
    refused = {name: status for name, status in refused.items() if status >= 400}

    assert 401 not in refused.values()
    assert set(refused.values()) <= {400, 404, 409}
    assert len(refused) <= 12, refused


def test_each_request_is_understood(origin: str, caller: Any) -> None:
    """What a key may not do or what is not there is refused; no body, address or query is wrong."""
    runner = Runner(origin, caller.key)
    runner.run(named("Look up a Peppol participant"))
    wrong = []
    for item in items(COLLECTION, OF_PLATFORMS):
        answer = runner.run(item)
        members = answer.json() if "json" in answer.headers.get("Content-Type", "") else {}
        slug = members.get("type", "").rpartition("/")[2]
        codes = {each.get("code") for each in members.get("errors", ())}
        is_wrong = slug in ("invalid-body", "invalid-field") and codes != {"unknown-invoice"}
        if answer.status_code in (405, 406, 415, 500) or is_wrong:
            wrong.append((item["name"], answer.status_code, answer.text[:300]))

    assert wrong == []
