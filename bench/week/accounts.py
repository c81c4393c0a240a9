"""An account of the week, as its programs know it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Account:
    """A tenant as its programs and people know it.

    key       of the tenant, or of its platform
    external  how its platform names it; None: it has no platform
    """

    tenant: str
    key: str
    number: int
    external: str | None = None
    key_id: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The credential of its programs."""
        named = {} if self.external is None else {"X-Tenant": self.external}
        return {"x-api-key": self.key} | named
