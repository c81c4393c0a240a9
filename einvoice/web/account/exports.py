"""Exports of the account's data: a job with progress, then a file."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict, ExportsNotShared, NotFound
from einvoice.domain.roles import Role
from einvoice.services.tenant_data import export_jobs
from einvoice.services.tenant_data.export_jobs import ExportRecord
from einvoice.web import credentials
from einvoice.web.account.export_schemas import AccountExport
from einvoice.web.api import Family
from einvoice.web.response_schema import Written
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import export_response
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "exports",
    __name__,
    url_prefix="/api/tenant/exports",
    credential=credentials.session,
    tag="Account",
)

_FILE = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict, ExportsNotShared)
@family.response(202, AccountExport())
def create_export() -> Written[ExportRecord]:
    """Export the account: documents, evidence, directory, events, audit log and settings.

    A worker writes the file; its progress is at the address in `Location`. One export runs at a
    time: a second one is 409 conflict. Where web and workers share no directory, every one is 409
    exports-not-shared.
    """
    read_empty_body()
    principal = credentials.session_of_request()
    export = export_jobs.request(principal.tenant_id, runtime().settings, principal)
    return export, 202, {"Location": f"/api/tenant/exports/{export.id}"}


@family.route("/<export_id>", least=Role.ADMIN)
@family.refuses(NotFound)
@family.response(200, AccountExport())
def get_export(export_id: str) -> ExportRecord:
    """Get the progress of an export."""
    return export_jobs.get(credentials.session_of_request().tenant_id, export_id)


@family.route("/<export_id>/file", least=Role.ADMIN)
@family.doc(responses={200: _FILE})
@family.refuses(NotFound)
@family.reads_headers("Range", "If-Range")
@family.response(200, description="The file, a ZIP.")
def download_export(export_id: str) -> Response:
    """Download the file of an export that is done. It is deleted after a day.

    A download that was interrupted goes on with `Range: bytes=N-`.
    """
    principal = credentials.session_of_request()
    settings = runtime().settings
    path = export_jobs.open_file(principal.tenant_id, export_id, settings, principal)
    return export_response(path, export_id)
