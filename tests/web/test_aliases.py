"""Every alias answers as its clean route does."""

from __future__ import annotations

import json
import re
import uuid

import pytest

from tests.web.caller import ASYNC, Caller

SEND, LOOKUP = "/api/invoices/send", "/api/participants/lookup"
LIST = "/api/invoices/{invoice}/artefacts"
DOWNLOAD = "/api/invoices/{invoice}/artefacts/{artefact}"
ALIASES = {
    SEND: ("/v2/invoices/send", "/api/v2/invoices/send"),
    LOOKUP: ("/v2/lookup", "/api/v2/lookup"),
    LIST: ("/v1/invoices/{invoice}/artefacts", "/api/v1/invoices/{invoice}/artefacts"),
    DOWNLOAD: (
        "/v1/invoices/{invoice}/artefacts/{artefact}",
        "/api/v1/invoices/{invoice}/artefacts/{artefact}",
    ),
}
UNKNOWN_IDS = {"invoice": str(uuid.UUID(int=1)), "artefact": str(uuid.UUID(int=2))}
# Method, clean route, query, headers, body: "good" is a valid send of the caller's.
REQUESTS = {
    "registered": ("GET", LOOKUP, "?participantId=0088:9520000000004", {}, None),
    "not registered": ("GET", LOOKUP, "?participantId=0088:9520000000080", {}, None),
    "no participant": ("GET", LOOKUP, "", {}, None),
    "malformed participant": ("GET", LOOKUP, "?participantId=88", {}, None),
    "lookup without key": ("GET", LOOKUP, "", {"x-api-key": ""}, None),
    "lookup with a wrong key": ("GET", LOOKUP, "", {"x-api-key": "sk_test_x"}, None),
    "HEAD of a lookup": ("HEAD", LOOKUP, "?participantId=0088:9520000000004", {}, None),
    "OPTIONS of a lookup": ("OPTIONS", LOOKUP, "", {}, None),
    "lookup by POST": ("POST", LOOKUP, "", {}, b""),
    "send": ("POST", SEND, "", {}, "good"),
    "send that waits": ("POST", SEND, "", {"Prefer": "wait=0"}, "good"),
    "first of a key": ("POST", SEND, "", {"Idempotency-Key": "first-{path}"}, "good"),
    "replay of a key": ("POST", SEND, "", {"Idempotency-Key": "replayed"}, "good"),
    "key too long": ("POST", SEND, "", {"Idempotency-Key": "k" * 129}, "good"),
    "send without body": ("POST", SEND, "", {"Idempotency-Key": "broken"}, b""),
    "send without routing": ("POST", SEND, "", {}, b"{}"),
    "send of XML": ("POST", SEND, "", {"Content-Type": "application/xml"}, b"<a/>"),
    "send without key": ("POST", SEND, "", {"x-api-key": "", "Idempotency-Key": "none"}, b""),
    "artefacts": ("GET", LIST, "", {}, None),
    "artefacts of a type": ("GET", LIST, "?type=UBL", {}, None),
    "an artefact": ("GET", DOWNLOAD, "", {}, None),
    "artefacts by DELETE": ("DELETE", LIST, "", {}, None),
    "artefacts of an unknown invoice": ("GET", LIST, "", {"ids": "unknown"}, None),
    "unknown artefact": ("GET", DOWNLOAD, "", {"ids": "unknown"}, None),
}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|txn_[A-Za-z0-9_-]+")


@pytest.fixture(scope="module")
def known(service):
    """One tenant with an invoice, an artefact of it, and a body to send again."""
    caller = Caller(service)
    body = json.dumps(caller.body()).encode()
    invoice = caller.sent()
    items = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    caller.send(body, Idempotency_Key="replayed")
    return caller, body, {"invoice": invoice, "artefact": items[0]["artefactId"]}


def answered(known, path, request):
    """The response of a path, without the values that differ each time."""
    caller, good, ids = known
    method, _, query, headers, body = request
    sent = {"x-api-key": caller.key, "Prefer": ASYNC, "Content-Type": "application/json"} | headers
    ids = UNKNOWN_IDS if sent.pop("ids", "") else ids
    sent["Idempotency-Key"] = sent.get("Idempotency-Key", "").format(path=path) or None
    answer = caller.app.test_client().open(
        path.format(**ids) + query,
        method=method,
        data=good if body == "good" else body,
        headers={name: value for name, value in sent.items() if value is not None},
    )
    text = answer.text.replace(path.format(**ids), "PATH").replace(path, "PATH")
    reported = {name: value.replace(path, "PATH") for name, value in answer.headers.items()}
    assert int(reported.pop("Content-Length")) == len(answer.data) or method == "HEAD"
    for name in ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
        reported.pop(name, None)
    return answer.status_code, _ID.sub("ID", text), reported


@pytest.mark.parametrize("name", REQUESTS)
def test_an_alias_answers_like_its_main_route(known, name):
    """Status, body and headers are the same; ids, and the path a problem names, are its own."""
    clean = REQUESTS[name][1]
    expected = answered(known, clean, REQUESTS[name])

    for alias in ALIASES[clean]:
        assert answered(known, alias, REQUESTS[name]) == expected


def test_all_send_routes_share_one_space_of_idempotency_keys(known):
    """Decisions 19.4: what one address accepted, the others replay."""
    caller, good, _ = known
    paths = (SEND, *ALIASES[SEND], SEND)
    answers = [caller.call("POST", path, good, Idempotency_Key="shared") for path in paths]

    assert len({answer.json["invoiceId"] for answer in answers}) == 1
    replays = [answer.headers["Idempotency-Replay"] for answer in answers]
    assert replays == ["false", "true", "true", "true"]


def test_aliases_are_documented_with_their_main_route(service):
    """With the same body and response; routes for people as well have more refusals."""
    paths = service.test_client().get("/openapi.json").json["paths"]

    for clean, aliases in ALIASES.items():
        for alias in aliases:
            for method, described in _operations(paths, alias).items():
                original = _operations(paths, clean)[method]
                assert described["x-alias-of"] == _in_document(clean)
                assert (
                    described["responses"]["200"]["content"]
                    == original["responses"]["200"]["content"]
                )
                assert described.get("requestBody") == original.get("requestBody")


def _operations(paths, path):
    found = paths[_in_document(path)]
    return {method: what for method, what in found.items() if method != "parameters"}


def _in_document(path):
    return path.replace("{invoice}", "{invoiceId}").replace("{artefact}", "{artefactId}")
