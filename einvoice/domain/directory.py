"""Customers and suppliers: the fields of an entry, and the keys that match parties to entries.

Parties are matched by tax id, then by name, whatever the spelling:

>>> tax_key("be 0123.456.749"), tax_key("BE0123456749"), tax_key(" - ")
('BE0123456749', 'BE0123456749', None)
>>> name_key("  Straße  9 ＡＧ "), name_key("STRASSE 9 ag")
('strasse 9 ag', 'strasse 9 ag')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from einvoice.domain.vat_ids import compact

# In characters; the CSV columns and the fields of the API have the same limits.
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
PEPPOL_ID_PATTERN = r"[0-9]{4}:[A-Za-z0-9\-._~:]{1,130}"


class DirectoryKind(StrEnum):
    """The two directories: the tenant's customers, and its suppliers."""

    CUSTOMER = "customer"
    SUPPLIER = "supplier"


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer(DirectoryEntry):
    """A buyer of the tenant, with defaults for fields that a send leaves out."""

    default_currency_code: str | None
    default_payment_terms_days: int | None
    buyer_reference: str | None

    def due_date(self, issued: date) -> date | None:
        """By the payment terms."""
        return due_by_terms(issued, self.default_payment_terms_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplier(DirectoryEntry):
    """A seller to the tenant, with the account its bills are booked on."""

    default_gl_account_code: str | None


def due_by_terms(issued: date, days: int | None) -> date | None:
    """The due date; None without terms, and after the last date of the calendar."""
    if days is None or date.max - issued < timedelta(days):
        return None
    return issued + timedelta(days)


def tax_key(text: str | None) -> str | None:
    """A tax id for comparing: in capitals, without blanks . - /; None if nothing is left."""
    return compact(text or "") or None


def name_key(text: str) -> str:
    """A name for comparing: NFKC, case-folded, with single blanks."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def search_text(values: Iterable[str | None]) -> str:
    """The text that a search matches: the name key of each value, one a line."""
    return "\n".join(name_key(value) for value in values if value)
