"""The values of every new document, sent or received, in the form in which they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.orm import DeclarativeBase

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Addressing:
    """Access point, sender, receiver and types of a transmission, as text.

    receiver  None: without a participant id
    profile   the profile that a sent document follows
    receiver_email  the address of the receiver, at a network of e-mail
    """

    sender: str
    receiver: str | None
    sender_country: str | None
    receiver_country: str | None
    access_point: str
    registration_id: str | None
    document_type: str
    process: str
    profile: str | None
    connection_id: str | None = None
    receiver_email: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """The bytes as submitted and as sent, and what the rules and the service said about them.

    report_form  of the artefact VALIDATION_REPORT: the form of this release
    """

    original_type: str
    original: bytes
    document: bytes
    network_document: bytes | None
    rule_pack: str
    rule_set_chosen_by: str
    report_form: int
    findings: Sequence[Mapping[str, object]]
    warnings: Sequence[Mapping[str, object]]


def columns(*parts: DataclassInstance) -> dict[str, Any]:
    """The fields of all parts, by name."""
    return {name: getattr(part, name) for part in parts for name in _names(type(part))}


def columns_of(part: type[DataclassInstance]) -> tuple[str, ...]:
    """The names of the fields of a part."""
    return _names(part)


@cache
def _names(part: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(part))


Table = type[DeclarativeBase]


def insert(connection: Connection, table: Table, values: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of one table, which have the same members; see `rows_of`."""
    if values:
        connection.execute(sa.insert(table), rows_of(table, values))


def rows_of(table: Table, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The mappings without the members that are not columns of the table."""
    names = [column.name for column in table.__table__.columns if column.name in values[0]]
    return [{name: row[name] for name in names} for row in values]
