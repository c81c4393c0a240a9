"""/api/operator/transmissions: what needs a person, and settling it with evidence."""

from __future__ import annotations

from collections.abc import Sequence

from flask import request

from einvoice.domain.errors import Conflict
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.console import transmissions as service
from einvoice.services.console.transmissions import Kind, Work
from einvoice.services.delivery import operations
from einvoice.services.delivery.operations import SequenceRecord
from einvoice.web import bodies, paging
from einvoice.web.operator import transmission_schemas as schemas
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_transmissions", __name__, "/transmissions")

_QUERY, _OUTCOME = schemas.TransmissionQuery(), schemas.TransmissionOutcome()


@family.scoped("", READ)
@family.doc(parameters=[{"in": "query", "schema": schemas.TransmissionQuery}])
@family.response(200, schemas.OperatorTransmissionList())
def list_operator_transmissions() -> Sequence[Work]:
    """List transmissions and messages of all tenants that need an operator, or are parked."""
    return service.listed(Kind(paging.read_query(_QUERY).get("kind") or Kind.ATTENTION))


@family.scoped("/sequences", READ)
@family.response(200, schemas.BlockedSequenceList())
def list_blocked_sequences() -> Sequence[SequenceRecord]:
    """List the documents for which others of their sequence wait."""
    return operations.blocking_sequences()


@family.scoped("/<transmission_id>", READ)
@family.response(200, schemas.OperatorTransmissionResponse())
def get_operator_transmission(transmission_id: str) -> Work:
    """Get the state of a transmission or message, and the request that caused it."""
    return operations.find(transmission_id)


@family.scoped("/<transmission_id>/settle", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.TransmissionOutcome))
@family.refuses(Conflict)
@family.response(200, schemas.OperatorTransmissionResponse())
def settle_operator_transmission(transmission_id: str) -> Work:
    """Record the outcome that you found out at the network. The tenant gets the usual event."""
    request.max_content_length = schemas.MAX_BODY_BYTES
    asked = bodies.read_body(_OUTCOME, bodies.received())
    return service.resolve(
        transmission_id,
        asked["outcome"],
        asked["evidence"],
        asked["fileName"],
        asked.get("reason") or None,
        runtime(),
    )


@family.scoped("/<transmission_id>/retry", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.OperatorTransmissionResponse())
def retry_operator_transmission(transmission_id: str) -> Work:
    """Make the next step due now, or ask the network again. Nothing is submitted blindly."""
    read_empty_body()
    return service.retry(transmission_id)
