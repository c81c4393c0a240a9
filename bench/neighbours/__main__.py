"""Run a release and the one before it beside each other: `python -m bench.neighbours [COMMIT]`.

The release before is built from COMMIT (default: the newest tag, else 0.1.0) into an environment of
its own and started on PostgreSQL, Redis and a simulated network that is slow, busy and loses
documents. While clients go on with `--documents` documents (three of four are sent, one is pushed
by the network; all are read):

    1  the release before is alone, a tenth of the documents
    2  the present one upgrades the database, a tenth
    3  both run beside each other, half; each process of either is killed with SIGKILL, twice
    4  the present one is killed as a whole; the one before goes on alone, a fifth, and finishes
       everything that was accepted until then
    5  the present one again, alone: the rest

Then each answered document must have ended once, each outcome must have been told to the webhook,
and no client may have got, no process logged and no queue kept an error. It stops after the phase
in which a client got one. Exits with 0 or 1.
"""

from __future__ import annotations

import argparse
import base64
import random
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from bench.neighbours import book, release
from bench.neighbours.book import Book
from bench.neighbours.release import Side
from bench.neighbours.traffic import TOKEN, Traffic
from bench.neighbours.webhook import Webhook, listening
from bench.service import BY_HTTP, simulated_network
from einvoice import clock
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.network import samples
from tests import servers

MOODS = {"latency": 0.02, "silent": 0.01, "lost": 0.01, "busy": 0.02, "later": 0.1}
ROUNDS = 2
SETTLE_SECONDS = 600.0
ENVIRON = {
    "EINVOICE_QUEUE_LEASE": "5", "EINVOICE_LEASE_MARGIN": "2", "EINVOICE_RETRY_FOR_TEST": "3600",
    "EINVOICE_SEND_WAIT": "0.5", "EINVOICE_WEB_WORKERS": "1", "HTTP_ACCESS_POINT_TIMEOUT": "2",
    "HTTP_ACCESS_POINT_TOKEN": TOKEN, "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true",
    "EINVOICE_LIMIT_GET": "1000000", "EINVOICE_LIMIT_POST": "1000000",
    "EINVOICE_LIMIT_DOCUMENTS": "1000000",
}  # fmt: skip


