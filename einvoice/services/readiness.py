"""Whether the database and Redis respond, and work goes on, for `/readyz` (decisions 0.6)."""

from __future__ import annotations

import psycopg
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from einvoice.observability import logging
from einvoice.store import budgets, recoveries, schema
from einvoice.store.schema import SchemaState as SchemaState

log = logging.get(__name__)

RETRY_AFTER_SECONDS = 5
_OUTAGES = (OperationalError, InterfaceError, PoolTimeout, psycopg.OperationalError)


def schema_state() -> SchemaState | None:
    """The state of the database's schema; None if the database does not respond."""
    try:
        return schema.state()
    except SQLAlchemyError as fault:
        log.error("database away", fault=outage(fault) or type(fault).__name__)
        return None


def deliveries_are_held() -> bool:
    """Whether deliveries are held after a restore; False if the database does not respond."""
    try:
        return recoveries.is_held()
    except SQLAlchemyError as fault:
        log.error("database away", fault=outage(fault) or type(fault).__name__)
        return False


def outage(fault: BaseException) -> str | None:
    """The database's words, if the fault means that it does not respond in time; else None.

    A deadlock, a full disk and a lock that is not free in time count as that: repeating helps.
    """
    if not isinstance(fault, _OUTAGES):
        return None
    return str(getattr(fault, "orig", None) or fault).partition("\n")[0]


def redis_responds() -> bool:
    """Whether Redis responds to PING."""
    return budgets.is_available()
