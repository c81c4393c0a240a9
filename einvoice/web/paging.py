"""Lists over HTTP: query parameters read as strictly as bodies, and sealed cursors.

A cursor is a position in a list, sealed together with path, tenant, order and filters. A changed
cursor, or one of a request with other filters, does not open and is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, Generic, TypeVar

from flask import request
from marshmallow import fields

from einvoice import clock
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.security.sealing import Keyring, SealBroken, keyring
from einvoice.services.invoices.lists import Position
from einvoice.services.principal import Operator, Reader
from einvoice.web import pointers
from einvoice.web.bodies import loaded
from einvoice.web.contract import FORBIDDEN, Contract, Described
from einvoice.web.fields import Code, Text
from einvoice.web.refusal_messages import Message, message_of, refusal
from einvoice.web.runtime import runtime

T = TypeVar("T")
Asker = Reader | Operator

MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE = 200, 50
MAX_DOTTED = 500  # characters of a text in metadata
_MAX_CURSOR_LENGTH = 6_000  # a position in the order of names contains a name
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$"
)
_IS_MOMENT = re.compile(_MOMENT, re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)


class QueryInteger(Described, fields.Integer):
    """A whole number in a query, in digits."""

    def __init__(self, description: str, *, minimum: int, maximum: int, **options: Any) -> None:
        self.minimum, self.maximum = minimum, maximum
        openapi = {"minimum": minimum, "maximum": maximum, "default": options.pop("default", None)}
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> int:
        if not _DIGITS.fullmatch(value):
            raise refusal("digits")
        if not self.minimum <= int(value) <= self.maximum:
            raise refusal("range", least=self.minimum, most=self.maximum)
        return int(value)


class Moment(Described, fields.String):
    """A time with its offset (RFC 3339), or a day in UTC: its beginning, or its `end`."""

    def __init__(self, description: str, *, end: bool = False, **options: Any) -> None:
        self.end = end
        openapi = {"pattern": _MOMENT}
        super().__init__(description, openapi=openapi, **options)

    def read(self, value: Any) -> datetime:
        if not isinstance(value, str):
            raise refusal("string")
        if not _IS_MOMENT.fullmatch(value):  # fromisoformat takes more, such as weeks
            raise refusal("moment")
        with suppress(ValueError, OverflowError):
            if len(value) == 10:
                day = date.fromisoformat(value)
                start = datetime(day.year, day.month, day.day, tzinfo=UTC)
                return start + timedelta(days=1, milliseconds=-1) if self.end else start
            return datetime.fromisoformat(value).astimezone(UTC)
        raise refusal("moment")


class PartQuery(Contract):
    """The query parameters of everything that is paged."""

    limit = QueryInteger(
        "Items of a page.", minimum=1, maximum=MAX_PAGE_SIZE, default=DEFAULT_PAGE_SIZE, example=50
    )
    cursor = Text(
        "nextCursor of the page before; with the same filters.", max_length=_MAX_CURSOR_LENGTH
    )


class PageQuery(PartQuery):
    """The query parameters of every list."""

    include = Code(
        "total: also count the items of all pages.", ("total",), name="total", example="total"
    )


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list; `next_cursor` is None after the last, `total` unless it was asked for."""

    items: Sequence[T]
    next_cursor: str | None
    has_more: bool
    total: int | None = None


def read_query(contract: Contract) -> dict[str, Any]:
    """The query's parameters; InvalidField for unknown, repeated, blank or wrong ones."""
    check_names(contract)
    given = request.args.to_dict()
    texts = {name: given.pop(name) for name in sorted(given) if _is_dotted(name, contract)}
    found = loaded(contract, given)
    if texts:
        found[contract.dotted] = {name.partition(".")[2]: text for name, text in texts.items()}
    return found


def _is_dotted(name: str, contract: Contract) -> bool:
    """Whether the name is a dot and a name below one of the contract."""
    return bool(contract.dotted) and name.startswith(f"{contract.dotted}.")


