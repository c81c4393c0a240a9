"""What the directory answers: absent values are null, never missing."""

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
    taxId = a.text("Tax id, as it was written", "BE 0123.456.749", or_null=True)
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
        "Reachable, NotReachable, Unknown, or Checking while a lookup is on its way", "Reachable"
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
    defaultGlAccountCode = a.text("Account that bills are booked to", "612000", or_null=True)


class _Page(Schema):
    """A page. Go on with nextCursor while hasMore is true.

    A filter on q, country, status or updatedSince looks at 5,000 entries at a time: such a page
    may be short, even empty, and still have more behind it.
    """

    nextCursor = a.text(
        "Pass it as cursor for the next page; null on the last", "c2VhbGVk", or_null=True
    )
    hasMore = a.flag("Whether there may be another page", example=True)
    total = fields.Integer(
        metadata={"description": "Entries of all pages; only with include=total", "example": 118}
    )
    provider = a.provider()


class CustomerList(_Page):
    items = a.things(CustomerRecord(), "The customers")


class SupplierList(_Page):
    items = a.things(SupplierRecord(), "The suppliers")


class SeedResult(Schema):
    """Distinct parties of the invoices that are there."""

    created = a.number("Parties that were added", 12)
    skipped = a.number("Parties that were in the directory, by tax id or by name", 3)
    total = a.number("Both together", 15)


class RowFault(Schema):
    row = a.number("Line of the file, the header being 1", 7)
    column = a.text("Which column; null: the whole row", "PeppolId", or_null=True)
    code = a.text("What is wrong; stable", "invalid-participant-id")
    message = a.text("The same in words", "is not of the form <4-digit scheme>:<identifier>")
    value = a.text("The cell, its first 100 characters", "208:12")


class ImportNote(Schema):
    code = a.text("What was noted; stable", "column-ignored")
    column = a.text("Which column", "Colour")
    message = a.text("The same in words", "is not a column of this import")


class ImportResult(Schema):
    """created + skipped + failed = total."""

    created = a.number("Rows that were stored, or in a dry run would be", 118)
    skipped = a.number("Rows whose tax id or name is in the directory, or higher up", 3)
    failed = a.number("Rows that cannot be stored", 2)
    total = a.number("Rows of the file, without the header and blank ones", 123)
    dryRun = a.flag("Whether nothing was to be stored", example=False)
    errors = a.things(RowFault(), "What is wrong with the rows that failed, at most 500")
    errorsTruncated = a.flag("Whether there are more errors than are listed", example=False)
    warnings = a.things(ImportNote(), "What was ignored")
    provider = a.provider()


class _Defaults(Schema):
    name = a.text("Legal name", "Example Company BV")
    taxId = a.text("Tax id", "BE0123456749", or_null=True)
    peppolId = a.text("ISO 6523 id in the network", "0208:0123456749", or_null=True)
    networkStatus = a.text("Whether the network reaches it", "Reachable")
    issueDate = fields.Date(
        metadata={"description": "The issue date asked for", "example": "2026-11-21"},
        required=True,
    )
    dueDate = fields.Date(
        metadata={"description": "By the payment terms", "example": "2026-12-21"},
        allow_none=True,
        required=True,
    )
    environment = a.text("Where the reference is good: test or live", "test")
    provider = a.provider()


class CustomerDefaults(_Defaults):
    """What to fill an invoice for this customer in with."""

    customerId = a.an_id("The customer")
    currency = a.text("ISO 4217", "EUR", or_null=True)
    paymentTermsDays = a.number("Days from issue to due date", 30, or_null=True)
    send = fields.Dict(
        metadata={
            "description": "The same as a part of the body of POST /api/invoices/send",
            "example": {"routing": {"receiverParticipantId": "0208:0123456749"}},
        },
        required=True,
    )


class SupplierDefaults(_Defaults):
    """What to fill a bill of this supplier in with."""

    supplierId = a.an_id("The supplier")
    countryCode = a.text("ISO 3166-1 alpha-2", "BE", or_null=True)
    glAccountCode = a.text("Account to book it to", "612000", or_null=True)
