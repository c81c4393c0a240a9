"""A well-behaved tenant beside silent, slow and greedy clients: what it notices of them.

`python -m bench.siege` attacks a service of its own on loopback with 1,500 silent connections, with
300 that send heads and bodies byte by byte on every route (keys of 20 tenants and none, from
five addresses), one tenant's floods of PDFs, batches, imports and lookups, and sends of 5,000 lines
by each of the 20. A tenant sends 20 a second all the while, and /healthz is asked five times a
second. Exit status 1 if a promise of `promises` is broken. `--silent`, `--slow`, `--greedy` and
`--long` are connections of each kind; 0 leaves an attack out. `--behind caddy|nginx|haproxy` puts a
proxy of deploy/ in front, `--mode production` runs one process; `--seconds` is the length of the
attack.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import json
import os
import re
import resource
import ssl
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests

from bench import batch
from bench.service import ROOT, RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import credentials, tenants
from einvoice.store.core import db
from tests.processes import descendants
from tests.proxies import PROXIES, proxy

RATE, HEALTH_RATE = 20.0, 5.0
TENANTS = 20
RECOVERY_SECONDS = 10.0
MAX_MIB = 600  # of each process; a web process at rest has 120
LONG_LINES = 5000
RECEIVER = "0088:9520000000004"


@dataclass
class Watch:
    """The answers to one kind of request: statuses, and (time, latency) in seconds."""

    statuses: Counter[int | str] = field(default_factory=Counter)
    latencies: list[tuple[float, float]] = field(default_factory=list)

    def between(self, begin: float, end: float) -> list[float]:
        return sorted(took for at, took in self.latencies if begin <= at < end)

    @property
    def failed(self) -> int:
        return sum(count for status, count in self.statuses.items() if status != 200)


@dataclass
class Siege:
    """The result. `peak` is the resident memory of the largest process, in MiB."""

    sends: Watch
    health: Watch
    began: float = 0.0
    ended: float = 0.0
    peak: float = 0.0
    peak_after: float = 0.0
    attacked: dict[str, int] = field(default_factory=dict)

    def milliseconds(self, watch: Watch, share: float, *, after: bool = False) -> float:
        """The latency that `share` of the requests did not exceed, during the attack or after."""
        begin = self.ended + RECOVERY_SECONDS if after else self.began
        found = watch.between(begin, time.monotonic() if after else self.ended)
        return 1000 * found[min(len(found) - 1, int(share * len(found)))] if found else 0.0

    def promises(self) -> dict[str, bool]:
        """Each promise, and whether it was kept."""
        return {
            "no send of the tenant failed": not self.sends.failed and bool(self.sends.statuses),
            "p99 of its sends below 500 ms": self.milliseconds(self.sends, 0.99) < 500,
            "/healthz below 200 ms": self.milliseconds(self.health, 0.99) < 200,
            "/healthz always answered": not self.health.failed and bool(self.health.statuses),
            f"memory of every process below {MAX_MIB} MiB": self.peak < MAX_MIB,
            "normal within 10 s": self.milliseconds(self.sends, 0.99, after=True) < 500,
        }


# -- the requests of the tenant --------------------------------------------------------------------


class Client:
    """Keep-alive connections; each request takes a free one, or opens one."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None) -> None:
        self._host, self._port, self._context = host, port, context
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def status(self, raw: bytes) -> int:
        reader, writer = self._free.pop() if self._free else await self._connection()
        writer.write(raw)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.index(b"content-length:") + 15
        await reader.readexactly(int(head[at:].split(b"\r\n", 1)[0]))
        self._free.append((reader, writer))
        return int(head[9:12])

    async def close(self) -> None:
        for _, writer in self._free:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._host, self._port, ssl=self._context)


async def _ask(client: Client, raw: bytes, planned: float, watch: Watch) -> None:
    try:
        status: int | str = await asyncio.wait_for(client.status(raw), 30)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as fault:
        status = type(fault).__name__
    watch.statuses[status] += 1
    watch.latencies.append((planned, time.monotonic() - planned))


async def _regularly(
    client: Client, make: Callable[[int], bytes], rate: float, watch: Watch, ended: asyncio.Event
) -> None:
    """Open loop: requests begin at their times, however long earlier ones take."""
    began, running = time.monotonic(), set()
    number = 0
    while not ended.is_set():
        planned = began + number / rate
        await asyncio.sleep(max(0.0, planned - time.monotonic()))
        running.add(asyncio.create_task(_ask(client, make(number), planned, watch)))
        number += 1
    await asyncio.gather(*running)


async def _observed(target: Target, siege: Siege, attack: Callable[[], None]) -> None:
    """Send and ask during the attack and the time to recover."""
    client = Client(target.host, target.port, target.context)
    other = Client(target.host, target.port, target.context)
    ended = asyncio.Event()
    health = target.request("GET", "/healthz")
    watches = asyncio.gather(
        _regularly(client, target.send, RATE, siege.sends, ended),
        _regularly(other, lambda _: health, HEALTH_RATE, siege.health, ended),
    )
    await asyncio.to_thread(attack)
    ended.set()
    await watches
    await client.close()
    await other.close()


