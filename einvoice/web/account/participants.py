"""The participant ids of a tenant, for sending and receiving."""

from __future__ import annotations

from flask import Response

from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims, tenants
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.services.participants import moves, publications, standings
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body, json_response
from einvoice.web.runtime import runtime
from einvoice.web.shared import participant_schemas as schemas
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body
from einvoice.web.shared.participant_schemas import Registrations

family = Family(
    "participants",
    __name__,
    url_prefix="/api/participants",
    credential=credentials.session_or_platform,
    tag="Participants",
)

_NEW, _QUERY = schemas.NewParticipant(), schemas.ParticipantQuery()
_KEY, _NEW_KEY = schemas.MigrationKey(), schemas.NewMigrationKey()


@family.route("", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": schemas.ParticipantQuery}])
@family.response(200, schemas.ParticipantList())
def list_participants() -> Page[OwnedParticipant]:
    """List the participant ids of the account and its claims, of both environments or one."""
    query, principal = paging.read_query(_QUERY), credentials.session_of_request()
    after = paging.marked(query, principal)
    found = tenants.owned_page(
        principal.tenant_id,
        credentials.chosen_environment(query.get("environment")),
        after=None if after is None else (after[0], after[1]),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(
        found, lambda owned: [owned.environment, owned.participant], query, principal
    )


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewParticipant))
@family.refuses(Conflict)
@family.response(201, schemas.ParticipantResponse())
def add_participant() -> Written[OwnedParticipant]:
    """Claim a participant id, to send from in live and to receive documents.

    In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.
    """
    asked = bodies.read_body(_NEW, bodies.received())
    credentials.chosen_environment(asked["environment"])
    principal = credentials.session_of_request()
    owned = claims.claim(
        principal.tenant_id,
        Environment(asked["environment"]),
        ParticipantId.parse(asked["participantId"]),
        runtime().caches,
        principal,
    )
    return created(owned, f"/api/participants/{owned.environment}/{owned.participant}")


@family.route("/<environment>/<participant_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def remove_participant(environment: str, participant_id: str) -> Response:
    """Remove a participant id, or withdraw a claim. Sent and received invoices stay."""
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    tenants.disown_participant(principal.tenant_id, place, participant, runtime().caches, principal)
    return Response(status=204)


@family.route("/<environment>/<participant_id>/registrations", least=Role.VIEWER)
@family.response(200, schemas.ParticipantRegistrations())
def list_registrations(environment: str, participant_id: str) -> Registrations:
    """Ask the networks where a participant id or claim of the account is registered.

    Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.
    """
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    with slots.released():
        found = standings.of_owned(principal.tenant_id, place, participant, runtime())
    return Registrations(participant, place, found)


@family.route("/<environment>/<participant_id>/publish", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.ParticipantResponse())
def publish_participant(environment: str, participant_id: str) -> OwnedParticipant:
    """Publish a verified id, after it was withdrawn or refused; others are published by themselves.

    `publication` says how far it is, and the events participant.published and participant.refused
    tell. 409 conflict if the claim is not verified, no network publishes it, or another provider
    has it (move-in).
    """
    read_empty_body()
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    return publications.publish(principal.tenant_id, place, participant, runtime(), principal)


@family.route("/<environment>/<participant_id>/withdraw", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.ParticipantResponse())
def withdraw_participant(environment: str, participant_id: str) -> OwnedParticipant:
    """Withdraw the entry of an id from the network. You keep the id, and send by it."""
    read_empty_body()
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    return publications.withdraw(principal.tenant_id, place, participant, principal)


@family.route("/<environment>/<participant_id>/move-out", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, _NEW_KEY)
def move_participant_out(environment: str, participant_id: str) -> Response:
    """Get a key by which another provider takes over a published participant id.

    The id stays published here, and receives, until that provider has used the key; then it
    becomes `moved`. A further call gives a new key, which may end the one before.
    """
    read_empty_body()
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    with slots.released():
        key = moves.move_out(principal.tenant_id, place, participant, runtime(), principal)
    return answered_posts.shown_once(json_response(_NEW_KEY.write(key)), "migrationKey")


@family.route("/<environment>/<participant_id>/move-in", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.MigrationKey))
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, schemas.ParticipantResponse())
def move_participant_in(environment: str, participant_id: str) -> OwnedParticipant:
    """Take over a verified participant id from another provider, by the key that it has made.

    It is published at once. 409 conflict says why the network refuses the key.
    """
    asked = bodies.read_body(_KEY, bodies.received())
    principal = credentials.session_of_request()
    place, participant = _named(environment, participant_id)
    with slots.released():
        return moves.move_in(
            principal.tenant_id, place, participant, asked["migrationKey"], runtime(), principal
        )


def _named(environment: str, participant_id: str) -> tuple[Environment, ParticipantId]:
    """The values of an address. Raises NotFound."""
    try:
        credentials.check_environment(environment, NOT_OWNED)
        return Environment(environment), ParticipantId.parse(participant_id)
    except (ValueError, InvalidParticipant):
        raise NotFound(NOT_OWNED) from None
