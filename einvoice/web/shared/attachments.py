"""Responses that a browser saves as a file."""

from __future__ import annotations

from pathlib import Path

from flask import Response

from einvoice.domain.directory import EntryKind
from einvoice.services.directory import csv_import
from einvoice.services.invoices import bundles
from einvoice.services.invoices.detail import ArtefactContent
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest
from einvoice.services.principal import Reader
from einvoice.web.runtime import runtime
from einvoice.web.sent_files import file_response, passing_file, passing_response


def artefact_response(found: ArtefactContent) -> Response:
    """The content of an artefact, with its own content type and name."""
    return attachment(found.content, found.content_type, found.name)


def directory_response(kind: EntryKind, tenant_id: str, text: str | None = None) -> Response:
    """A directory of the tenant, or what a search in it finds, as the CSV that is imported."""
    with runtime().computing.bulk_work(tenant_id):
        text = "".join(csv_import.export(kind, tenant_id, text))
    return attachment(text, "text/csv; charset=utf-8; header=present", f"{kind}s.csv")


def export_response(path: Path, export_id: str) -> Response:
    """The file of an export, or the part of it that was requested."""
    response = file_response(path, "application/zip", export_id)
    response.headers["Content-Disposition"] = f'attachment; filename="export-{export_id}.zip"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def documents_response(
    reader: Reader, filters: InvoiceFilters, part: InvoicePageRequest, name: str
) -> Response:
    """The documents of a list as a ZIP. Raises what `bundles.write` raises."""
    bulk_work = runtime().computing.bulk_work(reader.tenant_id)
    with bulk_work, passing_file(reader.tenant_id) as file:
        bundles.write(file, reader, filters, part, runtime())
    response = passing_response(Path(file.name), "application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def attachment(content: bytes | str, content_type: str, name: str) -> Response:
    """A file of this name, which has no quotation marks."""
    response = Response(content, content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
