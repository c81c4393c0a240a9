"""/api/platform/tenants/{tenant}/participants: the participant ids of a tenant, and their
publication, in the environment of the credential (decisions 34.1)."""

from __future__ import annotations

from flask import Response

from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.credentials import TENANTS_MANAGE, TENANTS_READ
from einvoice.domain.errors import AccessPointUnavailable, Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims, platforms, tenants
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.services.participants import moves, publications
from einvoice.services.principal import Principal
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.platform import participant_schemas as schemas
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body, json_response
from einvoice.web.runtime import runtime
from einvoice.web.shared import participant_schemas as of_tenants
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "platform_participants",
    __name__,
    url_prefix="/api/platform/tenants/<tenant>/participants",
    credential=credentials.platform,
    tag="Platforms",
)

_NEW, _KEY, _QUERY = schemas.NewClaim(), of_tenants.MigrationKey(), schemas.ClaimQuery()
_NEW_KEY = of_tenants.NewMigrationKey()


def _for(tenant: str, *scopes: str) -> Principal:
    """The principal for a tenant of the platform, with one of the scopes."""
    credentials.require_one(*scopes)
    who = credentials.principal()
    if who.platform is None:
        raise LookupError("the credential is not that of a platform")
    return platforms.for_tenant(who, who.platform, tenant, runtime().caches)


def _reader(tenant: str) -> Principal:
    return _for(tenant, TENANTS_READ, TENANTS_MANAGE)


def _manager(tenant: str) -> Principal:
    return _for(tenant, TENANTS_MANAGE)


def _named(participant_id: str) -> ParticipantId:
    try:
        return ParticipantId.parse(participant_id)
    except InvalidParticipant:
        raise NotFound(NOT_OWNED) from None


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.ClaimQuery}])
@family.response(200, of_tenants.ParticipantList())
def list_tenant_participants(tenant: str) -> Page[OwnedParticipant]:
    """List the participant ids of a tenant and its claims, with their publication."""
    who, query = _reader(tenant), paging.read_query(_QUERY)
    after = paging.marked(query, who)
    found = tenants.owned_page(
        who.tenant_id,
        who.environment,
        after=None if after is None else (after[0], after[1]),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, lambda one: [one.environment, one.participant], query, who)


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewClaim))
@family.refuses(Conflict)
@family.response(201, of_tenants.ParticipantResponse())
@family.alt_response(
    200, schema=of_tenants.ParticipantResponse(), description="The tenant has it, or claims it."
)
def claim_tenant_participant(tenant: str) -> Written[OwnedParticipant]:
    """Claim a participant id for a tenant. The same again is answered 200, and changes nothing.

    In the sandbox it is the tenant's at once, unless another one has it: 409 conflict. In live it
    is `pending` until it is verified, as by your identification of the tenant. A verified id is
    published where a network takes registrations.
    """
    who = _manager(tenant)
    participant = ParticipantId.parse(bodies.read_body(_NEW, bodies.received())["participantId"])
    made = claims.claim_once(who.tenant_id, who.environment, participant, runtime().caches, who)
    if made.is_new:
        path = f"/api/platform/tenants/{who.tenant_id}/participants"
        return created(made.owned, f"{path}/{made.owned.participant}")
    return made.owned, 200, {}


@family.route("/<participant_id>")
@family.response(200, of_tenants.ParticipantResponse())
def get_tenant_participant(tenant: str, participant_id: str) -> OwnedParticipant:
    """Get a participant id of a tenant, with its publication."""
    who = _reader(tenant)
    return publications.get(who.tenant_id, who.environment, _named(participant_id))


@family.route("/<participant_id>", methods=["DELETE"])
@family.response(204)
def remove_tenant_participant(tenant: str, participant_id: str) -> Response:
    """Remove a participant id of a tenant, or its claim; its entry in the network is withdrawn."""
    who = _manager(tenant)
    participant, caches = _named(participant_id), runtime().caches
    tenants.disown_participant(who.tenant_id, who.environment, participant, caches, who)
    return Response(status=204)


@family.route("/<participant_id>/publish", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, of_tenants.ParticipantResponse())
def publish_tenant_participant(tenant: str, participant_id: str) -> OwnedParticipant:
    """Publish a verified id, after it was withdrawn or refused; others are published by themselves.

    `publication` says how far it is, and the events participant.published and participant.refused
    tell. 409 conflict if the claim is not verified, no network publishes it, or another provider
    has it (move-in).
    """
    who = _manager(tenant)
    read_empty_body()
    return publications.publish(
        who.tenant_id, who.environment, _named(participant_id), runtime(), who
    )


@family.route("/<participant_id>/withdraw", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, of_tenants.ParticipantResponse())
def withdraw_tenant_participant(tenant: str, participant_id: str) -> OwnedParticipant:
    """Withdraw the entry of an id from the network. The tenant keeps the id, and sends by it."""
    who = _manager(tenant)
    read_empty_body()
    return publications.withdraw(who.tenant_id, who.environment, _named(participant_id), who)


@family.route("/<participant_id>/move-out", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, _NEW_KEY)
def move_tenant_participant_out(tenant: str, participant_id: str) -> Response:
    """Get a key by which another provider takes over a published participant id of a tenant.

    The id stays published here, and receives, until that provider has used the key; then it
    becomes `moved`. A further call gives a new key, which may end the one before.
    """
    who = _manager(tenant)
    read_empty_body()
    participant = _named(participant_id)
    with slots.released():
        key = moves.move_out(who.tenant_id, who.environment, participant, runtime(), who)
    return answered_posts.shown_once(json_response(_NEW_KEY.write(key)), "migrationKey")


@family.route("/<participant_id>/move-in", methods=["POST"])
@family.doc(requestBody=documented_body(of_tenants.MigrationKey))
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, of_tenants.ParticipantResponse())
def move_tenant_participant_in(tenant: str, participant_id: str) -> OwnedParticipant:
    """Take over a verified participant id from another provider, by the key that it has made.

    It is published at once. 409 conflict says why the network refuses the key.
    """
    who = _manager(tenant)
    key = bodies.read_body(_KEY, bodies.received())["migrationKey"]
    participant = _named(participant_id)
    with slots.released():
        return moves.move_in(who.tenant_id, who.environment, participant, key, runtime(), who)
