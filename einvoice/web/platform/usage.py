"""/api/platform/usage: the documents of all tenants of a platform in a month."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Response

from einvoice.domain.credentials import USAGE_READ
from einvoice.services.account import platform_usage as service
from einvoice.services.account.platform_usage import TenantUsage
from einvoice.services.principal import Principal
from einvoice.web import credentials, paging
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.platform import usage_schemas as schemas
from einvoice.web.runtime import runtime

family = Family(
    "platform_usage",
    __name__,
    url_prefix="/api/platform/usage",
    credential=credentials.platform,
    tag="Platforms",
)

_QUERY, _EXPORT = schemas.PlatformUsageQuery(), schemas.MonthQuery()


def _reader() -> Principal:
    credentials.require(USAGE_READ)
    return credentials.principal()


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.PlatformUsageQuery}])
@family.response(200, schemas.PlatformUsageList())
def get_platform_usage() -> Page[TenantUsage]:
    """Get the documents of a month (UTC) of each tenant, by network, direction and outcome.

    In the environment of the credential. A document counts in the month of its acceptance.
    """
    who, query = _reader(), paging.read_query(_QUERY)
    place = paging.marked(query, who) or []
    month = "".join(place[2:])  # cursors of the release before have none
    found = service.page(
        who.tenant_id,
        who.environment,
        service.month_or_now(month or query.get("month")),
        runtime(),
        after=(datetime.fromisoformat(place[0]), place[1]) if place else None,
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, _place, query, who)


def _place(of: TenantUsage) -> list[Any]:
    return [of.tenant.created_at.isoformat(), of.tenant.id, of.month]


@family.route("/export")
@family.doc(parameters=[{"in": "query", "schema": schemas.MonthQuery}])
@family.response(200, {"type": "string"}, content_type="text/csv", example=schemas.CSV)
def export_platform_usage() -> Response:
    """Export the same as a CSV file, a line for each tenant, network, direction and outcome."""
    who, query = _reader(), paging.read_query(_EXPORT)
    month = service.month_or_now(query.get("month"))
    with runtime().computing.bulk_work(who.tenant_id):
        lines = service.lines(who.tenant_id, who.environment, month, runtime())
        text = "".join(lines)
    response = Response(text, content_type="text/csv; charset=utf-8; header=present")
    response.headers["Content-Disposition"] = f'attachment; filename="usage-{month}.csv"'
    return response
