"""Schemas of /status."""

from __future__ import annotations

from einvoice.services.console.incidents import Incident, IncidentUpdate
from einvoice.services.console.service_status import Component, NetworkLine, ServiceStatus
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

_STATES = "operational, degraded, down, or unknown where the database does not answer"


class StatusComponent(ResponseSchema[Component]):
    """A part of the service."""

    name = a.text("API, Deliveries or Webhooks", "Deliveries")
    status = a.text(_STATES, "operational", source="status.value")


class StatusNetwork(ResponseSchema[NetworkLine]):
    """A network in one environment."""

    network = a.text("Its name", "peppol")
    environment = a.text("test or live", "live")
    status = a.text(
        "operational; degraded: documents wait for it, and it has taken none for 15 minutes; down: "
        "it refuses this service; unknown",
        "operational",
        source="status.value",
    )
    lastSuccess = a.moment("When it delivered last; null before its first delivery", or_null=True)


class StatusIncidentUpdate(ResponseSchema[IncidentUpdate]):
    """One update of an incident: its text, and when it was written."""

    at = a.moment("When it was written")
    status = a.text("investigating, identified, monitoring or resolved", "identified")
    text = a.text("What is known", "The access point of Peppol answers slowly.")


class StatusIncident(ResponseSchema[Incident]):
    """An incident, as the operator describes it."""

    incidentId = a.an_id("The incident", source="id")
    title = a.text("What it is about", "Deliveries to Peppol are late")
    status = a.text("investigating, identified, monitoring or resolved", "resolved")
    startedAt = a.moment("When it began")
    endedAt = a.moment("When it was resolved; null before", or_null=True)
    updates = a.things(StatusIncidentUpdate(), "The newest first")


class ServiceStatusResponse(ResponseSchema[ServiceStatus]):
    """How the service is; nothing in it is of one account."""

    status = a.text(f"The worst of all: {_STATES}", "operational", source="status.value")
    at = a.moment("As it was at this moment; at most half a minute ago")
    components = a.things(StatusComponent(), "The parts of the service")
    networks = a.things(StatusNetwork(), "The networks, by environment and name")
    incidents = a.things(
        StatusIncident(), "Open ones, and those that have ended within 30 days, the newest first"
    )
    provider = a.provider()
