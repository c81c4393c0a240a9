"""Customers: whom the tenant invoices, and what goes on their invoices without being said."""

from __future__ import annotations

from typing import Any, cast

from flask import Response

from einvoice.domain.directory import Customer, DirectoryKind
from einvoice.domain.errors import (
    CsvInvalid,
    CsvMissingColumns,
    CsvTooManyRows,
    CsvUnreadable,
    DuplicateCustomer,
    FileTooLarge,
    MissingFile,
)
from einvoice.services.directory.entries import InvoiceDefaults
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.views import FILE, DirectoryViews
from einvoice.web.responses import documented_body, json_response, provider

family = Family("customers", __name__, url_prefix="/api/customers", credential=credentials.session)

_VIEWS = DirectoryViews(
    DirectoryKind.CUSTOMER, schemas.NewCustomer(), schemas.CustomerChanges(), kept=("name",)
)


@family.route("")
@family.doc(parameters=[{"in": "query", "schema": schemas.EntryQuery}])
@family.response(200, responses.CustomerList())
def list_customers() -> Response:
    """The customers, newest first or by name, page by page."""
    return _VIEWS.page()


@family.route("", methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewCustomer))
@family.refuses(DuplicateCustomer)
@family.response(201, responses.CustomerRecord())
def create_customer() -> Response:
    """Add a customer. Its participant id is looked up in the background."""
    return _VIEWS.create()


@family.route("/<customer_id>")
@family.response(200, responses.CustomerRecord())
def get_customer(customer_id: str) -> Response:
    """One customer."""
    return _VIEWS.get(customer_id)


@family.route("/<customer_id>", methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.CustomerChanges))
@family.reads_headers("If-Match")
@family.refuses(DuplicateCustomer)
@family.response(200, responses.CustomerRecord())
def change_customer(customer_id: str) -> Response:
    """Change what the body names, remove what it names as null (RFC 7396)."""
    return _VIEWS.change(customer_id)


@family.route("/<customer_id>", methods=["DELETE"])
@family.reads_headers("If-Match")
@family.response(204)
def delete_customer(customer_id: str) -> Response:
    """Remove a customer; invoices are not touched."""
    return _VIEWS.delete(customer_id)


@family.route("/seed-from-invoices", methods=["POST"])
@family.doc(parameters=[{"in": "query", "schema": schemas.SeedQuery}])
@family.response(200, responses.SeedResult())
def seed_customers() -> Response:
    """Add the buyers of all sent invoices; those that are there are skipped."""
    return _VIEWS.seed()


@family.route("/import", methods=["POST"])
@family.doc(parameters=[{"in": "query", "schema": schemas.ImportQuery}], requestBody=FILE)
@family.refuses(
    MissingFile, CsvUnreadable, CsvMissingColumns, CsvTooManyRows, CsvInvalid, FileTooLarge
)
@family.response(200, responses.ImportResult())
def import_customers() -> Response:
    """Add the customers of a CSV file; what is wrong is told by row and column."""
    return _VIEWS.import_file()


@family.route("/export")
@family.response(200, content_type="text/csv")
def export_customers() -> Response:
    """All customers as a CSV file that can be imported again."""
    return _VIEWS.export()


@family.route("/<customer_id>/invoice-defaults")
@family.doc(parameters=[{"in": "query", "schema": schemas.DefaultsQuery}])
@family.response(200, responses.CustomerDefaults())
def customer_invoice_defaults(customer_id: str) -> Response:
    """What to fill a new invoice in with; `send` is a part of a send's body, to be merged."""
    found = _VIEWS.defaults(customer_id)
    customer = cast("Customer", found.entry)
    return json_response(
        {
            "customerId": customer.id,
            "name": customer.name,
            "taxId": customer.tax_id,
            "peppolId": customer.peppol_id,
            "networkStatus": customer.network_status,
            "currency": customer.default_currency_code,
            "paymentTermsDays": customer.default_payment_terms_days,
            "issueDate": found.issue_date,
            "dueDate": found.due_date,
            "environment": found.environment.value,
            "send": _send(found, customer),
            "provider": provider(),
        }
    )


def _send(found: InvoiceDefaults, customer: Customer) -> dict[str, Any]:
    """A part of the body of POST /api/invoices/send: only what is known."""
    address = {**(customer.address or {})}
    if customer.country_code:
        address.setdefault("countryCode", customer.country_code)
    buyer = {
        "name": customer.name,
        "taxId": customer.tax_id,
        "address": address,
        "contact": _known({"email": customer.email, "phone": customer.phone}),
    }
    invoice = {
        "issueDate": found.issue_date,
        "dueDate": found.due_date,
        "currency": customer.default_currency_code,
        "buyerReference": customer.buyer_reference,
        "buyer": _known(buyer),
    }
    routing = {
        "receiverParticipantId": customer.peppol_id,
        "accessPointRef": found.access_point_ref,
    }
    return {"invoice": _known(invoice), "routing": _known(routing)}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
