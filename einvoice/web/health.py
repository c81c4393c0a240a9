"""`/healthz`: the process answers. `/readyz`: it can work (decisions 0.6)."""

from __future__ import annotations

from flask import Response
from marshmallow import Schema, fields

from einvoice.services import readiness
from einvoice.services.readiness import SchemaState
from einvoice.web import credentials, json
from einvoice.web.api import Family

family = Family("health", __name__, credential=credentials.public, tag="Health")

_USABLE = frozenset({SchemaState.CURRENT, SchemaState.NEWER})


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
    schema = _state(
        "Of the database, beside what this version needs. newer: works, a newer version is being"
        " installed. older, missing, unknown: `einvoice db upgrade` has not been run",
        *SchemaState,
    )
    deliveries = _state(
        "There while deliveries are held: the database was restored, and `einvoice recover` has not"
        " been run",
        "held",
    )
    redis = _state("Whether Redis answers; not asked if the database cannot be used", "up", "down")


@family.route("/healthz")
@family.response(200, Health())
def check_health() -> Response:
    """Whether the process answers at all."""
    return _response({"status": "ok"})


@family.route("/readyz")
@family.alt_response(503, schema=Readiness(), description="The database cannot be used.")
@family.response(200, Readiness())
def check_readiness() -> Response:
    """Whether the service can work.

    503 without a database or without its tables, and after a restore of the database until
    `einvoice recover` has been run; `degraded` without Redis, which only limits need.
    """
    schema = readiness.schema_state()
    if schema is None:
        return _unavailable({"database": "down"})
    if schema not in _USABLE:
        return _unavailable({"database": "up", "schema": schema})
    up = {"database": "up", "schema": schema}
    if readiness.deliveries_are_held():
        return _unavailable({**up, "deliveries": "held"})
    if not readiness.redis_responds():
        return _response({"status": "degraded", **up, "redis": "down"})
    return _response({"status": "ok", **up, "redis": "up"})


def _unavailable(states: dict[str, str]) -> Response:
    answer = _response({"status": "unavailable", **states}, 503)
    answer.headers["Retry-After"] = str(readiness.RETRY_AFTER_SECONDS)
    return answer


def _response(body: dict[str, str], status: int = 200) -> Response:
    return Response(json.write(body), status, content_type="application/json")
