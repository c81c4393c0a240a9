"""Read the body of a JSON route strictly, from bytes to the fields of its contract."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from flask import request
from marshmallow import ValidationError

from einvoice.domain.errors import UnsupportedMediaType
from einvoice.web import json
from einvoice.web.admission import request_bodies
from einvoice.web.contract import Contract
from einvoice.web.pointers import invalid_field
from einvoice.web.refusal_messages import message_of


def received() -> bytes:
    """The request's body; every type but XML and multipart is read as JSON (decisions 19.2)."""
    media = request.mimetype
    if media.startswith("multipart/") or media.endswith(("/xml", "+xml")):
        raise UnsupportedMediaType(f"Send JSON (application/json), not {media}.")
    return request_bodies.request_body()


def read_body(contract: Contract, body: bytes) -> dict[str, Any]:
    """The fields a body holds; InvalidBody or InvalidField, naming every offending field at once.

    null counts as absent: a merge patch finds the fields to remove with `json.read_object`.
    """
    return loaded(contract, json.read_object(body))


def loaded(contract: Contract, value: dict[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", contract.read(value))
    except ValidationError as error:
        raise invalid_field(error.messages) from None


def read_patch(contract: Contract, body: bytes, removable: Collection[str] = ()) -> dict[str, Any]:
    """The fields a merge patch changes (RFC 7396); None for those it removes.

    Only the fields in `removable` can be removed or blanked: null and blank text are refused for
    all others.
    """
    given = json.read_object(body)
    nulls = [name for name, value in given.items() if value is None and name in contract.fields]
    _refuse("null", set(nulls) - set(removable))
    patch = loaded(contract, given)
    blank = {name for name, value in patch.items() if value == ""}
    _refuse("blank", blank - set(removable))
    return patch | dict.fromkeys(nulls)


def _refuse(message: str, names: Collection[str]) -> None:
    if names:
        raise invalid_field({name: [message_of(message)] for name in sorted(names)})
