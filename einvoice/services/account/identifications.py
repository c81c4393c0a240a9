"""How tenants were identified: by their platforms (decisions 21.2), or by files of their own.

Whether the word of a platform verifies numbers is a setting of the platform. Else it waits in the
operator's list, as what a tenant sends of itself always does. A verified number verifies claims of
it (services/account/claims).
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.claims import verified_number
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound
from einvoice.domain.events import IDENTIFICATION_DECIDED
from einvoice.services.account import audit, claims, platform_tenants, platforms, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Principal, Session
from einvoice.store.account import identifications as stored
from einvoice.store.account.identifications import FileRecord as FileRecord
from einvoice.store.account.identifications import IdentificationRecord as IdentificationRecord
from einvoice.store.account.identifications import PendingIdentification as PendingIdentification
from einvoice.store.core import db
from einvoice.store.tables import Identification, IdentificationFile, Tenant
from einvoice.store.webhooks import events

MAX_IDENTIFICATIONS, MAX_FILES, MAX_FILE_BYTES = 100, 5, 2 * 1024 * 1024
DEFAULT_KEPT, MAX_KEPT = timedelta(days=5 * 366), timedelta(days=15 * 366)
MAX_SHOWN = 1_000
MAX_OWN_PENDING = 5  # what a tenant sends of itself, until the operator decides
OWN_METHOD = "own-files"
PENDING, VERIFIED, REJECTED = "pending", "verified", "rejected"


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that proves it; `keep_until`: None is DEFAULT_KEPT from now."""

    name: str
    content_type: str
    content: bytes
    keep_until: datetime | None


@dataclass(frozen=True, slots=True)
class NewIdentification:
    """A platform's statement: by which method and document, which numbers, when and by whom."""

    method: str
    numbers: Sequence[str]
    identified_at: datetime
    identified_by: str
    document_kind: str | None = None
    files: Sequence[NewFile] = ()


@dataclass(frozen=True, slots=True)
class Identified:
    """An identification with its files."""

    record: IdentificationRecord
    files: Sequence[FileRecord]

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a decision."""
        return self.record.status == PENDING


def add(
    name: str, new: NewIdentification, who: Principal, caches: Caches
) -> tuple[Identified, bool]:
    """Store how the platform has identified its tenant; whether it is a new one.

    The same method, numbers and moment are one identification. Of a trusted platform the numbers
    are verified at once, with the claims that they prove.
    Raises NotFound, InsufficientScope, InvalidField, Conflict (the tenant is closed, has
    MAX_IDENTIFICATIONS, or was identified so with other values).
    """
    now = clock.now()
    numbers = _numbers(new, now)
    with db.writing_session() as database:
        tenant = platform_tenants.open_tenant(database, name, who)
        row = Identification(
            id=str(uuid.uuid4()),
            tenant_id=tenant.id,
            platform_id=tenant.platform_id,
            method=new.method,
            document_kind=new.document_kind,
            numbers=numbers,
            identified_at=new.identified_at,
            identified_by=new.identified_by,
            status=PENDING,
            created_at=now,
        )
        known = stored.same(database, row)
        if known is None:
            _store(database, row, new, who)
            if platforms.get(row.platform_id).verifies_numbers:
                _decide(database, tenant, row, VERIFIED, "platform", None, caches)
        else:
            _compare(known, new, now)
        tenant_id, found = tenant.id, known or row
        identification_id = found.id
    for each in of_tenant(tenant_id):
        if each.record.id == identification_id:
            return each, known is None
    raise LookupError(identification_id)


def _compare(known: Identification, new: NewIdentification, now: datetime) -> None:
    """Raise Conflict where the identification has other values than the given ones."""
    values = {
        "documentKind": (known.document_kind, new.document_kind),
        "identifiedBy": (known.identified_by, new.identified_by),
        "files": (_kept_files(known, now), _given_files(known, new, now)),
    }
    differ = [member for member, (stored_value, given) in values.items() if stored_value != given]
    if differ:
        raise Conflict(
            f"The tenant was identified by {known.method} at {clock.timestamp(known.identified_at)}"
            f" with another {' and '.join(differ)}: a new identification has another identifiedAt."
        )


def _kept_files(known: Identification, now: datetime) -> list[tuple[str, str, str, datetime]]:
    """The files that are not due to be deleted."""
    return sorted(
        (file.name, file.content_type, file.sha256, file.keep_until)
        for file in stored.files_of(known.tenant_id)
        if file.identification_id == known.id and file.keep_until > now
    )


def _given_files(
    known: Identification, new: NewIdentification, now: datetime
) -> list[tuple[str, str, str, datetime]]:
    """The given files as they would be stored with the identification, without those whose time
    is over."""
    ends = [file.keep_until or known.created_at + DEFAULT_KEPT for file in new.files]
    return sorted(
        (file.name, file.content_type, _digest(file), end)
        for file, end in zip(new.files, ends, strict=True)
        if end > now
    )


def _numbers(new: NewIdentification, now: datetime) -> list[str]:
    """The numbers in their normal form. Raises InvalidField for what cannot be."""
    wrong, found = [], []
    for place, number in enumerate(new.numbers):
        try:
            found.append(verified_number(number))
        except ValueError as fault:
            wrong.append(FieldError(f"/numbers/{place}", "not-a-number", str(fault)))
    if new.identified_at > now + timedelta(days=1):
        wrong.append(FieldError("/identifiedAt", "in-the-future", "has not come yet"))
    for place, file in enumerate(new.files):
        until = file.keep_until
        if until is not None and not now < until <= now + MAX_KEPT:
            message = f"must be within {MAX_KEPT.days // 366} years"
            wrong.append(FieldError(f"/files/{place}/keepUntil", "out-of-range", message))
    if wrong:
        raise InvalidField(wrong)
    return sorted(set(found))


def _store(
    database: DatabaseSession,
    row: Identification,
    new: NewIdentification,
    who: Principal | Session,
) -> None:
    if stored.count(database, row.tenant_id) >= MAX_IDENTIFICATIONS:
        raise Conflict(f"The tenant has {MAX_IDENTIFICATIONS} identifications already.")
    database.add(row)
    database.flush()
    for file in new.files:
        database.add(
            IdentificationFile(
                id=str(uuid.uuid4()),
                tenant_id=row.tenant_id,
                identification_id=row.id,
                name=file.name,
                content_type=file.content_type,
                sha256=_digest(file),
                size=len(file.content),
                content=file.content,
                keep_until=file.keep_until or row.created_at + DEFAULT_KEPT,
                created_at=row.created_at,
            )
        )
    detail = {"method": row.method, "numbers": row.numbers, "identifiedBy": row.identified_by}
    audit.record(database, row.tenant_id, who, "tenant.identified", row.id, detail)


# -- by the tenant ---------------------------------------------------------------------------------


def add_own(tenant_id: str, new: NewIdentification, by: Session) -> Identified:
    """Store files by which a tenant identifies itself. They wait for the operator.

    The same files for the same numbers again, while they wait, are stored once. Raises NotFound,
    AccountClosed, InvalidField, Conflict (MAX_OWN_PENDING wait, or there are MAX_IDENTIFICATIONS).
    """
    now = clock.now()
    numbers, digests = _numbers(new, now), sorted(map(_digest, new.files))
    with db.writing_session() as database:
        tenants.locked(database, tenant_id)
        waiting = [one for one in of_tenant(tenant_id) if _is_own(one) and one.is_pending]
        for one in waiting:
            if (one.record.numbers, sorted(file.sha256 for file in one.files)) == (
                numbers,
                digests,
            ):
                return one
        if len(waiting) >= MAX_OWN_PENDING:
            raise Conflict(f"{MAX_OWN_PENDING} identifications wait for a decision already.")
        row = Identification(
            id=str(uuid.uuid4()),
            tenant_id=tenant_id,
            platform_id=tenant_id,  # it speaks for itself
            method=OWN_METHOD,
            document_kind=new.document_kind,
            numbers=numbers,
            identified_at=new.identified_at,
            identified_by=new.identified_by,
            status=PENDING,
            created_at=now,
        )
        _store(database, row, new, by)
        made = row.id
    return next(one for one in of_tenant(tenant_id) if one.record.id == made)


def _is_own(one: Identified) -> bool:
    return one.record.platform_id == one.record.tenant_id


def _digest(file: NewFile) -> str:
    return hashlib.sha256(file.content).hexdigest()


# -- all -------------------------------------------------------------------------------------------


def of(name: str, who: Principal) -> list[Identified]:
    """The identifications of the platform's tenant, the oldest first. Raises NotFound."""
    return of_tenant(platform_tenants.get(name, who).id)


