"""The event feed: what webhooks report, with the body that they have."""

from __future__ import annotations

import json

from flask import Response

from einvoice.domain.roles import Role
from einvoice.services.webhooks import feed
from einvoice.web import paging
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages
from einvoice.webhooks import payloads
from einvoice.webhooks.payloads import Occurrence

family = Pages("dashboard_events", __name__, "/dashboard/developers/events")


@family.page("", least=Role.VIEWER)
def list_events() -> Response:
    """The events of the last 30 days in the chosen environment, newest first."""
    principal, environment = pages.who(), pages.environment()
    query = pages.with_cursor({"environment": environment.value})
    before = paging.marked(query, principal)
    found = feed.newest(
        principal,
        environment,
        before=None if before is None else before[0],
        limit=paging.DEFAULT_PAGE_SIZE,
    )
    end = paging.mark([found.place], query, principal) if found.more else None
    return pages.render(
        "dashboard/events.html",
        items=[(each, _body(each)) for each in found.events],
        shown=environment,
        **pages.pager("dashboard_events.list_events", end, environment=environment.value),
    )


def _body(event: Occurrence) -> str:
    """The body of the webhook, with a line for each member."""
    return json.dumps(json.loads(payloads.body(event)), ensure_ascii=False, indent=2)
