"""Webhooks of a tenant at the console: adding one, its log, and sending events again.

New secrets are in the answer to their form only, which nothing keeps.
"""

from __future__ import annotations

from datetime import timedelta

from flask import Response, request

from einvoice import clock
from einvoice.services.console import access as service
from einvoice.services.console import tenants as console
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.services.webhooks.endpoints import EndpointWithSecrets
from einvoice.services.webhooks.redelivery import STATUSES
from einvoice.web import bodies
from einvoice.web.dashboard import forms
from einvoice.web.operator import pages, webhooks
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_webhook_pages", __name__, "/tenants/<tenant>/webhooks")

_ACCESS, _ONE = "operator_access_pages.show_access", "operator_webhook_pages.show_webhook"
HOURS = (1, 24, 24 * 7, 24 * 30)


@family.page("", methods=["POST"])
def create_webhook(tenant: str) -> Response:
    """Register one; the answer has its secrets."""
    given = {name: pages.field(name) for name in ("url", "environment", "description")}
    types = pages.field("eventTypes").replace(",", " ").split()
    filled = {name: text for name, text in given.items() if text}
    asked = bodies.loaded(webhooks.NEW, {**filled, **({"eventTypes": types} if types else {})})
    made = webhooks.create(tenant, asked)
    return _shown(tenant, made.endpoint.id, made=made)


@family.page("/<webhook_id>")
def show_webhook(tenant: str, webhook_id: str) -> Response:
    """One webhook with its log."""
    return _shown(tenant, webhook_id)


@family.page("/<webhook_id>", methods=["POST"])
def change_webhook(tenant: str, webhook_id: str) -> Response:
    """Enable, disable, rotate or remove a webhook, or post a test to it."""
    do = pages.field("do")
    if do == "rotate":
        made = endpoints.rotate(tenant, webhook_id, settings=runtime().settings)
        return _shown(tenant, webhook_id, made=made)
    if do == "remove":
        endpoints.remove(tenant, webhook_id)
        return pages.redirect_to(_ACCESS, "removed", tenant=tenant)
    if do == "test":
        redelivery.send_test(tenant, webhook_id)
        return pages.redirect_to(_ONE, "tested", tenant=tenant, webhook_id=webhook_id)
    service.switch_webhook(tenant, webhook_id, runtime().settings, enabled=do == "enable")
    return pages.redirect_to(_ONE, "saved", tenant=tenant, webhook_id=webhook_id)


@family.page("/<webhook_id>/deliveries/<delivery_id>", methods=["POST"])
def redeliver_event(tenant: str, webhook_id: str, delivery_id: str) -> Response:
    """Deliver the event of a delivery again."""
    redelivery.redeliver(tenant, webhook_id, delivery_id)
    return pages.redirect_to(_ONE, "redelivered", tenant=tenant, webhook_id=webhook_id)


@family.page("/<webhook_id>/recover", methods=["POST"])
def recover_events(tenant: str, webhook_id: str) -> Response:
    """Send the events that it missed in the last hours."""
    hours = forms.whole_number(pages.field("hours"))
    since = clock.now() - timedelta(hours=hours if hours in HOURS else 24)
    count = redelivery.recover(tenant, webhook_id, since=since)
    return _shown(tenant, webhook_id, recovered=count)


def _shown(
    tenant: str,
    webhook_id: str,
    made: EndpointWithSecrets | None = None,
    recovered: int | None = None,
) -> Response:
    """The page. `made`: with these secrets, this once; `recovered`: events that are sent again."""
    status = request.args.get("status", "")
    filters = {"status": status} if status in STATUSES else {}
    cursor = request.args.get("cursor") if request.method == "GET" else None
    page = webhooks.log(tenant, webhook_id, {**filters, **({"cursor": cursor} if cursor else {})})
    return pages.render(
        "operator/webhook.html",
        found=console.get(tenant),
        item=endpoints.get(tenant, webhook_id),
        made=made,
        recovered=recovered,
        log=page.items,
        filters=filters,
        statuses=[("", "all"), *((each, each) for each in STATUSES)],
        hours=[(each, f"{each} hours" if each < 48 else f"{each // 24} days") for each in HOURS],
        **pages.pager(_ONE, page.next_cursor, tenant=tenant, webhook_id=webhook_id, **filters),
    )
