"""GET /api/usage: the number of documents per day."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import usage
from einvoice.web import credentials, paging
from einvoice.web.account.usage_schemas import Usage, UsageList, UsageQuery
from einvoice.web.api import Family

family = Family(
    "usage", __name__, url_prefix="/api", credential=credentials.session_or_platform, tag="Account"
)

_QUERY = UsageQuery()


@family.route("/usage", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": UsageQuery}])
@family.response(200, UsageList())
def get_usage() -> Usage:
    """Get the number of documents per day of acceptance by their status, and times of delivery."""
    query = paging.read_query(_QUERY)
    tenant_id = credentials.session_of_request().tenant_id
    environment = credentials.chosen_environment(query.get("environment"))
    found = usage.days(tenant_id, query.get("from"), query.get("to"), environment)
    wanted = [each for each in Environment if environment in (None, each)]
    times = [usage.delivery_times(tenant_id, each) for each in wanted]
    return Usage(found, [each for each in times if each])
