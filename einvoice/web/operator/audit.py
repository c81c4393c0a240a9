"""/api/operator/audit, and the documents of tenants, for an operator who says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from flask import Response

from einvoice.domain.errors import (
    ArchiveDamaged,
    ArchiveUnavailable,
    DocumentDropped,
)
from einvoice.domain.operators import DOCUMENTS, READ
from einvoice.services.console import audit, documents
from einvoice.services.console.audit import SeenEntry
from einvoice.services.console.documents import ArtefactSummary
from einvoice.web import bodies, paging
from einvoice.web.operator import audit_schemas as schemas
from einvoice.web.operator.api import OperatorFamily, operator
from einvoice.web.operator.tenant_schemas import OperatorReason
from einvoice.web.paging import Page
from einvoice.web.responses import documented_body

family = OperatorFamily("operator_audit", __name__, "/audit")
content = OperatorFamily(
    "operator_documents", __name__, "/tenants/<tenant>/invoices/<invoice_id>/artefacts"
)

_QUERY, _REASON = schemas.OperatorAuditQuery(), OperatorReason()
FILTERS = ("action", "target")


@family.scoped("", READ)
@family.doc(parameters=[{"in": "query", "schema": schemas.OperatorAuditQuery}])
@family.response(200, schemas.OperatorAuditLog())
def list_operator_audit_entries() -> Page[SeenEntry]:
    """List what operators did, by commands and at the console, or the log of a tenant."""
    return entries(paging.read_query(_QUERY))


def entries(query: Mapping[str, Any]) -> Page[SeenEntry]:
    """The page of the log that a query asks for. Raises InvalidField for a wrong cursor."""
    by = operator()
    marked = paging.marked(query, by)
    found = audit.page(
        query.get("tenantId") or None,
        before=None if marked is None else marked[0],
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
        matching={name: query[name] for name in FILTERS if query.get(name)},
    )
    return paging.closed_page(found, lambda one: [one.entry.sequence], query, by)


@content.scoped("", READ)
@content.response(200, schemas.DocumentsOfInvoice())
def list_documents_of_invoice(tenant: str, invoice_id: str) -> list[ArtefactSummary]:
    """List what there is of a tenant's invoice: kinds, sizes and digests, without content."""
    return documents.listed(tenant, invoice_id)


@content.scoped("/<artefact_id>/content", DOCUMENTS, methods=["POST"])
@content.doc(requestBody=documented_body(OperatorReason))
@content.refuses(DocumentDropped, ArchiveUnavailable, ArchiveDamaged)
@content.response(
    200, {"type": "string", "format": "binary"}, content_type="application/octet-stream"
)
def read_document_of_invoice(tenant: str, invoice_id: str, artefact_id: str) -> Response:
    """Read one of them. The reason is in the tenant's audit log before the content is sent."""
    asked = bodies.read_body(_REASON, bodies.received())
    return document_response(tenant, invoice_id, artefact_id, asked["reason"])


def document_response(tenant: str, invoice_id: str, artefact_id: str, reason: str) -> Response:
    """The content as a file to save."""
    found = documents.read(tenant, invoice_id, artefact_id, reason)
    response = Response(found.content, content_type="application/octet-stream")
    name = quote(found.name, safe="")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return response
