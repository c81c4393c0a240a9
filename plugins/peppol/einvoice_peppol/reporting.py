"""The items that the monthly reports count: one for each exchanged message, in the plugin's store.

Source: Peppol reporting (TSR 1.0, EUSR 1.1). Counted are exchanges with a receipt; reports are
not. An item may be recorded twice, after a crash or by a repeated call: it is counted once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

import structlog

from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.network.plugin_store import (
    MAX_RECORDS_READ,
    MAX_VALUE_BYTES,
    PluginStore,
    StoredRecord,
)
from einvoice_peppol.end_users import UNKNOWN_COUNTRY, country
from einvoice_peppol.smp_documents import AS4_TRANSPORT

SENT, RECEIVED = "sent", "received"
REPORT_TYPES: Final = ("urn:fdc:peppol:transaction-statistics-report:", "urn:fdc:peppol:end-user-")
# An item may be recorded after its exchange: received documents are judged first.
_LATEST: Final = timedelta(days=2)
_ITEMS_OF_RECORD: Final = 50

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Item:
    """An exchanged message.

    key       identifies the message among those of its direction
    at        when it was exchanged
    c2, c3    seat ids of the sending and the receiving access point
    country_c1, country_c4  of sender and receiver (ISO 3166-1 alpha-2); C4 of received ones
    end_user  our customer as a legal person (`end_users`); None for messages between providers. It
              is never reported
    """

    key: str
    at: datetime
    direction: str
    c2: str
    c3: str
    document_type: DocumentTypeId
    process: ProcessId
    country_c1: str
    country_c4: str | None = None
    end_user: str | None = None
    transport: str = AS4_TRANSPORT

    @property
    def other(self) -> str:
        """The seat id of the other provider."""
        return self.c3 if self.direction == SENT else self.c2

    @property
    def end_user_country(self) -> str | None:
        return self.country_c1 if self.direction == SENT else self.country_c4


def reportable(item: Item, own_country: str) -> Item:
    """The item with codes of countries that the reports take.

    A sender's that is none is unknown. Our customers' countries must be known: else it is ours.
    """
    unknown = own_country if item.direction == SENT else UNKNOWN_COUNTRY
    c1 = country(item.country_c1) or unknown
    c4 = item.country_c4 if item.direction == SENT else country(item.country_c4) or own_country
    return replace(item, country_c1=c1, country_c4=c4)


class Ledger:
    """The items of one network, in the order in which they were recorded."""

    def __init__(self, store: PluginStore, network: str) -> None:
        self._store = store
        self._series = f"exchanges-{network}"

    def record(self, items: Sequence[Item]) -> None:
        """Record items, some in one write. Raises what the store raises."""
        counted = [item for item in items if is_counted(item.document_type)]
        for start in range(0, len(counted), _ITEMS_OF_RECORD):
            self._append(counted[start : start + _ITEMS_OF_RECORD])

    def _append(self, items: Sequence[Item]) -> None:
        text = "\n".join(_as_text(item) for item in items)
        if len(text.encode()) <= MAX_VALUE_BYTES or len(items) == 1:
            self._store.append(self._series, text)
        else:
            self._append(items[: len(items) // 2])
            self._append(items[len(items) // 2 :])

    def items(self, month: date) -> Iterator[Item]:
        """The items of a calendar month in UTC, each once. `month`: any day of it."""
        since, until = bounds(month)
        seen: set[tuple[str, str]] = set()
        for item in self._read(since, until + _LATEST):
            known = (item.direction, item.key)
            if since <= item.at < until and known not in seen:
                seen.add(known)
                yield item

    def _read(self, since: datetime, until: datetime) -> Iterator[Item]:
        last: StoredRecord | None = None
        while True:
            records = self._store.read(self._series, since, until, last)
            for record in records:
                yield from _items_in(record)
            if len(records) < MAX_RECORDS_READ:
                return
            last = records[-1]


def is_counted(document_type: DocumentTypeId) -> bool:
    """Whether exchanges of a type are reported; those of reports are not."""
    return not document_type.value.startswith(REPORT_TYPES)


def bounds(month: date) -> tuple[datetime, datetime]:
    """The first moment of a month in UTC, and of the next one."""
    first = datetime(month.year, month.month, 1, tzinfo=UTC)
    return first, datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)


def _as_text(item: Item) -> str:
    values = (
        item.key, item.at.isoformat(), item.direction, item.c2, item.c3,
        item.document_type.scheme, item.document_type.value,
        item.process.scheme, item.process.value,
        item.country_c1, item.country_c4, item.end_user, item.transport,
    )  # fmt: skip
    return json.dumps(values, separators=(",", ":"))


def _items_in(record: StoredRecord) -> Iterator[Item]:
    for line in str(record.value).splitlines():
        try:
            yield _item(json.loads(line))
        except (ValueError, TypeError):
            log.error("a recorded exchange cannot be read", record=record.id)


def _item(values: Iterable[str]) -> Item:
    key, at, direction, c2, c3, scheme, kind, by, process, c1, c4, user, transport = values
    return Item(
        key, datetime.fromisoformat(at), direction, c2, c3, DocumentTypeId(scheme, kind),
        ProcessId(by, process), c1, c4, user, transport,
    )  # fmt: skip
