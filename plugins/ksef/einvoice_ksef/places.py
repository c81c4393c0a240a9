"""How far a mailbox is read: a place in the list of each role that the taxpayer has.

The list is read by the date of permanent storage, ascending, up to the high-water mark until which
KSeF guarantees that it is complete. The next query begins at that mark.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice_ksef.moments import moment, moment_or_none

BEGIN: Final = timedelta(days=90)  # how far back the first query begins
RANGE: Final = timedelta(days=100) - timedelta(hours=1)  # of one query
_MAX_DONE: Final = 60  # numbers, which fit into a cursor


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list of one role.

    since   date of storage from which the list is asked for, as KSeF wrote it
    page    the page of it
    done    numbers on this page, or at `since`, that are stored
    ended   the list was read to its end, while that of another role was not
    order   the package that has the invoices of the page
    singly  no package is used for the page: one was not as it was ordered
    """

    since: str
    page: int = 0
    done: tuple[str, ...] = ()
    ended: bool = False
    order: Ordered | None = None
    singly: bool = False

    def with_done(self, number: str) -> Place:
        return replace(self, done=(*self.done, number))


@dataclass(frozen=True, slots=True)
class Ordered:
    """A package that was ordered.

    count  how many invoices it has at least
    last   date of storage of the last one of the page; later ones are of the next page
    taken  how many of them are stored
    then   the place behind it
    """

    reference: str
    nonce: str
    count: int
    last: str
    then: Place
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """An invoice in a list.

    stored   date of permanent storage, as KSeF wrote it
    form     system code and version of its form
    """

    number: str
    stored: str
    digest: str
    seller: str
    form: tuple[str, str]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Item:
        """An entry of a list of metadata. Raises KeyError, TypeError and ValueError."""
        form = values["formCode"]
        moment(values["permanentStorageDate"])
        if not isinstance(values["ksefNumber"], str):
            raise TypeError("ksefNumber is not a text")
        return cls(
            values["ksefNumber"],
            str(values["permanentStorageDate"]),
            str(values["invoiceHash"]),
            str(values["seller"]["nip"]),
            (str(form["systemCode"]), str(form["schemaVersion"])),
        )


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list. `until`: the end of the range that was asked for; None: the mark."""

    items: tuple[Item, ...]
    has_more: bool
    is_truncated: bool
    mark: str | None
    until: str | None

    def behind(self, place: Place) -> Place:
        """The place behind this page, which was asked for at a place."""
        if self.has_more and not self.is_truncated:
            return Place(place.since, place.page + 1)
        last = self.items[-1].stored if self.items else place.since
        if self.is_truncated:
            return Place(last, done=_at(self.items, last))
        since = min(filter(None, (self.mark, self.until)), key=moment, default=last)
        since = max(since, place.since, key=moment)
        return Place(since, done=_at(self.items, since), ended=since != self.until)


def _at(items: Sequence[Item], since: str) -> tuple[str, ...]:
    """The numbers that a query from this date has again."""
    begin = moment(since)
    return tuple(each.number for each in items if moment(each.stored) >= begin)[-_MAX_DONE:]


# -- cursors ---------------------------------------------------------------------------------------


def parsed(text: str | None, roles: Iterable[str], now: datetime) -> dict[str, Place]:
    """The place of each role in a cursor; of a role that is new at the beginning."""
    values: dict[str, Any] = json.loads(text) if text else {}
    places = {role: _place(values[role]) for role in roles if role in values}
    begin = Place((now - BEGIN).isoformat())
    found = {role: places.get(role, begin) for role in roles}
    if all(each.ended for each in found.values()):
        return {role: replace(each, ended=False) for role, each in found.items()}
    return found


def _place(values: Mapping[str, Any]) -> Place:
    given = dict(values)
    order = given.pop("order")
    ordered = Ordered(**order | {"then": _place(order["then"])}) if order else None
    return Place(**given | {"done": tuple(given["done"])}, order=ordered)


def text(places: Mapping[str, Place]) -> str:
    values = {role: asdict(place) for role, place in places.items()}
    return json.dumps(values, separators=(",", ":"))


def behind(stored: str) -> str:
    """The end of a range that has the invoices of this date, whether or not it is part of it."""
    return (moment(stored) + timedelta(seconds=1)).isoformat()


def end_of_range(place: Place, now: datetime) -> str | None:
    """The end of the range of a query, where the list goes on behind it."""
    begin = moment_or_none(place.since) or now
    return (begin + RANGE).isoformat() if now - begin > RANGE else None
