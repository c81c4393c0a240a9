"""The attacks of bench.siege, in a process of their own: silent, slow and greedy clients.

Run by bench.siege with a plan as JSON on stdin; ends when stdin is closed. Loopback only. It has a
lower priority than the service, for attackers have machines of their own.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import ssl
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

ADDRESSES = [f"127.0.0.{number}" for number in range(2, 7)]
PAUSE_SECONDS = 1.0
_FAULTS = (OSError, asyncio.IncompleteReadError, ValueError, IndexError)


@dataclass
class Plan:
    """Whom to attack, with what, as bench.siege has prepared it."""

    host: str
    port: int
    tls: bool
    routes: list[tuple[str, str]]  # method and path of everything that takes a body
    keys: list[str]
    floods: dict[str, list[str]]  # name → requests as text, sent at full speed by the first key
    long_sends: list[str]  # a large send of each key
    silent: int
    slow: int
    greedy: int
    long: int
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if self.tls else None
        if self.context is not None:
            self.context.check_hostname = False
            self.context.verify_mode = ssl.CERT_NONE


async def attack(plan: Plan) -> None:
    """All attacks at once, until cancelled."""
    slow = itertools.islice(itertools.cycle(_slow_requests(plan)), plan.slow)
    attacks = [
        *(_silent(plan, number) for number in range(plan.silent)),
        *(_slow(plan, number, raw) for number, raw in enumerate(slow)),
        *(_greedy(plan, name, requests) for name, requests in plan.floods.items()
          for _ in range(plan.greedy)),
        *(_greedy(plan, "long sends", [raw]) for raw in plan.long_sends for _ in range(plan.long)),
    ]  # fmt: skip
    await asyncio.gather(*attacks)


async def _silent(plan: Plan, number: int) -> None:
    """A connection that says nothing, and another when it is closed."""
    await asyncio.sleep(number / 500)
    while True:
        with suppress(*_FAULTS):
            reader, writer = await asyncio.open_connection(
                plan.host, plan.port, local_addr=(ADDRESSES[number % 5], 0)
            )
            plan.counts["silent opened"] += 1
            await reader.read(1)
            writer.close()
        await asyncio.sleep(3 * PAUSE_SECONDS)


def _slow_requests(plan: Plan) -> list[tuple[bytes, bool]]:
    """Heads of requests, and whether the head itself is slow: every route, with and without key."""
    made = []
    for number, (method, path) in enumerate(plan.routes):
        for key in ("", plan.keys[number % len(plan.keys)]):
            length = "Content-Length: 5000" if number % 2 else "Transfer-Encoding: chunked"
            kind = "multipart/form-data; boundary=b" if "import" in path else "application/json"
            lines = [f"{method} {path} HTTP/1.1", f"Host: {plan.host}:{plan.port}", length,
                     f"Content-Type: {kind}"]  # fmt: skip
            if key:
                lines += [f"x-api-key: {key}", f"Authorization: Bearer {key}"]
            head = ("\r\n".join(lines) + "\r\n\r\n").encode()
            made += [(head, False), (head, number % 4 == 0)]
    random.Random(7).shuffle(made)
    return made


async def _slow(plan: Plan, number: int, raw: tuple[bytes, bool]) -> None:
    """A request byte by byte, and another when it is answered or its connection is closed."""
    head, is_head_slow = raw
    await asyncio.sleep(number / 100)
    while True:
        with suppress(*_FAULTS):
            reader, writer = await asyncio.open_connection(
                plan.host, plan.port, ssl=plan.context, local_addr=(ADDRESSES[number % 5], 0)
            )
            plan.counts["slow opened"] += 1
            drip = asyncio.create_task(_drip(writer, head, is_head_slow))
            try:
                answer = await reader.read(12)
                plan.counts[f"slow {answer[9:12].decode() or 'closed'}"] += 1
            finally:
                drip.cancel()
                writer.close()
        await asyncio.sleep(PAUSE_SECONDS)


async def _drip(writer: asyncio.StreamWriter, head: bytes, is_head_slow: bool) -> None:
    with suppress(*_FAULTS):
        if is_head_slow:
            for at in range(len(head)):
                writer.write(head[at : at + 1])
                await asyncio.sleep(PAUSE_SECONDS)
        else:
            writer.write(head)
        part = b"1\r\n \r\n" if b"chunked" in head else b" "
        while True:
            writer.write(part)
            await asyncio.sleep(PAUSE_SECONDS)


async def _greedy(plan: Plan, name: str, requests: list[str]) -> None:
    """One tenant's expensive requests, the next as soon as the last is answered."""
    for raw in itertools.cycle(requests):
        with suppress(*_FAULTS):
            reader, writer = await asyncio.open_connection(
                plan.host, plan.port, ssl=plan.context, local_addr=(ADDRESSES[0], 0)
            )
            writer.write(raw.encode("latin-1"))
            head = await reader.readuntil(b"\r\n\r\n")
            plan.counts[f"{name} {head[9:12].decode()}"] += 1
            await reader.read()
            writer.close()
        await asyncio.sleep(0.01)


async def _until_closed(plan: Plan) -> None:
    loop = asyncio.get_running_loop()
    attacks = asyncio.create_task(attack(plan))
    await loop.run_in_executor(None, sys.stdin.read)
    attacks.cancel()
    with suppress(asyncio.CancelledError):
        await attacks
    print(json.dumps(plan.counts))


if __name__ == "__main__":
    os.nice(10)
    asyncio.run(_until_closed(Plan(**json.loads(sys.stdin.readline()))))