@dataclass
class Town:
    """Both releases, what they share, and the clients."""

    before: Side
    present: Side
    database: str
    redis: str
    ledger: Path
    webhook: Webhook
    traffic: Traffic

    def run(self, documents: int, seed: int) -> Book:
        """Go through the phases, until one ends with a client's fault.

        Raises CalledProcessError and TimeoutError.
        """
        before, present, began = self.before.release.name, self.present.release.name, clock.now()
        a_tenth = documents // 10
        phases: list[tuple[str, Callable[[], None]]] = [
            (f"1 {before} alone", lambda: self._go_on(a_tenth)),
            ("2 the database is upgraded", lambda: self._upgrade(a_tenth)),
            ("3 both", lambda: self._kill_each(5 * a_tenth, seed)),
            (f"4 {before} alone again", lambda: self._go_back(2 * a_tenth)),
            (f"5 {present} alone", lambda: self._end(documents - 9 * a_tenth)),
        ]
        try:
            for name, phase in phases:
                print(f"{(clock.now() - began).seconds:5} s  {name}", flush=True)
                phase()
                if self.traffic.told.faults:
                    break
            self.traffic.end()
            print(f"{(clock.now() - began).seconds:5} s  the end", flush=True)
            return self._book()
        finally:
            self.present.children.stop()

    def _upgrade(self, documents: int) -> None:
        """Half of the documents meanwhile, and half on the new tables."""
        self.traffic.allow(documents // 2)
        self.present.run("db", "upgrade")
        self._go_on(documents - documents // 2)

    def _go_back(self, documents: int) -> None:
        """Kill the present release; the one before finishes all that was accepted."""
        self.traffic.urls = (self.before.url,)
        self.present.kill()
        self.before.run("db", "upgrade")
        self._go_on(documents)
        if not book.settled(self.database, SETTLE_SECONDS, whole=False):
            self.traffic.told.faults["the release before does not finish what is open"] += 1

    def _end(self, documents: int) -> None:
        """The present release is alone, and everything ends."""
        self.present.start()
        self.traffic.urls = (self.present.url,)
        self.before.children.stop()
        self._go_on(documents)
        if not book.settled(self.database, SETTLE_SECONDS, whole=True):
            print(*book.left(self.database), sep="\n")
            self.traffic.told.faults["rows are left in the outbox"] += 1

    def _go_on(self, documents: int) -> None:
        self.traffic.allow(documents)
        self.traffic.await_done()

    def _kill_each(self, documents: int, seed: int) -> None:
        """Kill each process of either side so often, in random order, between documents."""
        self.present.start()
        self.traffic.urls = (self.before.url, self.present.url)
        kills = [(side, name) for side in (self.before, self.present) for name in side.commands]
        kills *= ROUNDS
        random.Random(seed).shuffle(kills)
        for number, (side, name) in enumerate(kills):
            first, last = (documents * n // len(kills) for n in (number, number + 1))
            self.traffic.allow(last - first)
            side.restart(name)
            self.traffic.await_done()

    def _book(self) -> Book:
        logs = {side.release.name: side.data_dir for side in (self.before, self.present)}
        return book.read(
            self.database, self.redis, self.ledger, self.traffic.told, self.webhook.told, logs
        )


@contextmanager
def town(commit: str, seed: int, kept: Path | None = None) -> Iterator[Town]:
    """Build the release before and start it, with a tenant of its own making.

    kept  where it is built and stays; None: nowhere
    """
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="neighbours-")))
        print(f"building {commit}", flush=True)
        before = release.built(commit, (kept or directory) / "before")
        cluster = stack.enter_context(servers.cluster())
        hook = stack.enter_context(listening())
        children = Children()
        stack.callback(children.stop)
        redis = start_redis(children, directory / "redis")
        network, ledger = simulated_network(children, directory, MOODS)
        environ = {
            **ENVIRON,
            "EINVOICE_DATABASE_URL": cluster.url,
            "EINVOICE_REDIS_URL": redis,
            "EINVOICE_SECRET_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
            "HTTP_ACCESS_POINT_URL": network,
        }
        old = Side(before, directory / "logs-before", environ)
        new = Side(release.present(directory), directory / "logs-present", environ)
        key = _prepared(old, hook)
        stack.enter_context(old)
        traffic = Traffic(key, _reference(old.url, key), seed)
        traffic.urls = (old.url,)
        yield Town(old, new, cluster.url, redis, ledger, hook, traffic)


def _prepared(side: Side, hook: Webhook) -> str:
    """Make the tables and a tenant by commands of the release; the key of the tenant."""
    side.run("db", "upgrade")
    tenant = side.run("tenants", "add", "Neighbour")
    side.run("participants", "add", tenant, str(samples.RECEIVER))
    side.run("webhooks", "add", tenant, hook.url, "--event", "*")
    return side.run("keys", "add", tenant, "--name", "erp", "--environment", "test")


def _reference(url: str, key: str) -> str:
    found = requests.get(
        f"{url}/api/participants/lookup",
        params={"participantId": BY_HTTP},
        headers={"x-api-key": key},
        timeout=60,
    )
    reference: str = found.json()["accessPointRef"]
    return reference


def main() -> None:
    """Run the phases and print the book."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit", nargs="?", default=None, help="default: the last release")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a directory for the built release")
    given = parser.parse_args()
    with town(given.commit or release.last_release(), given.seed, given.keep) as made:
        found = made.run(given.documents, given.seed)
    shown(vars(found))
    sys.exit(0 if found.good else 1)


def shown(counts: Mapping[str, object]) -> None:
    for name, value in counts.items():
        if isinstance(value, Mapping):
            print(f"{name:18} {sum(value.values())}")
            for text, times in sorted(value.items(), key=lambda one: -one[1]):
                print(f"    {times:5} × {text}")
        else:
            print(f"{name:18} {value}")


if __name__ == "__main__":
    main()
