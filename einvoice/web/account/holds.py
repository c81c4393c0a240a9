"""Legal holds: while one lasts, what it covers is kept beyond its retention."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.roles import Role
from einvoice.services.archive import holds
from einvoice.services.archive.holds import HoldFilter, HoldRecord
from einvoice.web import bodies, credentials, paging
from einvoice.web.account import hold_schemas as schemas
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "holds", __name__, url_prefix="/api/holds", credential=credentials.session, tag="Account"
)

_NEW, _QUERY = schemas.NewHold(), schemas.HoldQuery()
_ACTIVE = {"active": True, "released": False}


@family.route("", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.HoldQuery}])
@family.response(200, schemas.HoldList())
def list_holds() -> Page[HoldRecord]:
    """List the legal holds of the account, also those that were released, newest first."""
    query, principal = paging.read_query(_QUERY), credentials.session_of_request()
    found = holds.page(
        principal.tenant_id,
        HoldFilter(query.get("invoiceId"), _ACTIVE.get(query.get("state", ""))),
        paging.marked_moment(query, principal),
        query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, _place, query, principal)


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewHold))
@family.refuses(Conflict, NotFound)
@family.response(201, schemas.HoldResponse())
def place_hold() -> Written[HoldRecord]:
    """Keep an invoice, or everything of the account, beyond its retention.

    Nothing that a hold covers is dropped until the hold is released. At most 10,000 holds of an
    account last at once.
    """
    asked = bodies.read_body(_NEW, bodies.received())
    principal = credentials.session_of_request()
    hold = holds.place(principal.tenant_id, asked.get("invoiceId"), asked["reason"], principal)
    return created(hold, f"/api/holds/{hold.id}")


@family.route("/<hold_id>", least=Role.ADMIN)
@family.response(200, schemas.HoldResponse())
def get_hold(hold_id: str) -> HoldRecord:
    """Get a legal hold."""
    return holds.get(credentials.session_of_request().tenant_id, hold_id)


@family.route("/<hold_id>/release", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.HoldResponse())
def release_hold(hold_id: str) -> HoldRecord:
    """End a legal hold. What it kept is dropped once its retention has ended.

    409 conflict if it was released before, or placed by the operator, who can release it.
    """
    read_empty_body()
    return holds.release(hold_id, credentials.session_of_request())


def _place(hold: HoldRecord) -> list[Any]:
    return [clock.timestamp(hold.placed_at), hold.id]
