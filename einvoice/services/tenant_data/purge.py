"""Purging a closed tenant: all its rows are deleted but its own and the audit log.

Documents are kept for as long as the law of their country asks, evidence for as long as its network
does, and everything while a legal hold protects it: until then a purge is refused, and says what
stands in the way. By contract it may be deleted before: after an export that was begun when the
tenant was closed, named by the digest of its manifest, and with a reason. What begins is written
into the audit log, with the number of rows of each table, documents by month and a digest of the
ids of all documents, in the transaction that marks the tenant. The rows are deleted in steps, each
a transaction; a process that is killed leaves the rest to the next call, or to the relay. Nothing
is asked for again after the beginning: nothing can be added to a closed tenant.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.plans import month_of
from einvoice.observability import logging
from einvoice.services import believed_clock
from einvoice.services.account import audit, tenants
from einvoice.services.archive import retention_periods, upkeep
from einvoice.services.principal import Reader
from einvoice.store.account import tenants as stored
from einvoice.store.archive import holds
from einvoice.store.core import db
from einvoice.store.tables import Tenant
from einvoice.store.tenant_data import erasure, purging, tenant_exports, tenant_moves
from einvoice.store.tenant_data.purging import Place

log = logging.get(__name__)

BEGUN, DONE = "tenant.purge-begun", "tenant.purged"
MAX_TENANTS = 20  # that one sweep goes on with


@dataclass(frozen=True, slots=True)
class Purge:
    """How far a purge is: `done_at` None while rows are left."""

    begun_at: datetime
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class Prospect:
    """Whether a tenant can be purged: nothing stands in the way of a closed one.

    obstacles  what has to end before, as sentences
    """

    closed_at: datetime | None
    begun_at: datetime | None
    done_at: datetime | None
    obstacles: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract by which the tenant has its data back, and they are deleted before their time.

    reason    as the audit log has it
    manifest  SHA-256 of the manifest of an export that was begun after the tenant was closed
    """

    reason: str
    manifest: str


def prospect(tenant_id: str, settings: Settings) -> Prospect:
    """The obstacles to a purge now, also of an open tenant. Raises NotFound."""
    with db.reading_session() as database:
        tenant = database.get(Tenant, tenant_id)
        if tenant is None:
            raise tenants.unknown(tenant_id)
        moments = (tenant.closed_at, tenant.purge_begun_at, tenant.purged_at)
        if tenant.purge_begun_at is not None:
            return Prospect(*moments)
        return Prospect(*moments, tuple(_obstacles(tenant, settings, clock.now())))


def purge(
    tenant_id: str,
    settings: Settings,
    *,
    seconds: float,
    by: Reader | None = None,
    contract: Contract | None = None,
) -> Purge:
    """Begin, or go on, for at most so many seconds after the beginning.

    contract  what the law or a network keeps is deleted too; nothing else that stands in the way

    Repeating it after the end changes nothing. Raises NotFound, Conflict (the tenant is open,
    something stands in the way, or there is no such export).
    """
    deadline = clock.monotonic() + seconds
    begun_at, done_at = _begin(tenant_id, settings, by, contract)
    if done_at is None and _delete(tenant_id, deadline):
        done_at = _end(tenant_id, by)
    return Purge(begun_at, done_at)


def sweep(seconds: float) -> bool:
    """Go on with purges that have begun; whether more is left.

    Objects are left to the worker of the archive: a store may take minutes to say that it is away.
    """
    deadline = clock.monotonic() + seconds
    for tenant_id in purging.begun(MAX_TENANTS):
        if not _delete(tenant_id, deadline, objects=False):
            return True
        with audit.of_operator():
            _end(tenant_id, None)
    return False


def _begin(
    tenant_id: str, settings: Settings, by: Reader | None, contract: Contract | None
) -> tuple[datetime, datetime | None]:
    """When the purge began and ended; it begins if nothing stands in the way."""
    now = clock.now()
    with db.writing_session() as database:
        tenant = _closed(stored.lock(database, tenant_id), tenant_id)
        if tenant.purge_begun_at is not None:
            return tenant.purge_begun_at, tenant.purged_at
    proof = {"rows": purging.count(tenant_id), **_documents(tenant_id)}
    if contract is not None:
        _require_export(tenant_id, contract)
        proof |= {"contract": contract.reason, "export": contract.manifest.lower()}
    with db.writing_session() as database:
        tenant = _closed(stored.lock(database, tenant_id), tenant_id)
        if tenant.purge_begun_at is not None:
            return tenant.purge_begun_at, tenant.purged_at
        kept = list(_kept(tenant.id, settings, now))
        if contract is not None and kept:
            proof, kept = {**proof, "notKept": kept}, []
        if found := [*kept, *_others(tenant, now)]:
            raise Conflict(f"The tenant cannot be purged yet: {'; '.join(found)}.")
        tenant.purge_begun_at = now
        tenant.profile = {}
        tenant.session_ends = tenant.verified_numbers = tenant.seats = None
        audit.record(database, tenant_id, by, BEGUN, tenant_id, proof)
    return now, None


def _closed(tenant: Tenant | None, tenant_id: str) -> Tenant:
    if tenant is None:
        raise tenants.unknown(tenant_id)
    if tenant.closed_at is None:
        raise Conflict("Only a closed tenant can be purged: close it first.")
    return tenant


