"""A network behind HTTP, for tests and measurements: it takes documents and can misbehave.

Every document it takes is a line in the ledger, an append-only file, before it responds:
the ledger has what was delivered, and how often, whatever the responses were.

    POST /messages/<message id>     take the document; 200 receipt, 202 later, 400 no, 503 busy
    GET  /messages/<message id>     200 receipt, 202 later, 404 never seen
    GET  /messages                  the ids of all that were taken (one a line)
    GET  /participants/<id>         200 document types (one a line), 404 not registered
    GET  /ledger                    {"taken": ..., "messages": ..., "twice": [...]}
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE

MAX_HEAD, MAX_BODY = 16 * 1024, 20 * 1024 * 1024
IDLE = 60.0
REFUSED_RECEIVER = "0088:9520000000059"
STRANGER = "0088:9520000000080"


@dataclass(frozen=True)
class Behaviour:
    """How the network behaves; shares are between 0 and 1, times in seconds.

    latency     before each response to a submit
    silent      share of documents that are taken, without a response
    lost        share of documents that are not taken, without a response
    busy        share of submits answered 503, nothing taken
    later       share answered 202 and delivered `takes` seconds afterwards
    duplicates  share whose receipt is sent a second time
    hang        how long a silent connection is held before it is closed
    idempotent  a message id that was taken before is recognised and not taken again
    """

    latency: float = 0.0
    silent: float = 0.0
    lost: float = 0.0
    busy: float = 0.0
    later: float = 0.0
    takes: float = 1.0
    duplicates: float = 0.0
    hang: float = 30.0
    idempotent: bool = False
    max_connections: int = 512
    seed: int | None = None


@dataclass
class Ledger:
    """A file with a line `<message id> <sha256>` for each document taken; survives the process."""

    path: Path
    taken: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.taken.update(deliveries(self.path))
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def take(self, message_id: str, document: bytes) -> None:
        digest = hashlib.sha256(document).hexdigest()
        os.write(self._file, f"{message_id} {digest}\n".encode())
        self.taken[message_id] += 1

    def close(self) -> None:
        os.close(self._file)


def deliveries(path: Path) -> Counter[str]:
    """How often each message was taken; a line cut off by a crash does not count."""
    text = path.read_text() if path.exists() else ""
    return Counter(line.split(" ")[0] for line in text.splitlines(keepends=True) if "\n" in line)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


SILENCE = None  # no response


class Network:
    """What the network answers, without sockets."""

    def __init__(self, behaviour: Behaviour, ledger: Ledger) -> None:
        self._behaviour = behaviour
        self._ledger = ledger
        self._dice = random.Random(behaviour.seed)
        self._ready_at: dict[str, float] = {}

    async def answer(self, request: Request) -> Response | None:
        kind, _, name = request.path.strip("/").partition("/")
        if (request.method, kind) == ("POST", "messages"):
            return await self._submitted(unquote(name), request)
        if (request.method, kind, name) == ("GET", "messages", ""):
            return Response(200, "\n".join(self._ledger.taken).encode())
        if (request.method, kind) == ("GET", "messages"):
            return self._status(unquote(name))
        if (request.method, kind) == ("GET", "participants"):
            return _registration(unquote(name))
        if (request.method, kind) == ("GET", "ledger"):
            return self._summary()
        return Response(404)

    async def _submitted(self, message_id: str, request: Request) -> Response | None:
        if request.headers.get("x-receiver") == REFUSED_RECEIVER:
            return Response(400, b'{"code": "H-400", "reason": "the document is refused"}')
        if self._happens(self._behaviour.busy):
            return Response(503, headers=(("Retry-After", "1"),))
        if self._happens(self._behaviour.lost):
            return SILENCE
        self._take(message_id, request.body)
        if self._behaviour.latency:
            await asyncio.sleep(self._behaviour.latency)
        return SILENCE if self._happens(self._behaviour.silent) else self._status(message_id)

    def _take(self, message_id: str, document: bytes) -> None:
        if self._behaviour.idempotent and message_id in self._ledger.taken:
            return
        self._ledger.take(message_id, document)
        if self._happens(self._behaviour.later):
            self._ready_at[message_id] = _now() + self._behaviour.takes

    def _status(self, message_id: str) -> Response:
        if message_id not in self._ledger.taken:
            return Response(404)
        remaining = self._ready_at.get(message_id, 0.0) - _now()
        if remaining > 0:
            return Response(202, headers=(("Retry-After", f"{remaining:.3f}"),))
        twice = str(int(self._happens(self._behaviour.duplicates)))
        return Response(200, _receipt(message_id), (("X-Receipt-Follows", twice),))

    def _summary(self) -> Response:
        taken = self._ledger.taken
        summary = {
            "taken": taken.total(),
            "messages": len(taken),
            "twice": [message_id for message_id, times in taken.items() if times > 1],
        }
        return Response(200, json.dumps(summary).encode())

    def _happens(self, share: float) -> bool:
        return share > 0 and self._dice.random() < share


def _now() -> float:
    return asyncio.get_running_loop().time()


def _receipt(message_id: str) -> bytes:
    return f"<Receipt><MessageId>{message_id}</MessageId></Receipt>".encode()


def _registration(participant: str) -> Response:
    if participant == STRANGER:
        return Response(404)
    return Response(200, f"{BIS_INVOICE}\n{BIS_CREDIT_NOTE}\n".encode())


# -- HTTP/1.1, as much as a client needs ---------------------------------------------------------


class Server:
    """Connections, head, body and idle time have limits."""

    def __init__(self, network: Network, behaviour: Behaviour) -> None:
        self._network = network
        self._behaviour = behaviour
        self._open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= self._behaviour.max_connections:
            writer.close()
            return
        self._open += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # the client is gone, too slow or too loud
        except asyncio.CancelledError:
            pass
        finally:
            self._open -= 1
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await asyncio.wait_for(_read(reader), IDLE)
        if request is None:
            return False
        answer = await self._network.answer(request)
        if answer is None:
            await asyncio.sleep(self._behaviour.hang)
            return False
        writer.write(_written(answer))
        await writer.drain()
        return True


async def _read(reader: asyncio.StreamReader) -> Request | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head[:-4].split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= MAX_BODY or "transfer-encoding" in headers:
        return None
    return Request(method, path, headers, await reader.readexactly(length))


def _written(answer: Response) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} -", f"Content-Length: {len(answer.body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + answer.body


async def listen(behaviour: Behaviour, ledger: Ledger, port: int = 0) -> asyncio.Server:
    server = Server(Network(behaviour, ledger), behaviour)
    return await asyncio.start_server(
        server.serve, "127.0.0.1", port, limit=MAX_HEAD, backlog=behaviour.max_connections
    )


def port_of(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])


@contextmanager
def running(ledger: Path, behaviour: Behaviour | None = None) -> Iterator[str]:
    """The network in a thread of this process; yields its address."""
    behaviour, book, loop = behaviour or Behaviour(), Ledger(ledger), asyncio.new_event_loop()
    server = loop.run_until_complete(listen(behaviour, book))
    thread = threading.Thread(target=loop.run_forever, name="http-network", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port_of(server)}"
    finally:
        asyncio.run_coroutine_threadsafe(_shut(server), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()
        book.close()


async def _shut(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