def check_names(contract: Contract) -> None:
    """Raise InvalidField for unknown, repeated and blank parameters."""
    pointers.refuse(
        FieldError(pointers.below("", name), fault.code, str(fault), fault.phrase)
        for name, values in request.args.lists()
        if (fault := _fault(name, values, contract)) is not None
    )


def _fault(name: str, values: list[str], contract: Contract) -> Message | None:
    """The fault of a parameter before its value is read; None if there is none."""
    if len(values) > 1:
        return message_of("repeated")
    if not values[0].strip():
        return message_of("blankParameter")
    if _is_dotted(name, contract):
        return _fault_of_text(values[0])
    if name not in contract.fields:
        return message_of("parameter", known=", ".join(contract.fields))
    return None


def _fault_of_text(text: str) -> Message | None:
    if len(text) > MAX_DOTTED:
        return message_of("longLabel", most=MAX_DOTTED)
    return message_of("notText") if FORBIDDEN.search(text) else None


# -- cursors ---------------------------------------------------------------------------------------


def cursor(position: Position, query: Mapping[str, Any], reader: Asker) -> str:
    """The cursor of a position, for the next request with the same filters."""
    return mark([clock.timestamp(position.at), position.invoice_id], query, reader)


def position(query: Mapping[str, Any], reader: Asker) -> Position | None:
    """The position in the query's cursor; None without one. Raises InvalidField."""
    found = marked_moment(query, reader)
    return None if found is None else Position(*found)


def mark(place: list[Any], query: Mapping[str, Any], reader: Asker) -> str:
    """The cursor of any position that is made of plain JSON values."""
    text = json.dumps(place, ensure_ascii=False)
    sealed = _keys().seal(text.encode(), _question(query, reader))
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def marked(query: Mapping[str, Any], reader: Asker) -> list[Any] | None:
    """The values in the query's cursor; None without one. Raises InvalidField."""
    text = query.get("cursor")
    if text is None:
        return None
    try:
        sealed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        place: list[Any] = json.loads(_keys().open(sealed, _question(query, reader)))
    except (SealBroken, binascii.Error, ValueError):
        message = "is not a nextCursor of this list with these filters: begin without a cursor"
        raise InvalidField([FieldError("/cursor", "invalid-cursor", message)]) from None
    return place


def marked_moment(query: Mapping[str, Any], reader: Asker) -> tuple[datetime, str] | None:
    """The moment and the id in the query's cursor; None without one. Raises InvalidField."""
    found = marked(query, reader)
    return None if found is None else (datetime.fromisoformat(found[0]), found[1])


def part_of(
    items: Iterable[T], place: Callable[[T], list[Any]], query: Mapping[str, Any], reader: Asker
) -> Page[T]:
    """A page of a list of bounded length that is sorted by `place`.

    `place`: plain JSON values that are different for each item.
    """
    after = marked(query, reader)
    rest = (item for item in items if after is None or place(item) > after)
    size = query.get("limit", DEFAULT_PAGE_SIZE)
    return closed_page(list(islice(rest, size + 1)), place, query, reader)


def closed_page(
    found: Sequence[T], place: Callable[[T], list[Any]], query: Mapping[str, Any], reader: Asker
) -> Page[T]:
    """The page of these items; one more than its size was read."""
    size = query.get("limit", DEFAULT_PAGE_SIZE)
    shown, more = list(found[:size]), len(found) > size
    return Page(shown, mark(place(shown[-1]), query, reader) if more else None, more)


def _question(query: Mapping[str, Any], reader: Asker) -> str:
    """The request that a cursor is sealed for: everything but the size of the page."""
    asked = {name: str(query[name]) for name in query if name not in PageQuery().fields}
    return json.dumps(
        ["cursor", request.path, reader.tenant_id, reader.environments, sorted(asked.items())]
    )


def _keys() -> Keyring:
    return keyring(runtime().settings)
