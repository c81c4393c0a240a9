"""The terms of PINT that a request says, as text by the names of `domain/pint`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, cast

from einvoice.domain.money import plain
from einvoice.domain.pint import (
    DOCUMENT_MEMBERS,
    LINE_MEMBERS,
    Further,
)
from einvoice.domain.request import ExemptionRequest, InvoiceRequest, LineRequest


def _places() -> dict[str, frozenset[str]]:
    """The objects of a request that have members of PINT ("": the invoice), with these."""
    found: dict[str, set[str]] = {"": set()}
    for name in DOCUMENT_MEMBERS:
        first, _, member = name.partition(".")
        if member and first != "agent":
            found.setdefault(first, set()).add(member)
        else:
            found[""].add(first)
    return {at: frozenset(names) for at, names in found.items()}


_WITHIN = _places()
_OF_INVOICE = _WITHIN.pop("")
_OF_OBJECTS = tuple(_WITHIN.items())
_OF_LINE = frozenset(name.partition(".")[0] for name in LINE_MEMBERS) - {"taxExemption"}


def document_terms(request: InvoiceRequest) -> Further | None:
    """The terms of the document; None if none are sent."""
    members = cast("Mapping[str, Any]", request)
    if _OF_INVOICE.isdisjoint(members):
        for at, names in _OF_OBJECTS:
            if at in members and not names.isdisjoint(members[at]):
                break
        else:
            return None
    return _found(members, DOCUMENT_MEMBERS)


def line_terms(request: LineRequest) -> Further | None:
    """The terms of a line; None if none are sent."""
    if _OF_LINE.isdisjoint(request):
        return _reason(request["taxExemption"]) if "taxExemption" in request else None
    return _found(cast("Mapping[str, Any]", request), LINE_MEMBERS)


def _reason(exemption: ExemptionRequest) -> Further | None:
    """The code of the reason for a line, which PINT has at the line."""
    code = exemption.get("reasonCode")
    if not code:
        return None
    reason = exemption.get("reason")
    found = {"taxExemption.reasonCode": code}
    return found | {"taxExemption.reason": reason} if reason else found


def _found(request: Mapping[str, Any], names: tuple[str, ...]) -> Further:
    values = ((name, _text(_value(request, name))) for name in names)
    return {name: text for name, text in values if text}


def _value(request: Mapping[str, Any], name: str) -> object:
    value: Any = request
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(value: object) -> str:
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list):
        return " ".join(value)
    return value if isinstance(value, str) else ""
