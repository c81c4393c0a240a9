"""Tenants at the console: the list, and one with what an operator does to it."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.plans import AboveLimit
from einvoice.services.account import platforms
from einvoice.services.account import tenants as account
from einvoice.services.archive import holds
from einvoice.services.console import administration
from einvoice.services.console import tenants as service
from einvoice.web import bodies, paging
from einvoice.web.dashboard import forms
from einvoice.web.operator import pages
from einvoice.web.operator.api import operator
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.operator.tenants import place
from einvoice.web.platform.tenant_schemas import STATES, PlanChanges
from einvoice.web.runtime import runtime

family = OperatorPages("operator_tenant_pages", __name__, "/tenants")

_LIST, _ONE = "operator_tenant_pages.list_tenants", "operator_tenant_pages.show_tenant"
_PLAN = PlanChanges()
MAX_PARTICIPANTS = 100
_COUNTS = ("monthlyDocuments", "users", "retentionYears")  # of a plan, in its form


@family.page("")
def list_tenants() -> Response:
    """All tenants, found by a part of their name, an id, or their state."""
    text = forms.search_text(request.args.get("q", ""), 200)
    state = request.args.get("state", "")
    filters = {"q": text} if text else {}
    if state in STATES:
        filters["state"] = state
    if platform := forms.search_text(request.args.get("platform", ""), 40):
        filters["platform"] = platform
    query = {**filters, **({"cursor": request.args["cursor"]} if "cursor" in request.args else {})}
    found = service.page(
        text=text or None,
        state=filters.get("state"),
        platform_id=filters.get("platform"),
        before=paging.marked_moment(query, operator()),
        limit=paging.DEFAULT_PAGE_SIZE + 1,
    )
    page = paging.closed_page(found, place, query, operator())
    return pages.render(
        "operator/tenants.html",
        items=page.items,
        filters=filters,
        state_options=[("", "all"), *((each, each) for each in STATES)],
        live=list(Environment).index(Environment.LIVE),
        **pages.pager(_LIST, page.next_cursor, **filters),
    )


@family.page("/<tenant>")
def show_tenant(tenant: str) -> Response:
    """A tenant with its plan, participant ids and legal holds."""
    found = service.get(tenant)
    return pages.render(
        "operator/tenant.html",
        found=found,
        participants=account.owned_page(tenant, None, after=None, limit=MAX_PARTICIPANTS),
        holds=[one for one in holds.of_tenant(tenant) if one.released_at is None],
        connections=administration.connections(tenant),
        platform=platforms.get(tenant) if found.tenant.is_platform else None,
        platforms=_platforms(found),
        choices_of_limit=[(each.value, each.value) for each in AboveLimit],
    )


def _platforms(found: service.SeenTenant) -> list[tuple[str, str]]:
    """The platforms that may get the tenant, where it has none."""
    if found.tenant.platform_id is not None or found.tenant.is_platform:
        return []
    return [(one.id, one.name) for one, _ in platforms.page() if not one.closed_at]


@family.page("/<tenant>/suspend", methods=["POST"])
def suspend_tenant(tenant: str) -> Response:
    """Let the tenant receive, and send nothing."""
    service.suspend(tenant, pages.reason(), runtime().caches)
    return pages.redirect_to(_ONE, "suspended", tenant=tenant)


@family.page("/<tenant>/resume", methods=["POST"])
def resume_tenant(tenant: str) -> Response:
    """Let a suspended tenant send again."""
    service.resume(tenant, runtime().caches)
    return pages.redirect_to(_ONE, "resumed", tenant=tenant)


@family.page("/<tenant>/plan", methods=["POST"])
def set_plan(tenant: str) -> Response:
    """Replace the plan, or remove it."""
    plan = None if pages.field("remove") else _plan()
    service.set_plan(tenant, plan, runtime().caches)
    return pages.redirect_to(_ONE, "saved", tenant=tenant)


def _plan() -> dict[str, Any]:
    """The plan of the form. Raises InvalidField."""
    asked: dict[str, Any] = {"aboveLimit": pages.field("aboveLimit")}
    for name in _COUNTS:
        if given := pages.field(name):
            asked[name] = _count(name, given)
    if networks := pages.field("networks"):
        asked["networks"] = networks.replace(",", " ").split()
    return bodies.loaded(_PLAN, asked)


def _count(name: str, given: str) -> int:
    count = forms.whole_number(given)
    if count is None:
        message = "is not a whole number"
        raise InvalidField([FieldError(f"/{name}", "not-a-number", message)])
    return count
