"""The toll authority as a process of its own, and the plugin for it.

    python -m tests.networks.toll.remote --port 9200 --latency 0.2

It keeps its own books: every token it has issued and every chain, to be compared after a run. As a
plugin, this module reads TOLL_AUTHORITY_URL; `announce` lets processes find it.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import urllib3

from einvoice.domain.profiles import Profile
from einvoice.network.connections import Connection, Renew
from einvoice.network.hookspec import hookimpl
from einvoice.rules import RuleSet
from tests.networks.toll import form
from tests.networks.toll.authority import Authority, Expired, Link, Refused, Throttled
from tests.networks.toll.chain import BoundChain, Chain

EINVOICE_INTERFACE = 1
CONCURRENCY = 50
_FAULTS = {"Expired": Expired, "Refused": Refused, "ValueError": ValueError}


class RemoteAuthority:
    """The calls of `Authority` over HTTP."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = urllib3.PoolManager(maxsize=CONCURRENCY, retries=False, timeout=10.0)

    def consent(self, account: str) -> str:
        return str(self._call("consent", account=account))

    def exchange(self, code: str) -> str:
        return str(self._call("exchange", code=code))

    def refresh(self, account: str, token: str) -> str:
        return str(self._call("refresh", account=account, token=token))

    def clear(self, account: str, token: str, message: str, link: Link | None = None) -> None:
        given = None if link is None else asdict(link)
        self._call("clear", account=account, token=token, message=message, link=given)

    def knows(self, message: str) -> bool:
        return bool(self._call("knows", message=message))

    def books(self) -> dict[str, Any]:
        """Tokens, chains with the times of their bills, faults."""
        found: dict[str, Any] = self._call("books")
        return found

    def _call(self, name: str, **given: object) -> Any:
        answer = self._http.request("POST", f"{self._url}/{name}", json=given)
        value = answer.json()
        if answer.status == 429:
            raise Throttled(value)
        if answer.status != 200:
            raise _FAULTS[value["fault"]](value["words"])
        return value


class _Books:
    """An authority with the time of each bill."""

    def __init__(self, authority: Authority, latency: float) -> None:
        self.authority, self._latency = authority, latency
        self.cleared_at: dict[str, float] = {}

    def clear(self, link: Mapping[str, Any] | None, **given: str) -> None:
        time.sleep(self._latency)
        self.authority.clear(**given, link=None if link is None else Link(**link))
        self.cleared_at[given["message"]] = time.monotonic()

    def books(self) -> dict[str, Any]:
        return {
            "issued": self.authority.issued,
            "refused": self.authority.refused,
            "cleared_at": self.cleared_at,
            "faults": [asdict(link) for link in self.authority.faults],
            "chains": {
                unit: [asdict(link) for link in chain]
                for (_, unit), chain in self.authority.chains.items()
            },
        }

    def call(self, name: str, given: dict[str, Any]) -> Any:
        own = getattr(self, name) if name in ("clear", "books") else None
        return (own or getattr(self.authority, name))(**given)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    books: _Books

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        try:
            self._answer(200, self.books.call(self.path.strip("/"), given))
        except Throttled as fault:
            self._answer(429, fault.seconds)
        except (Expired, Refused, ValueError) as fault:
            self._answer(400, {"fault": type(fault).__name__, "words": str(fault)})

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class RemoteChain(Chain):
    """The access point to the process; it submits to 50 units at once."""

    capabilities = replace(Chain.capabilities, concurrency=CONCURRENCY, timeout=5.0)

    def bound(self, connection: Connection, renew: Renew) -> BoundRemoteChain:
        return BoundRemoteChain(self, connection, renew)


class BoundRemoteChain(BoundChain):
    capabilities = RemoteChain.capabilities


@hookimpl
def einvoice_access_points(settings: Mapping[str, str]) -> Iterator[RemoteChain]:
    yield RemoteChain(RemoteAuthority(settings["TOLL_AUTHORITY_URL"]))


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    yield form.RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    yield form.PROFILE


def announce(directory: Path) -> None:
    """Make the plugin discoverable to processes that have `directory` on PYTHONPATH."""
    info = directory / "toll_authority-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toll-authority\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[einvoice]\ntoll = tests.networks.toll.remote\n")


def serving(port: int, latency: float = 0.0) -> ThreadingHTTPServer:
    """The server of a new authority, not started."""
    handler = type("Handler", (_Handler,), {"books": _Books(Authority(), latency)})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


def running(latency: float = 0.0) -> tuple[ThreadingHTTPServer, RemoteAuthority]:
    """An authority in a thread of this process, and the calls to it."""
    server = serving(0, latency)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server, RemoteAuthority(f"http://127.0.0.1:{server.server_port}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the toll authority until it is stopped.")
    parser.add_argument("--port", type=int, default=9200)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds for each bill")
    given = parser.parse_args()
    serving(given.port, given.latency).serve_forever()


if __name__ == "__main__":
    main()
