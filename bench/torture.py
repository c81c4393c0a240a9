"""Send while processes are killed: `python -m bench.torture --sends 10000 --seconds 600`.

Clients send over HTTP with idempotency keys and repeat until they have an answer. Meanwhile web,
relay and workers are killed with SIGKILL, Redis is emptied or killed and restarted empty, and
PostgreSQL is stopped in immediate mode; the simulated network is slow, does not answer, and loses
and refuses messages. Afterwards every send must have one transmission, every transmission must be
final, and the network's own ledger must hold every document once. Exits with 0 or 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import psycopg
import requests
from redis import Redis

from bench.service import BY_HTTP, RunningService, running_service
from tests.access_points.http_network import deliveries

CLIENTS = 8
ANSWER_WITHIN = 120.0
START_WITHIN = 60.0  # else a slow machine kills processes before they have started
MOODS = {
    "latency": 0.05, "silent": 0.01, "lost": 0.01, "busy": 0.02, "later": 0.05, "duplicates": 0.01,
}  # fmt: skip
# Short leases: a lost job is due again within seconds, so a short run covers many of them.
ENVIRON = {
    "EINVOICE_QUEUE_LEASE": "5",
    "EINVOICE_LEASE_MARGIN": "2",
    "EINVOICE_RETRY_FOR_TEST": "3600",
    "EINVOICE_SEND_WAIT": "0.5",
    "HTTP_ACCESS_POINT_TIMEOUT": "2",
}


@dataclass(frozen=True)
class TortureResult:
    """The counts after a run; those that must be 0 come first."""

    lost: int  # sends without an answer or without a transmission
    twice: int  # documents that the network has more than once
    not_delivered: int  # Delivered, but not in the ledger
    unasked: int  # in the ledger, but Failed or unknown
    open: int  # neither final nor waiting for an operator
    changed: int  # replays with another invoice than the first answer
    attention: int
    delivered: int
    failed: int
    repeats: int  # requests that had to be sent again
    killed: Mapping[str, int] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        return not any((self.lost, self.twice, self.not_delivered, self.unasked, self.open,
                        self.changed, self.attention))  # fmt: skip


class Clients:
    """Clients that repeat each send, with a key of its own, until it is answered."""

    def __init__(self, service: RunningService, sends: int, seconds: float, seed: int) -> None:
        self._service, self._sends = service, sends
        self._pause = seconds * CLIENTS / sends
        self._dice = random.Random(seed)
        self._numbers = iter(range(sends))
        self._lock = threading.Lock()
        service.reference(BY_HTTP)
        self.answers: dict[str, str] = {}
        self.repeats = 0
        self.changed = 0
        self._threads = [threading.Thread(target=self._run) for _ in range(CLIENTS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def alive(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def await_answer(self, within: float) -> None:
        """Wait until one more send is answered, for so many seconds at most, while they send."""
        answered, until = len(self.answers), time.monotonic() + within
        while len(self.answers) == answered and self.alive() and time.monotonic() < until:
            time.sleep(0.05)

    def _next(self) -> int | None:
        with self._lock:
            return next(self._numbers, None)

    def _run(self) -> None:
        with requests.Session() as session:
            while (n := self._next()) is not None:
                self._send(session, f"T-{n}")
                if self._dice.random() < 0.02:  # like a client that lost the answer
                    self._send(session, f"T-{n}")
                time.sleep(self._dice.random() * 2 * self._pause)

    def _send(self, session: requests.Session, number: str) -> None:
        until = time.monotonic() + ANSWER_WITHIN
        while time.monotonic() < until:
            invoice = self._try(session, number)
            if invoice is not None:
                if self.answers.setdefault(number, invoice) != invoice:
                    self.changed += 1
                return
            with self._lock:
                self.repeats += 1
            time.sleep(0.2)

    def _try(self, session: requests.Session, number: str) -> str | None:
        prefer = {} if self._dice.random() < 0.2 else {"Prefer": "respond-async"}
        try:
            answer = session.post(
                f"{self._service.stack.url}/api/invoices/send",
                json=self._service.body(number, BY_HTTP),
                headers={"x-api-key": self._service.key, "Idempotency-Key": number, **prefer},
                timeout=30,
            )
        except requests.RequestException:
            return None
        if answer.status_code == 200:
            invoice: str = answer.json()["invoiceId"]
            return invoice
        if answer.status_code < 500 and answer.status_code not in (409, 429):
            raise AssertionError(f"{number}: {answer.status_code} {answer.text}")
        return None


class Chaos:
    """Kills one process after the other, and counts them in `killed`."""

    def __init__(self, service: RunningService, seed: int, pause: tuple[float, float]) -> None:
        self._service = service
        self._dice = random.Random(seed)
        self._pause = pause
        self.killed: Counter[str] = Counter()

    def kinds(self) -> dict[str, Callable[[], None]]:
        named = {name: self._killer(name) for name in self._service.stack.commands}
        return named | {
            "redis wiped": self.wipe_redis,
            "redis killed": self.kill_redis,
            "postgresql crashed": self.crash_postgres,
        }

    def _killer(self, name: str) -> Callable[[], None]:
        def _kill() -> None:
            self._service.stack.children.kill(name)
            time.sleep(self._dice.random() * 0.5)
            self._service.stack.command(name)

        return _kill

    def wipe_redis(self) -> None:
        with Redis.from_url(self._service.redis_url) as redis:
            redis.flushall()

    def kill_redis(self) -> None:
        self._service.servers.kill("redis")
        time.sleep(self._dice.random())
        self._service.start_redis()

    def crash_postgres(self) -> None:
        self._service.postgres.crash()
        time.sleep(self._dice.random())
        self._service.postgres.start()

    def rounds(self) -> Iterator[str]:
        """Kill everything once in random order, and repeat without end."""
        kinds = self.kinds()
        while True:
            for name in self._dice.sample(sorted(kinds), len(kinds)):
                kinds[name]()
                self.killed[name] += 1
                time.sleep(self._dice.uniform(*self._pause))
                yield name


def torture(
    sends: int = 10_000,
    seconds: float = 600.0,
    *,
    seed: int = 1,
    pause: tuple[float, float] = (0.5, 3.0),
    kills: int | None = None,
    settle_within: float = 180.0,
    workers: Mapping[str, int] | None = None,
) -> TortureResult:
    """Run clients and chaos. `seconds` is about how long the clients take if nothing is killed.

    `pause` is the range of seconds between kills, `kills` their number (None: until the clients
    have finished), `settle_within` the seconds that the outbox has to become empty. Nothing more is
    killed until a send is answered, or START_WITHIN seconds have passed.
    """
    with running_service(MOODS, ENVIRON, workers) as service:
        clients, chaos = Clients(service, sends, seconds, seed), Chaos(service, seed, pause)
        clients.start()
        for _ in islice(chaos.rounds(), kills):
            clients.await_answer(START_WITHIN)
            if not clients.alive():
                break
        clients.join()
        _settled(service, settle_within)
        return _result(service, clients, chaos, sends)


def _settled(service: RunningService, seconds: float) -> None:
    """Wait until the outbox is empty."""
    until = time.monotonic() + seconds
    with psycopg.connect(service.database, autocommit=True) as connection:
        while time.monotonic() < until:
            if not connection.execute("SELECT count(*) FROM outbox").fetchone()[0]:
                return
            time.sleep(0.2)


def _result(service: RunningService, clients: Clients, chaos: Chaos, sends: int) -> TortureResult:
    with psycopg.connect(service.database) as connection:
        rows = connection.execute(
            "SELECT i.number, t.id, t.status, t.attention FROM transmissions t"
            " JOIN invoices i ON i.id = t.invoice_id"
        ).fetchall()
    taken = {name.partition("@")[0]: times for name, times in deliveries(service.ledger).items()}
    by_status: dict[str, set[str]] = {"Delivered": set(), "Failed": set(), "Processing": set()}
    for _, transmission, status, _ in rows:
        by_status[status].add(transmission)
    attention = {transmission for _, transmission, _, waits in rows if waits}
    numbers = Counter(number for number, *_ in rows)
    return TortureResult(
        lost=sends - len(numbers) + sends - len(clients.answers),
        twice=sum(times > 1 for times in taken.values()) + sum(n > 1 for n in numbers.values()),
        not_delivered=len(by_status["Delivered"] - taken.keys()),
        unasked=len(taken.keys() - by_status["Delivered"] - by_status["Processing"]),
        open=len(by_status["Processing"] - attention),
        changed=clients.changed,
        attention=len(attention),
        delivered=len(by_status["Delivered"]),
        failed=len(by_status["Failed"]),
        repeats=clients.repeats,
        killed=dict(chaos.killed),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Send while processes are killed.")
    parser.add_argument("--sends", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = torture(given.sends, given.seconds, seed=given.seed)
    for name in vars(result):
        print(f"{name:14} {getattr(result, name)}", flush=True)
    sys.exit(0 if result.good else 1)


if __name__ == "__main__":
    main()
