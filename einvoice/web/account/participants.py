"""The participant ids of a tenant, for sending and receiving."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.web import bodies, credentials, paging
from einvoice.web.account import participant_schemas as schemas
from einvoice.web.api import Family
from einvoice.web.responses import (
    created_response,
    documented_body,
    iso_timestamp,
    json_response,
    provider,
)
from einvoice.web.runtime import runtime

family = Family(
    "participants",
    __name__,
    url_prefix="/api/participants",
    credential=credentials.session,
    tag="Participants",
)

_NEW, _QUERY = schemas.NewParticipant(), schemas.ParticipantQuery()


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.ParticipantQuery}])
@family.response(200, schemas.ParticipantList())
def list_participants() -> Response:
    """List the participant ids of the account, of both environments or one."""
    query, who = paging.read_query(_QUERY), credentials.session_of_request()
    after = paging.marked(query, who)
    found = tenants.owned_page(
        who.tenant_id,
        Environment(query["environment"]) if "environment" in query else None,
        after=None if after is None else (after[0], after[1]),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    shown, closing = paging.closed_page(
        found, lambda owned: [owned.environment, owned.participant], query, who
    )
    items = [_members(owned) for owned in shown]
    return json_response({"items": items, **closing, "provider": provider()})


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewParticipant))
@family.refuses(Conflict)
@family.response(201, schemas.ParticipantResponse())
def add_participant() -> Response:
    """Add a participant id, to send from in live and to receive documents.

    An id has one owner per environment: 409 conflict if another account owns it.
    """
    asked = bodies.read_body(_NEW, bodies.received())
    who = credentials.session_of_request()
    owned = tenants.own_participant(
        who.tenant_id,
        Environment(asked["environment"]),
        ParticipantId.parse(asked["participantId"]),
        who,
    )
    address = f"/api/participants/{owned.environment}/{owned.participant}"
    return created_response({**_members(owned), "provider": provider()}, address)


@family.route("/<environment>/<participant_id>", methods=["DELETE"])
@family.response(204)
def remove_participant(environment: str, participant_id: str) -> Response:
    """Remove a participant id. Sent and received invoices stay."""
    who = credentials.session_of_request()
    try:
        place, participant = Environment(environment), ParticipantId.parse(participant_id)
    except (ValueError, InvalidParticipant):
        raise NotFound("Your account does not own this participant id.") from None
    tenants.disown_participant(who.tenant_id, place, participant, runtime().caches, who)
    return Response(status=204)


def _members(owned: OwnedParticipant) -> dict[str, Any]:
    return {
        "participantId": owned.participant,
        "environment": owned.environment,
        "createdAt": iso_timestamp(owned.created_at),
    }
