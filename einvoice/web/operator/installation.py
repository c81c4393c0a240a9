"""/api/operator/networks, doctor, release and holds."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.operators import MANAGE, READ
from einvoice.network.held_addresses import HeldAddress
from einvoice.services.archive import holds as legal_holds
from einvoice.services.archive.holds import HoldRecord
from einvoice.services.connections import held_addresses
from einvoice.services.console import installation as service
from einvoice.services.console import networks
from einvoice.services.console.installation import DoctorReport, ListedHold, Release
from einvoice.services.console.networks import Networks
from einvoice.web import bodies, paging
from einvoice.web.operator import installation_schemas as schemas
from einvoice.web.operator.api import OperatorFamily, operator
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_installation", __name__, "")
holds = OperatorFamily("operator_holds", __name__, "/holds")

_NEW, _QUERY = schemas.NewOperatorHold(), schemas.OperatorHoldQuery()
ACTIVE = {"active": True, "released": False}


@family.scoped("/networks", READ)
@family.response(200, schemas.OperatorNetworkState())
def get_network_state() -> Networks:
    """Get how the networks are: the oldest unsettled documents, failures of the last day,
    certificates with their ends, mailboxes that are late, and the queues."""
    return networks.state(runtime())


@family.scoped("/held-addresses", READ)
@family.response(200, schemas.OperatorHeldAddressList())
def list_all_held_addresses() -> list[tuple[Environment, HeldAddress]]:
    """List the addresses of buyers that get no mail of a tenant, because they do not exist, at most
    1,000 of an environment; the newest first."""
    return held_addresses.of_all(runtime())


@family.scoped("/tenants/<tenant>/held-addresses/<held_address_id>/lift", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(204)
def lift_tenant_held_address(tenant: str, held_address_id: str) -> Response:
    """Send mail of the tenant to an address again, in both environments."""
    read_empty_body()
    held_addresses.lift(tenant, Environment, held_address_id, runtime())
    return Response(status=204)


@family.scoped("/doctor", READ)
@family.response(200, schemas.OperatorDoctorReports())
def list_doctor_reports() -> list[DoctorReport]:
    """List what `einvoice doctor --record` found on each host when it ran last."""
    return service.doctor_reports()


@family.scoped("/release", READ)
@family.response(200, schemas.OperatorRelease())
def get_release() -> Release:
    """Get the release that answers, and the revision of the database."""
    return service.release(runtime())


@holds.scoped("", READ)
@holds.doc(parameters=[{"in": "query", "schema": schemas.OperatorHoldQuery}])
@holds.response(200, schemas.OperatorHoldList())
def list_operator_holds() -> Page[ListedHold]:
    """List the legal holds of all tenants, the newest first."""
    query, by = paging.read_query(_QUERY), operator()
    found = service.all_holds(
        active=ACTIVE.get(query.get("state", "")),
        before=paging.marked_moment(query, by),
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, place, query, by)


@holds.scoped("", MANAGE, methods=["POST"])
@holds.doc(requestBody=documented_body(schemas.NewOperatorHold))
@holds.refuses(Conflict, NotFound)
@holds.response(201, schemas.OperatorHoldResponse())
def place_operator_hold() -> Written[HoldRecord]:
    """Keep an invoice, or everything of a tenant, beyond its retention. Only operators release
    what operators placed."""
    asked = bodies.read_body(_NEW, bodies.received())
    hold = legal_holds.place(asked["tenantId"], asked.get("invoiceId") or None, asked["reason"])
    return hold, 201, {}


@holds.scoped("/<hold_id>/release", MANAGE, methods=["POST"])
@holds.doc(requestBody=EMPTY_BODY)
@holds.refuses(Conflict)
@holds.response(200, schemas.OperatorHoldResponse())
def release_operator_hold(hold_id: str) -> HoldRecord:
    """End a legal hold, also one that a tenant placed."""
    read_empty_body()
    return legal_holds.release(hold_id)


def place(one: ListedHold) -> list[Any]:
    """The place of a hold in the list."""
    return [clock.timestamp(one.hold.placed_at), one.hold.id]
