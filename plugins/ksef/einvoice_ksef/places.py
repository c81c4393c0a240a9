"""How far a mailbox is read: a place in the list of each role that the taxpayer has.

The list is read by the date of permanent storage, ascending, up to the high-water mark until which
KSeF guarantees that it is complete. The next query begins at that mark. Invoices were seen to
appear below a mark that was passed, so the last hours are read once more each hour, and the last
day once a night (`Subject2 again`); documents that are stored are not fetched again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice.network.put_aside import PutAside
from einvoice_ksef.items import Item
from einvoice_ksef.moments import moment, moment_or_none
from einvoice_ksef.poland import day_at

BEGIN: Final = timedelta(days=90)  # how far back the first query begins
RANGE: Final = timedelta(days=100) - timedelta(hours=1)  # of one query
_MAX_DONE: Final = 60  # numbers, which fit into a cursor

AGAIN: Final = " again"  # in the name of a list that is read once more
HOURLY: Final = timedelta(hours=1)
LAST_HOURS, LAST_DAY = timedelta(hours=3), timedelta(hours=26)
UPGRADED: Final = timedelta(days=30)  # once, after a release that did not read again
NIGHT: Final = timedelta(hours=1)  # after midnight in Poland, when the last day is read again
_HOURS, _DAY = "hours", "day"
NOT_STUCK: Final = ("", 0, 0)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list of one role.

    since   date of storage from which the list is asked for, as KSeF wrote it
    page    the page of it
    done    numbers on this page, or at `since`, that are stored
    ended   the list was read to its end, while that of another role was not
    order   the package that has the invoices of the page
    singly  no package is used for the page: one was not as it was ordered
    until   the end of a part that is read once more; None: the list goes on to the mark
    """

    since: str
    page: int = 0
    done: tuple[str, ...] = ()
    ended: bool = False
    order: Ordered | None = None
    singly: bool = False
    until: str | None = None

    def with_done(self, *numbers: str) -> Place:
        return replace(self, done=(*self.done, *numbers))


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
            return Place(place.since, place.page + 1, until=place.until)
        last = self.items[-1].stored if self.items else place.since
        if self.is_truncated:
            return Place(last, done=_at(self.items, last), until=place.until)
        if place.until is not None:
            return Place(place.until, ended=True, until=place.until)
        since = min(filter(None, (self.mark, self.until)), key=moment, default=last)
        since = max(since, place.since, key=moment)
        return Place(since, done=_at(self.items, since), ended=since != self.until)


def _at(items: Sequence[Item], since: str) -> tuple[str, ...]:
    """The numbers that a query from this date has again."""
    begin = moment(since)
    return tuple(each.number for each in items if moment(each.stored) >= begin)[-_MAX_DONE:]


# -- cursors ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far all lists are read.

    places  by the name of the list
    orders  by the name of the list: when its package was first ordered, and how many were given up
    singly_until  no packages are ordered until then: KSeF did not build several
    looked  when the last hours, and the last day, were read once more
    aside   documents that could not be fetched
    stuck   the number at which the network failed, how often in a row, and how many numbers before
            it were put aside for that
    """

    places: Mapping[str, Place]
    orders: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    singly_until: str = ""
    looked: Mapping[str, str] = field(default_factory=dict)
    aside: PutAside = field(default_factory=PutAside)
    stuck: tuple[str, int, int] = NOT_STUCK

    @classmethod
    def parse(cls, text: str | None, roles: Iterable[str], now: datetime) -> Cursor:
        """The cursor of a text, in which a role that is new stands at the beginning."""
        values: dict[str, Any] = json.loads(text) if text else _looked(now)
        names = list(roles)
        begin = Place((now - BEGIN).isoformat())
        found = {name: _place(values[name]) if name in values else begin for name in names}
        if all(each.ended for each in found.values()):
            found = {name: replace(each, ended=False) for name, each in found.items()}
        again = (f"{name}{AGAIN}" for name in names)
        found |= {name: _place(values[name]) for name in again if name in values}
        return cls(
            found,
            {name: (at, given_up) for name, (at, given_up) in values.get("orders", {}).items()},
            values.get("singlyUntil", ""),
            {name: values[name] for name in (_HOURS, _DAY) if name in values},
            PutAside.of_data(values.get("aside", ())),
            _stuck(values.get("stuck", NOT_STUCK)),
        )

    def text(self) -> str:
        """The form that is stored. An earlier release reads the places of roles in it."""
        values: dict[str, Any] = {name: _data(place) for name, place in self.places.items()}
        values |= dict(self.looked)
        optional = {
            "orders": dict(self.orders),
            "singlyUntil": self.singly_until,
            "aside": self.aside.as_data(),
            "stuck": list(self.stuck) if self.stuck[0] else (),
        }
        values |= {name: value for name, value in optional.items() if value}
        text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        return text.encode(errors="replace").decode()

    def with_place(self, name: str, place: Place) -> Cursor:
        """A part that was read once more is not kept."""
        places = dict(self.places) | {name: place}
        if place.until is not None and place.ended:
            del places[name]
        return replace(self, places=places)

    def with_second_look(self, now: datetime) -> Cursor:
        """With the parts of the lists that are to be read once more now."""
        if any(name.endswith(AGAIN) for name in self.places):
            return self
        hours = moment_or_none(self.looked.get(_HOURS))
        if hours is None:
            back, looked = UPGRADED, _looked(now)
        elif self.looked.get(_DAY, "") < day_at(now - NIGHT).isoformat():
            back, looked = LAST_DAY, _looked(now)
        elif now - hours >= HOURLY:
            back, looked = LAST_HOURS, {**self.looked, _HOURS: now.isoformat()}
        else:
            return self
        again = {
            f"{name}{AGAIN}": Place((moment(each.since) - back).isoformat(), until=each.since)
            for name, each in self.places.items()
        }
        return replace(self, places={**self.places, **again}, looked=looked)


def _stuck(values: Sequence[Any]) -> tuple[str, int, int]:
    number, tries, aside = values
    return number, tries, aside


def _looked(now: datetime) -> dict[str, str]:
    """When the last hours and the last day were read once more, if that was now."""
    return {_HOURS: now.isoformat(), _DAY: day_at(now - NIGHT).isoformat()}


def _place(values: Mapping[str, Any]) -> Place:
    given = dict(values)
    order = given.pop("order")
    ordered = Ordered(**order | {"then": _place(order["then"])}) if order else None
    return Place(**given | {"done": tuple(given["done"])}, order=ordered)


def _data(place: Place) -> dict[str, Any]:
    """The members of a place; `until` only where it has one, as earlier releases do not know it."""
    values = asdict(place)
    order = values["order"]
    for each in (values, *([order["then"]] if order else ())):
        if each["until"] is None:
            del each["until"]
    return values


def role_of(name: str) -> str:
    """The role whose list has this name."""
    return name.removesuffix(AGAIN)


def behind(stored: str) -> str:
    """The end of a range that has the invoices of this date, whether or not it is part of it."""
    return (moment(stored) + timedelta(seconds=1)).isoformat()


def end_of_range(place: Place, now: datetime) -> str | None:
    """The end of the range of a query, where the list goes on behind it."""
    if place.until is not None:
        return place.until
    begin = moment_or_none(place.since) or now
    return (begin + RANGE).isoformat() if now - begin > RANGE else None
