"""The duties of an operator by the calendar, as documented; each step is a promise.

A backup each night, a restore of the last one on a second host, keys that are rotated, a customer
that takes its data to another installation and leaves, once a legal hold is released.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg
import requests
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from bench.week import writing
from bench.week.entries import Entry
from bench.week.plan import Form, Shape
from bench.week.town import Town
from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.security.api_keys import SCOPES
from einvoice.services import operator_notes
from einvoice.services.account import audit_verification, closure, credentials, tenants
from einvoice.services.archive import holds
from einvoice.services.caches import Caches
from einvoice.services.delivery import recovery
from einvoice.services.tenant_data import purge, tenant_export, tenant_import
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.web.runtime import runtime_of
from tests.servers import postgres_binaries

DAY = 1440.0
# Minutes of a day, which begins with the working day.
BACKUP_AT, LEAVES_AT, ROTATES_AT, RESTORE_AT = 60.0, 130.0, 200.0, 330.0
RESTORE_DAY, LEAVES_DAY = 5, 2  # or the last whole day
TRIES, PAUSE_SECONDS, PURGE_SECONDS = 12, 4.0, 60.0
LEAVING = 3  # documents of the customer that leaves
_OF_MOVED = """
SELECT (SELECT count(*) FROM invoices WHERE tenant_id = %s),
       (SELECT count(*) FROM outbox WHERE tenant_id = %s)
"""
_AWAY = (psycopg.Error, SQLAlchemyError, requests.RequestException, OSError)


class NotYet(Exception):
    """A step has to be repeated later."""


@dataclass(frozen=True, slots=True)
class Done:
    """One duty that the operator did, and its result."""

    minute: float
    what: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A dump, its moment, and how many invoices there were before and after it."""

    path: Path
    moment: datetime
    least: int
    most: int = 0


