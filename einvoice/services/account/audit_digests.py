"""The digest of an entry of the audit log, of its columns (security/audit_chain)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from einvoice.security import audit_chain
from einvoice.store.account.audit_seals import SealedEntry


def digest_of(entry: SealedEntry, salts: Mapping[str, str], erased: Mapping[str, str]) -> str:
    """The digest of an entry by these salts. Raises KeyError if a part has none."""
    moment = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    fields = [entry.tenant_id, moment, entry.actor_kind, entry.action]
    return audit_chain.entry_digest(fields, values_of(entry), salts, erased)


def values_of(entry: SealedEntry) -> dict[str, list[Any]]:
    """The values of each part of an entry."""
    return {
        audit_chain.PERSON: [entry.actor, entry.email, entry.address],
        audit_chain.TARGET: [entry.target],
        audit_chain.DETAIL: [entry.detail],
    }
