"""Whether the database and Redis respond, for `/readyz` (decisions 0.6)."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from einvoice.observability import logging
from einvoice.store import budgets, db

log = logging.get(__name__)


def database_responds() -> bool:
    """Whether a statement can be executed; the error is logged."""
    try:
        with db.reading() as connection:
            connection.execute(sa.text("SELECT 1"))
    except SQLAlchemyError:
        log.exception("database away")
        return False
    return True


def redis_responds() -> bool:
    """Whether Redis responds to PING."""
    return budgets.is_available()
