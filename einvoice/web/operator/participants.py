"""/api/operator: participant ids of a tenant, their publication, and moves between providers."""

from __future__ import annotations

from flask import Response

from einvoice import clock
from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.account import tenants as account
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.services.console import tenants
from einvoice.services.participants import entries, moves, publications, standings
from einvoice.web import bodies, paging
from einvoice.web.admission import slots
from einvoice.web.operator import participant_schemas as schemas
from einvoice.web.operator.api import OperatorFamily, operator
from einvoice.web.operator.participant_schemas import Republished
from einvoice.web.paging import Page
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared import participant_schemas as of_tenants
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body
from einvoice.web.shared.participant_schemas import Registrations

family = OperatorFamily("operator_participants", __name__, "/tenants/<tenant>/participants")
of_all = OperatorFamily("operator_all_participants", __name__, "/participants")

MAX_REPUBLISH_SECONDS = 5.0  # of one request
KEY, QUESTION = of_tenants.MigrationKey(), schemas.ParticipantQuestion()
_QUERY, ENVIRONMENT = of_tenants.ParticipantQuery(), schemas.RepublishedEnvironment()
_ONE = "/<environment>/<participant_id>"


def named(environment: str, participant_id: str) -> tuple[Environment, ParticipantId]:
    """The values of an address. Raises NotFound."""
    try:
        return Environment(environment), ParticipantId.parse(participant_id)
    except (ValueError, InvalidParticipant):
        raise NotFound(NOT_OWNED) from None


@family.scoped("", READ)
@family.doc(parameters=[{"in": "query", "schema": of_tenants.ParticipantQuery}])
@family.response(200, of_tenants.ParticipantList())
def list_operator_participants(tenant: str) -> Page[OwnedParticipant]:
    """List the participant ids of a tenant and its claims, with their publication."""
    query, by = paging.read_query(_QUERY), operator()
    tenants.get(tenant)
    after = paging.marked(query, by)
    asked = query.get("environment")
    found = account.owned_page(
        tenant,
        None if asked is None else Environment(asked),
        after=None if after is None else (after[0], after[1]),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, lambda one: [one.environment, one.participant], query, by)


@family.scoped(_ONE, READ)
@family.response(200, of_tenants.ParticipantResponse())
def get_operator_participant(
    tenant: str, environment: str, participant_id: str
) -> OwnedParticipant:
    """Get a participant id of a tenant, with its publication."""
    return publications.get(tenant, *named(environment, participant_id))


@family.scoped(_ONE, MANAGE, methods=["DELETE"])
@family.response(204)
def remove_operator_participant(tenant: str, environment: str, participant_id: str) -> Response:
    """Release a participant id of a tenant, or its claim; its entry in the network is withdrawn."""
    place, participant = named(environment, participant_id)
    account.disown_participant(tenant, place, participant, runtime().caches)
    return Response(status=204)


@family.scoped(f"{_ONE}/registrations", READ)
@family.response(200, of_tenants.ParticipantRegistrations())
def list_operator_registrations(
    tenant: str, environment: str, participant_id: str
) -> Registrations:
    """Ask the networks where a participant id of a tenant is registered."""
    place, participant = named(environment, participant_id)
    with slots.released():
        said = standings.of_owned(tenant, place, participant, runtime())
    return Registrations(participant, place, said)


@family.scoped(f"{_ONE}/publish", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, of_tenants.ParticipantResponse())
def publish_operator_participant(
    tenant: str, environment: str, participant_id: str
) -> OwnedParticipant:
    """Publish a verified id again, after it was withdrawn or refused."""
    read_empty_body()
    return publications.publish(tenant, *named(environment, participant_id), runtime())


@family.scoped(f"{_ONE}/withdraw", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, of_tenants.ParticipantResponse())
def withdraw_operator_participant(
    tenant: str, environment: str, participant_id: str
) -> OwnedParticipant:
    """Withdraw the entry of an id from the network. The tenant keeps the id, and sends by it."""
    read_empty_body()
    return publications.withdraw(tenant, *named(environment, participant_id))


@family.scoped(f"{_ONE}/move-out", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, of_tenants.NewMigrationKey())
def move_operator_participant_out(tenant: str, environment: str, participant_id: str) -> str:
    """Get a key by which another provider takes over a published participant id."""
    read_empty_body()
    place, participant = named(environment, participant_id)
    with slots.released():
        return moves.move_out(tenant, place, participant, runtime())


@family.scoped(f"{_ONE}/move-in", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(of_tenants.MigrationKey))
@family.refuses(Conflict, AccessPointUnavailable)
@family.response(200, of_tenants.ParticipantResponse())
def move_operator_participant_in(
    tenant: str, environment: str, participant_id: str
) -> OwnedParticipant:
    """Take over a verified participant id from another provider, by the key that it has made."""
    key = bodies.read_body(KEY, bodies.received())["migrationKey"]
    place, participant = named(environment, participant_id)
    with slots.released():
        return moves.move_in(tenant, place, participant, key, runtime())


@of_all.scoped("/republish", MANAGE, methods=["POST"])
@of_all.doc(requestBody=documented_body(schemas.RepublishedEnvironment))
@of_all.response(200, schemas.RepublishedResponse())
def republish_participants() -> Republished:
    """Queue the verified ids of an environment whose entry is missing or outdated.

    `more` says that the time of one request was too short for all of them: repeat it.
    """
    asked = bodies.read_body(ENVIRONMENT, bodies.received())
    return republish(Environment(asked["environment"]))


def republish(environment: Environment) -> Republished:
    """Queue steps until MAX_REPUBLISH_SECONDS are over. What is queued is not queued again."""
    ends_at, queued = clock.monotonic() + MAX_REPUBLISH_SECONDS, 0
    for count in entries.republish(environment, runtime().access_points):
        queued += count
        if clock.monotonic() > ends_at:
            return Republished(queued, more=True)
    return Republished(queued, more=False)


@of_all.scoped("/lookup", READ)
@of_all.doc(parameters=[{"in": "query", "schema": schemas.ParticipantQuestion}])
@of_all.response(200, of_tenants.ParticipantRegistrations())
def lookup_participant_as_operator() -> Registrations:
    """Ask the networks where any participant id is registered; nothing is stored."""
    query = paging.read_query(QUESTION)
    place = Environment(query.get("environment") or Environment.LIVE)
    return asked_of_networks(place, ParticipantId.parse(query["participantId"]))


def asked_of_networks(environment: Environment, participant: ParticipantId) -> Registrations:
    """The answers of the networks about an id, asked now."""
    with slots.released():
        said = tuple(standings.standings(participant, environment, runtime().access_points))
    return Registrations(participant, environment, standings.AskedStandings(clock.now(), said))
