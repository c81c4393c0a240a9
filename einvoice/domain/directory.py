"""Customers and suppliers: the fields of an entry, and the keys that match parties to entries.

Parties are matched by tax id, then by name, whatever the spelling:

>>> tax_key("be 0123.456.749"), tax_key("BE0123456749"), tax_key(" - ")
('BE0123456749', 'BE0123456749', None)
>>> name_key("  Straße  9 ＡＧ "), name_key("STRASSE 9 ag")
('strasse 9 ag', 'strasse 9 ag')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from einvoice.domain.errors import DuplicateCustomer, DuplicateEntry, DuplicateSupplier
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.vat_ids import compact

# Characters; the same limits hold for CSV columns and fields of the API.
MAX_NAME = 512
MAX_TAX_ID = 50
MAX_PEPPOL_ID = 140
MAX_EXTERNAL_ID = 200
MAX_EMAIL = 320
MAX_PHONE = 50
MAX_REFERENCE = 200
MAX_GL_ACCOUNT = 100
MAX_PAYMENT_TERMS_DAYS = 365
EMAIL_PATTERN = r"[^@\s]+@[^@\s]+"


class Reachability(StrEnum):
    """Whether the network has the entry's participant (decisions 2, `networkStatus`)."""

    REACHABLE = "Reachable"
    NOT_REACHABLE = "NotReachable"
    UNKNOWN = "Unknown"
    CHECKING = "Checking"


class EntrySource(StrEnum):
    """How an entry was created."""

    MANUAL = "manual"
    IMPORT = "import"
    SEED = "seed"


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """Fields of both customers and suppliers. `version` counts changes by users."""

    id: str
    external_id: str | None
    name: str
    tax_id: str | None
    peppol_id: str | None
    country_code: str | None
    email: str | None
    phone: str | None
    address: Mapping[str, Any] | None
    network_status: str
    network_checked_at: datetime | None
    source: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Customer(DirectoryEntry):
    """A buyer of the tenant, with defaults for fields that a send leaves out."""

    default_currency_code: str | None
    default_payment_terms_days: int | None
    buyer_reference: str | None

    def due_date(self, issued: date) -> date | None:
        """By the payment terms."""
        return due_by_terms(issued, self.default_payment_terms_days)


@dataclass(frozen=True, slots=True)
class Supplier(DirectoryEntry):
    """A seller to the tenant, with the account its bills are booked on."""

    default_gl_account_code: str | None


def due_by_terms(issued: date, days: int | None) -> date | None:
    """The due date; None without terms, and after the last date of the calendar."""
    if days is None or date.max - issued < timedelta(days):
        return None
    return issued + timedelta(days)


# -- the two kinds ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CsvColumn:
    """A column of the files that are imported and exported, and the attribute it fills."""

    header: str
    attribute: str
    required: bool = False


@dataclass(frozen=True, eq=False)
class EntryKind:
    """The differences between customers and suppliers; code is shared by both kinds.

    `name` stands in addresses, in events of the audit log and in texts.
    """

    name: str
    entry: type[DirectoryEntry]
    own_fields: Mapping[str, str]  # fields of the API beside COMMON_FIELDS, and their attributes
    duplicate: type[DuplicateEntry]
    csv_columns: Sequence[CsvColumn]
    invoice_direction: str  # of the invoices that name such parties: sent or received
    invoice_role: str  # what the party is on these invoices: buyer or supplier
    invoice_participant: str  # the side of the routing that is the party: receiver or sender
    must_receive_invoices: bool  # to count as reachable; else being in the network is enough
    unique_participant: bool  # whether a second entry with a participant id is refused

    def __str__(self) -> str:
        return self.name

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The fields that people write: names in the API and attributes of the entry."""
        return {**COMMON_FIELDS, **self.own_fields}

    @cached_property
    def bulk_attributes(self) -> tuple[str, ...]:
        """The attributes that a file or an invoice can have of a party."""
        return tuple(dict.fromkeys(("peppol_id", *(c.attribute for c in self.csv_columns))))


COMMON_FIELDS: Mapping[str, str] = {
    "name": "name",
    "taxId": "tax_id",
    "peppolId": "peppol_id",
    "countryCode": "country_code",
    "email": "email",
    "phone": "phone",
    "externalId": "external_id",
    "address": "address",
}

CUSTOMER = EntryKind(
    name="customer",
    entry=Customer,
    own_fields={
        "defaultCurrencyCode": "default_currency_code",
        "defaultPaymentTermsDays": "default_payment_terms_days",
        "buyerReference": "buyer_reference",
    },
    duplicate=DuplicateCustomer,
    csv_columns=(
        CsvColumn("Name", "name", required=True),
        CsvColumn("TaxId", "tax_id"),
        CsvColumn("PeppolId", "peppol_id"),
        CsvColumn("Email", "email"),
        CsvColumn("Phone", "phone"),
        CsvColumn("DefaultCurrencyCode", "default_currency_code"),
        CsvColumn("DefaultPaymentTermsDays", "default_payment_terms_days"),
        CsvColumn("CountryCode", "country_code"),
    ),
    invoice_direction="sent",
    invoice_role="buyer",
    invoice_participant="receiver",
    must_receive_invoices=True,
    unique_participant=False,  # departments and companies of a group share one
)
SUPPLIER = EntryKind(
    name="supplier",
    entry=Supplier,
    own_fields={
        "defaultGlAccountCode": "default_gl_account_code",
        "networkStatus": "network_status",
    },
    duplicate=DuplicateSupplier,
    csv_columns=(
        CsvColumn("CompanyName", "name", required=True),
        CsvColumn("CountryCode", "country_code", required=True),
        CsvColumn("TaxId", "tax_id", required=True),
        CsvColumn("Email", "email"),
        CsvColumn("Phone", "phone"),
        CsvColumn("DefaultGlAccountCode", "default_gl_account_code"),
    ),
    invoice_direction="received",
    invoice_role="supplier",
    invoice_participant="sender",
    must_receive_invoices=False,
    unique_participant=True,  # it decides to which account bills are booked
)


# -- matching --------------------------------------------------------------------------------------


def tax_key(text: str | None) -> str | None:
    """A tax id for comparing: in capitals, without spaces . - /; None if nothing is left."""
    return compact(text or "") or None


def name_key(text: str) -> str:
    """A name for comparing: NFKC, case-folded, with single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def search_text(values: Iterable[str | None]) -> str:
    """The text that a search matches: the name key of each value, one a line."""
    return "\n".join(name_key(value) for value in values if value)


def match_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns by which an entry with these attributes is matched and searched."""
    tax, peppol_id = tax_key(values.get("tax_id")), values.get("peppol_id")
    searched = (values.get("name"), values.get("tax_id"), tax, peppol_id, values.get("email"))
    return {
        "external_id": values.get("external_id"),
        "name_key": name_key(values.get("name") or ""),
        "tax_key": tax,
        "peppol_key": ParticipantId.parse(peppol_id).canonical if peppol_id else None,
        "search": search_text(searched),
    }
