"""`/healthz`: the process answers. `/readyz`: it can work (decisions 0.6)."""

from __future__ import annotations

import sqlalchemy as sa
from flask import Response
from marshmallow import Schema, fields
from sqlalchemy.exc import SQLAlchemyError

from einvoice.observability import logging
from einvoice.store import budgets, db
from einvoice.web import credentials, json
from einvoice.web.api import Family

log = logging.get(__name__)
family = Family("health", __name__, credential=credentials.public)


def _state(description: str, *states: str) -> fields.String:
    metadata = {"description": description, "enum": list(states), "example": states[0]}
    return fields.String(metadata=metadata)


class Health(Schema):
    status = _state("Always ok", "ok")


class Readiness(Schema):
    status = _state(
        "degraded: all works but rate limits, which need Redis", "ok", "degraded", "unavailable"
    )
    database = _state("Whether the database answers", "up", "down")
    redis = _state("Whether Redis answers; not asked without a database", "up", "down")


@family.route("/healthz")
@family.response(200, Health())
def healthz() -> Response:
    """Whether the process answers at all."""
    return _answer({"status": "ok"})


@family.route("/readyz")
@family.alt_response(503, schema=Readiness(), description="There is no database.")
@family.response(200, Readiness())
def readyz() -> Response:
    """Whether the service can work.

    503 without a database; `degraded` without Redis, which only limits need.
    """
    if not _database():
        return _answer({"status": "unavailable", "database": "down"}, 503)
    if not budgets.is_available():
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
