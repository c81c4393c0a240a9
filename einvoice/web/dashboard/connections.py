"""The account's connections: its own accounts at networks, their states, and what to do next."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from flask import Response

from einvoice.domain.connections import State
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    InvalidField,
    RequestRefused,
    TooBusy,
)
from einvoice.domain.roles import Role
from einvoice.network.connections import ConnectionForm
from einvoice.services.connections import accounts, consents, facts, points
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.services.connections.points import ConnectedPoint
from einvoice.services.reporting import reports
from einvoice.web.account import connection_schemas
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import forms, pages, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import connection_words, consent_cookie

MAX_SHOWN = 200
_NEW, _CHANGES = connection_schemas.NewConnection(), connection_schemas.ConnectionChanges()
# Refusals that the page shows; others, such as not-found, are pages of their own.
_SHOWN = (InvalidField, Conflict, AccessPointUnavailable, TooBusy)

family = Pages("dashboard_connections", __name__, "/dashboard/connections")


@family.page("", least=Role.ADMIN)
def list_connections() -> Response:
    """The connections of the chosen environment, and the networks that need one."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def add_connection() -> Response:
    """Add an account at a network and check it."""
    given = forms.submitted().to_dict()
    try:
        asked = loaded(_NEW, {"environment": pages.environment().value, **body_of(given)})
        new = NewConnection(
            pages.environment(),
            asked["network"],
            asked["account"],
            asked.get("name", ""),
            asked.get("credentials", {}),
            asked.get("consentOf"),
        )
        with slots.released():
            accounts.create(pages.who().tenant_id, new, runtime(), pages.who())
    except _SHOWN as refusal:
        return _listed(refusal, given)
    return pages.redirect_to("dashboard_connections.list_connections", "connectionAdded")


@family.page("/<connection_id>/check", least=Role.ADMIN, methods=["POST"])
def check_connection(connection_id: str) -> Response:
    """Ask the network about the account now."""
    try:
        with slots.released():
            accounts.check(pages.who().tenant_id, connection_id, runtime())
    except _SHOWN as refusal:
        return _listed(refusal)
    return pages.redirect_to("dashboard_connections.list_connections", "connectionChecked")


@family.page("/<connection_id>/credentials", least=Role.ADMIN, methods=["POST"])
def change_connection(connection_id: str) -> Response:
    """Change the name, and replace the credentials that are given."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        asked = loaded(_CHANGES, body_of(given))
        with slots.released():
            accounts.change(
                principal.tenant_id,
                connection_id,
                runtime(),
                name=asked.get("name"),
                credentials=asked.get("credentials"),
                by=principal,
            )
    except _SHOWN as refusal:
        return _listed(refusal)
    return pages.redirect_to("dashboard_connections.list_connections", "saved")


@family.page("/<connection_id>/authorise", least=Role.ADMIN, methods=["POST"])
def authorise_connection(connection_id: str) -> Response:
    """Begin consent in this browser: a page with the way to the network.

    It is a link, because the policy of the pages lets forms lead to this host only.
    """
    principal = pages.who()
    try:
        consent = consents.begin(principal.tenant_id, connection_id, runtime(), principal)
    except _SHOWN as refusal:
        return _listed(refusal)
    connection = accounts.get(principal.tenant_id, connection_id)
    response = pages.render("dashboard/authorise.html", consent=consent, connection=connection)
    consent_cookie.keep(response, consent)
    return response


@family.page("/<connection_id>/revoke", least=Role.ADMIN, methods=["POST"])
def revoke_connection(connection_id: str) -> Response:
    """End a connection."""
    with slots.released():
        accounts.revoke(pages.who().tenant_id, connection_id, pages.who(), runtime().access_points)
    return pages.redirect_to("dashboard_connections.list_connections", "connectionRevoked")


def _listed(refusal: RequestRefused | None = None, given: dict[str, str] | None = None) -> Response:
    """The page. `refusal`: why something was not done; `given`: the form that was refused."""
    shown = pages.environment()
    found = accounts.page(
        pages.who().tenant_id, {"environment": shown.value}, after=None, limit=MAX_SHOWN
    )
    errors = forms.errors_of(refusal)
    return pages.render(
        "dashboard/connections.html",
        200 if refusal is None else 409,
        connections=[_members(connection, found) for connection in found],
        given_consents=[one for one in found if one.consent_at and _may_share(one)],
        waiting=accounts.waiting_documents(found),
        since=accounts.waiting_since(found),
        offered=_offered(shown),
        reports=reports.is_offered(runtime().access_points),
        given=given or {},
        errors=errors,
        refusal=refusal,
    )


def _offered(shown: Environment) -> list[tuple[ConnectedPoint, ConnectionForm]]:
    """The access points of the environment that need an account, with their forms."""
    offered = points.offered(runtime().access_points)
    return [(one, one.connected.describe()) for one in offered if one.point.environment is shown]


def _may_share(connection: ConnectionRecord) -> bool:
    return connection.consent_id is not None and connection.state != State.REVOKED


def _sharing(connection: ConnectionRecord, found: Sequence[ConnectionRecord]) -> list[str]:
    """The names of the other connections that use its consent."""
    if not _may_share(connection):
        return []
    return [
        one.name
        for one in found
        if one.consent_id == connection.consent_id and _may_share(one) and one.id != connection.id
    ]


def _members(connection: ConnectionRecord, found: Sequence[ConnectionRecord]) -> dict[str, Any]:
    state, language = State(connection.state), pages.language()
    return {
        "record": connection,
        "meaning": connection_words.meaning(state, language),
        "next": connection_words.next_step(state, language),
        "form": _form_of(connection),
        "ended": state is State.REVOKED,
        "sharing": _sharing(connection, found),
        "facts": [] if state is State.REVOKED else facts.of_connection(connection, runtime()),
    }


def _form_of(connection: ConnectionRecord) -> ConnectionForm | None:
    """The form of its network; None where the access point is not installed any more."""
    try:
        return points.named(runtime().access_points, connection.access_point).connected.describe()
    except RequestRefused:
        return None


def body_of(given: dict[str, str]) -> dict[str, Any]:
    """The form as the API's body; files are in base64, blank fields left out."""
    files = {name: file.read() for name, file in uploads.uploaded().items()}
    encoded = {
        name: base64.b64encode(content).decode() for name, content in files.items() if content
    }
    return forms.nested({**given, **encoded})
