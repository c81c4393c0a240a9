"""The body of routes that take no members: empty, or an empty JSON object."""

from __future__ import annotations

from einvoice.web import bodies
from einvoice.web.contract import Contract
from einvoice.web.responses import documented_body


class EmptyBody(Contract):
    """A body without members."""


EMPTY_BODY = documented_body(EmptyBody, required=False)
_CONTRACT = EmptyBody()


def read_empty_body() -> None:
    """Refuse a body with members, which would be ignored.

    Raises UnsupportedMediaType, InvalidBody, InvalidField.
    """
    check_empty(bodies.received())


def check_empty(body: bytes) -> None:
    """Raise InvalidBody or InvalidField unless the body is empty or an empty object."""
    if body.strip():
        bodies.read_body(_CONTRACT, body)
