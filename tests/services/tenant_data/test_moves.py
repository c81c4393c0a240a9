"""A tenant moves to another installation while it goes on, and is whole there."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy.exc import DBAPIError

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.network.types import Busy
from einvoice.security import sealing
from einvoice.security.sealing import Keyring
from einvoice.services.account import audit, audit_sealing, audit_verification, tenants
from einvoice.services.caches import Caches
from einvoice.services.inbound.reception import Reception
from einvoice.services.tenant_data import (
    erasure,
    move_source,
    move_target,
    purge,
    tenant_export,
    tenant_import,
)
from einvoice.services.tenant_data.export_reader import ExportBroken
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.tables import Outbox, TenantChange, TenantMove
from einvoice.store.tenant_data import tenant_data, tenant_moves, watching
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.sandbox import Sandbox
from tests.services.tenant_data.person import Person
from tests.web.caller import slug
from tests.web.dashboard import Dashboard

DELIVERED, FAILED, PENDING = "0088:9520000000004", "0088:9520000000042", "0088:9520000000011"
SETTLED = timedelta(minutes=1)  # after which PostgreSQL's feed shows an event
ELSEWHERE = "https://eu2.example.com"


@pytest.fixture(autouse=True)
def _noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_source, "NOTICED_SECONDS", 0.0)


@dataclass
class Move:
    """Both ends of a move, as an operator has them, and its files."""

    source: Flask
    target: Flask
    tenant: str
    directory: Path
    key: Keyring | None = None
    written: list[Path] = field(default_factory=list)

    def file(self) -> Path:
        self.written.append(self.directory / f"{len(self.written)}.zip")
        return self.written[-1]

    def begin(self) -> None:
        with self.source.app_context(), audit.of_operator():
            move_source.begin(self.tenant, self.file(), self._settings, _silent)

    def changes(self) -> None:
        with self.source.app_context(), audit.of_operator():
            move_source.changes(self.tenant, self.file(), self._settings, _silent)

    def finish(self) -> None:
        with self.source.app_context(), audit.of_operator():
            move_source.finish(
                self.tenant, self.file(), self._settings, self._caches,
                seconds=0.0, progress=_silent,
            )  # fmt: skip

    def release(self) -> None:
        with self.source.app_context(), audit.of_operator():
            self.key = sealing.of_text(move_source.release(self.tenant, self._settings))

    def finish_and_release(self) -> None:
        self.finish()
        self.release()

    def leave(self, moved_to: str | None = ELSEWHERE) -> None:
        with self.source.app_context(), audit.of_operator():
            move_source.leave(self.tenant, self._caches, moved_to=moved_to)

    def cancel(self, *, discarded: bool = False) -> None:
        with self.source.app_context(), audit.of_operator():
            move_source.cancel(self.tenant, self._caches, discarded=discarded)

    def receive(self, path: Path | None = None, key: Keyring | None = None) -> bool:
        with self.target.app_context(), audit.of_operator():
            settings = runtime_of(self.target).settings
            return move_target.receive(
                path or self.written[-1], settings, _silent, transport=key or self.key
            ).is_open

    def discard(self) -> None:
        with self.target.app_context(), audit.of_operator():
            move_target.discard(self.tenant)

    def whole(self) -> None:
        """The move without a change in between."""
        for step in (
            self.begin, self.receive, self.finish_and_release, self.receive, self.leave,
        ):  # fmt: skip
            step()

    @property
    def _settings(self) -> Any:
        return runtime_of(self.source).settings

    @property
    def _caches(self) -> Caches:
        return runtime_of(self.source).caches


def _silent(*_: object) -> None:
    pass


@pytest.fixture
def move(app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path) -> Move:
    return Move(app, elsewhere, sandbox.tenant, tmp_path)


class There(Sandbox):
    """The same key at the other installation, on the same clock."""

    def __init__(self, move: Move, here: Sandbox) -> None:
        self._here = here
        self.runtime, self.client = runtime_of(move.target), move.target.test_client()
        self.tenant, self.headers = here.tenant, here.headers

    @property
    def moment(self) -> datetime:
        return self._here.moment

    @moment.setter
    def moment(self, value: datetime) -> None:
        self._here.moment = value


def rows(app: Flask, but: frozenset[str] = frozenset()) -> dict[str, list[Any]]:
    """All rows of a database, by table."""
    with app.app_context(), db.reading() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in db.Base.metadata.sorted_tables
            if table.name not in but
        }


# -- what moves ------------------------------------------------------------------------------------


def test_a_moved_tenant_is_the_same_at_the_other_installation(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    """With what was made, changed and deleted between the files: each answer of the API."""
    person = Dashboard(app, sandbox.tenant, role=Role.OWNER)
    first = sandbox.send(DELIVERED)
    customers = [
        person.post("/api/customers", {"name": name}).json["customerId"] for name in ("A", "B", "C")
    ]
    draft = {"environment": "test", "invoice": {"number": "D-1"}}
    drafts = [person.post("/api/drafts", draft).json["draftId"] for _ in range(2)]
    move.begin()
    move.receive()
    sandbox.work(5)
    sandbox.send(FAILED)
    assert person.patch(f"/api/customers/{customers[0]}", {"name": "A 2"}).status_code == 200
    assert person.delete(f"/api/customers/{customers[1]}").status_code == 204
    assert person.delete(f"/api/drafts/{drafts[0]}").status_code == 204
    move.changes()
    move.receive()
    sandbox.work(5)
    last = sandbox.send(DELIVERED)
    sandbox.work(5)
    assert person.post("/api/customers", {"name": "D"}).status_code == 201
    assert person.patch("/api/tenant", {"strictIdempotency": True}).status_code == 200
    tenants.own_participant(sandbox.tenant, Environment.LIVE, ParticipantId.parse("0088:77"))
    sandbox.moment += SETTLED
    before = Person(app, sandbox.tenant).everything()
    move.finish_and_release()
    assert move.receive()
    after = Person(move.target, sandbox.tenant).everything()

    assert {f"/api/invoices/{one}" for one in (first, last)} <= before.keys()
    assert after.keys() == before.keys()
    for path, answer in before.items():
        assert after[path] == answer, path


def test_its_keys_and_webhooks_work_there(app: Flask, sandbox: Sandbox, move: Move) -> None:
    """The same key sends, and events are signed with the same secret."""
    made = endpoints.create(
        sandbox.tenant, Environment.TEST, url="https://a.example/hook",
        settings=runtime_of(app).settings,
    )  # fmt: skip
    move.whole()
    there = There(move, sandbox)
    with move.target.app_context():
        invoice_id = there.send(DELIVERED)
        there.work(5)
        status = there.status(invoice_id)
        shown = endpoints.get(sandbox.tenant, made.endpoint.id)
        secret = _opened(move.target, made.endpoint.id)

    assert status == "Delivered"
    assert shown.status == "active"
    assert secret == made.secret.encode()


def _opened(app: Flask, endpoint_id: str) -> bytes:
    table = db.Base.metadata.tables["webhook_endpoints"]
    with db.reading() as connection:
        query = sa.select(table.c.secret).where(table.c.id == endpoint_id)
        value = connection.execute(query).scalar_one()
    place = endpoints.seal_context(endpoint_id, "secret")
    return sealing.keyring(runtime_of(app).settings).open(bytes(value), place)


def test_documents_on_their_way_are_sent_by_one_of_both(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    """What the network has is polled there, what waits is sent there, and nothing here."""
    pending = sandbox.send(PENDING)
    queued = accepted(sandbox.tenant, number="queued").invoice_id
    move.begin()
    move.receive()
    move.finish_and_release()
    sandbox.work(3600)
    here = {one: _attempts(app, one) for one in (pending, queued)}
    move.receive()
    there = There(move, sandbox)
    with move.target.app_context():
        kept = {one: _attempts(move.target, one) for one in (pending, queued)}
        for _ in range(10):
            there.work(600)
        settled = [there.status(one) for one in (pending, queued)]
        sent = {one: _attempts(move.target, one) for one in (pending, queued)}

    assert here == kept == {pending: 1, queued: 0}
    assert settled == ["Delivered", "Delivered"]
    assert sent[queued] == 1
    assert {one: _attempts(app, one) for one in (pending, queued)} == here


def _attempts(app: Flask, invoice_id: str) -> int:
    table = db.Base.metadata.tables["transmissions"]
    with app.app_context(), db.reading() as connection:
        query = sa.select(table.c.attempts).where(table.c.invoice_id == invoice_id)
        return int(connection.execute(query).scalar_one())


def test_the_audit_log_begins_a_new_chain_that_names_the_old_one(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    person = Dashboard(app, sandbox.tenant)
    person.post("/api/customers", {"name": "One"})
    move.begin()
    move.receive()
    person.post("/api/customers", {"name": "Two"})
    move.finish_and_release()
    head = audit_verification.verify(sandbox.tenant, runtime_of(app).settings).head
    move.receive()
    with move.target.app_context():
        settings = runtime_of(move.target).settings
        audit_sealing.seal_all(sandbox.tenant, settings)
        verified = audit_verification.verify(sandbox.tenant, settings)
        entries = audit.page(sandbox.tenant, before=None, limit=20, matching={})

    assert [one.action for one in reversed(entries)] == [
        "customer.created", "tenant.move-begun", "tenant.exported", "customer.created",
        "tenant.held", "tenant.imported",
    ]  # fmt: skip
    assert entries[0].detail["auditHead"] == head
    assert (verified.entries, verified.faults) == (6, [])


# -- while it is held ------------------------------------------------------------------------------


def test_a_held_tenant_reads_and_changes_nothing(app: Flask, sandbox: Sandbox, move: Move) -> None:
    """503 with Retry-After for keys and people, a network asks again; others go on."""
    other = Sandbox.of(app)
    invoice_id = sandbox.send(DELIVERED)
    person = Dashboard(app, sandbox.tenant)
    tenants.own_participant(sandbox.tenant, Environment.TEST, samples.RECEIVER)
    move.begin()
    move.finish()
    refused = [sandbox.post(DELIVERED), person.post("/api/customers", {"name": "One"})]
    parts = runtime_of(app)
    parts.caches.clear()
    inbox = Reception(app.app_context, parts.caches, parts.computing, parts.forms)
    arrived = inbox.deliver_inbound(samples.inbound())

    for answer in refused:
        assert answer.status_code == 503
        assert slug(answer) == "tenant-moving"
        assert int(answer.headers["Retry-After"]) > 0
    assert sandbox.get(f"/api/invoices/{invoice_id}").status_code == 200
    assert person.get("/api/customers").status_code == 200
    assert other.post(DELIVERED).status_code == 200
    assert isinstance(arrived, Busy)


def test_nothing_can_be_accepted_or_settled_after_the_last_file(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    """The database refuses it, whatever a process knows of the move."""
    pending = sandbox.send(PENDING)
    move.begin()
    move.finish()
    before = rows(app, but=frozenset({"outbox"}))
    with pytest.raises((DBAPIError, psycopg.Error), match="moves to another installation"):
        accepted(sandbox.tenant, number="late")
    table = db.Base.metadata.tables["transmissions"]
    late = sa.update(table).where(table.c.invoice_id == pending).values(status="Failed")
    with pytest.raises(DBAPIError, match="moves to another installation"), db.writing() as late_one:
        late_one.execute(late)

    assert rows(app, but=frozenset({"outbox"})) == before


def test_a_change_that_is_being_committed_is_in_the_last_file_or_refused(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    """What one transaction has done before the seal, the file has."""
    move.begin()
    move.receive()
    accepted(sandbox.tenant, number="in time")
    move.finish_and_release()
    move.receive()
    found = Person(move.target, sandbox.tenant).says("/api/invoices")["items"]

    assert [one["number"] for one in found] == ["in time"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_change_that_is_not_committed_is_waited_for(
    app: Flask, sandbox: Sandbox, move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So none of them is missing from the last file: either it is in it, or there is none."""
    monkeypatch.setattr(tenant_moves, "SEAL_SECONDS", 1)
    invoice_id = sandbox.send(DELIVERED)
    move.begin()
    table = db.Base.metadata.tables["invoices"]
    with db.writing() as connection:
        changed = sa.update(table).where(table.c.id == invoice_id).values(amount_paid=5)
        connection.execute(changed)
        with pytest.raises(Conflict, match="not committed"):
            move.finish()
    move.receive(move.written[0])
    move.finish_and_release()
    move.receive()
    with move.target.app_context(), db.reading() as there:
        query = sa.select(table.c.amount_paid).where(table.c.id == invoice_id)
        assert there.execute(query).scalar_one() == 5


