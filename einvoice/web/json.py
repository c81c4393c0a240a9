"""JSON as this service reads and writes it: money stays Decimal, and ambiguous text is refused.

Reading refuses (InvalidBody, decisions 19.2) what two parsers could read differently: empty or
invalid UTF-8, duplicate keys, NaN and Infinity, lone surrogates, anything but an object; and what
would take long to read: more than 32 levels, 100,000 objects and lists, 300,000 values, or 1,000
names in one object. A leading byte order mark is skipped. A number with a fraction or an exponent
is a Decimal, exactly as written; a number no Decimal can hold is read as Infinity, which no field
accepts.

>>> read_object(b'{"price": 0.10, "quantity": 3}')
{'price': Decimal('0.10'), 'quantity': 3}
>>> write({"grandTotal": Decimal("121.00"), "dueDate": date(2026, 12, 21)})
b'{"grandTotal":121.00,"dueDate":"2026-12-21"}'
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring
from typing import Any, NoReturn
from uuid import UUID

from flask.json.provider import JSONProvider

from einvoice.clock import timestamp
from einvoice.domain.errors import InvalidBody
from einvoice.domain.money import plain

MAX_DEPTH = 32
MAX_CONTAINERS = 100_000  # a million small lists would keep the garbage collector busy for seconds
MAX_VALUES = 300_000  # read in a third of a second: 5,000 lines of 60 values
MAX_NAMES = 1_000  # of one object; no contract has a tenth of them
UNREADABLE = Decimal("Infinity")
_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_CONTAINERS = (dict, list)
# Python refuses to read longer integers, which would take quadratic time.
_MAX_INTEGER_DIGITS = 4300


def parse(body: bytes) -> object:
    """The value a body holds, if it is JSON without duplicate keys. Levels are not counted here."""
    _check_size(body)
    text = _decoded(body)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidBody(f"the body is not JSON: {_words(error)}") from None
    except (InvalidOperation, ValueError):
        return _parse_with_unreadable_numbers(text)
    except RecursionError:
        raise _too_deep() from None


def check_object(value: object, body: bytes) -> dict[str, Any]:
    """The parsed value, if it is an object of at most 32 levels without unpaired surrogates."""
    if not isinstance(value, dict):
        raise InvalidBody("the body must be a JSON object")
    if _containers(body) > MAX_DEPTH:
        _check_depth(value)
    if _SURROGATE.search(body):
        _check_text(value)
    return value


def read_object(body: bytes) -> dict[str, Any]:
    """The object a request body holds; InvalidBody for everything else."""
    return check_object(parse(body), body)


def _words(error: json.JSONDecodeError) -> str:
    return f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}"


def _containers(body: bytes) -> int:
    """An upper bound of the objects and lists: brackets inside text count too."""
    return body.count(b"{") + body.count(b"[")


def _check_size(body: bytes) -> None:
    """Raise InvalidBody for too many values, before one of them is read.

    Of usual bodies characters are counted, nothing else.
    """
    if _containers(body) <= MAX_CONTAINERS and body.count(b",") < MAX_VALUES:
        return
    plain = _outside_texts(body)
    if _containers(plain) > MAX_CONTAINERS:
        raise _too_many(f"{MAX_CONTAINERS:,} objects and lists")
    if plain.count(b",") >= MAX_VALUES:
        raise _too_many(f"{MAX_VALUES:,} values")


def _outside_texts(body: bytes) -> bytes:
    """The body without its texts, also without names."""
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if plain.count(b'"') > 4 * MAX_VALUES:  # a member has a name and at most one text
        raise _too_many(f"{MAX_VALUES:,} values")
    return b"".join(plain.split(b'"')[::2])


def _too_many(what: str) -> InvalidBody:
    return InvalidBody(f"the body holds more than {what}: send several smaller ones")


def _decoded(body: bytes) -> str:
    if body.startswith(_BOM):
        body = body[3:]
    if not body.strip():
        raise InvalidBody("the body is empty; send a JSON object")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidBody(f"the body is not UTF-8: byte {error.start} is wrong") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_NAMES:
        message = f"an object of the body has {len(pairs):,} names, more than {MAX_NAMES:,}"
        raise InvalidBody(f"{message}: remove those that the documentation does not name")
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise InvalidBody(f"the key {_repeated(pairs)[:100]!r} occurs twice in one object")
    return fields


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    counts = Counter(key for key, _ in pairs)
    return next(key for key, count in counts.items() if count > 1)


def _no_constant(name: str) -> NoReturn:
    raise InvalidBody(f"{name} is not a JSON number")


def _parse_with_unreadable_numbers(text: str) -> object:
    try:
        return _TOLERANT.decode(text)
    except RecursionError:
        raise _too_deep() from None


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return UNREADABLE


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _MAX_INTEGER_DIGITS else UNREADABLE


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Decimal, parse_constant=_no_constant
)
_TOLERANT = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_decimal,
    parse_int=_integer,
    parse_constant=_no_constant,
)


def _too_deep() -> InvalidBody:
    return InvalidBody(f"the body is nested deeper than {MAX_DEPTH} levels")


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [c for node in level for c in _children(node) if isinstance(c, _CONTAINERS)]
        if not level:
            return
    raise _too_deep()


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _check_text(value: object) -> None:
    """Raise InvalidBody for an unpaired surrogate, which is not a character (RFC 8259, 8.2)."""
    level = [value]
    while level:
        texts = [t for node in level for t in (node if isinstance(node, dict) else (node,))]
        try:
            "".join([t for t in texts if isinstance(t, str)]).encode()
        except UnicodeEncodeError:
            raise InvalidBody(
                "the body holds half a surrogate pair, which is not a character"
            ) from None
        level = [child for node in level for child in _children(node)]


def write(value: object) -> bytes:
    """Compact UTF-8 JSON: Decimal as a number, timestamps as ISO 8601 UTC (decisions 19.16)."""
    parts: list[str] = []
    _write(value, parts.append)
    return "".join(parts).encode("utf-8", "replace")


def _write(value: object, put: Any) -> None:
    if isinstance(value, str):
        put(encode_basestring(value))
    elif isinstance(value, Mapping):
        _write_object(value, put)
    elif isinstance(value, (list, tuple)):
        _write_list(value, put)
    else:
        put(_scalar(value))


def _write_object(value: Mapping[Any, object], put: Any) -> None:
    mark = "{"
    for key, item in value.items():
        put(f"{mark}{encode_basestring(key)}:")
        _write(item, put)
        mark = ","
    put("}" if value else "{}")


def _write_list(value: Iterable[object], put: Any) -> None:
    mark = "["
    for item in value:
        put(mark)
        _write(item, put)
        mark = ","
    put("]" if value else "[]")


def _scalar(value: object) -> str:
    """TypeError for types without a defined form, such as float and times without a zone."""
    if value is None or value is True or value is False:
        return _CONSTANTS[value]
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return plain(value)
    if isinstance(value, datetime) and value.tzinfo:
        return f'"{timestamp(value)}"'
    if isinstance(value, date) and not isinstance(value, datetime):
        return f'"{value.isoformat()}"'
    if isinstance(value, UUID):
        return f'"{value}"'
    raise TypeError(f"{type(value).__name__} has no JSON form here")


_CONSTANTS: dict[object, str] = {None: "null", True: "true", False: "false"}


class Provider(JSONProvider):
    """Reading and writing of JSON for Flask: `app.json = Provider(app)`."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return write(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return parse(s.encode() if isinstance(s, str) else s)