# -- the target ------------------------------------------------------------------------------------


@dataclass
class Target:
    """The service under attack: its address, and the credentials of its tenants."""

    service: RunningService
    host: str
    port: int
    context: ssl.SSLContext | None
    keys: list[str]
    session: str | None
    routes: list[tuple[str, str]]
    invoice: str = ""

    def request(self, method: str, path: str, body: bytes = b"", *lines: str) -> bytes:
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", *lines]
        if body:
            head.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*head, "", ""]).encode() + body

    def send(self, number: int) -> bytes:
        body = self.service.body(f"S-{number}-{uuid.uuid4().hex[:8]}", RECEIVER)
        return self.request(
            "POST", "/api/invoices/send", json.dumps(body).encode(),
            f"x-api-key: {self.service.key}", "Content-Type: application/json",
            "Prefer: respond-async",
        )  # fmt: skip

    def floods(self) -> dict[str, list[str]]:
        """One tenant's expensive requests."""
        key = f"Authorization: Bearer {self.keys[0]}"
        close, as_json = "Connection: close", "Content-Type: application/json"
        numbers = itertools.count(1)
        batches = [batch.body(self.service, numbers, 100, RECEIVER) for _ in range(10)]
        made = {
            "lookups": [
                self.request("GET", f"/api/participants/lookup?participantId=0088:95{n:011d}",
                             b"", f"x-api-key: {self.keys[0]}", close)
                for n in range(200)
            ],
            "pdfs": [self.request("GET", f"/v1/invoices/{self.invoice}/pdf", b"", key, close)],
            "batches": [
                self.request("POST", "/v1/invoices/batch", raw, key, as_json, close)
                for raw in batches
            ],
            "validations": [
                self.request("POST", "/v1/invoices/validate", _large_invoice(), key,
                             "Content-Type: application/xml", close)
            ],
        }  # fmt: skip
        if self.session:
            made["imports"] = [self.request(
                "POST", "/api/customers/import", _csv(), f"Authorization: Bearer {self.session}",
                "Content-Type: multipart/form-data; boundary=b", close,
            )]  # fmt: skip
        return {name: [raw.decode("latin-1") for raw in raws] for name, raws in made.items()}

    def long_sends(self) -> list[str]:
        """A send of LONG_LINES lines by each tenant."""
        made = []
        for key in self.keys:
            body = _body_of_lines(self, key, LONG_LINES)
            raw = self.request(
                "POST", "/api/invoices/send", json.dumps(body).encode(), f"x-api-key: {key}",
                "Content-Type: application/json", "Prefer: respond-async", "Connection: close",
            )  # fmt: skip
            made.append(raw.decode("latin-1"))
        return made


def _body_of_lines(target: Target, key: str, lines: int) -> dict[str, object]:
    """A send of a tenant whose lines are all the same."""
    body = target.service.body("LONG-1", RECEIVER)
    invoice, routing = body["invoice"], body["routing"]
    assert isinstance(invoice, dict)
    assert isinstance(routing, dict)
    found = requests.get(
        f"{target.service.stack.url}/api/participants/lookup",
        params={"participantId": RECEIVER}, headers={"x-api-key": key}, timeout=60,
    )  # fmt: skip
    routing["accessPointRef"] = found.json()["accessPointRef"]
    line = {"description": "A thing", "quantity": 1, "unitPrice": 1, "taxRate": 0}
    invoice["lineItems"] = [{**line, "taxRate": 21}] * lines
    tax = round(0.21 * lines, 2)
    invoice["totals"] = {"subtotal": lines, "taxAmount": tax, "grandTotal": round(lines + tax, 2)}
    return body


def _csv() -> bytes:
    rows = "".join(f"Customer {number},C{number}\n" for number in range(5000))
    return (
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\nname,externalId\n{rows}\r\n--b--\r\n"
    ).encode()


def _large_invoice() -> bytes:
    """The good sample with its line repeated: a document of 500 lines."""
    text = (ROOT / "tests" / "samples" / "good_ubl.xml").read_text()
    begin = text.index("<cac:InvoiceLine>")
    end = text.index("</cac:InvoiceLine>") + len("</cac:InvoiceLine>")
    return (text[:begin] + text[begin:end] * 500 + text[end:]).encode()


def _prepared(service: RunningService, host: str, port: int, context: object) -> Target:
    """Keys of the attacking tenants, a session of the greedy one, and the routes with bodies."""
    environ = service.stack.environ
    app = create_app(Settings.from_env(environ), plugins=[])
    with app.app_context():
        ids = [tenants.create(f"Attacker {number}") for number in range(TENANTS)]
        keys = [credentials.create(API_KEY, one, "siege", Environment.TEST).secret for one in ids]
        session = None
        if environ.get("EINVOICE_MODE") != "production":
            settings = Settings.from_env(environ)
            session = dev_issuer.mint(
                settings, tenant_id=ids[0], role=Role.OWNER, subject="greedy", email=None
            )
        db.db.engine.dispose()
    routes = [
        (method, re.sub(r"<[^>]*>", str(uuid.uuid4()), rule.rule))
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) & {"POST", "PUT", "PATCH"})
    ]
    assert context is None or isinstance(context, ssl.SSLContext)
    return Target(service, host, port, context, keys, session, routes)


