"""Forms as the API reads them: fields named by their place become a JSON object.

A field `buyer.name` is the member /buyer/name, `lines.0.description` is of the first line. Blank
fields are absent. The errors of a contract have the pointers of the members, so each is shown at
its field.

>>> nested({"name": "Acme", "lines.1.price": "2", "lines.0.price": "1", "note": " "})
{'name': 'Acme', 'lines': [{'price': '1'}, {'price': '2'}]}
>>> field_of("/lines/0/price")
'lines.0.price'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from flask import request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from einvoice.domain.errors import FieldError, InvalidField, RequestRefused
from einvoice.web.admission import request_bodies
from einvoice.web.contract import FORBIDDEN
from einvoice.web.dashboard import csrf, languages, refusals

MAX_DEPTH = 6
MAX_PARTS = 5000  # fields and files of a form: an invoice's has 22 for each of 200 lines
_ENCODED = "application/x-www-form-urlencoded"
_INDEX = re.compile(r"[0-9]{1,6}")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def submitted() -> MultiDict[str, str]:
    """The fields of the form that the request has; RequestEntityTooLarge for many of them."""
    request.max_form_parts = MAX_PARTS  # Werkzeug counts parts of forms with files only
    with request_bodies.receiving_body():
        if request.mimetype == _ENCODED and request.get_data().count(b"&") >= MAX_PARTS:
            raise RequestEntityTooLarge
        return request.form


def whole_number(text: object) -> int | None:
    """The number that these digits write; None for anything else.

    >>> whole_number("30"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (30, None, None, None)
    """
    return int(text) if isinstance(text, str) and _WHOLE_NUMBER.fullmatch(text) else None


def expected_versions() -> set[int]:
    """The version of a record that the form was made of; none if it does not say."""
    version = whole_number(submitted().get("version"))
    return set() if version is None else {version}


def search_text(text: str, most: int) -> str:
    """At most so many characters of what a person searches for, as far as records can have them.

    >>> search_text(" Acme\\x00 NV ", 7)
    'Acme NV'
    """
    return FORBIDDEN.sub("", text).strip()[:most]


def nested(fields: Mapping[str, str]) -> dict[str, Any]:
    """The object of these fields; csrf and blank ones are left out."""
    tree: dict[str, Any] = {}
    for name, value in fields.items():
        parts = name.split(".")
        if name == csrf.FIELD or not value.strip() or len(parts) > MAX_DEPTH:
            continue
        place = tree
        for part in parts[:-1]:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            place = inner
        else:
            place[parts[-1]] = value
    found: dict[str, Any] = _listed(tree)
    return found


def _listed(value: Any) -> Any:
    """Objects whose members are all numbers are lists, in their order."""
    if not isinstance(value, dict):
        return value
    if value and all(_INDEX.fullmatch(name) for name in value):
        return [_listed(value[name]) for name in sorted(value, key=int)]
    return {name: _listed(inner) for name, inner in value.items()}


def field_of(pointer: str) -> str:
    """The name of the field of a JSON pointer (RFC 6901)."""
    parts = pointer.lstrip("/").split("/")
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in parts)


def errors_of(refusal: RequestRefused | None) -> dict[str, str]:
    """The messages of a refusal by the fields that they are about; none if it names no field.

    They are in the language of the request.
    """
    return by_field(refusal.errors) if isinstance(refusal, InvalidField) else {}


def by_field(errors: Iterable[FieldError]) -> dict[str, str]:
    """The first message of each field, in the language of the request."""
    found: dict[str, str] = {}
    say = languages.words()
    for error in errors:
        found.setdefault(field_of(error.pointer), refusals.worded(error, say))
    return found


def by_list(errors: Mapping[str, str]) -> dict[str, str]:
    """The errors of a form in which each list is one field.

    >>> by_list({"name": "is required", "allowedIps.0": "is wrong", "allowedIps.2": "is wrong too"})
    {'name': 'is required', 'allowedIps': 'is wrong'}
    """
    found: dict[str, str] = {}
    for name, message in errors.items():
        found.setdefault(name.partition(".")[0], message)
    return found
