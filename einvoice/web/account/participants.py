"""The participant ids of a tenant, for sending and receiving."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims, tenants
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.services.participants import standings
from einvoice.services.participants.standings import Place, Standing
from einvoice.web import bodies, credentials, paging
from einvoice.web.account import participant_schemas as schemas
from einvoice.web.admission import slots
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


@family.route("", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": schemas.ParticipantQuery}])
@family.response(200, schemas.ParticipantList())
def list_participants() -> Response:
    """List the participant ids of the account and its claims, of both environments or one."""
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


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewParticipant))
@family.refuses(Conflict)
@family.response(201, schemas.ParticipantResponse())
def add_participant() -> Response:
    """Claim a participant id, to send from in live and to receive documents.

    In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.
    """
    asked = bodies.read_body(_NEW, bodies.received())
    who = credentials.session_of_request()
    owned = claims.claim(
        who.tenant_id,
        Environment(asked["environment"]),
        ParticipantId.parse(asked["participantId"]),
        runtime().caches,
        who,
    )
    address = f"/api/participants/{owned.environment}/{owned.participant}"
    return created_response({**_members(owned), "provider": provider()}, address)


@family.route("/<environment>/<participant_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def remove_participant(environment: str, participant_id: str) -> Response:
    """Remove a participant id, or withdraw a claim. Sent and received invoices stay."""
    who = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    tenants.disown_participant(who.tenant_id, place, participant, runtime().caches, who)
    return Response(status=204)


@family.route("/<environment>/<participant_id>/registrations", least=Role.VIEWER)
@family.response(200, schemas.ParticipantRegistrations())
def list_registrations(environment: str, participant_id: str) -> Response:
    """Ask the networks where a participant id or claim of the account is registered.

    Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.
    """
    who = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    with slots.released():
        found = standings.of_owned(who.tenant_id, place, participant, runtime())
    return json_response(
        {
            "participantId": participant.canonical,
            "environment": place.value,
            "checkedAt": iso_timestamp(found.asked_at),
            "items": [_registration(each) for each in found.standings],
            "provider": provider(),
        }
    )


_STATUS = {
    Place.HERE: "here", Place.ELSEWHERE: "elsewhere", Place.ABSENT: "not-registered",
    Place.UNKNOWN: "no-answer",
}  # fmt: skip


def _registration(said: Standing) -> dict[str, Any]:
    until = said.found and said.found.certificate_expires_at
    return {
        "network": runtime().access_points[said.access_point].network,
        "status": _STATUS[said.place],
        "endpoint": said.endpoint,
        "certificateExpiresAt": until and iso_timestamp(until),
        "documentTypes": len(said.found.document_types) if said.found else None,
    }


def _named(environment: str, participant_id: str) -> tuple[Environment, ParticipantId]:
    """The values of an address. Raises NotFound."""
    try:
        return Environment(environment), ParticipantId.parse(participant_id)
    except (ValueError, InvalidParticipant):
        raise NotFound("Your account does not own this participant id.") from None


def _members(owned: OwnedParticipant) -> dict[str, Any]:
    return {
        "participantId": owned.participant,
        "environment": owned.environment,
        "createdAt": iso_timestamp(owned.created_at),
        "status": owned.status,
        "decidedAt": owned.decided_at and iso_timestamp(owned.decided_at),
        "decidedBy": owned.decided_by,
        "reason": owned.reason,
        "publication": owned.publication,
        "publicationReason": owned.publication_reason,
        "publicationSince": owned.publication_since and iso_timestamp(owned.publication_since),
        "publicationCheckedAt": (
            owned.publication_checked_at and iso_timestamp(owned.publication_checked_at)
        ),
    }
