"""Requests that create, change and find customers and suppliers (decisions 2 and 3)."""

from __future__ import annotations

from einvoice.domain import directory
from einvoice.domain.codes import CURRENCIES
from einvoice.domain.directory import Reachability
from einvoice.web.contract import Contract, Part
from einvoice.web.fields import Code, Count, Day, Id, ParticipantText, Text, environment_code
from einvoice.web.paging import Moment, PageQuery
from einvoice.web.shared.party_schemas import Address, country

_EMAIL = (directory.EMAIL_PATTERN, "an e-mail address")


class _Entry(Contract):
    """The common members. In a change, null removes, and omitted members stay unchanged."""

    name = Text("Legal name.", max_length=directory.MAX_NAME, example="Example Company BV")
    taxId = Text(
        "VAT number or tax number, in any spelling: entries are matched without spaces . - /.",
        max_length=directory.MAX_TAX_ID,
        example="BE0123456749",
    )
    peppolId = ParticipantText(
        "ISO 6523 id in the network; looked up in the background when it is set or changed. Two "
        "suppliers cannot have the same one, customers can.",
        max_length=directory.MAX_PEPPOL_ID,
        example="0208:0123456749",
    )
    countryCode = country("ISO 3166-1 alpha-2.")
    email = Text(
        "E-mail address.", max_length=directory.MAX_EMAIL, form=_EMAIL, example="ap@example.com"
    )
    phone = Text("Telephone number.", max_length=directory.MAX_PHONE, example="+32 2 123 45 67")
    externalId = Text(
        "Your own id of the party; unique in the directory.",
        max_length=directory.MAX_EXTERNAL_ID,
        example="K-4711",
    )
    address = Part(Address, "Postal address. A change is merged into it.")


class MergeRequest(Contract):
    """The entry to merge into the one at the address."""

    otherId = Id(
        "The entry that is merged and then deleted.",
        max_length=40,
        required=True,
        example="3f0c1f6e-93c7-4fd0-9e0b-5b0a4bb4a111",
    )


class CustomerChanges(_Entry):
    """A merge patch (RFC 7396) of a customer."""

    defaultCurrencyCode = Code(
        "Currency of new invoices, ISO 4217.",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        example="EUR",
    )
    defaultPaymentTermsDays = Count(
        "Days from the issue date to the due date of new invoices.",
        minimum=0,
        maximum=directory.MAX_PAYMENT_TERMS_DAYS,
        example=30,
    )
    buyerReference = Text(
        "Reference for invoices without buyer reference and order reference.",
        max_length=directory.MAX_REFERENCE,
        example="PO-team-4",
    )


class NewCustomer(CustomerChanges):
    """A customer to add."""

    name = Text(
        "Legal name.", max_length=directory.MAX_NAME, required=True, example="Example Company BV"
    )


class SupplierChanges(_Entry):
    """A merge patch (RFC 7396) of a supplier."""

    defaultGlAccountCode = Text(
        "General ledger account of the supplier's bills, from your chart of accounts.",
        max_length=directory.MAX_GL_ACCOUNT,
        example="612000",
    )
    networkStatus = Code(
        "Whether the network reaches the supplier, until the next lookup. Checking, which is read "
        "while a lookup goes on, sets nothing.",
        [status.value for status in Reachability],
        name="Reachable, NotReachable, Unknown or Checking",
        example="Reachable",
    )


class NewSupplier(SupplierChanges):
    """A supplier to add."""

    name = Text(
        "Legal name.", max_length=directory.MAX_NAME, required=True, example="Example Company BV"
    )
    countryCode = country("ISO 3166-1 alpha-2.", required=True)


class EntryQuery(PageQuery):
    """Filters are joined by "and"."""

    sort = Code(
        "Order: -createdAt (default) is newest first; names are compared without case.",
        ("-createdAt", "createdAt", "name", "-name"),
        name="name, -name, createdAt or -createdAt",
        example="name",
    )
    q = Text(
        "Only those with this text in their name, taxId, peppolId or email, in any case.",
        max_length=100,
        example="acme",
    )
    taxId = Text(
        "Only the one with this tax id, in any spelling.", max_length=50, example="BE 0123"
    )
    externalId = Text(
        "Only the one with this id of your own, exactly.",
        max_length=directory.MAX_EXTERNAL_ID,
        example="K-4711",
    )
    peppolId = ParticipantText(
        "Only those with this participant id.",
        max_length=140,
        example="0208:0123456749",
    )
    countryCode = country("Only those of this country.")
    networkStatus = Code(
        "Only those of this status.",
        [status.value for status in Reachability],
        name="Reachable, NotReachable, Unknown or Checking",
        example="NotReachable",
    )
    updatedSince = Moment(
        "Only those that were added or changed at this time or later.",
        example="2026-11-21T00:00:00Z",
    )


_YES_NO = ("true", "false")


class ImportQuery(Contract):
    """Options of an import."""

    dryRun = Code(
        "true: check the file and report what would be stored.",
        _YES_NO,
        name="true or false",
        example="true",
    )
    atomic = Code(
        "true: store all rows or, if one is invalid, none.",
        _YES_NO,
        name="true or false",
        example="true",
    )


class SeedQuery(Contract):
    environment = environment_code(
        "Only invoices of this environment; default: both.", example="live"
    )


class DefaultsQuery(Contract):
    issueDate = Day("Issue date of the invoice; default: today (UTC).", example="2026-11-21")
    environment = environment_code(
        "Environment of the send, for its accessPointRef; default: that in which the entry is "
        "looked up."
    )
