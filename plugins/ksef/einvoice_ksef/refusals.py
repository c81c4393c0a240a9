"""Rights that calls of a connection lacked, for which KSeF refused them.

The access token of such an account can be refreshed all the same, so the next check logs in again
and asks for what was refused.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from einvoice.network.plugin_store import PluginStore

WRITE, READ = "InvoiceWrite", "InvoiceRead"  # to send, to receive
_WATCHED: Final = (WRITE, READ)


class Refusals:
    """The refusals of one connection since it last had its rights."""

    def __init__(self, store: PluginStore, access_point: str, connection_id: str) -> None:
        self._store, self._key = store, f"refused-{access_point}-{connection_id}"

    def note(self, missing: Collection[str]) -> None:
        """Note a call that needs one of these rights."""
        rights = self.rights | {right for right in _WATCHED if right in missing}
        if rights:
            self._store.put(self._key, " ".join(sorted(rights)))

    @property
    def rights(self) -> frozenset[str]:
        """The rights that were missing."""
        return frozenset(str(self._store.get(self._key) or "").split())

    def clear(self) -> None:
        """The account has its rights."""
        if self.rights:
            self._store.put(self._key, None)
