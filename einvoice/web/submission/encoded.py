"""A document in base64 inside JSON."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import ValidationError, fields

from einvoice.web.contract import Described
from einvoice.web.fields import decoded
from einvoice.web.refusal_messages import refusal

_FOREIGN = re.compile(r"[^A-Za-z0-9+/=]")


class Encoded(Described, fields.String):
    """A field of bytes in the standard alphabet with padding; line breaks are allowed."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, openapi={"format": "byte", "minLength": 4}, **options)

    def read(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise refusal("document")
        text = "".join(value.split())
        if not text:
            raise refusal("blank")
        content = decoded(text)
        if content is None:
            raise _fault(text)
        return content


def _fault(text: str) -> ValidationError:
    """The refusal of invalid base64."""
    if text.startswith("<"):
        return refusal("plainXml")
    foreign = _FOREIGN.search(text)
    if foreign:
        return refusal("foreign", place=foreign.start() + 1, value=repr(foreign[0]))
    if len(text) % 4:
        return refusal("cut", count=f"{len(text):,}")
    return refusal("padding")
