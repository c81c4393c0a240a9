"""A document in base64 inside JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from einvoice.web.contract import Described
from einvoice.web.fields import decoded, not_base64
from einvoice.web.refusal_messages import refusal


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
            raise not_base64(text)
        return content
