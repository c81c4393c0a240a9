"""Incidents of the page /status: bodies and responses."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.services.console.incidents import (
    MAX_TEXT,
    MAX_TITLE,
    Incident,
    IncidentStatus,
    IncidentUpdate,
)
from einvoice.web.contract import Contract
from einvoice.web.fields import Code, Text
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a

_STATUSES = tuple(status.value for status in IncidentStatus)
_NAME = "investigating, identified, monitoring or resolved"


class IncidentUpdateRequest(Contract):
    """What is known now."""

    text = Text(
        "What is known, for everybody.",
        max_length=MAX_TEXT,
        required=True,
        example="The access point of Peppol answers slowly.",
    )
    status = Code("How far it is.", _STATUSES, name=_NAME, required=True, example="identified")


class NewIncident(Contract):
    """An incident to write."""

    title = Text(
        "What it is about.",
        max_length=MAX_TITLE,
        required=True,
        example="Deliveries to Peppol are late",
    )
    text = Text(
        "What is known, for everybody.",
        max_length=MAX_TEXT,
        required=True,
        example="We look for the cause.",
    )
    status = Code(
        "How far it is; default investigating.", _STATUSES, name=_NAME, example="investigating"
    )


class OperatorIncidentUpdate(ResponseSchema[IncidentUpdate]):
    """One update of an incident: its text, and when it was written."""

    at = a.moment("When it was written")
    status = a.text(_NAME, "identified", source="status.value")
    text = a.text("What is known", "The access point of Peppol answers slowly.")


class OperatorIncident(ResponseSchema[Incident]):
    """An incident with all that was written."""

    incidentId = a.an_id("The incident", source="id")
    title = a.text("What it is about", "Deliveries to Peppol are late")
    status = a.text(_NAME, "identified", source="status.value")
    startedAt = a.moment("When it began")
    endedAt = a.moment("When it was resolved; null before", or_null=True)
    updates = a.things(OperatorIncidentUpdate(), "The newest first")


class OperatorIncidentResponse(OperatorIncident):
    """An incident with all that was written."""

    provider = a.provider()


class OperatorIncidentList(ResponseSchema[Sequence[Incident]]):
    """The incidents that are kept."""

    items = a.things(OperatorIncident(), "Open ones first, then the newest first", source=ITSELF)
    provider = a.provider()
