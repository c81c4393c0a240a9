"""`/healthz`: the process answers. `/readyz`: it can work (decisions 0.6)."""

from __future__ import annotations

from flask import Response
from marshmallow import Schema, fields

from einvoice.services import readiness
from einvoice.web import credentials, json
from einvoice.web.api import Family

family = Family("health", __name__, credential=credentials.public, tag="Health")


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
def check_health() -> Response:
    """Whether the process answers at all."""
    return _response({"status": "ok"})


@family.route("/readyz")
@family.alt_response(503, schema=Readiness(), description="There is no database.")
@family.response(200, Readiness())
def check_readiness() -> Response:
    """Whether the service can work.

    503 without a database; `degraded` without Redis, which only limits need.
    """
    if not readiness.database_responds():
        return _response({"status": "unavailable", "database": "down"}, 503)
    if not readiness.redis_responds():
        return _response({"status": "degraded", "database": "up", "redis": "down"})
    return _response({"status": "ok", "database": "up", "redis": "up"})


def _response(body: dict[str, str], status: int = 200) -> Response:
    return Response(json.write(body), status, content_type="application/json")
