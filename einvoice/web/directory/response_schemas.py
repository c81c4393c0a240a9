"""Responses of the directory: absent values are null, never missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from marshmallow import Schema

from einvoice.documents.csv_table import CellError, IgnoredColumn
from einvoice.domain.directory import MAX_PAYMENT_TERMS_DAYS, Customer, DirectoryEntry
from einvoice.services.directory.csv_import import Imported
from einvoice.services.directory.entries import InvoiceDefaults
from einvoice.services.directory.seed import Seeded
from einvoice.web.paging import Page
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a


class AddressRecord(Schema):
    line1 = a.text("Street and number", "Rue de la Loi 16", or_null=True)
    line2 = a.text("Second line", "Floor 2", or_null=True)
    line3 = a.text("Third line", "Gate 7", or_null=True)
    city = a.text("Town or city", "Brussels", or_null=True)
    postalCode = a.text("Postal code", "1000", or_null=True)
    region = a.text("Province, state or region", "Brabant", or_null=True)
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)


_ADDRESS = tuple(AddressRecord().fields)


def _address(entry: DirectoryEntry) -> Mapping[str, Any] | None:
    address = entry.address
    return None if address is None else {name: address.get(name) for name in _ADDRESS}


class _EntryRecord(ResponseSchema[DirectoryEntry]):
    """The members of customers and suppliers; each leaves some out."""

    name = a.text("Legal name", "Example Company BV")
    taxId = a.text("Tax id, as written", "BE 0123.456.749", or_null=True)
    peppolId = a.text("ISO 6523 id in the network", "0208:0123456749", or_null=True)
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)
    email = a.text("E-mail address", "ap@example.com", or_null=True)
    phone = a.text("Telephone number", "+32 2 123 45 67", or_null=True)
    externalId = a.text("Your own id of the party", "K-4711", or_null=True)
    address = a.one(AddressRecord(), "Postal address", or_null=True, source=_address)
    defaultCurrencyCode = a.text("Currency of new invoices", "EUR", or_null=True)
    defaultPaymentTermsDays = a.number(
        f"Days to the due date, 0 to {MAX_PAYMENT_TERMS_DAYS}", 30, or_null=True
    )
    buyerReference = a.text("Reference for invoices without one", "PO-team-4", or_null=True)
    defaultGlAccountCode = a.text("General ledger account of bills", "612000", or_null=True)
    networkStatus = a.text(
        "Reachable, NotReachable, Unknown, or Checking during a lookup", "Reachable"
    )
    networkCheckedAt = a.moment("When it was last looked up", or_null=True)
    source = a.text("manual, import or seed", "manual")
    createdAt = a.moment("When it was added")
    updatedAt = a.moment("When it last changed")


class _CustomerId(ResponseSchema[DirectoryEntry]):
    customerId = a.an_id("The customer", source="id")


class _SupplierId(ResponseSchema[DirectoryEntry]):
    supplierId = a.an_id("The supplier", source="id")


class CustomerRecord(_EntryRecord, _CustomerId):
    """A customer."""

    class Meta:
        exclude = ("defaultGlAccountCode",)


class SupplierRecord(_EntryRecord, _SupplierId):
    """A supplier."""

    class Meta:
        exclude = ("defaultCurrencyCode", "defaultPaymentTermsDays", "buyerReference")


class CustomerList(ResponseSchema[Page[DirectoryEntry]]):
    """A page. Continue with nextCursor while hasMore is true.

    A page with a filter on q, country, status or updatedSince examines 5,000 entries: it may be
    short, even empty, and still not be the last.
    """

    items = a.things(CustomerRecord(), "The customers")
    nextCursor = a.text(
        "Pass it as cursor for the next page; null on the last page", "c2VhbGVk", or_null=True
    )
    hasMore = a.flag("Whether there may be another page", example=True)
    provider = a.provider()
    total = optional.number("Number of entries on all pages; only with include=total", 118)


class SupplierList(CustomerList):
    items = a.things(SupplierRecord(), "The suppliers")


class SeedResult(ResponseSchema[Seeded]):
    """The number of distinct parties of the invoices."""

    created = a.number("Parties that were added", 12)
    skipped = a.number("Parties that were in the directory, by tax id or by name", 3)
    total = a.number("The sum of both", 15)


class RowError(ResponseSchema[CellError]):
    row = a.number("Line of the file, the header being 1", 7)
    column = a.text("The column; null: the whole row", "PeppolId", or_null=True)
    code = a.text("Stable code of the error", "invalid-participant-id")
    message = a.text("The error as text", "is not of the form <4-digit scheme>:<identifier>")
    value = a.text("The cell, its first 100 characters", "208:12")


class ImportNote(ResponseSchema[IgnoredColumn]):
    code = a.text("Stable code of the note", "column-ignored")
    column = a.text("Which column", "Colour")
    message = a.text("The note as text", "is not a column of this import")


class ImportResult(ResponseSchema[Imported]):
    """created + skipped + failed = total."""

    created = a.number("Rows that were stored, or would be without dryRun", 118)
    skipped = a.number("Rows whose tax id or name is in the directory, or in a row above", 3)
    failed = a.number("Rows that cannot be stored", 2, source="table.failed")
    total = a.number(
        "Rows of the file, without the header and blank ones", 123, source="table.total"
    )
    dryRun = a.flag("Whether it was a dry run", example=False)
    errors = a.things(RowError(), "Errors of the failed rows, at most 500", source="table.errors")
    errorsTruncated = a.flag(
        "Whether there are more errors than are listed",
        example=False,
        source="table.errors_truncated",
    )
    encoding = a.text(
        "How the file was read: utf-8, utf-16 or windows-1252", "utf-8", source="table.encoding"
    )
    warnings = a.things(ImportNote(), "Ignored columns", source="table.ignored_columns")
    provider = a.provider()


def _send_body(defaults: InvoiceDefaults) -> dict[str, Any]:
    """The known members of the body of POST /api/invoices/send."""
    customer = cast("Customer", defaults.entry)
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
        "issueDate": defaults.issue_date,
        "dueDate": defaults.due_date,
        "currency": customer.default_currency_code,
        "buyerReference": customer.buyer_reference,
        "buyer": _known(buyer),
    }
    routing = {
        "receiverParticipantId": customer.peppol_id,
        "accessPointRef": defaults.access_point_ref,
    }
    return {"invoice": _known(invoice), "routing": _known(routing)}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


class _Defaults(ResponseSchema[InvoiceDefaults]):
    """The values for an invoice; each kind of entry leaves some out."""

    inside = "entry"

    name = a.text("Legal name", "Example Company BV")
    taxId = a.text("Tax id", "BE0123456749", or_null=True)
    peppolId = a.text("ISO 6523 id in the network", "0208:0123456749", or_null=True)
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)
    networkStatus = a.text("Whether the network reaches it", "Reachable")
    currency = a.text("ISO 4217", "EUR", or_null=True, source="default_currency_code")
    paymentTermsDays = a.number(
        "Days from issue to due date", 30, or_null=True, source="default_payment_terms_days"
    )
    glAccountCode = a.text(
        "General ledger account", "612000", or_null=True, source="default_gl_account_code"
    )
    issueDate = a.day("The given issue date", "2026-11-21", source=".issue_date")
    dueDate = a.day("Due date by the payment terms", "2026-12-21", or_null=True, source=".due_date")
    environment = a.text(
        "Environment of accessPointRef: test or live", "test", source=".environment"
    )
    send = a.members(
        "The same values as members of the body of POST /api/invoices/send",
        {"routing": {"receiverParticipantId": "0208:0123456749"}},
        source=_send_body,
    )
    provider = a.provider()


class _CustomerDefaultsId(ResponseSchema[InvoiceDefaults]):
    customerId = a.an_id("The customer", source="id")


class _SupplierDefaultsId(ResponseSchema[InvoiceDefaults]):
    supplierId = a.an_id("The supplier", source="id")


class CustomerDefaults(_Defaults, _CustomerDefaultsId):
    """Values for an invoice to this customer."""

    class Meta:
        exclude = ("countryCode", "glAccountCode")


class SupplierDefaults(_Defaults, _SupplierDefaultsId):
    """Values for a bill of this supplier."""

    class Meta:
        exclude = ("currency", "paymentTermsDays", "send")
