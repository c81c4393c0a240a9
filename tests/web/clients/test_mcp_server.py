"""The MCP server over stdio, used with the client of the official SDK at a running service."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from einvoice_client.mcp_server.confirmation import MAX_OPEN, Confirmations, question

from einvoice.security.api_keys import DEFAULT_SCOPES
from tests.builders import RECEIVER, send_body
from tests.web.caller import Caller

mcp = pytest.importorskip("mcp", reason="einvoice-client[mcp] is not installed")
types = pytest.importorskip("mcp_types")

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

CLIENT = Path(__file__).parents[3] / "clients" / "python"
# The protocol by which a server asks in the middle of a call, and the one of today.
MODES = ("legacy", "auto")
Use = Callable[[Any], Awaitable[Any]]


def variables(origin: str, key: str) -> dict[str, str]:
    return {"EINVOICE": origin, "KEY": key, "PYTHONPATH": str(CLIENT), "PATH": os.environ["PATH"]}


def used(origin: str, key: str, use: Use, *, answer: Any = None, mode: str = "auto") -> Any:
    """What `use` returns, and what a person was asked; without `answer` the client cannot ask."""
    asked: list[str] = []

    async def person(_: Any, params: Any) -> Any:
        asked.append(params.message)
        return answer

    async def work() -> Any:
        server = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "einvoice_client.mcp_server"],
            env=variables(origin, key),
        )  # fmt: skip
        callback = None if answer is None else person
        async with mcp.Client(server, elicitation_callback=callback, mode=mode) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(work(), 120)), asked


def agreed(send: bool) -> Any:
    return types.ElicitResult(action="accept", content={"send": send})


def read(result: Any) -> Any:
    """The JSON of a result; a refused call is its text."""
    return result.content[0].text if result.is_error else json.loads(result.content[0].text)


def invoice(number: str, **changes: Any) -> dict[str, Any]:
    body = send_body("", number=number, **changes)
    routing = body["routing"] | {"receiverParticipantId": RECEIVER}
    del routing["accessPointRef"]
    return {"invoice": body["invoice"], "routing": routing}


def sending(number: str) -> Callable[[Any], Coroutine[Any, Any, Any]]:
    async def use(client: Any) -> Any:
        return read(await client.call_tool("send_invoice", invoice(number)))

    return use


def test_the_scopes_of_the_key_decide_which_tools_there_are(origin: str, service: Any) -> None:
    async def names(client: Any) -> list[str]:
        return sorted(tool.name for tool in (await client.list_tools()).tools)

    reading, writing = ["invoice_status", "list_bills"], ["check_invoice", "draft_invoice"]
    writing.append("send_invoice")
    scopes = {
        "invoices:read": reading, "invoices:send": writing, "artefacts:read": ["read_bill"],
    }  # fmt: skip
    for scope, tools in scopes.items():
        assert used(origin, Caller(service, scopes=[scope]).key, names)[0] == tools
    everything = Caller(service, scopes=list(DEFAULT_SCOPES)).key

    assert used(origin, everything, names)[0] == sorted(
        [*reading, *writing, "look_up_participant", "read_bill"]
    )


@pytest.mark.parametrize("mode", MODES)
def test_an_invoice_is_sent_when_its_person_agrees(
    origin: str, caller: Caller, mode: str, build: Any
) -> None:
    sent, asked = used(origin, caller.key, sending(f"A-{mode}"), answer=agreed(True), mode=mode)
    again, _ = used(origin, caller.key, sending(f"A-{mode}"), answer=agreed(True), mode=mode)

    assert sent["invoiceId"] == again["invoiceId"]
    (words,) = asked
    assert words.splitlines() == [
        f"Send invoice A-{mode} in the sandbox?",
        "Buyer: Buyer BV",
        f"Receiver: {RECEIVER}",
        "Total: 121.0 EUR",
    ]
    assert numbers(caller) == [f"A-{mode}"]


def test_nothing_is_sent_without_agreement(origin: str, caller: Caller) -> None:
    refusals = [types.ElicitResult(action=action) for action in ("decline", "cancel")]
    answers = [agreed(False), *refusals]
    for mode in MODES:
        for answer in answers:
            result, asked = used(origin, caller.key, sending("N-1"), answer=answer, mode=mode)

            assert (result["sent"], len(asked)) == (False, 1)
    assert numbers(caller) == []


def test_a_client_that_cannot_ask_confirms_what_it_was_shown_and_nothing_else(
    origin: str, caller: Caller
) -> None:
    async def use(client: Any) -> list[Any]:
        first = read(await client.call_tool("send_invoice", invoice("T-1")))
        code = {"confirmation": first["confirmation"]}
        tries = [
            invoice("T-1") | {"confirmation": "guessed"},
            invoice("T-2") | code,
            invoice("T-1") | code,
            invoice("T-1") | code,
        ]
        return [read(await client.call_tool("send_invoice", each)) for each in tries]

    (guessed, other, sent, again), _ = used(origin, caller.key, use)

    assert [each.get("sent") for each in (guessed, other, again)] == [False] * 3
    assert sent["networkStatus"] == "Processing"
    assert numbers(caller) == ["T-1"]


def test_a_key_without_the_scope_sends_nothing_whatever_is_called(
    origin: str, service: Any
) -> None:
    reader = Caller(service, scopes=["invoices:read"])

    assert "nknown tool" in used(origin, reader.key, sending("R-1"), answer=agreed(True))[0]
    assert numbers(reader) == []


def test_the_tools_read_check_and_draft(origin: str, caller: Caller) -> None:
    async def use(client: Any) -> dict[str, Any]:
        calls = {
            "look_up_participant": {"participant_id": RECEIVER},
            "check_invoice": invoice("C-1"),
            "draft_invoice": {"invoice": {"number": "D-1"}},
            "list_bills": {"include_processed": True},
            "invoice_status": {"invoice_id": "0f0c"},
            "read_bill": {"invoice_id": "../keys"},
        }
        return {name: read(await client.call_tool(name, given)) for name, given in calls.items()}

    found, _ = used(origin, caller.key, use)

    assert found["look_up_participant"]["isRegistered"] is True
    assert found["check_invoice"]["dryRun"] is True
    assert found["draft_invoice"]["number"] == "D-1"
    assert found["list_bills"] == {"bills": []}
    assert '"problem": "not-found"' in found["invoice_status"]
    assert '"problem": "not-found"' in found["read_bill"]
    assert numbers(caller) == []


def test_a_refused_invoice_is_not_asked_about_and_says_what_to_correct(
    origin: str, caller: Caller
) -> None:
    async def use(client: Any) -> Any:
        return read(await client.call_tool("send_invoice", invoice("W-1", currency="eur")))

    refused, asked = used(origin, caller.key, use, answer=agreed(True))

    assert '"fields": ["/invoice/currency"]' in refused
    assert asked == []


def test_it_does_not_start_without_a_key_that_works(origin: str, build: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "einvoice_client.mcp_server"], input="", timeout=60, check=False,
        env=variables(origin, "sk_test_unknown"), capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (4, "")
    assert "invalid-api-key" in done.stderr


def test_a_question_is_four_lines_whatever_the_invoice_says(build: Any) -> None:
    hostile = "Buyer\nTotal: 1 EUR\x1b[2J" + "x" * 100_000
    asked = question({"buyer": {"name": hostile}, "totals": 7}, {}, "live")

    assert len(asked.splitlines()) == 4
    assert "\x1b" not in asked
    assert len(asked) < 400
    assert "for good" in asked


def test_a_code_ends_and_the_open_ones_are_bounded(build: Any) -> None:
    now = [0.0]
    codes = Confirmations(lambda: now[0])
    old = codes.new("a")
    now[0] = 600.1
    assert not codes.use(old, "a")
    first, *_ = [codes.new("a") for _ in range(MAX_OPEN + 1)]

    assert not codes.use(first, "a")
    assert len(codes._open) == MAX_OPEN


def numbers(caller: Caller) -> list[str]:
    return [each["number"] for each in caller.get("/api/invoices").json["items"]]
