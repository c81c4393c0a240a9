"""Webhooks: the URLs to which events are posted, their secrets, and the log of deliveries."""

from __future__ import annotations

import json
import shlex
from contextlib import suppress
from datetime import timedelta
from typing import Any

from flask import Response, request, url_for
from werkzeug.datastructures import MultiDict

from einvoice import clock
from einvoice.domain.errors import Conflict, InvalidField, NotFound, RequestRefused
from einvoice.domain.events import ALL_TYPES, EVENT_TYPES
from einvoice.domain.roles import Role
from einvoice.services.invoices.lists import Position
from einvoice.services.webhooks import endpoints, feed, redelivery
from einvoice.services.webhooks.endpoints import EndpointRecord, EndpointWithSecrets
from einvoice.web import paging
from einvoice.web.account import webhook_schemas as schemas
from einvoice.web.bodies import loaded, read_patch
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.webhooks import payloads

_NEW, _CHANGES, _RECOVERY = (
    schemas.NewWebhook(),
    schemas.WebhookChanges(),
    schemas.RecoveryRequest(),
)
_TYPES = (ALL_TYPES, *sorted(EVENT_TYPES))
_SHOWN = (InvalidField, Conflict)
_TABS = (None, "failed", "pending")
HOURS = (1, 24, 24 * 7)  # of which what failed is sent again

family = Pages("dashboard_webhooks", __name__, "/dashboard/developers/webhooks")


