"""Sessions and invoices as the stand-in keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from tests.networks.ksef import texts
from tests.networks.ksef.answers import shown
from tests.networks.ksef.callers import Login
from tests.networks.ksef.checking import Facts
from tests.networks.ksef.storage import Blob

ONLINE_LIFE: Final = timedelta(hours=12)


@dataclass
class Invoice:
    """An invoice of a session, and what became of it."""

    reference: str
    session: Session
    ordinal: int
    hash: str
    received: datetime
    content: bytes | None  # None: it could not be decrypted
    mode: str = "Online"
    file_name: str | None = None
    corrects: str | None = None
    code: int = 100
    details: tuple[str, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=dict)
    facts: Facts | None = None
    ksef_number: str = ""
    acquired: datetime | None = None
    stored: datetime | None = None
    upo: Blob | None = None

    @property
    def is_final(self) -> bool:
        return self.code not in (100, 150)

    def status(self) -> dict[str, Any]:
        made: dict[str, Any] = {"code": self.code, "description": texts.INVOICE[self.code]}
        if self.details:
            made["details"] = list(self.details)
        if self.extensions:
            made["extensions"] = dict(self.extensions)
        return made

    def shown(self, now: datetime) -> dict[str, Any]:
        """The members of its status; links are added by the call."""
        values: dict[str, Any] = {
            "ordinalNumber": self.ordinal,
            "referenceNumber": self.reference,
            "invoiceHash": self.hash,
            "invoicingDate": shown(self.received),
            "invoicingMode": self.mode,
            "status": self.status(),
        }
        if self.facts is not None:
            values["invoiceNumber"] = self.facts.number
        if self.file_name is not None:
            values["invoiceFileName"] = self.file_name
        if self.acquired is not None:
            values |= {"ksefNumber": self.ksef_number, "acquisitionDate": shown(self.acquired)}
        if self.stored is not None and self.stored <= now:
            values["permanentStorageDate"] = shown(self.stored)
        return values


@dataclass
class Session:
    """A session, interactive or of a batch."""

    reference: str
    login: Login
    form: str
    key: bytes | None  # None: it could not be decrypted
    vector: bytes
    created: datetime
    batch: bool = False
    code: int = 100
    details: tuple[str, ...] = ()
    updated: datetime | None = None
    closed: datetime | None = None
    invoices: list[Invoice] = field(default_factory=list)
    upo_reference: str = ""
    upo: Blob | None = None
    # Of a batch:
    offline: bool = False
    archive: tuple[int, str] = (0, "")  # size and hash
    compression: str = "Zip"
    parts: list[tuple[int, str, Blob]] = field(default_factory=list)  # size, hash, upload

    @property
    def until(self) -> datetime:
        return self.created + ONLINE_LIFE

    def fail(self, code: int, *details: str) -> None:
        self.code, self.details = code, details

    def status(self) -> dict[str, Any]:
        words = texts.BATCH if self.batch else texts.ONLINE
        made: dict[str, Any] = {"code": self.code, "description": words[self.code]}
        return made | ({"details": list(self.details)} if self.details else {})

    def shown(self) -> dict[str, Any]:
        values = {
            "status": self.status(),
            "dateCreated": shown(self.created),
            "dateUpdated": shown(self.updated or self.created),
        }
        return values if self.batch else values | {"validUntil": shown(self.until)}

    def counts(self) -> tuple[int, int, int]:
        """All, successful, and failed ones."""
        good = sum(each.code == 200 for each in self.invoices)
        final = sum(each.is_final for each in self.invoices)
        return len(self.invoices), good, final - good
