"""Which address belongs to which connection, in the store of the plugin.

The LMTP service takes mail for addresses whose connection was fetched from lately. One that nobody
has read for an hour is asked to send later: the mail server keeps the mail. After a month nobody
has the address any more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from einvoice import clock
from einvoice.network.connections import Connection
from einvoice.network.plugin_store import PluginStore

# Until an address that nobody reads is free again.
ABANDONED: Final = timedelta(days=30)
STALE: Final = timedelta(hours=1)
_REFRESHED: Final = timedelta(minutes=5)


class Reading(StrEnum):
    """Whether somebody reads the mails of an address."""

    NOBODY = "nobody"
    LATER = "later"  # the workers have been away
    READ = "read"


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one access point. `name`: of it."""

    store: PluginStore
    name: str

    def take(self, connection: Connection) -> bool:
        """Give the address to the connection, or note that it still has it; False: another has
        it."""
        stored, known = self._known(connection.account)
        is_other = known.get("tenant", connection.tenant_id) != connection.tenant_id
        if is_other and self._age(known) <= ABANDONED:
            return False
        return self.store.change(self._key(connection.account), stored, _value(connection))

    def refresh(self, connection: Connection) -> None:
        """Note that the mails of the address are read."""
        stored, known = self._known(connection.account)
        is_own = known.get("connection") == connection.id
        if is_own and not known.get("closed") and self._age(known) > _REFRESHED:
            self.store.change(self._key(connection.account), stored, _value(connection))

    def close(self, connection: Connection) -> None:
        """Take no further mail at the address, for good."""
        stored, known = self._known(connection.account)
        if known.get("connection") == connection.id:
            self.store.change(
                self._key(connection.account), stored, _value(connection, closed=True)
            )

    def is_closed(self, connection: Connection) -> bool:
        """Whether the address was closed for this connection."""
        _, known = self._known(connection.account)
        return bool(known.get("closed")) and known.get("connection") == connection.id

    def reading_of(self, account: str) -> Reading:
        """Whether somebody reads the mails of an address."""
        _, known = self._known(account)
        if not known or known.get("closed") or self._age(known) > ABANDONED:
            return Reading.NOBODY
        return Reading.READ if self._age(known) < STALE else Reading.LATER

    def _known(self, account: str) -> tuple[bytes | str | None, dict[str, Any]]:
        stored = self.store.get(self._key(account))
        return stored, json.loads(stored) if stored else {}

    def _age(self, known: dict[str, Any]) -> timedelta:
        return timedelta(seconds=clock.now().timestamp() - float(known.get("at", 0.0)))

    def _key(self, account: str) -> str:
        return f"address {self.name} {account.upper()[:60]}"


def _value(connection: Connection, *, closed: bool = False) -> str:
    now = clock.now().timestamp()
    value = {"tenant": connection.tenant_id, "connection": connection.id, "at": now}
    return json.dumps(value | ({"closed": True} if closed else {}))
