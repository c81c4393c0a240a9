"""Errors that a network named for a document that it refused, or warnings with which it took it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import NetworkFindings


@dataclass(frozen=True, slots=True)
class NewFindings:
    """The errors of one transmission, in the form of validation.refusal."""

    transmission_id: str
    tenant_id: str
    invoice_id: str
    findings: Sequence[Mapping[str, object]]


def add(connection: Connection, new: Sequence[NewFindings]) -> None:
    """Store errors or warnings, in the transaction that stores the outcome. Those of a later
    outcome are left out."""
    if new:
        insert = upsert(connection, NetworkFindings).on_conflict_do_nothing()
        connection.execute(insert, [asdict(each) for each in new])


def of_transmission(transmission_id: str) -> list[dict[str, Any]]:
    """The errors of a transmission."""
    query = select(NetworkFindings.findings).where(
        NetworkFindings.transmission_id == transmission_id
    )
    with db.reading() as connection:
        return list(connection.execute(query).scalar_one_or_none() or ())
