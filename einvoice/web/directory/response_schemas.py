"""Responses of the directory: absent values are null, never missing."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain.directory import MAX_PAYMENT_TERMS_DAYS
from einvoice.web.shared import response_fields as a


class AddressRecord(Schema):
    line1 = a.text("Street and number", "Rue de la Loi 16", or_null=True)
    line2 = a.text("Second line", "Floor 2", or_null=True)
    city = a.text("Town or city", "Brussels", or_null=True)
    postalCode = a.text("Postal code", "1000", or_null=True)
    region = a.text("Province, state or region", "Brabant", or_null=True)
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)


class _EntryRecord(Schema):
    externalId = a.text("Your own id of the party", "K-4711", or_null=True)
    name = a.text("Legal name", "Example Company BV")
    taxId = a.text("Tax id, as written", "BE 0123.456.749", or_null=True)
    peppolId = a.text("ISO 6523 id in the network", "0208:0123456749", or_null=True)
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)
    email = a.text("E-mail address", "ap@example.com", or_null=True)
    phone = a.text("Telephone number", "+32 2 123 45 67", or_null=True)
    address = fields.Nested(
        AddressRecord(),
        metadata={"description": "Postal address"},
        allow_none=True,
        required=True,
    )
    networkStatus = a.text(
        "Reachable, NotReachable, Unknown, or Checking during a lookup", "Reachable"
    )
    networkCheckedAt = a.moment("When it was last looked up", or_null=True)
    source = a.text("manual, import or seed", "manual")
    createdAt = a.moment("When it was added")
    updatedAt = a.moment("When it last changed")


class CustomerRecord(_EntryRecord):
    """A customer."""

    customerId = a.an_id("The customer")
    defaultCurrencyCode = a.text("Currency of new invoices", "EUR", or_null=True)
    defaultPaymentTermsDays = a.number(
        f"Days to the due date, 0 to {MAX_PAYMENT_TERMS_DAYS}", 30, or_null=True
    )
    buyerReference = a.text("Reference for invoices without one", "PO-team-4", or_null=True)


class SupplierRecord(_EntryRecord):
    """A supplier."""

    supplierId = a.an_id("The supplier")
    defaultGlAccountCode = a.text("General ledger account of bills", "612000", or_null=True)


class _Page(Schema):
    """A page. Continue with nextCursor while hasMore is true.

    A page with a filter on q, country, status or updatedSince examines 5,000 entries: it may be
    short, even empty, and still not be the last.
    """

    nextCursor = a.text(
        "Pass it as cursor for the next page; null on the last page", "c2VhbGVk", or_null=True
    )
    hasMore = a.flag("Whether there may be another page", example=True)
    total = fields.Integer(
        metadata={
            "description": "Number of entries on all pages; only with include=total",
            "example": 118,
        }
    )
    provider = a.provider()


class CustomerList(_Page):
    items = a.things(CustomerRecord(), "The customers")


class SupplierList(_Page):
    items = a.things(SupplierRecord(), "The suppliers")


class SeedResult(Schema):
    """The number of distinct parties of the invoices."""

    created = a.number("Parties that were added", 12)
    skipped = a.number("Parties that were in the directory, by tax id or by name", 3)
    total = a.number("The sum of both", 15)


class RowError(Schema):
    row = a.number("Line of the file, the header being 1", 7)
    column = a.text("The column; null: the whole row", "PeppolId", or_null=True)
    code = a.text("Stable code of the error", "invalid-participant-id")
    message = a.text("The error as text", "is not of the form <4-digit scheme>:<identifier>")
    value = a.text("The cell, its first 100 characters", "208:12")


class ImportNote(Schema):
    code = a.text("Stable code of the note", "column-ignored")
    column = a.text("Which column", "Colour")
    message = a.text("The note as text", "is not a column of this import")


class ImportResult(Schema):
    """created + skipped + failed = total."""

    created = a.number("Rows that were stored, or would be without dryRun", 118)
    skipped = a.number("Rows whose tax id or name is in the directory, or in a row above", 3)
    failed = a.number("Rows that cannot be stored", 2)
    total = a.number("Rows of the file, without the header and blank ones", 123)
    dryRun = a.flag("Whether it was a dry run", example=False)
    errors = a.things(RowError(), "Errors of the failed rows, at most 500")
    errorsTruncated = a.flag("Whether there are more errors than are listed", example=False)
    encoding = a.text("How the file was read: utf-8, utf-16 or windows-1252", "utf-8")
    warnings = a.things(ImportNote(), "Ignored columns")
    provider = a.provider()


class _Defaults(Schema):
    name = a.text("Legal name", "Example Company BV")
    taxId = a.text("Tax id", "BE0123456749", or_null=True)
    peppolId = a.text("ISO 6523 id in the network", "0208:0123456749", or_null=True)
    networkStatus = a.text("Whether the network reaches it", "Reachable")
    issueDate = fields.Date(
        metadata={"description": "The given issue date", "example": "2026-11-21"},
        required=True,
    )
    dueDate = fields.Date(
        metadata={"description": "Due date by the payment terms", "example": "2026-12-21"},
        allow_none=True,
        required=True,
    )
    environment = a.text("Environment of accessPointRef: test or live", "test")
    provider = a.provider()


class CustomerDefaults(_Defaults):
    """Values for an invoice to this customer."""

    customerId = a.an_id("The customer")
    currency = a.text("ISO 4217", "EUR", or_null=True)
    paymentTermsDays = a.number("Days from issue to due date", 30, or_null=True)
    send = fields.Dict(
        metadata={
            "description": "The same values as members of the body of POST /api/invoices/send",
            "example": {"routing": {"receiverParticipantId": "0208:0123456749"}},
        },
        required=True,
    )


class SupplierDefaults(_Defaults):
    """Values for a bill of this supplier."""

    supplierId = a.an_id("The supplier")
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)
    glAccountCode = a.text("General ledger account", "612000", or_null=True)
