"""How a platform has identified its tenants (decisions 21.2)."""

from __future__ import annotations

from typing import Any

from flask import request

from einvoice import clock
from einvoice.domain.credentials import TENANTS_MANAGE, TENANTS_READ
from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.services.account import identifications as service
from einvoice.services.account import platform_tenants
from einvoice.services.account.identifications import (
    MAX_FILE_BYTES,
    Identified,
    NewFile,
    NewIdentification,
)
from einvoice.web import bodies, credentials, paging
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.platform import identification_schemas as schemas
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime

family = Family(
    "platform_identifications",
    __name__,
    url_prefix="/api/platform/tenants/<tenant>/identifications",
    credential=credentials.platform,
    tag="Platforms",
)

_NEW, _QUERY = schemas.NewIdentification(), schemas.IdentificationQuery()


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewIdentification))
@family.refuses(Conflict)
@family.response(201, schemas.TenantIdentificationResponse())
@family.alt_response(
    200, schema=schemas.TenantIdentificationResponse(), description="It is known already."
)
def add_tenant_identification(tenant: str) -> Written[Identified]:
    """Say how you have identified a tenant. The same again is answered 200, and changes nothing.

    The same method, numbers and moment with other values are 409 conflict.

    Where the operator trusts your word, its numbers are verified at once, with the claims of
    participant ids that they prove; else it is `pending` until the operator decides. The event
    identification.decided tells.
    """
    credentials.require(TENANTS_MANAGE)
    platform_tenants.get(tenant, credentials.principal())
    request.max_content_length = schemas.MAX_BODY_BYTES
    asked = bodies.read_body(_NEW, bodies.received())
    new = NewIdentification(
        method=asked["method"],
        numbers=asked["numbers"],
        identified_at=asked["identifiedAt"],
        identified_by=asked["identifiedBy"],
        document_kind=asked.get("documentKind") or None,
        files=_files(asked.get("files", ())),
    )
    found, is_new = service.add(tenant, new, credentials.principal(), runtime().caches)
    return found, 201 if is_new else 200, {}


def _files(given: Any) -> list[NewFile]:
    for place, file in enumerate(given):
        if len(file["content"]) > MAX_FILE_BYTES:
            message = f"has more than {MAX_FILE_BYTES:,} bytes"
            raise InvalidField([FieldError(f"/files/{place}/content", "too-large", message)])
    return [
        NewFile(file["name"], file["contentType"], file["content"], file.get("keepUntil"))
        for file in given
    ]


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.IdentificationQuery}])
@family.response(200, schemas.TenantIdentificationList())
def list_tenant_identifications(tenant: str) -> Page[Identified]:
    """List the identifications of a tenant, and what became of them."""
    credentials.require_one(TENANTS_READ, TENANTS_MANAGE)
    who, query = credentials.principal(), paging.read_query(_QUERY)
    return paging.part_of(service.of(tenant, who), _place, query, who)


def _place(one: Identified) -> list[Any]:
    return [clock.timestamp(one.record.created_at), one.record.id]
