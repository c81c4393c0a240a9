"""The verifiers printed in docs/webhooks.md work: their code is run here."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from einvoice import clock
from einvoice.domain.events import EVENT_TYPES
from einvoice.webhooks import schedule, signing

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()
NEW, OLD = signing.new_signing_secret(), signing.new_signing_secret()
BODY = '{"eventType":"transaction.failed","reason":"Größe 🙂"}'.encode()

_NODE = """
import { readFileSync } from "node:fs";
for (const [headers, body, secret, key] of JSON.parse(readFileSync(0))) {
  try { console.log(verify(headers, Buffer.from(body, "base64"), secret, key).eventType); }
  catch (refusal) { console.log("refused " + refusal.message); }
}
"""


def code(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def with_python(headers, body, secret, key):
    page: dict[str, object] = {}
    exec(code("python"), page)
    try:
        return page["verify"](headers, body, secret, key)["eventType"]
    except page["NotAuthentic"] as refusal:
        return f"refused {refusal}"


def with_node(headers, body, secret, key, tmp_path):
    script = tmp_path / "verify.mjs"
    script.write_text(code("js") + _NODE)
    case = json.dumps([[headers, base64.b64encode(body).decode(), secret, key]])
    ran = subprocess.run(
        ["node", script], input=case, capture_output=True, text=True, check=True, timeout=120
    )
    return ran.stdout.strip()


def request(seconds=0):
    return signing.headers(
        BODY,
        event_id="evt_1",
        attempt=1,
        at=clock.now() - timedelta(seconds=seconds),
        secret="whk_1",
        signing_secrets=[NEW, OLD],
    )


# Requests are made when their test runs: those of a long run would be too old by then.
CASES = {
    "authentic": (request, BODY, "whk_1", NEW, "transaction.failed"),
    "during a rotation": (request, BODY, "whk_1", OLD, "transaction.failed"),
    "other secret": (request, BODY, "whk_2", NEW, "refused X-Webhook-Secret"),
    "other key": (
        request, BODY, "whk_1", signing.new_signing_secret(), "refused webhook-signature",
    ),
    "other body": (request, BODY + b" ", "whk_1", NEW, "refused webhook-signature"),
    "other event": (
        lambda: request() | {"webhook-id": "evt_2"},
        BODY, "whk_1", NEW, "refused webhook-signature",
    ),
    "too old": (lambda: request(seconds=310), BODY, "whk_1", NEW, "refused webhook-timestamp"),
    "no headers": (dict, BODY, "whk_1", NEW, "refused X-Webhook-Secret"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_python_verifier_of_the_page(case):
    """As printed."""
    sent, *given, answer = case

    assert with_python(sent(), *given) == answer


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_node_verifier_of_the_page(case, tmp_path):
    """As printed, with the same cases."""
    sent, *given, answer = case

    assert with_node(sent(), *given, tmp_path) == answer


def test_the_page_names_every_event_type():
    """And no other."""
    assert set(re.findall(r"^\| `([a-zA-Z]+\.[a-zA-Z]+)` \|", PAGE, re.MULTILINE)) == EVENT_TYPES


def test_the_page_lists_the_schedule():
    """In seconds, minutes and hours."""
    units = {"s": 1, "min": 60, "h": 3600}
    (printed,) = re.findall(r"at once, then (.*?) after the previous one", PAGE)
    delays = [int(n) * units[unit] for n, unit in re.findall(r"(\d+) (s|min|h)", printed)]

    assert (0, *delays) == schedule.DELAYS
