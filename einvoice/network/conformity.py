"""Whether what a plugin returns has the types that the interface declares.

A type checker finds it where plugins are written with one. The service looks too: one outcome of
another type must not keep those beside it from being stored.

>>> from einvoice.network.types import Delivered, Outcome, Pending, receipt
>>> fault_of(Delivered((receipt(b"<Receipt/>"),)), Outcome)
>>> fault_of(Delivered((receipt("<Receipt/>"),)), Outcome)
'Delivered.evidence[0].content is str, not bytes'
>>> fault_of(None, Delivered | Pending)
'NoneType, not Delivered or Pending'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

# What is wrong with a value, as it follows the name of its place; None if nothing is.
_Checker = Callable[[object], str | None]


def fault_of(value: object, declared: Any) -> str | None:
    """What of the value is not as declared, and where; None if it is. It shows no value.

    Lists pass for tuples, whole numbers for decimal ones. A datetime needs a time zone.
    """
    fault = _checker(declared)(value)
    if fault is None:
        return None
    return fault.removeprefix(" is ") if fault[0] == " " else type(value).__name__ + fault


def _fault(value: object, wanted: str) -> str:
    return f" is {type(value).__name__}, not {wanted}"


@cache
def _checker(declared: Any) -> _Checker:
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return partial(_check_union, [(_class_of(kind), _checker(kind)) for kind in arguments],
                       " or ".join(map(_name, arguments)))  # fmt: skip
    if origin is not None:
        return _generic(origin, arguments)
    if not isinstance(declared, type) or declared is object:
        return lambda value: None
    if is_dataclass(declared):
        return partial(_check_fields, declared)
    special: Mapping[Any, _Checker] = {float: _check_number, datetime: _check_moment}
    return special.get(declared) or partial(_check_instance, declared, _name(declared))


def _generic(origin: Any, arguments: tuple[Any, ...]) -> _Checker:
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return partial(_check_instance, tuple, "tuple")
    if issubclass(origin, Mapping):
        return partial(_check_mapping, *map(_checker, arguments))
    if issubclass(origin, Collection):
        return partial(_check_each, _class_of(origin), _name(origin), _checker(arguments[0]))
    return partial(_check_instance, origin, _name(origin))


def _class_of(kind: Any) -> Any:
    """The class, or classes, of the values of a declared type."""
    kind = get_origin(kind) or kind
    if not isinstance(kind, type):
        return object
    return {tuple: (tuple, list), float: (float, int)}.get(kind, kind)


def _name(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    found = get_origin(kind) or kind
    return getattr(found, "__name__", str(found))


def _check_union(kinds: Sequence[tuple[Any, _Checker]], wanted: str, value: object) -> str | None:
    """The first kind that the value is of decides, with what is in it."""
    for kind, checker in kinds:
        if isinstance(value, kind):
            return checker(value)
    return _fault(value, wanted)


def _check_instance(kind: type, wanted: str, value: object) -> str | None:
    return None if isinstance(value, kind) else _fault(value, wanted)


def _check_number(value: object) -> str | None:
    if not isinstance(value, float | int):
        return _fault(value, "float")
    return None if math.isfinite(value) else " is not finite"


def _check_moment(value: object) -> str | None:
    if not isinstance(value, datetime):
        return _fault(value, "datetime")
    return None if value.utcoffset() is not None else " has no time zone"


def _check_mapping(keys: _Checker, values: _Checker, value: object) -> str | None:
    if not isinstance(value, Mapping):
        return _fault(value, "Mapping")
    for key, each in value.items():
        if (fault := keys(key)) is not None:
            return f": a key{fault}"
        if (fault := values(each)) is not None:
            return f"[{key!r}]{fault}"
    return None


def _check_each(kind: Any, wanted: str, checker: _Checker, value: object) -> str | None:
    if not isinstance(value, kind) or isinstance(value, str | bytes):
        return _fault(value, wanted)
    for number, each in enumerate(value):
        if (fault := checker(each)) is not None:
            return f"[{number}]{fault}"
    return None


@cache
def _fields_of(kind: Any) -> Sequence[tuple[str, _Checker]]:
    declared = get_type_hints(kind)
    return [(each.name, _checker(declared[each.name])) for each in fields(kind)]


def _check_fields(kind: Any, value: object) -> str | None:
    if not isinstance(value, kind):
        return _fault(value, _name(kind))
    for name, checker in _fields_of(kind):
        if (fault := checker(getattr(value, name))) is not None:
            return f".{name}{fault}"
    return None
