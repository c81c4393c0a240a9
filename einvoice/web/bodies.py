"""Reading the body of any JSON route: one strict way from bytes to what the contract describes."""

from __future__ import annotations

from typing import Any, cast

from marshmallow import ValidationError

from einvoice.web import json
from einvoice.web.contract import Contract
from einvoice.web.pointers import invalid_field


def read_body(contract: Contract, body: bytes) -> dict[str, Any]:
    """The fields a body holds; InvalidBody or InvalidField, naming every offending field at once.

    null counts as absent: a merge patch has to look at `json.read_object` for what to remove.
    """
    return loaded(contract, json.read_object(body))


def loaded(contract: Contract, value: dict[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", contract.read(value))
    except ValidationError as error:
        raise invalid_field(error.messages) from None
