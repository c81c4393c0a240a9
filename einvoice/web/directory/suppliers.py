"""Suppliers: who invoices the tenant, and how their bills are booked."""

from __future__ import annotations

from typing import cast

from flask import Response

from einvoice.domain.directory import DirectoryKind, Supplier
from einvoice.domain.errors import (
    CsvInvalid,
    CsvMissingColumns,
    CsvTooManyRows,
    CsvUnreadable,
    DuplicateSupplier,
    FileTooLarge,
    MissingFile,
)
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.views import FILE, DirectoryViews
from einvoice.web.responses import documented_body, json_response, provider

family = Family("suppliers", __name__, url_prefix="/api/suppliers", credential=credentials.session)

_VIEWS = DirectoryViews(
    DirectoryKind.SUPPLIER,
    schemas.NewSupplier(),
    schemas.SupplierChanges(),
    kept=("name", "countryCode"),
)


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.EntryQuery}])
@family.response(200, responses.SupplierList())
def list_suppliers() -> Response:
    """The suppliers, newest first or by name, page by page."""
    return _VIEWS.page()


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewSupplier))
@family.refuses(DuplicateSupplier)
@family.response(201, responses.SupplierRecord())
def create_supplier() -> Response:
    """Add a supplier. Its participant id is looked up in the background."""
    return _VIEWS.create()


@family.route("/<supplier_id>")
@family.response(200, responses.SupplierRecord())
def get_supplier(supplier_id: str) -> Response:
    """One supplier."""
    return _VIEWS.get(supplier_id)


@family.route("/<supplier_id>", methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.SupplierChanges))
@family.reads_headers("If-Match")
@family.refuses(DuplicateSupplier)
@family.response(200, responses.SupplierRecord())
def change_supplier(supplier_id: str) -> Response:
    """Change what the body names, remove what it names as null (RFC 7396)."""
    return _VIEWS.change(supplier_id)


@family.route("/<supplier_id>", methods=["DELETE"])
@family.reads_headers("If-Match")
@family.response(204)
def delete_supplier(supplier_id: str) -> Response:
    """Remove a supplier; invoices are not touched."""
    return _VIEWS.delete(supplier_id)


@family.route("/seed-from-invoices", methods=["POST"])
@family.doc(parameters=[{"in": "query", "schema": schemas.SeedQuery}])
@family.response(200, responses.SeedResult())
def seed_suppliers() -> Response:
    """Add the senders of received invoices; those that are there are skipped."""
    return _VIEWS.seed()


@family.route("/import", methods=["POST"])
@family.doc(parameters=[{"in": "query", "schema": schemas.ImportQuery}], requestBody=FILE)
@family.refuses(
    MissingFile, CsvUnreadable, CsvMissingColumns, CsvTooManyRows, CsvInvalid, FileTooLarge
)
@family.response(200, responses.ImportResult())
def import_suppliers() -> Response:
    """Add the suppliers of a CSV file; what is wrong is told by row and column."""
    return _VIEWS.import_file()


@family.route("/export")
@family.response(200, content_type="text/csv")
def export_suppliers() -> Response:
    """All suppliers as a CSV file that can be imported again."""
    return _VIEWS.export()


@family.route("/<supplier_id>/invoice-defaults")
@family.doc(parameters=[{"in": "query", "schema": schemas.DefaultsQuery}])
@family.response(200, responses.SupplierDefaults())
def supplier_invoice_defaults(supplier_id: str) -> Response:
    """What to fill a bill of this supplier in with, above all the account to book it to."""
    found = _VIEWS.defaults(supplier_id)
    supplier = cast("Supplier", found.entry)
    return json_response(
        {
            "supplierId": supplier.id,
            "name": supplier.name,
            "taxId": supplier.tax_id,
            "peppolId": supplier.peppol_id,
            "countryCode": supplier.country_code,
            "networkStatus": supplier.network_status,
            "glAccountCode": supplier.default_gl_account_code,
            "issueDate": found.issue_date,
            "dueDate": found.due_date,
            "environment": found.environment.value,
            "provider": provider(),
        }
    )
