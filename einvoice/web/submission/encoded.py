"""A document in base64 inside JSON."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import fields

from einvoice.web.contract import Described, refusal
from einvoice.web.fields import decoded

_FOREIGN = re.compile(r"[^A-Za-z0-9+/=]")


class Encoded(Described, fields.String):
    """A field of bytes in the standard alphabet with padding; line breaks are allowed."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, openapi={"format": "byte", "minLength": 4}, **options)

    def read(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise refusal("wrong-type", "must be a string: the XML document in base64")
        text = "".join(value.split())
        if not text:
            raise refusal("blank", "must not be blank")
        content = decoded(text)
        if content is None:
            raise refusal("not-base64", _fault(text))
        return content


def _fault(text: str) -> str:
    """The message about invalid base64."""
    if text.startswith("<"):
        return "is XML, not base64: encode it"
    foreign = _FOREIGN.search(text)
    if foreign:
        return f"is not base64: character {foreign.start() + 1} is {foreign[0]!r}"
    if len(text) % 4:
        return f"is not base64: its length of {len(text):,} is not a multiple of 4; was it cut off?"
    return "is not base64: it has padding (=) in the wrong place"
