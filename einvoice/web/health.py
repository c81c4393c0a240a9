"""`/healthz`: the process answers. `/readyz`: it can work (decisions 0.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from marshmallow import fields

from einvoice.release import RELEASE
from einvoice.services import readiness
from einvoice.services.readiness import SchemaState, Service
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.response_schema import ResponseSchema, Written
from einvoice.web.runtime import runtime

family = Family("health", __name__, credential=credentials.public, tag="Health")


def _state(description: str, *states: str) -> fields.String:
    metadata = {"description": description, "enum": list(states), "example": states[0]}
    return fields.String(metadata=metadata)


@dataclass(frozen=True, slots=True)
class HealthState:
    status: str = "ok"
    version: str = RELEASE


@dataclass(frozen=True, slots=True)
class ReadinessState:
    """The states of the service and of what it needs; None is left out."""

    status: str
    database: str
    schema: str | None = None
    deliveries: str | None = None
    redis: str | None = None


class Health(ResponseSchema[HealthState]):
    status = _state("Always ok", "ok")
    version = fields.String(
        metadata={"description": "The release that answers", "example": "0.1.0"}
    )


class Readiness(ResponseSchema[ReadinessState]):
    status = _state(
        "degraded: requests are answered; limits and deliveries, which need Redis, are not made",
        "ok",
        "degraded",
        "unavailable",
    )
    database = _state(
        "down: no answer within two seconds. full: the disk of the database is full. read-only: it"
        " takes no writes, as a standby does not",
        *Service,
    )
    schema = _state(
        "Of the database, beside what this version needs. newer: works, a newer version is being"
        " installed. incompatible: of a release that is more than one ahead. older, missing,"
        " unknown: `einvoice db upgrade` has not been run",
        *SchemaState,
    )
    deliveries = _state(
        "There while deliveries are held: the database was restored, and `einvoice recover` has not"
        " been run",
        "held",
    )
    redis = _state(
        "full: its memory is used up. read-only: it takes no writes for another reason. Not asked"
        " if the database cannot be used",
        *Service,
    )


@family.route("/healthz")
@family.response(200, Health())
def check_health() -> HealthState:
    """Whether the process answers at all."""
    return HealthState()


@family.route("/readyz")
@family.alt_response(503, schema=Readiness(), description="The database cannot be used.")
@family.response(200, Readiness())
def check_readiness() -> Written[ReadinessState]:
    """Whether the service can work.

    503 without a database that takes writes or without its tables, and after a restore of the
    database until `einvoice recover` has been run; `degraded` without a Redis that takes writes,
    which limits and deliveries need. Answered within two seconds, also if a server hangs.
    """
    state = runtime().readiness.state()
    schema = None if state.schema is None else state.schema.value
    found = ReadinessState(
        "unavailable", state.database.value, schema, "held" if state.held else None
    )
    if not state.is_usable:
        return found, 503, {"Retry-After": str(readiness.RETRY_AFTER_SECONDS)}
    redis = state.redis or Service.DOWN
    status = "ok" if redis is Service.UP else "degraded"
    return replace(found, status=status, redis=redis.value), 200, {}
