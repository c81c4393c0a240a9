"""Exports of the account's data: responses."""

from __future__ import annotations

from einvoice.services.tenant_data.export_jobs import ExportRecord
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class ExportMembers(ResponseSchema[ExportRecord]):
    exportId = a.text("The export", a.SOME_ID, source="id")
    status = a.text("queued, running, done or failed", "running")
    documents = a.number("Documents that are written", 1500)
    documentsTotal = a.number("Of how many; null until it runs", 4000, or_null=True)
    sizeBytes = a.number(
        "Bytes of the file, once it is done", 38_000_000, or_null=True, source="size"
    )
    manifestSha256 = a.text(
        "SHA-256 of the manifest in the file, which has the digests of everything else",
        "3c9f0d2e" * 8,
        or_null=True,
        source="sha256",
    )
    createdBy = a.text("Who requested it: the person's subject, or operator", "auth0|5f7c8e")
    createdAt = a.moment("When it was requested")
    finishedAt = a.moment("When it ended", or_null=True)
    expiresAt = a.moment("Until when the file can be downloaded", or_null=True)


class AccountExport(ExportMembers):
    provider = a.provider()
