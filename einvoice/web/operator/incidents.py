"""/api/operator/incidents: what /status says of incidents."""

from __future__ import annotations

from einvoice.domain.errors import Conflict
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.console import incidents as service
from einvoice.services.console.incidents import Incident, IncidentStatus
from einvoice.web import bodies
from einvoice.web.operator import incident_schemas as schemas
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body

family = OperatorFamily("operator_incidents", __name__, "/incidents")

_NEW, _UPDATE = schemas.NewIncident(), schemas.IncidentUpdateRequest()


@family.scoped("", READ)
@family.response(200, schemas.OperatorIncidentList())
def list_incidents() -> list[Incident]:
    """List the incidents that are kept: open ones first, then the newest first."""
    return service.newest()


@family.scoped("", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewIncident))
@family.response(201, schemas.OperatorIncidentResponse())
def create_incident() -> Written[Incident]:
    """Write an incident, which /status shows within half a minute."""
    asked = bodies.read_body(_NEW, bodies.received())
    status = IncidentStatus(asked.get("status") or IncidentStatus.INVESTIGATING)
    return service.begin(asked["title"], asked["text"], status), 201, {}


@family.scoped("/<incident_id>/updates", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.IncidentUpdateRequest))
@family.refuses(Conflict)
@family.response(200, schemas.OperatorIncidentResponse())
def update_incident(incident_id: str) -> Incident:
    """Add what is known now; `resolved` ends the incident."""
    asked = bodies.read_body(_UPDATE, bodies.received())
    return service.update(incident_id, asked["text"], IncidentStatus(asked["status"]))
