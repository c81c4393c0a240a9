"""Decisions at the console: claims of participant ids, and identifications of tenants."""

from __future__ import annotations

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.console import decisions as service
from einvoice.web.operator import pages
from einvoice.web.operator.decisions import file_response
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_decision_pages", __name__, "/decisions")

_LIST = "operator_decision_pages.list_decisions"


@family.page("")
def list_decisions() -> Response:
    """Claims and identifications that wait for a decision, the oldest first."""
    return pages.render(
        "operator/decisions.html",
        claims=service.pending_claims(),
        identifications=service.pending_identifications(),
        most=service.MAX_SHOWN,
    )


@family.page("/claims", methods=["POST"])
def decide_claim() -> Response:
    """Verify or reject a claim."""
    try:
        environment = Environment(pages.field("environment"))
        participant = ParticipantId.parse(pages.field("participantId"))
    except (ValueError, InvalidParticipant):
        raise NotFound("There is no such claim.") from None
    approved = pages.field("decision") == "approve"
    service.decide_claim(
        pages.field("tenantId"),
        environment,
        participant,
        pages.reason(),
        runtime().caches,
        approved=approved,
    )
    return pages.redirect_to(_LIST, "approved" if approved else "rejected")


@family.page("/identifications/<identification_id>", methods=["POST"])
def decide_identification(identification_id: str) -> Response:
    """Verify or reject an identification."""
    verified = pages.field("decision") == "approve"
    service.decide_identification(
        identification_id, pages.reason(), runtime().caches, verified=verified
    )
    return pages.redirect_to(_LIST, "decided")


@family.page("/identifications/<identification_id>/files/<file_id>", methods=["POST"])
def read_file(identification_id: str, file_id: str) -> Response:
    """A file of an identification, whose reason is written into the tenant's audit log."""
    return file_response(identification_id, file_id, pages.reason())
