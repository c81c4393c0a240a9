"""Decisions that wait for an operator: claims of participant ids, and identifications."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import audit, claims, identifications
from einvoice.services.account.identifications import FileRecord, Identified
from einvoice.services.caches import Caches
from einvoice.store.account import identifications as stored
from einvoice.store.account.participants import PendingClaim
from einvoice.store.core import db

MAX_SHOWN = 200


def pending_claims() -> list[PendingClaim]:
    """The claims of all tenants that wait, the oldest first; at most MAX_SHOWN."""
    return claims.pending(MAX_SHOWN)


def decide_claim(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    reason: str,
    caches: Caches,
    *,
    approved: bool,
) -> None:
    """Verify or reject a tenant's claim. Raises NotFound, AccountClosed, Conflict."""
    if approved:
        claims.approve(tenant_id, environment, participant, reason, caches)
    else:
        claims.reject(tenant_id, environment, participant, reason)


def pending_identifications() -> list[tuple[Identified, str]]:
    """Those that wait, with the names of their tenants, the oldest first; at most MAX_SHOWN."""
    found = []
    for one in identifications.pending(MAX_SHOWN):
        files = tuple(each for each in stored.files_of(one.record.tenant_id)
                      if each.identification_id == one.record.id)  # fmt: skip
        found.append((Identified(one.record, files), one.tenant))
    return found


def decide_identification(
    identification_id: str, reason: str, caches: Caches, *, verified: bool
) -> Identified:
    """Verify the numbers of an identification, or reject it.

    Raises NotFound, AccountClosed, Conflict (it is decided already).
    """
    record = identifications.decide(
        identification_id, verified=verified, reason=reason, caches=caches
    )
    found = identifications.of_tenant(record.tenant_id)
    return next(each for each in found if each.record.id == record.id)


def read_file(identification_id: str, file_id: str, reason: str) -> tuple[FileRecord, bytes]:
    """A file of an identification; the reason is written into the tenant's audit log first.

    Raises NotFound.
    """
    record = stored.find(identification_id)
    file, content = identifications.file_content(file_id)
    if record is None or file.identification_id != record.id:
        raise NotFound(f"The identification has no file {file_id[:40]}.")
    with db.writing() as connection:
        detail = {"reason": reason, "identificationId": record.id, "name": file.name}
        action = "identification.file-read"
        audit.record(connection, record.tenant_id, None, action, file.id, detail)
    return file, content
