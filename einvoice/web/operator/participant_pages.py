"""A participant id of a tenant at the console: its publication, the networks, and moves."""

from __future__ import annotations

from flask import Response, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants as account
from einvoice.services.console import tenants as console
from einvoice.services.participants import moves, publications, standings
from einvoice.services.participants.standings import AskedStandings
from einvoice.web import bodies
from einvoice.web.admission import slots
from einvoice.web.operator import pages, participants
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_participant_pages", __name__, "/tenants/<tenant>/participants")

_TENANT, _ONE = "operator_tenant_pages.show_tenant", "operator_participant_pages.show_participant"


@family.page("/<environment>/<participant_id>")
def show_participant(tenant: str, environment: str, participant_id: str) -> Response:
    """Its publication and what can be done; with `ask`, what the networks say now."""
    place, participant = participants.named(environment, participant_id)
    said = _asked(tenant, place, participant) if "ask" in request.args else None
    return _shown(tenant, place, participant, said=said)


@family.page("/<environment>/<participant_id>", methods=["POST"])
def change_participant(tenant: str, environment: str, participant_id: str) -> Response:
    """Publish, withdraw or release it, or move it to or from another provider."""
    place, participant = participants.named(environment, participant_id)
    match pages.field("do"):
        case "publish":
            publications.publish(tenant, place, participant, runtime())
            notice = "publishing"
        case "withdraw":
            publications.withdraw(tenant, place, participant)
            notice = "withdrawn"
        case "remove":
            account.disown_participant(tenant, place, participant, runtime().caches)
            return pages.redirect_to(_TENANT, "removed", tenant=tenant)
        case "move-out":
            with slots.released():
                key = moves.move_out(tenant, place, participant, runtime())
            return _shown(tenant, place, participant, key=key)
        case "move-in":
            asked = bodies.loaded(participants.KEY, {"migrationKey": pages.field("migrationKey")})
            with slots.released():
                moves.move_in(tenant, place, participant, asked["migrationKey"], runtime())
            notice = "moved"
        case _:
            raise InvalidField([FieldError("/do", "unknown-code", "is not an action")])
    return pages.redirect_to(
        _ONE, notice, tenant=tenant, environment=place.value, participant_id=participant.canonical
    )


def _asked(tenant: str, place: Environment, participant: ParticipantId) -> AskedStandings:
    with slots.released():
        return standings.of_owned(tenant, place, participant, runtime())


def _shown(
    tenant: str,
    place: Environment,
    participant: ParticipantId,
    *,
    said: AskedStandings | None = None,
    key: str | None = None,
) -> Response:
    """The page. `said`: what the networks answered; `key`: a migration key, in this answer only."""
    return pages.render(
        "operator/participant.html",
        found=console.get(tenant),
        owned=publications.get(tenant, place, participant),
        said=said,
        key=key,
    )