def _send_long_invoice(target: Target) -> None:
    """An invoice of 100 lines of the greedy tenant, for the flood of PDFs."""
    url = f"{target.service.stack.url}/api/invoices/send"
    headers = {"x-api-key": target.keys[0], "Prefer": "respond-async"}
    body = _body_of_lines(target, target.keys[0], 100)
    answer = requests.post(url, json=body, headers=headers, timeout=60)
    target.invoice = answer.json()["invoiceId"]


# -- the attack ------------------------------------------------------------------------------------


@contextmanager
def attacking(plan: dict[str, object], siege: Siege) -> Iterator[int]:
    """The attacks in a process of their own; yields its id."""
    command = [sys.executable, "-m", "bench.siege_attacks"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(plan) + "\n")
        process.stdin.flush()
        yield process.pid
        out, _ = process.communicate(timeout=60)
        siege.attacked = json.loads(out or "{}")


def largest(besides: int = 0) -> float:
    """Resident MiB of the largest process that this one has started."""
    sizes = [0.0]
    for pid in descendants(os.getpid()) - {besides}:
        with suppress(OSError, IndexError):
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            sizes.append(pages * resource.getpagesize() / 1024**2)
    return max(sizes)


def _attack(target: Target, siege: Siege, options: argparse.Namespace) -> None:
    """Attack for `seconds`, then wait until all should be normal, and five seconds more."""
    plan = {
        "host": target.host, "port": target.port, "tls": target.context is not None,
        "routes": target.routes, "keys": target.keys, "floods": target.floods(),
        "long_sends": target.long_sends(), "silent": options.silent, "slow": options.slow,
        "greedy": options.greedy, "long": options.long,
    }  # fmt: skip
    time.sleep(2.0)  # the tenant has sent before
    siege.began = time.monotonic()
    with attacking(plan, siege) as attacker:
        while time.monotonic() < siege.began + options.seconds:
            time.sleep(0.5)
            siege.peak = max(siege.peak, largest(attacker))
        siege.ended = time.monotonic()
    time.sleep(RECOVERY_SECONDS + 5.0)
    siege.peak_after = largest()


def besiege(options: argparse.Namespace) -> Siege:
    """Run the service, attack it, and return what the tenant experienced."""
    environ = {"EINVOICE_WEB_WORKERS": "2"}
    if options.mode == "production":
        environ = {
            "EINVOICE_MODE": "production",
            "EINVOICE_WEB_WORKERS": "1",
            "EINVOICE_BASE_URL": "https://127.0.0.1",
            "EINVOICE_SECRET_KEY": base64.b64encode(bytes(range(32))).decode(),
        }
    if options.behind:
        environ["EINVOICE_TRUSTED_PROXIES"] = "1"
    siege = Siege(Watch(), Watch())
    with ExitStack() as stack:
        service = stack.enter_context(running_service(environ=environ))
        host, port = service.stack.listen.rsplit(":", 1)
        context = None
        if options.behind:
            front = stack.enter_context(proxy(options.behind, int(port)))
            port, context = str(front.port), front.context
        target = _prepared(service, host, int(port), context)
        _send_long_invoice(target)
        service.reference(RECEIVER)
        asyncio.run(_observed(target, siege, lambda: _attack(target, siege, options)))
    return siege


def report(siege: Siege) -> None:
    for name, watch in (("sends", siege.sends), ("/healthz", siege.health)):
        during = [siege.milliseconds(watch, share) for share in (0.5, 0.99, 1.0)]
        after = siege.milliseconds(watch, 0.99, after=True)
        print(
            f"{name}: {dict(watch.statuses)}; p50 / p99 / longest "
            + " / ".join(f"{value:.0f}" for value in during)
            + f" ms, p99 after the attack {after:.0f} ms"
        )
    print(f"largest process {siege.peak:.0f} MiB, {siege.peak_after:.0f} MiB afterwards")
    print(f"attacked with {siege.attacked}")
    for promise, kept in siege.promises().items():
        print(f"{'kept' if kept else 'BROKEN'}: {promise}")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A tenant beside silent, slow and greedy clients.")
    parser.add_argument("--mode", choices=["development", "production"], default="development")
    parser.add_argument("--behind", choices=PROXIES)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--silent", type=int, default=1500)
    parser.add_argument("--slow", type=int, default=300)
    parser.add_argument("--greedy", type=int, default=4, help="connections of each flood")
    parser.add_argument(
        "--long", type=int, default=1, help="connections of each tenant that sends 5,000 lines"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    found = besiege(parse())
    report(found)
    sys.exit(not all(found.promises().values()))
