"""Connections of a tenant at the console, with the form of each network.

What is typed in as a credential is in no answer; a new link is in the answer to its form only.
"""

from __future__ import annotations

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import RequestRefused
from einvoice.network.connections import ConnectionForm
from einvoice.services.connections import accounts, facts, links, points
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.connections.links import NewLink
from einvoice.services.console import administration
from einvoice.services.console import tenants as console
from einvoice.web import bodies
from einvoice.web.admission import slots
from einvoice.web.dashboard import forms
from einvoice.web.dashboard.connections import body_of
from einvoice.web.operator import connections, pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_connection_pages", __name__, "/tenants/<tenant>")

_PAGE = "operator_connection_pages.show_connections"


@family.page("/connections")
def show_connections(tenant: str) -> Response:
    """The connections of a tenant, and the networks at which it may have one."""
    return _shown(tenant)


@family.page("/connections", methods=["POST"])
def add_connection(tenant: str) -> Response:
    """Add an account with its credentials, and check it at the network."""
    asked = bodies.loaded(connections.NEW, body_of(forms.submitted().to_dict()))
    connections.create(tenant, asked)
    return pages.redirect_to(_PAGE, "added", tenant=tenant)


@family.page("/connections/<connection_id>", methods=["POST"])
def change_connection(tenant: str, connection_id: str) -> Response:
    """Check a connection, revoke it, or make a link for it."""
    if pages.field("do") == "revoke":
        with slots.released():
            accounts.revoke(tenant, connection_id, points=runtime().access_points)
        return pages.redirect_to(_PAGE, "revoked", tenant=tenant)
    if pages.field("do") == "link":
        environment = Environment(accounts.get(tenant, connection_id).environment)
        return _linked(tenant, NewLink(environment, connection_id=connection_id))
    with slots.released():
        accounts.check(tenant, connection_id, runtime())
    return pages.redirect_to(_PAGE, "checked", tenant=tenant)


@family.page("/connections/<connection_id>/credentials", methods=["POST"])
def replace_credentials(tenant: str, connection_id: str) -> Response:
    """Change the name, and replace the credentials that are given."""
    asked = bodies.loaded(connections.CHANGES, body_of(forms.submitted().to_dict()))
    connections.change(tenant, connection_id, asked)
    return pages.redirect_to(_PAGE, "saved", tenant=tenant)


@family.page("/connection-links", methods=["POST"])
def make_link(tenant: str) -> Response:
    """Make a link by which a person of the tenant opens a connection."""
    given = {name: pages.field(name) for name in ("network", "account")}
    asked = bodies.loaded(connections.LINK, {name: text for name, text in given.items() if text})
    name = asked.get("network")
    offered = points.offered(runtime().access_points)
    found = [one.point.environment for one in offered if one.point.name == name]
    environment = found[0] if found else Environment.LIVE
    return _linked(tenant, NewLink(environment, name, asked.get("account")))


def _linked(tenant: str, new: NewLink) -> Response:
    return _shown(tenant, link=links.create(tenant, new, runtime()).url)


def _shown(tenant: str, link: str | None = None) -> Response:
    """The page; only this answer has the new link."""
    offered = points.offered(runtime().access_points)
    listed = administration.connections(tenant)
    return pages.render(
        "operator/connections.html",
        found=console.get(tenant),
        items=[(each, _form_of(each)) for each in listed],
        facts={each.id: facts.of_connection(each, runtime()) for each in listed},
        waiting=accounts.waiting_documents(listed),
        offered=[(one.point, one.connected.describe()) for one in offered],
        networks=[(one.point.name, f"{one.point.network} ({one.point.environment})")
                  for one in offered],
        link=link,
        sentence=str,
        errors={},
    )  # fmt: skip


def _form_of(connection: ConnectionRecord) -> ConnectionForm | None:
    """The form of its network; None if it has ended, or the access point is not installed."""
    if connection.state == "revoked":
        return None
    try:
        return points.named(runtime().access_points, connection.access_point).connected.describe()
    except RequestRefused:
        return None
