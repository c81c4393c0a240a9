"""The audit log as operators read it: what operators did, or everything of one tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from einvoice.store.account import all_tenants
from einvoice.store.account import audit as stored
from einvoice.store.account.audit import AuditRecord


@dataclass(frozen=True, slots=True)
class SeenEntry:
    """An entry with the name of its tenant; None: an operator's login or key."""

    entry: AuditRecord
    tenant_name: str | None

    @property
    def operator(self) -> str | None:
        """The operator who did it; None: a person or program of the tenant, or not known."""
        found = self.entry.detail.get("operator")
        is_operator = self.entry.actor_kind == "operator"
        return found if is_operator and isinstance(found, str) else None


def page(
    tenant_id: str | None, *, before: int | None, limit: int, matching: Mapping[str, str]
) -> list[SeenEntry]:
    """Entries, the newest first, before a position; `matching`: action or target.

    All entries of a tenant; without one the entries of operators in all tenants.
    """
    if tenant_id is None:
        found: Sequence[AuditRecord] = stored.of_operators(before, limit, matching)
    else:
        found = stored.before(tenant_id, before, limit, matching)
    names = all_tenants.names({each.tenant_id for each in found})
    return [SeenEntry(each, names.get(each.tenant_id)) for each in found]
