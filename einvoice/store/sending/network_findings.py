"""Errors that a network named for a document that it refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.tables import NetworkFindings


@dataclass(frozen=True, slots=True)
class NewFindings:
    """The errors of one transmission, in the form of validation.refusal."""

    transmission_id: str
    tenant_id: str
    invoice_id: str
    findings: Sequence[Mapping[str, object]]


def add(connection: Connection, new: Sequence[NewFindings]) -> None:
    """Store errors, in the transaction that stores the refusal."""
    if new:
        connection.execute(insert(NetworkFindings), [asdict(each) for each in new])


def of_transmission(transmission_id: str) -> list[dict[str, Any]]:
    """The errors of a transmission."""
    query = select(NetworkFindings.findings).where(
        NetworkFindings.transmission_id == transmission_id
    )
    with db.reading() as connection:
        return list(connection.execute(query).scalar_one_or_none() or ())