def _require_export(tenant_id: str, contract: Contract) -> None:
    """Raise Conflict unless the export that the contract names has everything of the tenant."""
    with db.reading_session() as database:
        closed_at = database.get_one(Tenant, tenant_id).closed_at
    made = tenant_exports.of_manifest(tenant_id, contract.manifest.lower())
    if made is None or closed_at is None or made.created_at < closed_at:
        raise Conflict(
            "No finished export of the closed tenant has this manifest: export it after it was "
            "closed, and give the digest that the export printed."
        )


def _documents(tenant_id: str) -> dict[str, object]:
    """The number of documents, also by month, and the SHA-256 of their ids, a line each, in their
    order."""
    count, digest = 0, hashlib.sha256()
    months: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in purging.documents(tenant_id):
        count += 1
        months[each.environment][month_of(each.created_at)] += 1
        digest.update(f"{each.id}\n".encode())
    return {
        "documents": count,
        "documentIdsSha256": digest.hexdigest(),
        "months": {name: dict(sorted(months[name].items())) for name in sorted(months)},
    }


# -- what stands in the way ------------------------------------------------------------------------


def _obstacles(tenant: Tenant, settings: Settings, now: datetime) -> Iterator[str]:
    """The work that has to end before. Code that adds one of these has to lock the tenant's row."""
    yield from _kept(tenant.id, settings, now)
    yield from _others(tenant, now)


def _others(tenant: Tenant, now: datetime) -> Iterator[str]:
    """The obstacles that no contract lifts."""
    if (reason := believed_clock.fault()) is not None:
        yield reason
    with db.reading() as connection:
        held = holds.count_active(connection, tenant.id)
        undone = purging.undone(connection, tenant.id)
        until = purging.kept_files(connection, tenant.id, now)
    if tenant_moves.find(tenant.id) is not None:
        yield "the tenant moves to another installation: end that, or cancel it"
    if held:
        yield f"{held:,} legal holds are to be released"
    if undone:
        yield f"{undone:,} documents or entries in networks are not settled: try again in a minute"
    if until is not None and not tenant.sandbox_only:
        yield f"files of its identification are kept until {until:%Y-%m-%d}"


def _kept(tenant_id: str, settings: Settings, now: datetime) -> Iterator[str]:
    """The live documents and evidence whose retention has not ended, by rule."""
    years = settings.archive_retention_years
    of_plan = retention_periods.years_of_plans([tenant_id]).get(tenant_id)
    documents = [(None, one, "documents") for one in erasure.document_groups(tenant_id)]
    evidence = [
        (each, one, "pieces of evidence") for each, one in purging.evidence_groups(tenant_id)
    ]
    found: defaultdict[tuple[str, str], list[tuple[int, date]]] = defaultdict(list)
    for own, group, what in (*documents, *evidence):
        until = retention_periods.keep_until(group, own, years, of_plan)
        if purging.is_live(group) and until >= now.date():
            rule = retention_periods.rule_of(group, own, years, of_plan).words
            found[what, rule].append((group.documents, until))
    for (what, rule), groups in found.items():
        count, until = sum(n for n, _ in groups), max(until for _, until in groups)
        yield f"{count:,} {what}, the last of them kept until {until} ({rule})"


# -- deleting --------------------------------------------------------------------------------------


def _delete(
    tenant_id: str,
    deadline: float,
    without: frozenset[str] = frozenset(),
    *,
    objects: bool = True,
) -> bool:
    """Delete rows but those of tables `without`, then objects; whether none is left.

    objects  False: they are only marked, and a worker deletes them

    Raises StoreFault.
    """
    if not _delete_documents(tenant_id, deadline):
        return False
    for table in purging.beside_documents(without):
        while True:
            with db.writing() as connection:
                deleted = purging.delete_some(connection, table, tenant_id)
            if deleted < purging.MAX_ROWS:
                break
            if clock.monotonic() > deadline:
                return False
    done = _delete_objects(tenant_id, deadline, at_once=objects)
    return done and not purging.is_left(tenant_id, without)


def delete_copy(tenant_id: str, seconds: float) -> bool:
    """Delete all rows of a tenant that was never open here but its own and its audit log, for at
    most so many seconds; whether none is left. The caller knows that nothing was made here."""
    return _delete(tenant_id, clock.monotonic() + seconds, without=frozenset({"tenant_imports"}))


def _delete_documents(tenant_id: str, deadline: float) -> bool:
    """Delete documents with what belongs to them; whether none is left."""
    for environment in Environment:
        place: Place | None = Place(environment.value)
        while place is not None:
            with db.writing() as connection:
                place = purging.delete_documents(connection, tenant_id, place)
            if place is not None and clock.monotonic() > deadline:
                return False
    return True


def _delete_objects(tenant_id: str, deadline: float, *, at_once: bool) -> bool:
    """Delete the tenant's objects in the archive, or have the next run of its worker do so; one
    that the store keeps is deleted later."""
    now = clock.now()
    marked_at = now if at_once else now - upkeep.ORPHAN_AFTER
    while True:
        with db.writing() as connection:
            found = purging.begin_removals(connection, tenant_id, marked_at)
        for one in found if at_once else ():
            upkeep.remove(one, now)
        if not found:
            return True
        if clock.monotonic() > deadline:
            return False


def _end(tenant_id: str, by: Reader | None) -> datetime:
    now = clock.now()
    with db.writing_session() as database:
        tenant = _closed(stored.lock(database, tenant_id), tenant_id)
        if tenant.purged_at is None:
            tenant.purged_at = now
            audit.record(database, tenant_id, by, DONE, tenant_id)
        log.info("tenant purged", tenant=tenant_id)
        return tenant.purged_at
