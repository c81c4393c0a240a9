"""The requests that webhooks get, one for each type of event: a receiver is generated from them.

They are callbacks of the registration and not the section `webhooks`: openapi-generator makes
methods of a client from that one, whose code is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from apispec import APISpec

from einvoice.web.account.webhook_event_schemas import BODIES
from einvoice.web.openapi.problems import reference
from einvoice.web.openapi.samples import sample

Document = dict[str, Any]

# The member of the registration's body with the address.
_URL = "{$request.body#/url}"


def _header(name: str, description: str, example: str, *, required: bool = True) -> Document:
    return {
        "in": "header",
        "name": name,
        "required": required,
        "description": description,
        "schema": {"type": "string"},
        "example": example,
    }


_HEADERS = (
    _header("X-Webhook-Secret", "The webhook's `secret`.", "whk_9vXk2vQ8aBcdEfGh01234w"),
    _header("webhook-id", "Id of the event, the same on every attempt.", "evt_5f0c"),
    _header("webhook-timestamp", "When it was posted, in Unix seconds.", "1795147506"),
    _header(
        "webhook-signature",
        "`v1,` and the base64 of the HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, keyed "
        "with the bytes behind `whsec_` of the webhook's `signingSecret` (Standard Webhooks). "
        "During a rotation two of them, separated by a space.",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
    _header("webhook-attempt", "1 for the first attempt.", "1"),
    _header(
        "X-Request-Id",
        "Id of the request that caused the event, if there was one: as in `requestId`.",
        "order-17",
        required=False,
    ),
    _header(
        "traceparent",
        "The W3C trace context that this request had, unchanged, if it had one; where the operator "
        "records traces, that of the webhook in the same trace.",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        required=False,
    ),
)
_ANSWERS = {
    "200": {"description": "Received, as is any 2xx within 15 seconds."},
    "410": {"description": "The webhook is disabled at once."},
    "default": {"description": "The event is posted again later, in all ten times in three days."},
}


def add_schemas(spec: APISpec) -> None:
    """Add the body of each type to the components."""
    for schema in BODIES.values():
        spec.components.schema(schema.__name__, schema=schema)


def callbacks(schemas: Mapping[str, Document]) -> dict[str, Document]:
    """The callbacks of the registration of a webhook, by type of event."""
    return {
        kind: {_URL: {"post": _operation(schema.__name__, schemas)}}
        for kind, schema in BODIES.items()
    }


def _operation(name: str, schemas: Mapping[str, Document]) -> Document:
    """`receiveTransactionSent`, for the body `TransactionSentEvent`."""
    content = {"schema": {"$ref": reference(name)}, "example": sample(schemas[name], schemas)}
    meaning = schemas[name]["description"]
    return {
        "tags": ["Webhooks"],
        "operationId": "receive" + re.sub("Event$", "", name),
        "summary": meaning,
        "description": f"{meaning} Verify the signature, store the event, and answer.",
        "security": [],
        "parameters": list(_HEADERS),
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": _ANSWERS,
    }
