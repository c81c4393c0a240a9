"""The form of rows of an export at another installation. Nothing here is work or a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.claims import ClaimStatus
from einvoice.domain.delivery import NetworkStatus, Phase, SendAnswer
from einvoice.services.webhooks import endpoints
from einvoice.store.tenant_data import tenant_imports
from einvoice.store.tenant_data.tenant_data import Family
from einvoice.store.tenant_data.tenant_imports import LoggedEntry, Remains

REASON = "imported from another installation"


@dataclass(frozen=True, slots=True)
class Arrival:
    """An import that is going on.

    remains  of a tenant that was here before and comes back
    logged   the entries that its audit log has already
    """

    tenant_id: str
    settings: Settings = field(repr=False)
    now: datetime = field(default_factory=clock.now)
    remains: Remains | None = None
    logged: frozenset[LoggedEntry] = field(default=frozenset(), repr=False)


Row = dict[str, Any]


Changes = Mapping[str, Callable[[Row, Arrival], Row]]


def arrived(
    connection: Connection,
    family: Family,
    rows: Sequence[Row],
    arrival: Arrival,
    changes: Changes | None = None,
) -> Iterator[Row]:
    """The rows as they are stored here; `changes` by family: those of an import, or MOVED."""
    if family.name == "participants":
        rows = _participants(connection, rows, arrival)
    change = (IMPORTED if changes is None else changes).get(family.name)
    for row in rows:
        yield row if change is None else {**row, **change(row, arrival)}


def _participants(connection: Connection, rows: Sequence[Row], arrival: Arrival) -> list[Row]:
    """Ids that another tenant has here become claims, which the operator decides."""
    verified = [row for row in rows if row["status"] == ClaimStatus.VERIFIED]
    pairs = [(row["environment"], row["participant"]) for row in verified]
    taken = tenant_imports.verified_elsewhere(connection, arrival.tenant_id, pairs)
    pending = {"status": ClaimStatus.PENDING.value, "decided_at": None, "decided_by": None}
    return [
        {**row, **pending} if (row["environment"], row["participant"]) in taken else row
        for row in rows
    ]


def _tenant(row: Row, arrival: Arrival) -> Row:
    """Closed until the import has ended."""
    return {"closed_at": arrival.now}


def _connection(row: Row, arrival: Arrival) -> Row:
    """Revoked: its credentials are not in the export. Documents keep naming it."""
    return {"state": "revoked", "reason": REASON, "updated_at": arrival.now}


def _endpoint(row: Row, arrival: Arrival) -> Row:
    """Disabled, with secrets that are not shown: its owner rotates them before enabling it."""
    return {
        "status": "disabled",
        "disabled_reason": REASON,
        **endpoints.unknown_secrets(row["id"], arrival.settings),
    }


def _entry(row: Row, arrival: Arrival) -> Row:
    """An entry whose participant id was being looked up is not looked up here."""
    return {"network_status": "Unknown"} if row["network_status"] == "Checking" else {}


def _transmission(row: Row, arrival: Arrival) -> Row:
    """One without a final status needs an operator: the other installation may have sent it."""
    if row["status"] != NetworkStatus.PROCESSING:
        return {}
    return {
        "phase": Phase.UNKNOWN.value,
        "attention": True,
        "pending": None,
        "sequence_key": None,
        "answered": row["answered"] or SendAnswer.PROCESSING.value,
        "reason": f"{REASON} before its outcome was known",
    }


def _invoice(row: Row, arrival: Arrival) -> Row:
    """No PDF is embedded any more."""
    return {"embed_pdf": None} if row["embed_pdf"] == "due" else {}


def _share_link(row: Row, arrival: Arrival) -> Row:
    """Revoked: its address is one of the other installation."""
    return {"revoked_at": row["revoked_at"] or arrival.now}


def _event(row: Row, arrival: Arrival) -> Row:
    return {"sequence": None}


def _audit_entry(row: Row, arrival: Arrival) -> Row:
    """Sealed here with the next sweep, in its order."""
    return {"sequence": None, "seal": None, "salts": None, "erased": None}


def _moved_tenant(row: Row, arrival: Arrival) -> Row:
    """Closed, and purged if it was here before, until the last file opens it."""
    purged = {} if arrival.remains is None else asdict(arrival.remains)
    return {"closed_at": arrival.now, **purged}


def _moved_connection(row: Row, arrival: Arrival) -> Row:
    """Revoked until the last file has its credentials."""
    return {} if "credentials" in row else _connection(row, arrival)


def _work(row: Row, arrival: Arrival) -> Row:
    return {"id": None}


IMPORTED: Changes = {
    "tenants": _tenant,
    "connections": _connection,
    "webhook_endpoints": _endpoint,
    "customers": _entry,
    "suppliers": _entry,
    "invoices": _invoice,
    "transmissions": _transmission,
    "share_links": _share_link,
    "events": _event,
    "audit_entries": _audit_entry,
}
# Of a tenant that moves: what is on its way goes on here, from where it is.
MOVED: Changes = {
    "tenants": _moved_tenant,
    "connections": _moved_connection,
    "customers": _entry,
    "suppliers": _entry,
    "share_links": _share_link,
    "events": _event,
    "audit_entries": _audit_entry,
    "outbox": _work,
}
