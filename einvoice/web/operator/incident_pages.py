"""Incidents at the console: what /status says of them."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.services.console import incidents as service
from einvoice.services.console.incidents import IncidentStatus
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages

family = OperatorPages("operator_incident_pages", __name__, "/incidents")

_LIST = "operator_incident_pages.list_incidents"


@family.page("")
def list_incidents() -> Response:
    """The incidents that are kept, open ones first."""
    return pages.render(
        "operator/incidents.html",
        items=service.newest(),
        statuses=[(each.value, each.value) for each in IncidentStatus],
        longest=(service.MAX_TITLE, service.MAX_TEXT),
    )


@family.page("", methods=["POST"])
def begin_incident() -> Response:
    """Write an incident."""
    service.begin(pages.field("title"), pages.field("text"), _status())
    return pages.redirect_to(_LIST, "published")


@family.page("/<incident_id>/updates", methods=["POST"])
def update_incident(incident_id: str) -> Response:
    """Add what is known now."""
    service.update(incident_id, pages.field("text"), _status())
    return pages.redirect_to(_LIST, "published")


def _status() -> IncidentStatus:
    """The status that was chosen. Raises InvalidField."""
    try:
        return IncidentStatus(pages.field("status"))
    except ValueError:
        message = f"is one of {', '.join(IncidentStatus)}"
        raise InvalidField([FieldError("/status", "unknown-value", message)]) from None
