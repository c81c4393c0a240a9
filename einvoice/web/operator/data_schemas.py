"""Exports and the purge of a tenant, as operators see them: responses."""

from __future__ import annotations

from einvoice.services.tenant_data.export_jobs import ExportRecord
from einvoice.services.tenant_data.purge import Prospect
from einvoice.web.account.export_schemas import ExportMembers
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a


class OperatorExportList(ResponseSchema[list[ExportRecord]]):
    items = a.things(ExportMembers(), "The newest first", source=ITSELF)
    provider = a.provider()


class PurgeProspectResponse(ResponseSchema[Prospect]):
    """The obstacles to a purge, or how far it is."""

    closedAt = a.moment("When the tenant was closed; only a closed one is purged", or_null=True)
    begunAt = a.moment("When its purge began", or_null=True)
    purgedAt = a.moment("When nothing was left", or_null=True, source="done_at")
    obstacles = a.texts(
        "What has to end before", "2 legal holds are to be released", source="obstacles"
    )
    provider = a.provider()
