"""Drafts as JSON: members of the body of POST /api/invoices/send, as far as they are known.

Nothing of a draft is required, and only its attachments are judged: they are stored as files.

>>> content, files = content_of({"invoice": {"number": " 7 ", "buyer": {"name": "Acme"}}})
>>> content.text, content.number, content.buyer_name
('{"invoice":{"number":" 7 ","buyer":{"name":"Acme"}},"routing":{}}', '7', 'Acme')
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from einvoice.domain.errors import FieldError, PayloadTooLarge
from einvoice.services.invoices.drafts import (
    MAX_CONTENT_BYTES,
    MAX_FILES,
    Draft,
    DraftContent,
    FileRecord,
    NewFile,
)
from einvoice.web import json, pointers
from einvoice.web.bodies import loaded
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.shared.send_schemas import Attachment

_MAX_DIGITS = 40  # of a number, before and after its point: more are never accepted by a send
_LIMIT: int = 10**_MAX_DIGITS
_MAX_NUMBER, _MAX_BUYER = 100, 200  # characters that a list shows


class _Attachments(Contract):
    attachments = Items(Part(Attachment, "One file."), "The files.", max_items=MAX_FILES)


class _Invoice(Contract):
    invoice = Part(_Attachments, "The invoice.")


_ATTACHED = _Invoice()


def content_of(body: Mapping[str, Any]) -> tuple[DraftContent, list[NewFile]]:
    """Content and files of a draft with these members. Raises InvalidField, PayloadTooLarge."""
    invoice = dict(body.get("invoice") or {})
    files = attached(invoice.pop("attachments", None))
    content = {"invoice": invoice, "routing": body.get("routing") or {}}
    _check_size(_least_size(content), "at least ")
    pointers.refuse(_wrong_numbers(content, ""))
    text = json.write(content).decode()
    found = DraftContent(
        text,
        _shown(invoice.get("number"), _MAX_NUMBER),
        _shown(_member(invoice, "buyer", "name"), _MAX_BUYER),
    )
    _check_size(found.size)
    return found, files


def _check_size(size: int, least: str = "") -> None:
    """Raise PayloadTooLarge for a content of so many bytes."""
    if size > MAX_CONTENT_BYTES:
        message = f"A draft has at most {MAX_CONTENT_BYTES:,} bytes beside its attachments"
        raise PayloadTooLarge(f"{message}; this one has {least}{size:,}.")


def _least_size(value: dict[str, Any] | list[Any]) -> int:
    """A lower bound of the bytes that a value is written with, found without looking at texts and
    numbers: many thousands of them are refused before they are read one by one.

    >>> _least_size({"a": [1, 2, 3]}), len('{"a":[1,2,3]}')
    (11, 13)
    """
    size = len(value) * (5 if isinstance(value, dict) else 2)  # `"":0,` and `0,`
    if size > MAX_CONTENT_BYTES:
        return size
    inner = value.values() if isinstance(value, dict) else value
    return size + sum(_least_size(each) for each in inner if isinstance(each, dict | list))


def attached(value: object) -> list[NewFile]:
    """The files of `invoice.attachments`, judged as in a send. Raises InvalidField."""
    if value is None:
        return []
    read = loaded(_ATTACHED, {"invoice": {"attachments": value}})["invoice"].get("attachments", [])
    return [
        NewFile(one["filename"], one["mimeType"], one["content"], one.get("description") or None)
        for one in read
    ]


def body_of(draft: Draft) -> dict[str, Any]:
    """The members of a draft, with the attachments whose bytes were read."""
    body = json.read_object(draft.text.encode())
    files = [(file, draft.bytes_of[file.id]) for file in draft.files if file.id in draft.bytes_of]
    return with_attachments(body, files)


def with_attachments(
    body: Mapping[str, Any], files: list[tuple[FileRecord, bytes]]
) -> dict[str, Any]:
    """The body of a send with these files."""
    if not files:
        return dict(body)
    return {
        **body,
        "invoice": {**body["invoice"], "attachments": [_attachment(*one) for one in files]},
    }


def _attachment(file: FileRecord, content: bytes) -> dict[str, Any]:
    described = {"description": file.description} if file.description else {}
    return {
        "filename": file.name,
        "mimeType": file.media_type,
        "content": base64.b64encode(content).decode(),
        **described,
    }


def _member(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _shown(value: object, most: int) -> str | None:
    """A text as a list shows it; None if there is none."""
    if not isinstance(value, str):
        return None
    return "".join(c if c.isprintable() else " " for c in value).strip()[:most] or None


def _wrong_numbers(value: dict[str, Any] | list[Any], pointer: str) -> Iterator[FieldError]:
    """The numbers with more digits than any field accepts, which would be long when written."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from _wrong_numbers(inner, pointers.below(pointer, name))
        elif isinstance(inner, int | Decimal) and not _is_short(inner):
            message = f"has more than {_MAX_DIGITS} digits before or after its point"
            yield FieldError(pointers.below(pointer, name), "out-of-range", message)


def _is_short(number: int | Decimal) -> bool:
    if isinstance(number, int):
        return -_LIMIT < number < _LIMIT
    if not number.is_finite():
        return False
    exponent = number.as_tuple().exponent
    is_exact = isinstance(exponent, int) and exponent >= -_MAX_DIGITS
    return is_exact and number.adjusted() < _MAX_DIGITS
