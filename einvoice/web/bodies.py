"""Read the body of a JSON route strictly, from bytes to the fields of its contract."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from flask import request
from marshmallow import ValidationError

from einvoice.domain.errors import UnsupportedMediaType
from einvoice.web import json
from einvoice.web.admission import request_bodies
from einvoice.web.contract import Contract
from einvoice.web.pointers import invalid_field
from einvoice.web.refusal_messages import message_of

# Members of answers that stay what they are, or have a route of their own; other members that only
# answers have are changed by the service at any time.
_LASTING: Final = frozenset(
    {"customerId", "supplierId", "tenantId", "webhookId", "keyId", "clientId", "connectionId"}
    | {"draftId", "mailAddressId", "environment", "network", "accessPoint", "account", "address"}
    | {"source", "prefix", "last4", "logo", "plan", "platformId", "externalId", "sandboxOnly"}
    | {"createdAt", "createdBy", "expiresAt"}
)


def received() -> bytes:
    """The request's body; every type but XML and multipart is read as JSON (decisions 19.2)."""
    media = request.mimetype
    if media.startswith("multipart/") or media.endswith(("/xml", "+xml")):
        raise UnsupportedMediaType(f"Send JSON (application/json), not {media}.")
    return request_bodies.request_body()


def read_body(
    contract: Contract, body: bytes, record: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The fields a body holds; InvalidBody or InvalidField, naming every offending field at once.

    null counts as absent: a merge patch finds the fields to remove with `json.read_object`.

    record  what a GET returns now of the resource that is replaced: a program may write back what
            it has read. Members that only this has are ignored (AIP-203, output only), but for
            another value of one that lasts, which is refused
    """
    return loaded(contract, _without_read_only(json.read_object(body), contract, record or {}))


def loaded(contract: Contract, value: dict[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", contract.read(value))
    except ValidationError as error:
        raise invalid_field(error.messages) from None


def _without_read_only(
    given: dict[str, Any], contract: Contract, record: Mapping[str, Any]
) -> dict[str, Any]:
    changed = {name for name in _LASTING & given.keys() if given[name] != record.get(name)}
    read_only = record.keys() - contract.fields.keys() - changed
    return {name: value for name, value in given.items() if name not in read_only}


def read_patch(
    contract: Contract,
    body: bytes,
    removable: Collection[str] = (),
    record: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields a merge patch changes (RFC 7396); None for those it removes.

    Only the fields in `removable` can be removed or blanked: null and blank text are refused for
    all others. `record` as in `read_body`.
    """
    given = _without_read_only(json.read_object(body), contract, record or {})
    nulls = [name for name, value in given.items() if value is None and name in contract.fields]
    _refuse("null", set(nulls) - set(removable))
    patch = loaded(contract, given)
    blank = {name for name, value in patch.items() if value == ""}
    _refuse("blank", blank - set(removable))
    return patch | dict.fromkeys(nulls)


def _refuse(message: str, names: Collection[str]) -> None:
    if names:
        raise invalid_field({name: [message_of(message)] for name in sorted(names)})