def of_tenant(tenant_id: str) -> list[Identified]:
    """The identifications of a tenant with their files, the oldest first."""
    files: dict[str, list[FileRecord]] = {}
    for file in stored.files_of(tenant_id):
        files.setdefault(file.identification_id, []).append(file)
    return [Identified(each, files.get(each.id, ())) for each in stored.of_tenant(tenant_id)]


# -- by the operator -------------------------------------------------------------------------------


def pending(limit: int = MAX_SHOWN) -> list[PendingIdentification]:
    """The identifications of all tenants that wait for a decision, the oldest first."""
    return stored.pending(limit)


def decide(
    identification_id: str, *, verified: bool, reason: str | None, caches: Caches
) -> IdentificationRecord:
    """Verify the numbers of an identification, or reject it. Raises NotFound, AccountClosed,
    Conflict (it is decided already)."""
    with db.writing_session() as database:
        row = stored.lock(database, identification_id)
        if row is None:
            raise NotFound(f"There is no identification {identification_id[:40]}.")
        if row.status != PENDING:
            raise Conflict(f"The identification is {row.status} already.")
        tenant = tenants.locked(database, row.tenant_id)
        status = VERIFIED if verified else REJECTED
        _decide(database, tenant, row, status, "operator", reason, caches)
        detail = {"status": status, "reason": reason}
        audit.record(database, tenant.id, None, "tenant.identification-decided", row.id, detail)
        return stored.record(row)


def file_content(file_id: str) -> tuple[FileRecord, bytes]:
    """A file of an identification. Raises NotFound."""
    found = stored.content(file_id)
    if found is None:
        raise NotFound(f"There is no file {file_id[:40]}.")
    return found


def _decide(
    database: DatabaseSession,
    tenant: Tenant,
    row: Identification,
    status: str,
    by: str,
    reason: str | None,
    caches: Caches,
) -> None:
    row.status, row.decided_by, row.reason = status, by, reason
    row.decided_at = clock.now()
    if status == VERIFIED and row.numbers:
        claims.add_numbers(database, tenant, row.numbers, caches)
    database.flush()
    events.emit(
        database.connection(),
        tenant_id=tenant.id,
        environment=(Environment.TEST if tenant.sandbox_only else Environment.LIVE).value,
        event_type=IDENTIFICATION_DECIDED,
        invoice_id=None,
        payload={
            "identificationId": row.id,
            "status": status,
            "decidedBy": by,
            "numbers": row.numbers,
            "reason": reason,
        },
    )
