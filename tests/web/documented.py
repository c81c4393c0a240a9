"""Events as webhooks are posted them, compared with the document."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from openapi_schema_validator import OAS31Validator

from einvoice.store.core import db
from einvoice.store.tables import Event
from einvoice.webhooks import payloads
from einvoice.webhooks.payloads import Occurrence
from tests.web.caller import Caller


def posted(caller: Caller) -> list[dict[str, Any]]:
    """The bodies of all events of the caller's tenant, oldest first."""
    query = sa.select(Event).where(Event.tenant_id == caller.tenant).order_by(Event.sequence)
    with caller.app.app_context(), db.reading() as connection:
        found = list(connection.execute(query))
    return [
        json.loads(
            payloads.body(
                Occurrence(
                    row.id, row.type, row.environment, row.invoice_id, row.payload, row.created_at
                )
            )
        )
        for row in found
    ]


def undocumented(caller: Caller) -> list[str]:
    """What the events have that the document does not say, and the reverse."""
    document = json.loads(caller.client.get("/openapi.json").data)
    callbacks = document["paths"]["/api/webhooks"]["post"]["callbacks"]
    faults = []
    for body in posted(caller):
        [item] = callbacks[body["eventType"]].values()
        name = item["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = document["components"]["schemas"][name.rpartition("/")[2]]
        whole = {"components": document["components"]}  # to which schemas refer
        closed = {**schema, **whole, "additionalProperties": False}
        checker = OAS31Validator(closed, format_checker=OAS31Validator.FORMAT_CHECKER)
        faults += [f"{body['eventType']}: {error.message}" for error in checker.iter_errors(body)]
    return faults
