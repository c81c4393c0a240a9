"""A document in base64 inside JSON."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import fields

from einvoice.web.contract import Described, refusal
from einvoice.web.fields import decoded

_FOREIGN = re.compile(r"[^A-Za-z0-9+/=]")


class Encoded(Described, fields.String):
    """Bytes in the standard alphabet with padding; line breaks, as programs write them, pass."""

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
    """What is wrong with it, as its sender would look for it."""
    if text.startswith("<"):
        return "is XML as it stands; encode it in base64"
    foreign = _FOREIGN.search(text)
    if foreign:
        return f"is not base64: character {foreign.start() + 1} is {foreign[0]!r}"
    if len(text) % 4:
        return f"is not base64: {len(text):,} characters are no multiple of 4; was it cut off?"
    return "is not base64: padding stands where none belongs"
