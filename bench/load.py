"""A load generator on raw sockets: sends at planned times, or as fast as answers arrive.

Latency counts from the planned time, so a server that falls behind shows it (no coordinated
omission). The generator's own CPU time is part of the result.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from dataclasses import dataclass, field

MARK = b"@@@@@@@@"  # stands for the number of the request, eight digits


@dataclass
class Result:
    """The result of one run until its last answer; latencies are in seconds."""

    seconds: float = 0.0
    cpu: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return self.statuses[200] / self.seconds

    def percentile(self, share: float) -> float:
        """The latency, in milliseconds, that `share` (0 to 1) of the requests do not exceed."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class _Connection(asyncio.Protocol):
    """One request at a time; `done(connection, status)` when its answer is complete."""

    def __init__(self, load: _Load) -> None:
        self._load = load
        self._buffer = b""
        self.planned = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._load.free(self)

    def send(self, request: bytes, planned: float) -> None:
        self.planned = planned
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        if not end:
            return
        at = head.lower().index(b"content-length:") + 15
        if len(rest) >= int(head[at:].split(b"\r\n", 1)[0]):
            self._buffer = b""
            self._load.answered(self, int(head[9:12]))

    def connection_lost(self, fault: Exception | None) -> None:
        self._load.lost()


class _Load:
    def __init__(self, request: bytes, first: int, rate: float | None) -> None:
        self._request, self._number, self._rate = request, first, rate
        self._free: deque[_Connection] = deque()
        self.late: deque[float] = deque()
        self._open = True
        self.unanswered = 0
        self.last = 0.0
        self.result = Result()

    def free(self, connection: _Connection) -> None:
        if self._rate is None and self._open:
            self._send(connection, time.perf_counter())
        elif self.late:
            self._send(connection, self.late.popleft())
        else:
            self._free.append(connection)

    def due(self, planned: float) -> None:
        if self._free:
            self._send(self._free.popleft(), planned)
        else:
            self.late.append(planned)

    def _send(self, connection: _Connection, planned: float) -> None:
        self.unanswered += 1
        self._number += 1
        connection.send(self._request.replace(MARK, b"%08d" % self._number), planned)

    def answered(self, connection: _Connection, status: int) -> None:
        self.unanswered -= 1
        self.result.statuses[status] += 1
        self.last = time.perf_counter()
        self.result.latencies.append(self.last - connection.planned)
        self.free(connection)

    def lost(self) -> None:
        if self._open:
            self.result.statuses[0] += 1

    def stop(self) -> None:
        self._open = False


async def _run(
    address: tuple[str, int], request: bytes, seconds: float, connections: int,
    rate: float | None, first: int,
) -> Result:  # fmt: skip
    load, loop = _Load(request, first, rate), asyncio.get_running_loop()
    made = [await loop.create_connection(lambda: _Connection(load), *address)
            for _ in range(connections)]  # fmt: skip
    started, cpu = time.perf_counter(), time.process_time()
    if rate is None:
        await asyncio.sleep(seconds)
    else:
        await _plan(load, rate, started, started + seconds)
    load.stop()
    for _ in range(500):
        if not load.unanswered and not load.late:
            break
        await asyncio.sleep(0.02)
    load.result.seconds = load.last - started
    load.result.cpu = time.process_time() - cpu
    load.result.statuses[-1] += load.unanswered + len(load.late)
    for transport, _ in made:
        transport.abort()
    return load.result


async def _plan(load: _Load, rate: float, planned: float, end: float) -> None:
    """Poisson arrivals: on average `rate` a second."""
    dice = random.Random(7)
    while True:
        planned += dice.expovariate(rate)
        if planned >= end:
            return
        await asyncio.sleep(max(0.0, planned - time.perf_counter()))
        load.due(planned)


def run(
    address: tuple[str, int], request: bytes, seconds: float, *, connections: int = 64,
    rate: float | None = None, first: int = 0,
) -> Result:  # fmt: skip
    """Send `rate` requests a second at planned times.

    With None, each connection sends the next request when it has its answer.
    """
    return asyncio.run(_run(address, request, seconds, connections, rate, first))


def post(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """The bytes of a request; MARK in it becomes the number."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
