"""A document in base64 inside JSON."""

from __future__ import annotations

from typing import Any

from einvoice.web.fields import Base64, decoded, not_base64
from einvoice.web.refusal_messages import refusal


class Encoded(Base64):
    """A document in base64. Refusals speak of the document."""

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
