"""Customers and suppliers: what an entry holds, and when two entries are the same party.

Parties are matched by tax id first, then by name, in whatever way either is written:

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
    """The two directories: whom the tenant invoices, and who invoices the tenant."""

    CUSTOMER = "customer"
    SUPPLIER = "supplier"


class Reachability(StrEnum):
    """Whether the network reaches the entry's participant (decisions 2, `networkStatus`)."""

    REACHABLE = "Reachable"
    NOT_REACHABLE = "NotReachable"
    UNKNOWN = "Unknown"
    CHECKING = "Checking"


class EntrySource(StrEnum):
    """How an entry came into the directory."""

    MANUAL = "manual"
    IMPORT = "import"
    SEED = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryEntry:
    """What customers and suppliers have in common. `version` counts the changes people made."""

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
    """Whom the tenant invoices: what a send adds where its request says nothing."""

    default_currency_code: str | None
    default_payment_terms_days: int | None
    buyer_reference: str | None

    def due_date(self, issued: date) -> date | None:
        """By the payment terms; None without any, and where the calendar ends."""
        days = self.default_payment_terms_days
        if days is None or date.max - issued < timedelta(days):
            return None
        return issued + timedelta(days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplier(DirectoryEntry):
    """Who invoices the tenant: how its bills are booked."""

    default_gl_account_code: str | None


def tax_key(text: str | None) -> str | None:
    """A tax id for comparing: capitals, without blanks . - /; None where nothing is left."""
    return compact(text or "") or None


def name_key(text: str) -> str:
    """A name for comparing: compatible characters, case and blanks do not matter."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def search_text(values: Iterable[str | None]) -> str:
    """What a search looks through: each value on a line of its own."""
    return "\n".join(name_key(value) for value in values if value)
