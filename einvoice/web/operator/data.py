"""/api/operator/tenants/{tenant}: exports of its data, and its purge."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict, ExportsNotShared, InvalidField, NotFound
from einvoice.domain.operators import DOCUMENTS, MANAGE, READ
from einvoice.services.console import access, tenants
from einvoice.services.tenant_data import export_jobs, purge
from einvoice.services.tenant_data.export_jobs import ExportRecord
from einvoice.services.tenant_data.purge import Prospect
from einvoice.web import bodies
from einvoice.web.account.export_schemas import AccountExport
from einvoice.web.admission import slots
from einvoice.web.operator import access_schemas, tenant_schemas
from einvoice.web.operator import data_schemas as schemas
from einvoice.web.operator.api import PREFIX, OperatorFamily
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import export_response
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_data", __name__, "/tenants/<tenant>")

MAX_PURGE_SECONDS = 5.0  # of one request
_CONFIRMATION, _REASON = access_schemas.ClosingConfirmation(), tenant_schemas.OperatorReason()
_FILE = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}


@family.scoped("/exports", READ)
@family.response(200, schemas.OperatorExportList())
def list_operator_exports(tenant: str) -> list[ExportRecord]:
    """List the newest exports of a tenant with their progress."""
    tenants.get(tenant)
    return export_jobs.newest(tenant)


@family.scoped("/exports", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, ExportsNotShared)
@family.response(202, AccountExport())
def create_operator_export(tenant: str) -> Written[ExportRecord]:
    """Export the data of a tenant, for another installation. A worker writes the file."""
    read_empty_body()
    export = export_jobs.request(tenant, runtime().settings)
    return export, 202, {"Location": f"{PREFIX}/tenants/{tenant}/exports/{export.id}"}


@family.scoped("/exports/<export_id>", READ)
@family.refuses(NotFound)
@family.response(200, AccountExport())
def get_operator_export(tenant: str, export_id: str) -> ExportRecord:
    """Get the progress of an export."""
    return export_jobs.get(tenant, export_id)


@family.scoped("/exports/<export_id>/file", DOCUMENTS, methods=["POST"])
@family.doc(requestBody=documented_body(tenant_schemas.OperatorReason), responses={200: _FILE})
@family.refuses(NotFound)
@family.response(200, description="The file, a ZIP.")
def download_operator_export(tenant: str, export_id: str) -> Response:
    """Download the file of an export that is done. The tenant's audit log has the reason."""
    asked = bodies.read_body(_REASON, bodies.received())
    return export_file(tenant, export_id, asked["reason"])


def export_file(tenant: str, export_id: str, reason: str) -> Response:
    """The file, whose reason is stored before it is sent."""
    path = export_jobs.open_file(tenant, export_id, runtime().settings, reason=reason)
    return export_response(path, export_id)


@family.scoped("/purge", READ)
@family.response(200, schemas.PurgeProspectResponse())
def get_purge_prospect(tenant: str) -> Prospect:
    """Get what stands in the way of purging a tenant, or how far its purge is."""
    return purge.prospect(tenant, runtime().settings)


@family.scoped("/purge", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(access_schemas.ClosingConfirmation))
@family.refuses(Conflict, InvalidField)
@family.response(200, schemas.PurgeProspectResponse())
@family.alt_response(
    202, schema=schemas.PurgeProspectResponse(), description="It has begun, and goes on."
)
def purge_operator_tenant(tenant: str) -> Written[Prospect]:
    """Delete all that a closed tenant has, but its name and audit log. It cannot be undone."""
    asked = bodies.read_body(_CONFIRMATION, bodies.received())
    done = begin_purge(tenant, asked["confirm"])
    return done, 202 if done.done_at is None else 200, {}


def begin_purge(tenant: str, confirm: str) -> Prospect:
    """Purge for MAX_PURGE_SECONDS; the relay goes on. Raises NotFound, Conflict, InvalidField."""
    access.check_confirmed(tenant, confirm)
    with slots.released():
        purge.purge(tenant, runtime().settings, seconds=MAX_PURGE_SECONDS)
    runtime().caches.tenants.drop(tenant)
    return purge.prospect(tenant, runtime().settings)
