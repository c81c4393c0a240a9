"""E-mail addresses to which an access point sends nothing for a while, because they came back.

People see them and may lift them: a mailbox that was made since gets its mail again at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol, runtime_checkable

MAX_HELD: Final = 1000  # of a tenant at an access point


@dataclass(frozen=True, slots=True)
class HeldAddress:
    """An address that gets no mail of a tenant.

    id      unique among those of the tenant at the access point: letters and digits
    reason  the words of its mail server
    until   when it is lifted by itself
    """

    id: str
    tenant_id: str
    address: str
    reason: str
    since: datetime
    until: datetime


@runtime_checkable
class HoldsAddresses(Protocol):
    """An access point that keeps a list of such addresses. Since interface 2."""

    def held_addresses(self, tenant_id: str | None = None) -> Sequence[HeldAddress]:
        """Those of a tenant, at most MAX_HELD; without one those of all tenants, as many."""
        ...

    def lift_address(self, tenant_id: str, address_id: str) -> HeldAddress | None:
        """Send mail to the address again; the address, or None if it is not held."""
        ...
