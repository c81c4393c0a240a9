"""The account's participant ids: claimed, with the decision about each, and removed."""

from __future__ import annotations

from flask import Response, request, url_for

from einvoice.domain.claims import NOT_OWNED, ClaimStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    Conflict,
    InvalidField,
    InvalidParticipant,
    NotFound,
    RequestRefused,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims, tenants
from einvoice.services.participants import standings
from einvoice.services.participants.standings import AskedStandings
from einvoice.web import bodies, paging
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import participant_schemas

_NEW = participant_schemas.NewParticipant()
# Refusals that the page shows; others are pages of their own.
_SHOWN = (InvalidField, InvalidParticipant, Conflict)
_LIST = "dashboard_participants.list_participants"

family = Pages("dashboard_participants", __name__, "/dashboard/settings/participants")


@family.page("", least=Role.VIEWER)
def list_participants() -> Response:
    """The participant ids and claims of the chosen environment."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def add_participant() -> Response:
    """Claim a participant id."""
    given, principal, place = forms.submitted().to_dict(), pages.who(), pages.environment()
    try:
        named = forms.nested({"participantId": given.get("participantId", "")})
        asked = bodies.loaded(_NEW, {**named, "environment": place.value})
        participant = ParticipantId.parse(asked["participantId"])
        made = claims.claim(principal.tenant_id, place, participant, runtime().caches, principal)
    except _SHOWN as refusal:
        return _listed(given, refusal)
    is_verified = made.status == ClaimStatus.VERIFIED
    return _to_list("claimVerified" if is_verified else "claimPending", place)


@family.page("/delete", least=Role.ADMIN, methods=["POST"])
def remove_participant() -> Response:
    """Remove a participant id, or withdraw a claim; its invoices stay."""
    text, principal, place = (
        forms.submitted().get("participantId", ""),
        pages.who(),
        pages.environment(),
    )
    try:
        participant = ParticipantId.parse(text)
    except InvalidParticipant:
        raise NotFound(NOT_OWNED) from None
    tenants.disown_participant(principal.tenant_id, place, participant, runtime().caches, principal)
    return _to_list("deleted", place)


def _to_list(notice: str, place: Environment) -> Response:
    return pages.redirect_to(_LIST, notice, environment=place.value)


def _listed(given: dict[str, str] | None = None, refusal: RequestRefused | None = None) -> Response:
    """The page. `given`: the form that was refused, `refusal`: why."""
    principal, place = pages.who(), pages.environment()
    query = pages.with_cursor({"environment": place.value})
    after = paging.marked(query, principal)
    found = tenants.owned_page(
        principal.tenant_id,
        place,
        after=None if after is None else (after[0], after[1]),
        limit=paging.DEFAULT_PAGE_SIZE + 1,
    )
    page = paging.closed_page(
        found, lambda owned: [owned.environment, owned.participant], query, principal
    )
    asked = request.args.get("ask", "")
    return pages.render(
        "dashboard/participants.html",
        200 if refusal is None else 409,
        items=page.items,
        asked=asked,
        said=_said(asked) if asked in {each.participant for each in page.items} else None,
        networks={point.name: point.network for point in runtime().access_points},
        ask={
            each.participant: url_for(_LIST, **query, ask=each.participant) for each in page.items
        },
        given=given or {},
        errors=forms.errors_of(refusal),
        refusal=refusal,
        may_change=principal.role >= Role.ADMIN,
        **pages.pager(_LIST, page.next_cursor, environment=place.value),
    )


def _said(participant: str) -> AskedStandings:
    """The answers of the networks about an id of the page."""
    principal, place = pages.who(), pages.environment()
    with slots.released():
        return standings.of_owned(
            principal.tenant_id, place, ParticipantId.parse(participant), runtime()
        )
