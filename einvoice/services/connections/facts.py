"""Facts that access points state about accounts and about themselves, for pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final

from einvoice.network.connections import Connection
from einvoice.network.facts import (
    MAX_CONNECTIONS,
    MAX_FACTS,
    DescribesConnections,
    DescribesOperation,
    Fact,
)
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.connections import sealing
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import SealedConnection

log = logging.get(__name__)

_MAX_VALUE: Final = 300


def of_connection(record: ConnectionRecord, runtime: Runtime) -> list[Fact]:
    """The lines of an account; none where its access point is not installed or has none."""
    point = runtime.access_points.get(record.access_point)
    if not isinstance(point, DescribesConnections):
        return []
    sealed = stored.for_sending(record.id)
    connection = None if sealed is None else _opened(sealed, runtime)
    if connection is None:
        return []
    return _lines(record.access_point, lambda: point.connection_facts(connection))


def of_access_point(point: AccessPoint, runtime: Runtime) -> list[Fact]:
    """The lines of an access point for operators."""
    if not isinstance(point, DescribesOperation):
        return []
    sealed = stored.sealed_at(point.name, MAX_CONNECTIONS)
    opened = [each for each in (_opened(one, runtime) for one in sealed) if each is not None]
    return _lines(point.name, lambda: point.operation_facts(opened))


def _opened(sealed: SealedConnection, runtime: Runtime) -> Connection | None:
    try:
        return sealing.opened(sealed, runtime.settings)
    except SealBroken:
        return None


def _lines(name: str, call: Callable[[], Iterable[Any]]) -> list[Fact]:
    try:
        found: Sequence[Fact] = list(islice(call(), MAX_FACTS))
        return [Fact(str(each.label), str(each.value)[:_MAX_VALUE]) for each in found]
    except Exception as fault:  # noqa: BLE001 - of a plugin; its text may hold a secret
        log.warning("no facts", access_point=name, fault=type(fault).__name__)
        return []