# -- killed, repeated, cancelled -------------------------------------------------------------------


class Killed(BaseException):
    """The process is gone."""


def _kill(*_: object, **__: object) -> None:
    raise Killed


# Where a step is killed: the step, and what is not called any more.
KILLED: Mapping[str, tuple[str, Any, str]] = {
    "before the changes are noted": ("begin", watching, "watch"),
    "while everything is written": ("begin", tenant_export, "write"),
    "before the first file is noted": ("begin", move_source, "_note_file"),
    "while changes are written": ("changes", move_source, "_write_noted"),
    "before a file is noted": ("changes", move_source, "_note_file"),
    "held": ("finish", move_source, "_wait_for_work"),
    "before the seal": ("finish", audit_sealing, "seal_all"),
    "while the last file is written": ("finish", move_source, "_write_last"),
    "before the last file is noted": ("finish", move_source, "_note_file"),
    "after its key is given out": ("release", move_source, "_place_of_key"),
    "before its work is dropped": ("leave", watching, "unwatch"),
    "before it is closed": ("leave", move_source.closure, "close"),
    "after it is closed": ("leave", move_source.tenant_moves, "delete"),
    "before the first part": ("receive", tenant_import, "store_parts"),
    "before the end of a file": ("receive", move_target, "_end"),
    "while it is opened": ("receive", tenant_import, "open_here"),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("where", KILLED)
def test_a_step_that_was_killed_is_repeated(
    where: str, app: Flask, sandbox: Sandbox, move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole move is then as if it had not been."""
    step, module, name = KILLED[where]
    sandbox.send(DELIVERED)
    killed = []

    def perform(one: str) -> None:
        if one == "receive base":
            move.receive()
            return
        if one == step:
            with monkeypatch.context() as patched:
                patched.setattr(module, name, _kill)
                with pytest.raises(Killed):
                    getattr(move, one)()
            killed.append(one)
        getattr(move, one)()

    perform("begin")
    perform("receive" if name != "open_here" else "receive base")
    sandbox.work(5)
    perform("changes")
    move.receive()
    sandbox.send(FAILED)
    sandbox.work(5)
    sandbox.moment += SETTLED
    before = Person(app, sandbox.tenant).everything()
    perform("finish")
    perform("release")
    perform("receive" if name == "open_here" else "receive base")
    perform("leave")

    assert killed
    assert Person(move.target, sandbox.tenant).everything() == before
    assert rows(app)["tenant_moves"] == rows(app)["tenant_changes"] == []


def test_a_move_that_is_cancelled_leaves_the_tenant_as_it_was(
    app: Flask, sandbox: Sandbox, move: Move
) -> None:
    """Here it goes on with what waited, there nothing is left, and it can move again."""
    notes = frozenset({"service_states"})
    there = rows(move.target, notes)
    waiting = sandbox.send(PENDING)
    move.begin()
    move.receive()
    move.finish()
    move.discard()
    left = rows(move.target, notes)
    move.cancel()
    assert sandbox.post(DELIVERED).status_code == 200
    for _ in range(10):
        sandbox.work(600)
    settled = sandbox.status(waiting)
    move.whole()

    assert left == there
    assert settled == "Delivered"
    assert Person(move.target, sandbox.tenant).says(f"/api/invoices/{waiting}")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_was_discarded_is_not_received_again(sandbox: Sandbox, move: Move) -> None:
    """With the key, which was given out, the tenant would be open at both installations. The newest
    file that was begun is refused, and those after it follow it; another move is received."""
    move.begin()
    sandbox.send(DELIVERED)
    move.changes()
    move.finish_and_release()
    first, second, third = move.written
    move.receive(first)
    move.receive(second)
    move.discard()
    move.cancel(discarded=True)
    move.receive(first)
    with pytest.raises(Conflict, match="was discarded here"):
        move.receive(second)
    with pytest.raises(Conflict, match="before this one"):
        move.receive(third)
    move.discard()
    with pytest.raises(Conflict, match="was discarded here"):
        move.receive(first)
    move.whole()

    with move.source.app_context():
        assert tenants.get(sandbox.tenant).moved_to == ELSEWHERE


def test_a_copy_that_is_open_is_not_discarded(move: Move) -> None:
    move.whole()
    with pytest.raises(Conflict, match="open here"):
        move.discard()
    with move.target.app_context(), pytest.raises(NotFound):
        move_target.discard("nobody")


# -- what is refused -------------------------------------------------------------------------------


def test_files_are_read_in_their_order(sandbox: Sandbox, move: Move) -> None:
    """One that was left out, or is from another move, is refused; one that was read is not read
    again."""
    move.begin()
    sandbox.send(DELIVERED)
    move.changes()
    move.changes()
    first, second, third = move.written
    with pytest.raises(Conflict, match="before this one"):
        move.receive(second)
    move.receive(first)
    with pytest.raises(Conflict, match="before this one"):
        move.receive(third)
    for path in (second, second, third):
        assert not move.receive(path)
    with pytest.raises(Conflict, match="before this one"):
        move.receive(second)


def test_the_last_file_needs_the_key_of_the_move(sandbox: Sandbox, move: Move) -> None:
    """Nothing of it is stored with another key, and no credential is in any file."""
    digest = _digest(move.source)
    for step in (move.begin, move.receive, move.finish):
        step()
    before = rows(move.target)
    with pytest.raises(Conflict, match="release it"):
        move.receive()
    move.release()
    with pytest.raises(ExportBroken, match="cannot be opened"):
        move.receive(key=sealing.of_text(sealing.new_key()))

    assert rows(move.target) == before
    for path in move.written:
        assert digest not in _text(path)


def _digest(app: Flask) -> str:
    table = db.Base.metadata.tables["api_keys"]
    with app.app_context(), db.reading() as connection:
        return str(connection.execute(sa.select(table.c.digest)).scalar_one())


def _text(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if name.endswith(("jsonl", "json"))]
        return "".join(archive.read(name).decode() for name in parts)


def test_an_ordinary_import_takes_no_changes(sandbox: Sandbox, move: Move, tmp_path: Path) -> None:
    move.begin()
    move.changes()
    export = tmp_path / "export.zip"
    with move.source.app_context(), audit.of_operator():
        settings = runtime_of(move.source).settings
        tenant_export.to_file(move.tenant, export, settings, _silent)
    with move.target.app_context(), pytest.raises(ExportBroken, match="move receive"):
        tenant_import.from_file(move.written[-1], runtime_of(move.target).settings, _silent)
    with pytest.raises(ExportBroken, match="no file of a move"):
        move.receive(export)


def test_a_row_of_another_tenant_is_never_replaced(
    app: Flask, sandbox: Sandbox, move: Move, tmp_path: Path
) -> None:
    """A file that names a row of another tenant there is refused."""
    person = Dashboard(app, sandbox.tenant)
    move.begin()
    move.receive()
    customer = person.post("/api/customers", {"name": "One"}).json["customerId"]
    move.changes()
    with move.target.app_context():
        other = Dashboard(move.target)
        theirs = other.post("/api/customers", {"name": "Theirs"}).json["customerId"]
        _rename(move.target, theirs, customer)
    before = rows(move.target, but=frozenset({"tenant_imports"}))
    with pytest.raises(Conflict, match="another tenant's"):
        move.receive()

    assert rows(move.target, but=frozenset({"tenant_imports", "tenants"})).items() <= before.items()


def _rename(app: Flask, old: str, new: str) -> None:
    table = db.Base.metadata.tables["customers"]
    with db.writing() as connection:
        connection.execute(sa.update(table).where(table.c.id == old).values(id=new))


OUT_OF_TURN: Mapping[str, tuple[list[str], str]] = {
    "changes before the first file": (["changes"], "does not move"),
    "the last file before the first": (["finish"], "does not move"),
    "a second first file": (["begin", "begin"], "is written"),
    "changes after the last file": (["begin", "finish", "changes"], "has begun"),
    "leaving before the last file": (["begin", "leave"], "still here"),
    "leaving before the key was given out": (["begin", "finish", "leave"], "still here"),
    "giving out the key before the last file": (["begin", "release"], "not written"),
    "another last file after the key": (["begin", "finish_and_release", "finish"], "stays as it"),
    "cancelling what may be open there": (["begin", "finish_and_release", "cancel"], "Discard it"),
    "cancelling what does not move": (["cancel"], "does not move"),
    "cancelling what has moved": (["begin", "finish_and_release", "leave", "cancel"], "has moved"),
}


@pytest.mark.parametrize("released", [False, True])
def test_what_is_cancelled_and_what_is_opened_exclude_each_other(
    released: bool, sandbox: Sandbox, move: Move
) -> None:
    """A cancelled move has no key, and one whose key was given out is cancelled only where its copy
    was discarded. So both installations never send."""
    move.begin()
    move.receive()
    move.finish()
    if released:
        move.release()
        move.discard()
    move.cancel(discarded=released)
    assert sandbox.post(DELIVERED).status_code == 200
    with pytest.raises(Conflict, match="not written"):
        move.release()
    with pytest.raises(Conflict, match="before this one" if released else "release it"):
        move.receive()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("steps", OUT_OF_TURN)
def test_a_step_out_of_turn_is_refused(steps: str, move: Move) -> None:
    names, message = OUT_OF_TURN[steps]
    *before, last = names
    for name in before:
        getattr(move, name)()
    with pytest.raises(Conflict, match=message):
        getattr(move, last)()


def test_a_moving_tenant_is_not_purged_and_nobody_is_erased(sandbox: Sandbox, move: Move) -> None:
    move.begin()
    settings = runtime_of(move.source).settings
    with pytest.raises(Conflict, match="moves"):
        erasure.erase(sandbox.tenant, "ann", settings, dry_run=False)

    assert any("moves" in one for one in purge.prospect(sandbox.tenant, settings).obstacles)


# -- others, and afterwards ------------------------------------------------------------------------


def test_another_tenant_is_untouched(app: Flask, sandbox: Sandbox, move: Move) -> None:
    """At both installations: no row of it changes, and none of its changes is noted."""
    other = Sandbox.of(app)
    own = other.send(DELIVERED)
    move.begin()
    other.send(DELIVERED)
    with db.reading() as connection:
        noted = connection.execute(sa.select(TenantChange.key)).scalars().all()
    move.receive()
    move.finish_and_release()
    move.receive()
    move.leave()
    other.moment = sandbox.moment = sandbox.moment + timedelta(seconds=5)
    other.work()

    assert not [key for key in noted if own in key]
    assert other.status(own) == "Delivered"
    assert other.post(DELIVERED).status_code == 200
    assert other.get("/api/invoices").json["items"]


def test_what_has_moved_says_where_it_is(app: Flask, sandbox: Sandbox, move: Move) -> None:
    """410 with the address for keys and people; nothing is left that watches."""
    person = Dashboard(app, sandbox.tenant)
    move.whole()
    answers = [
        sandbox.get("/api/invoices"),
        sandbox.client.post("/api/invoices/send", json={}, headers=sandbox.headers),
        person.get("/api/customers"),
    ]

    for answer in answers:
        assert answer.status_code == 410, answer.json
        assert slug(answer) == "tenant-moved"
        assert answer.json["movedTo"] == ELSEWHERE
    assert not watching._triggers() & set().union(
        *(watching._names(family, sandbox.tenant) for family in tenant_data.WATCHED)
    )
    with db.reading() as connection:
        left = connection.execute(sa.select(Outbox.kind)).scalars().all()
        assert connection.execute(sa.select(TenantMove.id)).scalars().all() == []
    assert set(left) <= {"entry"}


def _purge(app: Flask, tenant: str) -> None:
    with app.app_context(), audit.of_operator():
        assert purge.purge(tenant, runtime_of(app).settings, seconds=60.0).done_at


def _log(app: Flask, tenant: str) -> Counter[tuple[datetime, str]]:
    """The audit log, after the proof that nobody has changed it."""
    with app.app_context():
        settings = runtime_of(app).settings
        audit_sealing.seal_all(tenant, settings)
        assert audit_verification.verify(tenant, settings).faults == []
        page = audit.page(tenant, before=None, limit=100, matching={})
    return Counter((one.at, one.action) for one in page)


def test_it_comes_back_after_what_it_left_was_purged(
    app: Flask, sandbox: Sandbox, move: Move, tmp_path: Path
) -> None:
    """With what was made elsewhere; its keys work here again, and its audit log goes on with all
    that was done here and there, once."""
    first = sandbox.send(DELIVERED)
    sandbox.work(5)
    move.whole()
    back = Move(move.target, app, move.tenant, tmp_path / "back")
    back.directory.mkdir()
    back.begin()
    with pytest.raises(Conflict, match="purge what it has left"):
        back.receive()
    _purge(app, sandbox.tenant)
    purged = _log(app, sandbox.tenant)
    there = There(move, sandbox)
    with move.target.app_context():
        second = there.send(DELIVERED)
        there.work(5)
    elsewhere = _log(move.target, sandbox.tenant)
    back.receive()
    back.finish_and_release()
    back.receive()
    back.leave("https://eu1.example.com")
    sandbox.runtime.caches.clear()
    found = {one["invoiceId"] for one in sandbox.get("/api/invoices").json["items"]}
    third = sandbox.send(DELIVERED)
    sandbox.work(5)
    log = _log(app, sandbox.tenant)

    assert found == {first, second}
    assert sandbox.status(third) == "Delivered"
    assert tenants.get(sandbox.tenant).moved_to is None
    assert purge.prospect(sandbox.tenant, runtime_of(app).settings).begun_at is None
    assert log.keys() >= purged.keys() | elsewhere.keys()
    assert set(log.values()) == {1}


def test_what_does_not_come_back_after_all_stays_purged(
    app: Flask, sandbox: Sandbox, move: Move, tmp_path: Path
) -> None:
    """Its audit log is not deleted with the copy, and it can come back another time."""
    sandbox.send(DELIVERED)
    sandbox.work(5)
    move.whole()
    _purge(app, sandbox.tenant)
    log = _log(app, sandbox.tenant)
    back = Move(move.target, app, move.tenant, tmp_path / "back")
    back.directory.mkdir()
    back.begin()
    back.receive()
    back.discard()
    left = purge.prospect(sandbox.tenant, runtime_of(app).settings)
    kept = _log(app, sandbox.tenant)
    back.cancel()
    back.whole()

    assert left.done_at is not None
    assert kept.keys() >= log.keys()
    assert tenants.get(sandbox.tenant).closed_at is None


def test_without_an_address_it_is_closed(sandbox: Sandbox, move: Move) -> None:
    for step in (move.begin, move.receive, move.finish_and_release, move.receive):
        step()
    move.leave(None)
    move.leave(None)

    assert sandbox.get("/api/invoices").status_code == 401


def test_every_family_is_watched_or_written_whole() -> None:
    """Each row of an export reaches the other installation: by changes, or with the last file."""
    by_parents = {"submissions", "attempts", "batch_items"}
    with_each_file = {"tenants"}
    watched = {family.name for family in tenant_data.WATCHED}
    whole = {family.name for family in tenant_data.MOVED_LAST}

    assert watched | whole | by_parents | with_each_file >= set(tenant_data.BY_NAME)
    assert not watched & whole
    assert {
        family.name for family in tenant_data.WATCHED if "tenant_id" not in family.table.c
    } == set()
