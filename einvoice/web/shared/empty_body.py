"""The body of routes that take no members: empty, or an empty JSON object."""

from __future__ import annotations

from einvoice.web.contract import Contract


class EmptyBody(Contract):
    """A body without members."""
