"""What is old or large moves to the archive once, and is read from there as it was."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.archive.directory import DirectoryStore
from einvoice.archive.objects import StoreFault
from einvoice.domain.errors import ArchiveDamaged, ArchiveUnavailable
from einvoice.services.account import closure, tenants
from einvoice.services.archive import transfer, upkeep, walks
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import purge
from einvoice.store.archive import archive_objects, archive_walks, archived
from einvoice.store.core import db
from einvoice.store.core.resources import resources
from einvoice.store.invoices import artefacts, invoices
from einvoice.store.sending import transmissions
from einvoice.store.tables import ArchiveLater, ArchiveObject, ArchivePart
from einvoice.web.runtime import runtime
from tests.services.archive.conftest import (
    DOCUMENT,
    OLD,
    ORIGINAL,
    accepted_before,
    evidence,
    final,
    in_row,
    old,
)
from tests.stored import count


def move(**changes) -> transfer.Moved:
    return transfer.move(runtime().settings, seconds=60, **changes)[0]


def documents_of(send):
    return invoices.documents(send.invoice_id, send.tenant_id, "test")


def test_an_old_invoice_is_read_as_before_and_its_row_is_empty(app, tenant):
    sent = old(tenant, network_document=b"<Other/>")
    receipt = evidence(sent)
    moved = move()
    found = documents_of(sent)

    assert (moved.invoices, moved.parts) == (1, 4)
    assert (found.original, found.document, found.network_document) == (
        ORIGINAL, DOCUMENT, b"<Other/>",
    )  # fmt: skip
    assert artefacts.content(sent.invoice_id, receipt.id, sent.tenant_id).content == b"<Receipt/>"
    assert in_row(sent)[:2] == (b"", b"")


def test_what_is_read_of_a_received_document_without_ubl_stays_empty(app, tenant):
    """An absent part is not an archived one."""
    sent = old(tenant, document=b"")
    moved = move()

    assert moved.parts == 1
    assert (documents_of(sent).document, documents_of(sent).network_document) == (b"", None)


@pytest.mark.parametrize(("days", "moved"), [(29.99, 0), (30.01, 1)])
def test_an_invoice_moves_after_the_days_of_the_setting(app, tenant, days, moved):
    old(tenant, timedelta(days=days))

    assert move().invoices == moved


@pytest.mark.parametrize(("size", "hours", "moved"), [(262_143, 2, 0), (262_144, 2, 1),
                                                      (262_144, 0.9, 0)])  # fmt: skip
def test_a_large_invoice_moves_after_an_hour(app, tenant, size, hours, moved):
    old(tenant, timedelta(hours=hours), original=b"x" * (size - len(DOCUMENT)))

    assert move().invoices == moved


@pytest.mark.parametrize(("size", "moved"), [(999, 0), (1000, 1)])
def test_an_invoice_below_the_least_size_stays(make_app, archive_settings, tenant, size, moved):
    """With its evidence."""
    with make_app(**archive_settings | {"archive_min_bytes": 1000}).app_context():
        sent = old(tenant)
        evidence(sent, b"x" * (size - len(DOCUMENT) - len(ORIGINAL)))

        assert move().invoices == moved


def test_a_large_artefact_moves_its_invoice(app, tenant):
    sent = old(tenant, timedelta(hours=2))
    evidence(sent, b"x" * 262_144)

    assert move().parts == 3


def test_an_invoice_that_is_not_final_moves_when_it_is(app, tenant):
    """It is looked at again a day later, though the walk has passed it."""
    sent = accepted_before(tenant)
    first = move()
    final(sent)
    soon = move(now=clock.now() + timedelta(hours=23))
    later = move(now=clock.now() + timedelta(hours=25))

    assert [(each.invoices, each.put_off) for each in (first, soon, later)] == [
        (0, 1), (0, 0), (1, 0)
    ]  # fmt: skip
    assert count(ArchiveLater) == 0


def test_an_invoice_with_open_work_of_a_worker_does_not_move(app, tenant):
    """Evidence may follow the final status."""
    sent = accepted_before(tenant)
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE transmissions SET phase = 'done', status = 'Delivered'"))

    assert move().put_off == 1
    assert in_row(sent)[2] is None


def test_evidence_that_arrives_later_moves_too(app, tenant):
    sent = old(tenant)
    move()
    receipt = evidence(sent, created_at=clock.now())
    before = artefacts.content(sent.invoice_id, receipt.id, sent.tenant_id).content
    moved = move(now=clock.now() + timedelta(hours=25))

    assert (moved.invoices, moved.parts) == (1, 1)
    assert (
        artefacts.content(sent.invoice_id, receipt.id, sent.tenant_id).content
        == before
        == b"<Receipt/>"
    )


def test_invoices_with_random_ids_move_as_well(app, tenant):
    """Those of earlier releases."""
    for _ in range(5):
        final(accepted_before(tenant, invoice_id=str(uuid.uuid4())))
    moved = move()
    later = move(now=clock.now() + timedelta(days=2))

    assert moved.invoices + later.invoices == 5


def test_invoices_that_came_from_another_installation_move_as_well(app, tenant):
    """Their ids are of the time at which they were made there, where a walk has been already."""
    old(tenant)
    move()
    other = tenants.create("Other")
    old(other, timedelta(days=400))
    before = move().invoices
    with db.writing() as connection:
        walks.visit_again(connection, other)

    assert (before, move().invoices) == (0, 1)


def test_a_clock_that_was_ahead_keeps_no_invoice_from_moving(app, tenant):
    """It leaves invoices of its time, and a walk that has visited them."""
    ahead = timedelta(days=400)
    old(tenant, OLD - ahead)
    moved = move(now=clock.now() + ahead).invoices
    old(tenant)

    assert moved == 1
    assert move().invoices == 1


def test_equal_content_of_a_tenant_is_one_object_and_of_two_tenants_two(app, tenant):
    """No tenant learns from the archive what another one has stored."""
    other = tenants.create("Other")
    for owner in (tenant, tenant, other):
        old(owner)
    move()

    assert count(ArchivePart) == 6
    assert count(ArchiveObject) == 4
    with db.reading() as connection:
        owners = connection.execute(sa.select(ArchiveObject.tenant_id)).scalars().all()
    assert {owners.count(tenant), owners.count(other)} == {2}


def test_a_second_move_moves_nothing(app, tenant):
    old(tenant)

    assert [move().parts, move().parts] == [2, 0]


def test_movers_at_once_move_everything_once(app, tenant, monkeypatch):
    monkeypatch.setattr(transfer, "MAX_INVOICES", 3)
    sent = [old(tenant, original=b"%d" % n) for n in range(20)]

    def one(_) -> int:
        with app.app_context():
            return move().parts

    with ThreadPoolExecutor(4) as pool:
        moved = sum(pool.map(one, range(4)))

    assert moved + move().parts == 40
    assert [documents_of(each).original for each in sent] == [b"%d" % n for n in range(20)]


def test_a_move_stops_in_time_and_goes_on_where_it_stopped(app, tenant, monkeypatch):
    monkeypatch.setattr(transfer, "MAX_INVOICES", 2)
    for n in range(5):
        old(tenant, original=b"%d" % n)
    with monkeypatch.context() as patched:
        over = property(lambda mover: mover.moved.invoices >= 2)
        patched.setattr(transfer._Mover, "out_of_time", over)
        first, more = transfer.move(runtime().settings, seconds=60)

    assert (first.invoices, more) == (2, True)
    assert move().invoices == 3


def test_without_a_store_nothing_moves(make_app, tenant):
    with make_app().app_context():
        sent = old(tenant)

        assert transfer.move(runtime().settings, seconds=60) == (transfer.Moved(), False)
        assert in_row(sent)[:2] == (ORIGINAL, DOCUMENT)


def test_a_resent_invoice_carries_the_archived_document(app, tenant):
    sent = old(tenant)
    move()

    assert transmissions.find(sent.transmission_id).carried == DOCUMENT


def test_content_stays_readable_after_another_store_is_set(app, tenant, make_app, archive_settings):
    sent = old(tenant)
    move()
    with make_app(**archive_settings | {"archive_store": "database"}).app_context():
        assert documents_of(sent).document == DOCUMENT


# -- faults ----------------------------------------------------------------------------------------


@pytest.fixture
def archive(app, archive_settings):
    if "archive_directory" not in archive_settings:
        pytest.skip("files are changed")
    return Path(archive_settings["archive_directory"])


def files(archive: Path) -> list[Path]:
    return [path for path in archive.rglob("*") if path.is_file()]


def damaged(archive: Path, content: bytes) -> None:
    for path in files(archive):
        path.chmod(0o600)
        path.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"other", DOCUMENT])
def test_damaged_bytes_are_never_returned(app, tenant, archive, content):
    sent = old(tenant)
    move()
    damaged(archive, content)

    with pytest.raises(ArchiveDamaged) as raised:
        _ = documents_of(sent).document
    assert len(raised.value.sha256) == 64


def test_a_missing_object_is_damage(app, tenant, archive):
    sent = old(tenant)
    move()
    for path in files(archive):
        path.unlink()

    with pytest.raises(ArchiveDamaged):
        _ = documents_of(sent).document


def test_a_store_that_is_away_is_a_temporary_fault(app, tenant, archive):
    """And the list of artefacts needs no store."""
    sent = old(tenant)
    move()
    archive.rename(archive.with_name("away"))

    with pytest.raises(ArchiveUnavailable):
        _ = documents_of(sent).document
    assert documents_of(sent).parts["document"].size == len(DOCUMENT)
    with pytest.raises(StoreFault):
        move_another(tenant)
    archive.with_name("away").rename(archive)
    assert documents_of(sent).document == DOCUMENT


def move_another(tenant: str) -> None:
    old(tenant, original=b"another")
    move()


def test_nothing_is_cleared_while_the_store_is_away(app, tenant, archive):
    archive.rename(archive.with_name("away"))
    sent = old(tenant)
    with pytest.raises(StoreFault):
        move()

    assert in_row(sent) == (ORIGINAL, DOCUMENT, None)
    archive.with_name("away").rename(archive)
    assert move().invoices == 1


def test_an_object_that_was_damaged_before_is_written_again(app, tenant, archive):
    """The row still has the right bytes."""
    first = old(tenant)
    move()
    damaged(archive, b"other")
    second = old(tenant)
    move()

    assert documents_of(second).document == documents_of(first).document == DOCUMENT


class Killed(BaseException):
    """The process ends at this line."""


@pytest.mark.parametrize(
    ("where", "name"),
    [(archive_objects, "register"), (DirectoryStore, "put"), (DirectoryStore, "get"),
     (archive_objects, "confirm"), (archive_objects, "clear_invoices"),
     (archive_objects, "clear_artefacts"), (archive_objects, "add_parts"),
     (archive_walks, "not_put_off"), (archive_walks, "advance_walk")],
)  # fmt: skip
@pytest.mark.parametrize("before", [True, False])
def test_a_move_that_was_killed_loses_nothing(
    app, tenant, archive, monkeypatch, where, name, before
):
    """At any step, before and after it: the bytes can be read, and the next move moves them."""
    sent = old(tenant)
    receipt = evidence(sent)
    original = getattr(where, name)

    def killed(*given, **words):
        if not before:
            original(*given, **words)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(where, name, killed)
        with pytest.raises(Killed):
            move()
    after_kill = (
        documents_of(sent).document,
        artefacts.content(sent.invoice_id, receipt.id, sent.tenant_id).content,
    )
    move(now=clock.now() + timedelta(hours=1))

    assert after_kill == (DOCUMENT, b"<Receipt/>")
    assert documents_of(sent).document == DOCUMENT
    assert in_row(sent)[:2] == (b"", b"")
    assert count(ArchivePart) == 3


# -- objects that nothing points to ----------------------------------------------------------------


def killed_while_writing(monkeypatch, tenant) -> None:
    """An object is in the store, and nothing points to it."""
    old(tenant)
    with monkeypatch.context() as patched:
        patched.setattr(archive_objects, "confirm", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            move()


def test_an_orphan_is_deleted_after_a_day(app, tenant, archive, monkeypatch):
    killed_while_writing(monkeypatch, tenant)
    there = len(files(archive))
    with db.writing() as connection:
        connection.execute(sa.text("DELETE FROM invoices"))
    just_before = upkeep.sweep(clock.now() + timedelta(hours=23, minutes=59))
    after = upkeep.sweep(clock.now() + timedelta(hours=24, minutes=1))

    assert (there, just_before, after) == (2, 0, 2)
    assert (files(archive), count(ArchiveObject)) == ([], 0)


def test_an_object_that_is_pointed_to_is_never_an_orphan(app, tenant, archive):
    sent = old(tenant)
    move()
    with db.writing() as connection:  # as if the last commit had been lost
        connection.execute(sa.update(ArchiveObject).values(state="writing"))

    assert upkeep.sweep(clock.now() + timedelta(days=9)) == 0
    assert documents_of(sent).document == DOCUMENT


def test_a_row_does_not_point_to_an_object_that_is_being_deleted(app, tenant, archive, monkeypatch):
    """The sweep began while the object was written: the invoice is put off, with its bytes."""
    killed_while_writing(monkeypatch, tenant)
    with db.writing() as connection:
        connection.execute(sa.update(ArchiveObject).values(state="removing"))
    moved = move(now=clock.now() + timedelta(hours=1))

    assert (moved.parts, moved.put_off) == (0, 1)
    upkeep.sweep(clock.now() + timedelta(days=2))
    assert files(archive) == []
    assert move(now=clock.now() + timedelta(days=3)).parts == 2


def test_a_removal_that_began_during_the_write_stops_the_commit(app, tenant, archive, monkeypatch):
    sent = old(tenant)
    put = DirectoryStore.put

    def put_and_remove(*given):
        put(*given)
        with app.app_context(), db.writing() as connection:
            connection.execute(sa.update(ArchiveObject).values(state="removing"))

    monkeypatch.setattr(DirectoryStore, "put", put_and_remove)
    moved = move()

    assert (moved.parts, moved.put_off) == (0, 1)
    assert in_row(sent) == (ORIGINAL, DOCUMENT, None)


def test_a_removal_that_was_killed_is_finished(app, tenant, archive, monkeypatch):
    killed_while_writing(monkeypatch, tenant)
    with monkeypatch.context() as patched:
        patched.setattr(archive_objects, "end_removal", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            upkeep.sweep(clock.now() + timedelta(days=2))

    assert upkeep.sweep(clock.now() + timedelta(days=4)) == 2
    assert count(ArchiveObject) == 0


def test_the_relay_waits_for_no_store_when_it_goes_on_with_a_purge(app, tenant, monkeypatch):
    """A worker deletes the objects, with its next run."""
    old(tenant)
    move()
    closure.close(tenant, Caches())
    purge.purge(tenant, runtime().settings, seconds=-1)
    store = resources().archive.written
    with monkeypatch.context() as patched:
        patched.setattr(type(store), "delete", lambda *_: pytest.fail("the relay calls the store"))
        left = purge.sweep(60)
    objects = count(ArchiveObject)

    assert (left, objects) == (False, 2)
    assert tenants.get(tenant).closed_at
    assert upkeep.sweep() == 2
    assert count(ArchiveObject) == 0


def test_verify_reads_every_object_and_names_the_damaged_one(app, tenant, archive):
    for n in range(3):
        old(tenant, original=b"%d" % n)
    move()
    good = upkeep.verify(lambda *_: None)
    victim = files(archive)[0]
    victim.chmod(0o600)
    victim.write_bytes(b"changed")
    found: list[str] = []
    bad = upkeep.verify(lambda key, fault: found.append(key))

    assert (good.objects, good.faults, bad.objects, bad.faults) == (4, 0, 4, 1)
    assert found == [str(victim.relative_to(archive))]
    assert upkeep.verify(lambda *_: None, limit=2).objects == 2


def test_the_status_counts_objects_and_bytes(app, tenant):
    old(tenant)
    accepted_before(tenant)
    move()
    found = upkeep.status()

    [stored] = found.figures
    assert (stored.store, stored.state, stored.objects) == (
        resources().archive.written.name, "stored", 2,
    )  # fmt: skip
    assert stored.size == len(DOCUMENT) + len(ORIGINAL) > stored.stored_size
    assert found.put_off == 1


def test_objects_are_named_by_the_settings_store_of_their_row(app, tenant):
    sent = old(tenant)
    move()
    [placed] = [p for p in archived.placed([sent.invoice_id]).values() if p.part == "document"]

    assert placed.name.key == f"{tenant}/{placed.sha256[:2]}/{placed.sha256}.gz"
