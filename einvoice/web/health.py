"""`/healthz`: the process answers. `/readyz`: it can work (decisions 0.6)."""

from __future__ import annotations

import sqlalchemy as sa
from flask import Blueprint, Response
from sqlalchemy.exc import SQLAlchemyError

from einvoice.observability import logging
from einvoice.store import budgets, db
from einvoice.web import json

log = logging.get(__name__)
blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    return _answer({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """503 without a database; `degraded` without Redis, which only limits need."""
    if not _database():
        return _answer({"status": "unavailable", "database": "down"}, 503)
    if not budgets.answering():
        return _answer({"status": "degraded", "database": "up", "redis": "down"})
    return _answer({"status": "ok", "database": "up", "redis": "up"})


def _answer(body: dict[str, str], status: int = 200) -> Response:
    return Response(json.write(body), status, content_type="application/json")


def _database() -> bool:
    try:
        with db.reading() as connection:
            connection.execute(sa.text("SELECT 1"))
    except SQLAlchemyError:
        log.exception("database away")
        return False
    return True
