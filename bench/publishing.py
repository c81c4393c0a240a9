"""Participants published and withdrawn by workers that are killed: does the directory agree?

    python -m bench.publishing --participants 10000 --kills 1000

Each worker is a process of its own that ends by SIGKILL at a statement of the database, or around a
write to the directory, chosen by a seed. When no work is left, the directory has the verified ids
of open tenants and no others. The database is SQLite in a directory that is removed at the end, the
directory of the network another one. The time that leases take passes at once.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import click
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, DocumentTypeId, ParticipantId
from einvoice.network.hookspec import hookimpl
from einvoice.network.publishing import (
    BusinessCard,
    EntryRefused,
    EntryStatus,
    Listed,
    MoveOutcome,
    PublishOutcome,
    Withdrawn,
    WithdrawOutcome,
)
from einvoice.network.types import AccessPointBase, NotRegistered, Registration
from einvoice.services.account import closure, tenants
from einvoice.services.caches import Caches
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.store.tables import Participant, Tenant
from einvoice.web.runtime import runtime_of

TENANTS = 50
HOUR = timedelta(hours=1)
BATCH = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of the run, and the ids that only one side has; none if all is well."""

    participants: int
    kills: int
    seconds: float
    listed: int
    missing: tuple[str, ...]
    surplus: tuple[str, ...]


class Directory(AccessPointBase):
    """A directory in a file: each write is on disk before it returns."""

    name, network, environment = "almanac-test", "almanac", Environment.TEST
    receivable = (BIS_INVOICE,)

    def __init__(self, path: Path) -> None:
        self._path = path
        self.before: Callable[[], None] = lambda: None
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("CREATE TABLE entries (participant TEXT PRIMARY KEY)")

    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_access_points(self) -> Iterator[Directory]:
        """Itself: it is its own plugin."""
        yield self

    def entry_form(self) -> str:
        return "form"

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return Registration(self.receivable)

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        self._write("INSERT OR REPLACE INTO entries VALUES (?)", participant)
        return Listed()

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        self._write("DELETE FROM entries WHERE participant = ?", participant)
        return Withdrawn()

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        return EntryRefused("nothing moves here")

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        return EntryRefused("nothing moves here")

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        is_listed = participant.canonical in self.all()
        return EntryStatus(is_listed, is_listed)

    def all(self) -> set[str]:
        """Everybody who is listed."""
        with closing(sqlite3.connect(self._path)) as file:
            return {row[0] for row in file.execute("SELECT participant FROM entries")}

    def _write(self, statement: str, participant: ParticipantId) -> None:
        self.before()
        with closing(sqlite3.connect(self._path)) as file, file:
            file.execute(statement, (participant.canonical,))
        self.before()


def run(participants: int, kills: int, folder: Path, seed: int = 1) -> Outcome:
    """Publish so many ids, end a third of the claims, and kill so many workers meanwhile."""
    real = clock.now
    try:
        return _run(participants, kills, folder, seed)
    finally:
        clock.now = real


def _run(participants: int, kills: int, folder: Path, seed: int) -> Outcome:
    directory = Directory(folder / "directory.db")
    settings = Settings(data_dir=str(folder), log_level="CRITICAL")
    app = create_app(settings, plugins=[directory])
    dice, began, done = random.Random(seed), time.monotonic(), 0
    with app.app_context():
        schema_revisions.upgrade()
        ids = [tenants.create(f"Tenant {number}") for number in range(TENANTS)]
        owned = [(ids[n % TENANTS], ParticipantId("0088", f"{n:013}")) for n in range(participants)]
        for tenant, participant in owned:
            tenants.own_participant(tenant, Environment.TEST, participant)
        done += _work(app, directory, dice, participants, kills // 2)
        for tenant, participant in owned[::3]:
            tenants.disown_participant(tenant, Environment.TEST, participant, Caches())
        closure.close(ids[1], Caches())
        done += _work(app, directory, dice, participants // 3, kills - kills // 2)
        wanted, listed = _wanted(), directory.all()
    return Outcome(
        participants, done, time.monotonic() - began, len(listed),
        tuple(sorted(wanted - listed)), tuple(sorted(listed - wanted)),
    )  # fmt: skip


def _wanted() -> set[str]:
    query = sa.select(Participant.participant).join(Tenant).where(Tenant.closed_at.is_(None))
    with db.reading() as connection:
        return set(connection.execute(query).scalars())


def _work(app: Flask, directory: Directory, dice: random.Random, size: int, kills: int) -> int:
    """Let workers do all the work; how many of them were killed."""
    # A participant takes about fifteen statements and two moments of the directory.
    spread, killed = max(2, 2 * 17 * size // max(kills, 1)), 0
    while outbox.open_lanes():
        db.db.engine.dispose()
        steps = dice.randrange(1, spread) if killed < kills else None
        child = os.fork()
        if child == 0:
            _worker(app, directory, steps)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise RuntimeError("a worker failed")
        now = clock.now() + HOUR  # all leases have ended
        clock.now = lambda now=now: now  # type: ignore[misc]
        outbox.release_expired(now)
    return killed


def _worker(app: Flask, directory: Directory, steps: int | None) -> None:
    """Do the rows that are due, until they are done or so many steps are over. Does not return."""
    left = [steps or 0]

    def step(*_: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    if steps is not None:
        directory.before = step
        sa.event.listen(db.db.engine, "before_cursor_execute", step)
    token, runtime = "worker", runtime_of(app)
    for tenant in outbox.tenants_in_turn(outbox.PLUGINS, "", TENANTS):
        lease = timedelta(minutes=10)
        while rows := outbox.claim(
            outbox.PLUGINS, tenant, BATCH, token=token, now=clock.now(), lease=lease
        ):
            for row in outbox.held([row.id for row in rows], token, clock.now()):
                entries.work(token, runtime, row)
    os._exit(0)


@click.command()
@click.option("--participants", default=10_000, show_default=True)
@click.option("--kills", default=1_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(participants: int, kills: int, seed: int) -> None:
    """Print what happened; the exit code is 1 if directory and claims differ."""
    with tempfile.TemporaryDirectory(prefix="publishing-") as folder:
        found = run(participants, kills, Path(folder), seed)
    click.echo(
        f"{found.participants} participants, {found.kills} kills, {found.seconds:.0f} s: "
        f"{found.listed} listed, {len(found.missing)} missing, {len(found.surplus)} too many"
    )
    raise SystemExit(bool(found.missing or found.surplus))


if __name__ == "__main__":
    main()
