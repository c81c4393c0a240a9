"""marshmallow's nested messages as the problem document's flat list (RFC 6901 pointers)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.web.refusal_messages import Message

MAX_ERRORS = 100
_MAX_KEY_LENGTH = 200


def invalid_field(messages: Any) -> InvalidField:
    """Every offending field with pointer and code: the first hundred of them."""
    errors = list(islice(field_errors(messages, ""), MAX_ERRORS + 1))
    shown = sorted(errors[:MAX_ERRORS], key=_unknown_last)
    return InvalidField(shown, truncated=len(errors) > MAX_ERRORS)


def refuse(errors: Iterable[FieldError]) -> None:
    """Raise InvalidField with the first hundred of these errors, if there are any."""
    found = list(islice(errors, MAX_ERRORS + 1))
    if found:
        raise InvalidField(found[:MAX_ERRORS], truncated=len(found) > MAX_ERRORS)


def _unknown_last(error: FieldError) -> tuple[bool, str]:
    """Fields in the contract's order; marshmallow reports unknown names in no order at all."""
    unknown = error.code == "unknown-field"
    return unknown, error.pointer if unknown else ""


def field_errors(messages: Any, pointer: str) -> Iterator[FieldError]:
    """`messages` is a list of messages about `pointer`, or a dict by the keys below it."""
    if isinstance(messages, dict):
        for key, inner in messages.items():
            # `_schema` is marshmallow's key for the object itself, unless it is a field sent.
            itself = key == "_schema" and not _is_unknown(inner)
            yield from field_errors(inner, pointer if itself else below(pointer, key))
        return
    for message in messages:
        if isinstance(message, Message):
            yield FieldError(pointer, message.code, str(message), message.phrase)
        else:
            yield FieldError(pointer, "invalid", str(message))


def below(pointer: str, key: str | int) -> str:
    """The pointer to the value of a key."""
    return f"{pointer}/{str(key)[:_MAX_KEY_LENGTH].replace('~', '~0').replace('/', '~1')}"


def _is_unknown(messages: Any) -> bool:
    return any(isinstance(m, Message) and m.code == "unknown-field" for m in messages)
