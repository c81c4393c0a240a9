"""Documents for an authority while its calls fail and workers are killed.

A worker is this module as a program, with the plugin that a test module makes.
"""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Artefact, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests import databases
from tests.computing import InProcess
from tests.web.caller import Caller

ROOT = Path(__file__).parents[2]
LEASE = timedelta(seconds=30)


class Dice:
    """Draws the fault of each call. `spared`: a part of the calls that never fail."""

    def __init__(self, seed: int, shares: Mapping[str, float], spared: str | None = None) -> None:
        self._dice, self._lock = random.Random(seed), threading.Lock()
        self._shares, self._spared = shares, spared

    def __call__(self, call: str) -> str | None:
        with self._lock:
            drawn = self._dice.random()
        if self._spared is not None and self._spared in call:
            return None
        for fault, share in self._shares.items():
            if drawn < share:
                return fault
            drawn -= share
        return None


class Workers:
    """Workers of one tenant's documents, each a process."""

    def __init__(self, seller: Caller, command: list[str], plugin_folder: str) -> None:
        self._seller, self._command = seller, command
        self._environ = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / plugin_folder}"}
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        worker = subprocess.Popen(
            self._command, env=self._environ, cwd=ROOT, stdout=subprocess.PIPE
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
        self._running.append(worker)

    def kill(self) -> None:
        """Kill the oldest one; what it had claimed is free at once, as if its leases had ended."""
        worker = self._running.pop(0)
        worker.kill()
        worker.communicate()
        with self._seller.app.app_context(), db.writing() as connection:
            connection.execute(sa.update(Outbox).values(token=None, lease_until=None))

    def kill_all(self) -> None:
        while self._running:
            self.kill()


@contextmanager
def workers(
    seller: Caller,
    module: str,
    plugin_folder: str,
    authority: str,
    database: str,
    directory: Path,
    together: int,
) -> Iterator[Workers]:
    """Workers with the plugin that `plugin_at(authority)` of the module makes.

    together  how many documents a worker claims at once
    """
    given = [module, authority, database, str(directory), seller.tenant, str(together)]
    command = [sys.executable, "-m", "tests.networks.faulty", *given]
    made = Workers(seller, command, plugin_folder)
    try:
        yield made
    finally:
        made.kill_all()


def settled(seller: Caller) -> Counter[str]:
    """The number of documents of each status."""
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(Transmission.status, sa.func.count()).group_by(Transmission.status)
        return Counter(dict(tuple(row) for row in connection.execute(query)))


def kept(seller: Caller, kind: str) -> int:
    """Of how many documents there is an artefact of this kind."""
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(sa.func.count(sa.distinct(Artefact.transmission_id)))
        return int(connection.execute(query.where(Artefact.kind == kind)).scalar_one())


def repeat_for_a_day(seller: Caller) -> None:
    """As in live; documents of the sandbox are repeated for two minutes."""
    with seller.app.app_context(), db.writing() as connection:
        tomorrow = clock.now() + timedelta(days=1)
        connection.execute(sa.update(Transmission).values(retry_until=tomorrow))


def main(
    module: str, authority: str, database: str, directory: str, tenant: str, together: str
) -> None:
    """Do the tenant's work until the process is killed."""
    plugin = importlib.import_module(module).plugin_at(authority)
    settings = Settings(database_url=database, **{"data_dir": directory} | databases.ALONE)
    app = create_app(settings, plugins=[plugin], computing=InProcess())
    print("ready", flush=True)
    with app.app_context():
        while True:
            for lane in (outbox.WAITED, outbox.BULK, outbox.CHORES):
                token = uuid.uuid4().hex
                rows = outbox.claim(
                    lane, tenant, int(together), token=token, now=clock.now(), lease=LEASE
                )
                transmit.advance([row.id for row in rows], token, runtime_of(app))
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
