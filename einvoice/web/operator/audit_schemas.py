"""The audit log for operators, and documents with a reason: requests and responses."""

from __future__ import annotations

from einvoice.services.console.audit import SeenEntry
from einvoice.services.console.documents import ArtefactSummary
from einvoice.web.account.audit_schemas import AuditEntry
from einvoice.web.fields import Id, Text
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class OperatorAuditQuery(PartQuery):
    tenantId = Text(
        "Everything in the log of this tenant; `operator`: logins and keys of operators. Without "
        "it, what operators did in all tenants.",
        max_length=40,
        example=a.SOME_ID,
    )
    action = Text("Only this action.", max_length=64, example="tenant.suspended")
    target = Id("Only actions on the object with this id.", max_length=255, example=a.SOME_ID)


class OperatorAuditEntry(ResponseSchema[SeenEntry]):
    """An entry with its tenant."""

    tenantId = a.text("The tenant, or operator", a.SOME_ID, source="entry.tenant_id")
    tenantName = a.text("Its name; null: what is of no tenant", "Brewery Ltd", or_null=True)
    operator = a.text("The operator who did it", "otto@operator.example", or_null=True)
    entry = a.one(AuditEntry(), "The entry")


class OperatorAuditLog(ResponseSchema[Page[SeenEntry]]):
    items = a.things(OperatorAuditEntry(), "The newest first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


class DocumentOfInvoice(ResponseSchema[ArtefactSummary]):
    """A document or piece of evidence of an invoice, without its content."""

    artefactId = a.text("Its id", a.SOME_ID, source="id")
    kind = a.text("UBL, ORIGINAL, RECEIPT and others", "UBL")
    contentType = a.text("Its media type", "application/xml")
    sizeBytes = a.number("Its size", 7_412, source="size")
    sha256 = a.text("SHA-256 of its content", "9f86d081884c7d65…")
    createdAt = a.moment("When it was stored")


class DocumentsOfInvoice(ResponseSchema[list[ArtefactSummary]]):
    items = a.things(DocumentOfInvoice(), "What there is", source="")
    provider = a.provider()
