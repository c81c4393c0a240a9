"""Measure how long a tenant's move takes, and for how long it is held.

`python -m bench.moving` makes a tenant with `--size` invoices beside one with `--others`
(bench/filled), and moves it to a second server on this machine: everything, then `--changes`
documents that are accepted and settled meanwhile, then the last file with as many. It prints rows
a second of each file, written and stored, and the seconds from the beginning of the last file until
the tenant is open; `--sends` measures a send of the tenant before the move and while its changes
are noted, and one of the other tenant.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from bench.ending import SERVER, sends, shown
from bench.filled import tenant_with
from bench.lists import opened
from bench.purging import add_more
from einvoice.security import sealing
from einvoice.security.sealing import Keyring
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import move_source, move_target
from einvoice.services.tenant_data.export_reader import ExportReader
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.web.runtime import runtime_of
from tests import servers
from tests.builders import new_send

_SETTLED = """
UPDATE transmissions SET status = 'Delivered', phase = 'done', settled_at = now()
WHERE tenant_id = :tenant AND status = 'Processing'
"""
_DONE = "DELETE FROM outbox WHERE tenant_id = :tenant"


def change(tenant: str, count: int) -> None:
    """Accept so many documents, and settle them."""
    for _ in range(count):
        acceptance.accept(new_send(tenant))
    with db.writing() as connection:
        for statement in (_SETTLED, _DONE):
            connection.execute(sa.text(statement), {"tenant": tenant})


class Timed:
    """Files of a move, with what each took."""

    def __init__(self, source: Flask, target: Flask, folder: Path) -> None:
        self._source, self._target, self._folder = source, target, folder

    def move(self, name: str, write: Callable[[Path], Keyring | None]) -> float:
        """Write a file, store it, print the rates; the seconds of both.

        write  returns the key of the last file
        """
        path, began = self._folder / f"{name}.zip", time.perf_counter()
        key = write(path)
        written = time.perf_counter()
        with self._target.app_context():
            move_target.receive(path, runtime_of(self._target).settings, _silent, transport=key)
        stored = time.perf_counter()
        with ExportReader(path) as reader:
            rows = sum(entry.rows for entry in reader.parts)
            documents = reader.about["documents"]
        print(
            f"{name:14} {documents:9,} documents {rows:10,} rows {path.stat().st_size:14,} bytes; "
            f"written in {written - began:7.1f} s ({rows / (written - began):7,.0f} rows/s), "
            f"stored in {stored - written:7.1f} s ({rows / (stored - written):7,.0f} rows/s)",
            flush=True,
        )
        return stored - began

    def last(self, tenant: str, path: Path) -> Keyring:
        """Write the last file, and give out its key."""
        settings = runtime_of(self._source).settings
        move_source.finish(tenant, path, settings, Caches(), seconds=20.0, progress=_silent)
        return sealing.of_text(move_source.release(tenant, settings))


def _silent(*_: object) -> None:
    pass


def main() -> None:
    """Fill, move, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--others", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=500)
    parser.add_argument("--sends", action="store_true")
    given = parser.parse_args()
    with (
        servers.cluster(SERVER) as own,
        servers.cluster(SERVER) as elsewhere,
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as second,
    ):
        app, target = opened(own.url, folder), opened(elsewhere.url, second)
        with app.app_context():
            other, tenant = tenant_with(given.others), tenant_with(given.size)
            add_more()
            measure(Timed(app, target, Path(folder)), app, tenant, other, given)


def measure(timed: Timed, app: Flask, tenant: str, other: str, given: argparse.Namespace) -> None:
    """The files of a move, in their order."""
    settings = runtime_of(app).settings
    if given.sends:
        print(f"{'ms of a send':28} {'median':>8} {'p99':>8}")
        sends(tenant)
        shown("before the move", sends(tenant))
        shown("of the other", sends(other))
    change(tenant, 0)

    def begin(path: Path) -> None:
        move_source.begin(tenant, path, settings, _silent)

    def changes(path: Path) -> None:
        move_source.changes(tenant, path, settings, _silent)

    timed.move("everything", begin)
    if given.sends:
        shown("while changes are noted", sends(tenant))
        shown("of the other", sends(other))
    change(tenant, given.changes)
    timed.move("changes", changes)
    change(tenant, given.changes)
    held = timed.move("the last file", lambda path: timed.last(tenant, path))
    print(f"held for {held:.1f} s")
    began = time.perf_counter()
    move_source.leave(tenant, Caches(), moved_to=None)
    print(f"left in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
