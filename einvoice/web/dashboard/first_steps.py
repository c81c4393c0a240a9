"""The first steps of an account: a list on the overview until all of them are done."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for

from einvoice.domain.connections import State
from einvoice.domain.credentials import API_KEY
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import credentials, profile
from einvoice.services.connections import accounts
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest
from einvoice.services.participants import ways_in
from einvoice.services.participants.ways_in import Stage
from einvoice.services.webhooks import endpoints
from einvoice.web.dashboard import pages
from einvoice.web.runtime import runtime

_LOOK = ("displayName", "colour", "logo")  # members of a profile that people see
_IDS = 20  # participant ids that are looked at
_WORKING = (State.ACTIVE, State.RENEWAL_DUE)


@dataclass(frozen=True, slots=True)
class Step:
    """A first step: `firstSteps.<name>` is its text, `address` the page where it is done."""

    name: str
    address: str
    is_done: bool


def of(shown: Environment) -> list[Step]:
    """The steps of the account, for who may do all of them; none where all are done."""
    if pages.who().role < Role.ADMIN:
        return []
    place, tenant_id = shown.value, pages.who().tenant_id
    active = [each for each in credentials.of_tenant(API_KEY, tenant_id, shown)
              if each.revoked_at is None]  # fmt: skip
    steps = [
        Step("branding", url_for("dashboard_settings.show_settings"), _is_branded(tenant_id)),
        Step(
            "customer",
            url_for("dashboard_parties.list_parties", kind="customers"),
            bool(entries.page(CUSTOMER, tenant_id, EntryFilters(), EntryPageRequest(1)).items),
        ),
        Step(
            "invoice",
            url_for("dashboard_new_invoice.show_form", environment=place),
            _has_sent(shown),
        ),
        Step(
            "key",
            url_for("dashboard_keys.list_credentials", kind="keys", environment=place),
            bool(active),
        ),
        Step(
            "webhook",
            url_for("dashboard_webhooks.list_endpoints", environment=place),
            bool(endpoints.of_tenant(tenant_id, shown)),
        ),
        Step(
            "network",
            url_for("dashboard_networks.show_way", environment=place),
            _is_reached(tenant_id, shown),
        ),
    ]
    return [] if all(step.is_done for step in steps) else steps


def _is_branded(tenant_id: str) -> bool:
    looks = profile.get(tenant_id).profile
    return any(looks.get(name) for name in _LOOK)


def _has_sent(shown: Environment) -> bool:
    filters = InvoiceFilters(environment=shown, direction="sent")
    return bool(lists.invoices(pages.who(), filters, InvoicePageRequest(1)).items)


def _is_reached(tenant_id: str, shown: Environment) -> bool:
    """Whether one of its participant ids is through, or one of its connections works."""
    ways = ways_in.all_of(tenant_id, shown, runtime(), _IDS)
    if any(way.stage is Stage.DONE for way in ways):
        return True
    there = accounts.page(
        tenant_id, {"environment": shown.value}, after=None, limit=accounts.MAX_CONNECTIONS
    )
    return any(State(each.state) in _WORKING for each in there)