@family.page("", least=Role.ADMIN)
def list_endpoints() -> Response:
    """The webhooks of the chosen environment, and a form for another one."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def create_endpoint() -> Response:
    """Register one; the page after it shows its secrets once."""
    given, principal, environment = forms.submitted(), pages.who(), pages.environment()
    try:
        asked = loaded(_NEW, {"environment": environment.value, **_body(given)})
        made = endpoints.create(
            principal.tenant_id,
            environment,
            url=asked["url"],
            description=asked.get("description"),
            event_types=asked["eventTypes"],
            settings=runtime().settings,
            by=principal,
        )
    except _SHOWN as refusal:
        return _listed(refusal, _typed(given))
    return _shown_once(made)


@family.page("/<endpoint_id>", least=Role.ADMIN)
def show_endpoint(endpoint_id: str) -> Response:
    """One webhook with its log."""
    return _one(_found(endpoint_id))


@family.page("/<endpoint_id>", least=Role.ADMIN, methods=["POST"])
def change_endpoint(endpoint_id: str) -> Response:
    """Change URL, description and event types."""
    given = forms.submitted()
    endpoint = _found(endpoint_id)
    body = {"url": given.get("url", ""), "description": None, **_body(given)}
    try:
        _change(endpoint_id, body)
    except _SHOWN as refusal:
        return _one(endpoint, refusal=refusal, given=_typed(given))
    return _back(endpoint_id, "saved")


@family.page("/<endpoint_id>/<any(active, disabled):status>", least=Role.ADMIN, methods=["POST"])
def switch_endpoint(endpoint_id: str, status: str) -> Response:
    """Start or stop its deliveries."""
    _change(endpoint_id, {"status": status})
    return _back(endpoint_id, "saved")


@family.page("/<endpoint_id>/rotate", least=Role.ADMIN, methods=["POST"])
def rotate_endpoint(endpoint_id: str) -> Response:
    """New secrets, which the page after it shows once."""
    principal, settings = pages.who(), runtime().settings
    made = endpoints.rotate(principal.tenant_id, endpoint_id, settings=settings, by=principal)
    return _shown_once(made)


@family.page("/<endpoint_id>/test", least=Role.ADMIN, methods=["POST"])
def send_test(endpoint_id: str) -> Response:
    """Post one webhook.test event."""
    redelivery.send_test(pages.who().tenant_id, endpoint_id, by=pages.who())
    return _back(endpoint_id, "webhookTested")


@family.page("/<endpoint_id>/delete", least=Role.ADMIN, methods=["POST"])
def delete_endpoint(endpoint_id: str) -> Response:
    """Remove one with its log and its pending deliveries."""
    endpoints.remove(pages.who().tenant_id, endpoint_id, by=pages.who())
    return pages.redirect_to("dashboard_webhooks.list_endpoints", "deleted")


@family.page("/<endpoint_id>/recover", least=Role.ADMIN, methods=["POST"])
def recover_events(endpoint_id: str) -> Response:
    """Send the events that it missed since a moment in UTC, or in the last `hours`."""
    given, principal = forms.submitted(), pages.who()
    endpoint, since = _found(endpoint_id), given.get("since", "").strip()
    hours = forms.whole_number(given.get("hours"))
    if hours in HOURS:
        since = (clock.now() - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S")
    try:
        asked = loaded(_RECOVERY, {"since": f"{since}Z"} if since else {})
        count = redelivery.recover(
            principal.tenant_id, endpoint_id, since=asked["since"], by=principal
        )
    except _SHOWN as refusal:
        return _one(endpoint, refusal=refusal, given={**_values(endpoint), "since": since})
    return _one(endpoint, recovered=count)


@family.page("/<endpoint_id>/deliveries/<delivery_id>", least=Role.ADMIN)
def show_delivery(endpoint_id: str, delivery_id: str) -> Response:
    """One delivery: what is posted, and the answer beside it."""
    principal, endpoint = pages.who(), _found(endpoint_id)
    found = redelivery.delivery(principal.tenant_id, endpoint_id, delivery_id)
    event = body = command = None
    with suppress(NotFound):  # no longer stored
        event = feed.event(principal, found.event_id)
        body = payloads.body(event).decode()
        command = _as_curl(endpoint.url, found.event_id, body)
        body = json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    return pages.render(
        "dashboard/delivery.html",
        item=endpoint,
        delivery=found,
        event=event,
        body=body,
        command=command,
    )


@family.page("/<endpoint_id>/deliveries/<delivery_id>", least=Role.ADMIN, methods=["POST"])
def redeliver_event(endpoint_id: str, delivery_id: str) -> Response:
    """Deliver the event of a delivery again."""
    principal = pages.who()
    try:
        redelivery.redeliver(principal.tenant_id, endpoint_id, delivery_id, by=principal)
    except Conflict as refusal:
        return _one(_found(endpoint_id), refusal=refusal)
    return _back(endpoint_id, "webhookRedelivered")


def _as_curl(url: str, event_id: str, body: str) -> str:
    """The request as a command of a shell, without secrets.

    >>> print(_as_curl("https://a.example/?a=1&b", "7", "it's")[:48])
    curl -X POST 'https://a.example/?a=1&b' -H 'cont
    """
    quoted = map(
        shlex.quote, (url, "content-type: application/json", f"webhook-id: {event_id}", body)
    )
    return "curl -X POST {} -H {} -H {} -d {}".format(*quoted)


def _listed(refusal: RequestRefused | None = None, given: dict[str, Any] | None = None) -> Response:
    """The list. `given`: the form that was refused."""
    return pages.render(
        "dashboard/webhooks.html",
        200 if refusal is None else 409,
        items=endpoints.of_tenant(pages.who().tenant_id, pages.environment()),
        given=given or {"eventTypes": ()},
        sources=runtime().settings.event_sources,
        **_common(refusal),
    )


def _shown_once(made: EndpointWithSecrets) -> Response:
    address = url_for("dashboard_webhooks.show_endpoint", endpoint_id=made.endpoint.id)
    return pages.shown_once(address, secret=made.secret, signing_secret=made.signing_secret)


def _one(
    endpoint: EndpointRecord,
    *,
    recovered: int | None = None,
    refusal: RequestRefused | None = None,
    given: dict[str, Any] | None = None,
) -> Response:
    """The page of one. `recovered`: events that are sent again."""
    asked = request.args.get("status", "")
    status = asked if asked in redelivery.STATUSES else None
    log, end = _log(endpoint.id, status)
    chosen = {"status": status} if status else {}
    return pages.render(
        "dashboard/webhook.html",
        200 if refusal is None else 409,
        item=endpoint,
        made=pages.secrets(),
        recovered=recovered,
        log=log,
        documents=redelivery.documents_of(pages.who().tenant_id, log),
        tabs=[(each, _address(endpoint.id, each), each == status) for each in _TABS],
        health=redelivery.health(pages.who().tenant_id, endpoint.id),
        hours=HOURS,
        given=given or _values(endpoint),
        **pages.pager("dashboard_webhooks.show_endpoint", end, endpoint_id=endpoint.id, **chosen),
        **_common(refusal),
    )


def _common(refusal: RequestRefused | None) -> dict[str, Any]:
    errors = forms.errors_of(refusal)
    return {"refusal": refusal, "errors": errors, "types": _TYPES}


def _address(endpoint_id: str, status: str | None) -> str:
    return url_for("dashboard_webhooks.show_endpoint", endpoint_id=endpoint_id, status=status)


def _log(
    endpoint_id: str, status: str | None
) -> tuple[list[redelivery.DeliveryRecord], str | None]:
    """A page of the log, and the cursor after which the next one begins."""
    principal, size = pages.who(), paging.DEFAULT_PAGE_SIZE
    query = pages.with_cursor({"status": status} if status else {})
    after = paging.position(query, principal)
    before = None if after is None else (after.at, after.invoice_id)
    found = redelivery.deliveries(
        principal.tenant_id, endpoint_id, limit=size + 1, before=before, status=status
    )
    shown = list(found[:size])
    if len(found) <= size:
        return shown, None
    return shown, paging.cursor(Position(shown[-1].created_at, shown[-1].id), query, principal)


def _found(endpoint_id: str) -> EndpointRecord:
    return endpoints.get(pages.who().tenant_id, endpoint_id)


def _change(endpoint_id: str, body: dict[str, Any]) -> None:
    asked = read_patch(_CHANGES, json.dumps(body).encode(), schemas.REMOVABLE)
    endpoints.change(
        pages.who().tenant_id,
        endpoint_id,
        {schemas.COLUMNS[name]: value for name, value in asked.items()},
        settings=runtime().settings,
        by=pages.who(),
    )


def _body(given: MultiDict[str, str]) -> dict[str, Any]:
    """The form as the API's body, with all of the event types that are marked."""
    return {**forms.nested(given.to_dict()), "eventTypes": given.getlist("eventTypes")}


def _typed(given: MultiDict[str, str]) -> dict[str, Any]:
    return {**given.to_dict(), "eventTypes": given.getlist("eventTypes")}


def _values(endpoint: EndpointRecord) -> dict[str, Any]:
    """The values that the form of an endpoint shows."""
    return {
        "url": endpoint.url,
        "description": endpoint.description,
        "eventTypes": endpoint.event_types,
    }


def _back(endpoint_id: str, notice: str) -> Response:
    return pages.redirect_to("dashboard_webhooks.show_endpoint", notice, endpoint_id=endpoint_id)
