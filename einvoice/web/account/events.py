"""GET /api/events: the event feed, as an alternative to webhooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.webhooks import feed
from einvoice.services.webhooks.feed import EventFilters
from einvoice.web import credentials, json, paging
from einvoice.web.account.event_schemas import EventList, EventQuery, EventResponse
from einvoice.web.api import Family, View, for_platform
from einvoice.web.paging import Page
from einvoice.web.responses import json_response, provider
from einvoice.webhooks import payloads
from einvoice.webhooks.payloads import Occurrence

family = Family(
    "events", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Events"
)

platform_family = Family(
    "platform_events",
    __name__,
    url_prefix="/api/platform",
    credential=credentials.platform,
    tag="Platforms",
)

_QUERY = EventQuery()


def _route(rule: str, *, least: Role) -> Callable[[View], View]:
    """A route for an account, and the same for the events of all tenants of a platform."""

    def add(view: View) -> View:
        platform_family.route(rule)(for_platform(view))
        return family.route(rule, least=least)(view)

    return add


@_route("/events", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": EventQuery}])
@family.response(200, EventList())
def list_events() -> Page[dict[str, Any]]:
    """List the events of the last 30 days, oldest first, with the bodies of webhooks.

    Store nextCursor and pass it to the next request, with the same filters: the last page has one
    too. Events are listed within 5 seconds. With since, or the type transaction.sent, a page may be
    short, even empty, while hasMore is true.
    """
    credentials.require("invoices:read")
    principal = credentials.reader()
    query = paging.read_query(_QUERY)
    marked = paging.marked(query, principal)
    part = feed.events(
        principal,
        _filters(query),
        after=None if marked is None else marked[0],
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE),
    )
    items = [_members(happened) for happened in part.events]
    return Page(items, paging.mark([part.place], query, principal), part.more)


@_route("/events/<event_id>", least=Role.VIEWER)
@family.response(200, EventResponse())
def get_event(event_id: str) -> Response:
    """Get an event of the last 30 days, with the body of its webhook."""
    credentials.require("invoices:read")
    found = feed.event(credentials.reader(), event_id)
    return json_response({**_members(found), "provider": provider()})


def _filters(query: dict[str, Any]) -> EventFilters:
    return EventFilters(
        environment=Environment(query["environment"]) if "environment" in query else None,
        event_type=query.get("eventType"),
        invoice_id=query.get("invoiceId"),
        since=query.get("since"),
    )


def _members(happened: Occurrence) -> dict[str, Any]:
    return json.read_object(payloads.body(happened))
