"""The audit log at the console, and a tenant's documents for an operator who says why."""

from __future__ import annotations

from flask import Response, request

from einvoice.services.console import documents
from einvoice.services.console import tenants as service
from einvoice.web.dashboard import forms
from einvoice.web.operator import pages
from einvoice.web.operator.audit import FILTERS, document_response, entries
from einvoice.web.operator.pages import OperatorPages

family = OperatorPages("operator_audit_pages", __name__, "/audit")
invoices = OperatorPages("operator_document_pages", __name__, "/tenants/<tenant>/invoices")

_LOG, _ONE = "operator_audit_pages.list_entries", "operator_document_pages.show_invoice"


@family.page("")
def list_entries() -> Response:
    """The actions of operators, or the whole log of one tenant, the newest first."""
    given = {name: forms.search_text(request.args.get(name, ""), 255)
             for name in ("tenantId", *FILTERS)}  # fmt: skip
    filters = {name: text for name, text in given.items() if text}
    cursor = {"cursor": request.args["cursor"]} if "cursor" in request.args else {}
    page = entries({**filters, **cursor})
    return pages.render(
        "operator/audit.html",
        items=page.items,
        filters=filters,
        **pages.pager(_LOG, page.next_cursor, **filters),
    )


@invoices.page("")
def find_invoice(tenant: str) -> Response:
    """To the invoice whose id was typed in."""
    asked = forms.search_text(request.args.get("invoiceId", ""), 40)
    if not asked:
        return pages.see("operator_tenant_pages.show_tenant", tenant=tenant)
    return pages.see(_ONE, tenant=tenant, invoice_id=asked)


@invoices.page("/<invoice_id>")
def show_invoice(tenant: str, invoice_id: str) -> Response:
    """The data of an invoice, without content."""
    return pages.render(
        "operator/invoice.html",
        tenant=service.get(tenant).tenant,
        invoice_id=invoice_id,
        items=documents.listed(tenant, invoice_id),
    )


@invoices.page("/<invoice_id>/artefacts/<artefact_id>", methods=["POST"])
def read_artefact(tenant: str, invoice_id: str, artefact_id: str) -> Response:
    """The content of one, whose reason is written into the tenant's audit log."""
    return document_response(tenant, invoice_id, artefact_id, pages.reason())