class Duties:
    """The calendar of an operator; `step` does what is due, in a thread."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.done: list[Done] = []
        self.entries: list[Entry] = []
        self._backups: list[Backup] = []
        self._planned = iter(sorted(self._plan(), key=lambda one: one[0]))
        self._thread = threading.Thread(target=self._run, name="duties", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join(300)

    def _plan(self) -> Iterator[tuple[float, str, Callable[[], str]]]:
        minutes = self._town.plan.minutes
        for day in range(int(minutes // DAY) + 1):
            yield day * DAY + BACKUP_AT, "backup", self._backup
            yield day * DAY + ROTATES_AT, "keys rotated", self._rotate
        last = int(max(0.0, minutes - RESTORE_AT) // DAY)
        yield (
            min(LEAVES_DAY, last) * DAY + LEAVES_AT,
            "customer exported, moved in elsewhere and purged",
            self._leave,
        )
        restore = min(RESTORE_DAY, last) * DAY + RESTORE_AT
        yield restore, "restored on another host", self._restore

    def _run(self) -> None:
        for minute, what, act in self._planned:
            if minute > self._town.plan.minutes:
                return
            while self._town.minute() < minute:
                time.sleep(0.1)
            self._tried(what, act)

    def _tried(self, what: str, act: Callable[[], str]) -> None:
        """Do it, again while a server is away."""
        began, last = self._town.minute(), ""
        for _ in range(TRIES):
            try:
                self.done.append(Done(began, what, act()))
                return
            except (*_AWAY, NotYet, subprocess.CalledProcessError) as fault:
                last = f"{type(fault).__name__}: {fault}"
                time.sleep(PAUSE_SECONDS)
        self.done.append(Done(began, what, f"not done: {last[:200]}"))
        self.entries.append(Entry("duty", f"{what} of minute {began:.0f}: {last[:400]}"))

    # -- backup and restore ------------------------------------------------------------------------

    def _backup(self) -> str:
        path = self._town.directory / f"backup-{len(self._backups)}.dump"
        made = Backup(path, clock.now(), self._invoices())
        _server("pg_dump", "-d", self._town.postgres.url, "-Fc", "-f", str(path))
        made = Backup(path, made.moment, made.least, self._invoices())
        with self._town.operator.app.app_context():
            operator_notes.note_backup()
        self._backups.append(made)
        return f"{path.stat().st_size // 1024:,} KB, {made.most} invoices"

    def _invoices(self, url: str | None = None) -> int:
        with psycopg.connect(url or self._town.postgres.url) as connection:
            row = connection.execute("SELECT count(*) FROM invoices").fetchone()
        return int(row[0]) if row else 0

    def _restore(self) -> str:
        """disaster.md: hold, see what would be done, do it; then everything is there."""
        if not self._backups:
            raise NotYet("there is no backup")
        backup, url = self._backups[-1], self._database("restored")
        _server("pg_restore", "-d", url, "--no-owner", "-j", "2", str(backup.path))
        count = self._invoices(url)
        if not backup.least <= count <= backup.most:
            self._break(f"the restored database has {count} invoices, not {backup.least}"
                        f" to {backup.most}")  # fmt: skip
        environ = {**self._town.stack.environ, "EINVOICE_DATABASE_URL": url}
        app = create_app(Settings.from_env(environ), environ=environ)
        with app.app_context():
            words = self._recovered(app, backup.moment)
            self._check_audit(app)
            db.db.engine.dispose()
        with self._town.operator.app.app_context():
            operator_notes.note_restored()
        return f"{count} invoices; {words}"

    def _recovered(self, app: Flask, moment: datetime) -> str:
        recovery.hold()
        report = recovery.recover(moment, runtime_of(app), lambda *_: None, repeat=False)
        asked = sum(plan.asked for plan in report.plans)
        return f"asked about {asked} documents, {report.unanswered} are asked about again"

    def _check_audit(self, app: Flask) -> None:
        settings = runtime_of(app).settings
        for account in list(self._town.accounts.values())[:5]:
            for fault in audit_verification.verify(account.tenant, settings).faults:
                self._break(f"the restored audit log of tenant {account.number}: {fault}")

    # -- keys and customers ------------------------------------------------------------------------

    def _rotate(self) -> str:
        """The key of each tenant that has one; the old one works for a day."""
        count = 0
        with self._town.operator.app.app_context():
            for account in self._town.accounts.values():
                is_platform = self._shape(account.number) is Shape.PLATFORM
                if account.external is None and not is_platform:
                    made = credentials.rotate(API_KEY, account.tenant, account.key_id)
                    account.key, account.key_id = made.secret, made.record.id
                    count += 1
        return f"{count} keys"

    def _shape(self, number: int) -> Shape:
        return next(one.shape for one in self._town.plan.tenants if one.number == number)

    def _leave(self) -> str:
        """A customer sends, exports everything, and is purged."""
        app, settings = self._town.operator.app, Settings.from_env(self._town.stack.environ)
        with app.app_context():
            tenant = tenants.create("A customer that leaves")
            key = credentials.create(API_KEY, tenant, "erp", Environment.TEST, scopes=SCOPES)
        self._sent(key.secret)
        path = self._town.directory / f"{tenant}.zip"
        with app.app_context():
            made = tenant_export.to_file(tenant, path, settings, lambda *_: None)
            self._check_export(path)
            closure.close(tenant, Caches())
            self._check_hold(tenant, settings)
            ended = purge.purge(tenant, settings, seconds=PURGE_SECONDS)
        if ended.done_at is None:
            self._break(f"the purge of {tenant} did not end in {PURGE_SECONDS:g} seconds")
        self._check_gone(tenant, key.secret)
        self._move_in(path, made.manifest, tenant)
        return f"{made.documents} documents, {made.size // 1024:,} KB"

    def _check_hold(self, tenant: str, settings: Settings) -> None:
        """Documents under a legal hold are not purged until it is released."""
        hold = holds.place(tenant, None, "a tax audit")
        try:
            purge.purge(tenant, settings, seconds=PURGE_SECONDS)
        except Conflict as refusal:
            if "legal hold" not in str(refusal):
                self._break(f"the purge was refused for another reason than its hold: {refusal}")
        else:
            self._break(f"{tenant} was purged in spite of a legal hold")
        holds.release(hold.id)

    def _move_in(self, path: Path, manifest: str, tenant: str) -> None:
        """The customer at another installation: all of its documents, and nothing is sent."""
        url = self._database("moved")
        environ = {**self._town.stack.environ, "EINVOICE_DATABASE_URL": url}
        settings = Settings.from_env(environ)
        app = create_app(settings, environ=environ)
        with app.app_context():
            schema_revisions.upgrade()
            made = tenant_import.from_file(path, settings, lambda *_: None, manifest)
            for fault in audit_verification.verify(tenant, settings).faults:
                self._break(f"the audit log of the customer that moved in: {fault}")
            db.db.engine.dispose()
        with psycopg.connect(url) as connection:
            row = connection.execute(_OF_MOVED, [tenant] * 2).fetchone()
        if (made.documents, made.lost, row) != (LEAVING, 0, (LEAVING, 0)):
            self._break(f"the customer that moved in has {made}, and in the database {row}")

    def _database(self, name: str) -> str:
        """A new database of the server; its address."""
        name = f"{name}_{time.monotonic_ns()}"
        with psycopg.connect(self._town.postgres.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self._town.postgres.url.replace("/postgres?", f"/{name}?")

    def _sent(self, key: str) -> None:
        for count in range(LEAVING):
            number = f"LEAVES-{time.monotonic_ns()}-{count}"
            body = writing.body(Shape.ERP, Form.UBL, (number,), None)
            answer = requests.post(
                f"{self._town.url}/v1/invoices", json=body, timeout=30,
                headers={"x-api-key": key, "Prefer": "wait=20"},
            )  # fmt: skip
            if not answer.ok:
                raise NotYet(f"{number}: {answer.text[:200]}")
        self._await_ends(key)

    def _await_ends(self, key: str) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            listed = requests.get(
                f"{self._town.url}/api/invoices", headers={"x-api-key": key}, timeout=30
            )
            if listed.ok and all(
                one["networkStatus"] == "Delivered" for one in listed.json()["items"]
            ):
                return
            time.sleep(1)
        raise NotYet("its documents are not delivered")

    def _check_export(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            lines = archive.read("tables/invoices/000001.jsonl").splitlines()
        found = [one for one in lines if json.loads(one)["number"].startswith("LEAVES-")]
        if len(found) != LEAVING:
            self._break(f"the export has {len(found)} of {LEAVING} invoices")

    def _check_gone(self, tenant: str, key: str) -> None:
        time.sleep(2)  # other processes notice it within a second
        answer = requests.get(
            f"{self._town.url}/api/invoices", headers={"x-api-key": key}, timeout=30
        )
        if answer.status_code not in (401, 403):
            self._break(f"the key of a purged customer is answered {answer.status_code}")
        with psycopg.connect(self._town.postgres.url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM invoices WHERE tenant_id = %s", [tenant]
            ).fetchone()
        if row is None or row[0]:
            self._break(f"a purged customer has {row and row[0]} invoices")

    def _break(self, words: str) -> None:
        self.entries.append(Entry("duty", words))


def _server(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL."""
    subprocess.run(
        [str(postgres_binaries() / program), *arguments],
        check=True, capture_output=True, timeout=600,
    )  # fmt: skip
