"""A marshmallow schema compiled into plain functions, for bodies without errors.

`compile_schema` walks the schema once. The function it returns has the result of `schema.load`,
about ten times faster, or raises NotAccepted: then `schema.load` reports the errors. The schema
stays the contract; a field, validator or hook unknown to this module prevents the start.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields

from einvoice.domain.money import EXACT, ZERO
from einvoice.web.contract import FORBIDDEN, Contract, Items, Labels, NotAccepted, Part
from einvoice.web.fields import (
    EIGHT_DECIMALS,
    HIGH,
    LIMIT,
    LOW,
    Base64,
    Code,
    Count,
    Day,
    Flag,
    Id,
    Number,
    Text,
    decoded,
    exact,
    stored_id,
)

Accept = Callable[[Any], Any]


class _Known(dict[str, Accept]):
    """The fields of an object; any other name is refused."""

    def __missing__(self, name: str) -> Accept:
        raise NotAccepted


def compile_schema(schema: Schema) -> Accept:
    """The function for a schema; TypeError for anything it cannot reproduce."""
    if not isinstance(schema, Contract) or schema.unknown != RAISE or schema.many:
        raise TypeError(f"{type(schema).__name__} is not a strict object")
    if any(schema._hooks.values()) or schema.dump_fields.keys() != schema.load_fields.keys():  # noqa: SLF001 marshmallow has no public way to ask
        raise TypeError(f"{type(schema).__name__} has hooks or one-way fields")
    known = _Known({name: _compiled(field) for name, field in schema.load_fields.items()})
    required = tuple(name for name, field in schema.load_fields.items() if field.required)
    return _object(known, required)


def _object(known: _Known, required: tuple[str, ...]) -> Accept:
    def accept(value: Any) -> Any:
        if type(value) is not dict:
            raise NotAccepted
        result = {}
        for name, item in value.items():
            read = known[name]
            if item is not None:
                result[name] = read(item)
        for name in required:
            if name not in result:
                raise NotAccepted
        return result

    return accept


def _compiled(field: fields.Field[Any]) -> Accept:
    compiler = _COMPILERS.get(type(field))
    if compiler is None or field.validators or field.data_key or field.attribute:
        raise TypeError(f"{type(field).__name__} {field.name!r} cannot be compiled")
    if field.pre_load or field.post_load:
        raise TypeError(f"{type(field).__name__} {field.name!r} has functions of its own")
    return compiler(field)


def _text(field: Text) -> Accept:
    max_length, needed = field.max_length, field.required
    matches = field.pattern.fullmatch if field.pattern else None

    def accept(value: Any) -> str:
        if type(value) is not str or (not value.isprintable() and FORBIDDEN.search(value)):
            raise NotAccepted
        text = value.strip()
        if len(text) > max_length or (needed and not text):
            raise NotAccepted
        if matches is not None and text and not matches(text):
            raise NotAccepted
        return text

    return accept


def _id(field: Id) -> Accept:
    accept = _text(field)
    return lambda value: stored_id(accept(value))


def _code(field: Code) -> Accept:
    codes = field.codes if field.required else field.codes | {""}

    def accept(value: Any) -> str:
        if type(value) is not str or value not in codes:
            raise NotAccepted
        return value

    return accept


def _number(field: Number) -> Accept:
    minimum = LOW if field.minimum is None else Decimal(field.minimum)
    maximum = HIGH if field.maximum is None else Decimal(field.maximum)
    exclusive_minimum = LOW if field.exclusive_minimum is None else Decimal(field.exclusive_minimum)
    add, decimal, decimals = EXACT.add, Decimal, field.decimals

    def accept(value: Any) -> Decimal:
        if type(value) is int:
            if not -LIMIT < value < LIMIT:
                raise NotAccepted
            value = decimal(value)
        elif type(value) is not Decimal or not LOW < value < HIGH:
            raise NotAccepted
        elif not add(value, EIGHT_DECIMALS).same_quantum(EIGHT_DECIMALS):
            value = _of_many_decimals(value, decimals)
        if not minimum <= value <= maximum or value <= exclusive_minimum:
            raise NotAccepted
        return value or ZERO

    return accept


def _of_many_decimals(value: Decimal, decimals: int) -> Decimal:
    try:
        return exact(value, decimals)
    except ValidationError:
        raise NotAccepted from None


def _count(field: Count) -> Accept:
    minimum, maximum = field.minimum, field.maximum

    def accept(value: Any) -> int:
        if type(value) is not int or not minimum <= value <= maximum:
            raise NotAccepted
        return value

    return accept


def _day(field: Day) -> Accept:
    read = date.fromisoformat

    def accept(value: Any) -> date:
        if type(value) is not str or len(value) != 10 or not value[4] == value[7] == "-":
            raise NotAccepted
        try:
            return read(value)
        except ValueError:
            raise NotAccepted from None

    return accept


def _flag(field: Flag) -> Accept:
    def accept(value: Any) -> bool:
        if type(value) is not bool:
            raise NotAccepted
        return value

    return accept


def _base64(field: Base64) -> Accept:
    def accept(value: Any) -> bytes:
        content = decoded(value) if type(value) is str else None
        if not content:
            raise NotAccepted
        return content

    return accept


def _items(field: Items) -> Accept:
    max_items, min_items, read = field.max_items, field.min_items, _compiled(field.inner)
    field.quick = read

    def accept(value: Any) -> list[Any]:
        if type(value) is not list or not min_items <= len(value) <= max_items or None in value:
            raise NotAccepted
        return [read(item) for item in value]

    return accept


def _labels(field: Labels) -> Accept:
    max_names = field.max_names

    def accept(value: Any) -> dict[str, str | None]:
        if type(value) is not dict or len(value) > max_names:
            raise NotAccepted
        if any(field.wrong(name, text) for name, text in value.items()):
            raise NotAccepted
        found = field.kept(value)
        if field.too_large(found):
            raise NotAccepted
        return found

    return accept


def _part(field: Part) -> Accept:
    return compile_schema(field.schema)


_COMPILERS: dict[type[fields.Field[Any]], Callable[[Any], Accept]] = {
    Text: _text,
    Id: _id,
    Code: _code,
    Number: _number,
    Count: _count,
    Day: _day,
    Flag: _flag,
    Base64: _base64,
    Part: _part,
    Items: _items,
    Labels: _labels,
}
