"""Addresses that were undeliverable a short time ago, by tenant: no mail is sent there for a week.

A server that gets many mails for mailboxes that do not exist refuses all mails of its sender. The
list is one of each tenant, so that none decides about the mails of another.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.network.plugin_store import PluginStore, StoreFull

KEPT: Final = timedelta(days=7)
_MAX_WORDS: Final = 300

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Suppression:
    """The list of one environment."""

    store: PluginStore
    name: str

    def add(self, tenant_id: str, address: str, words: str) -> None:
        """Note that an address is undeliverable, with the words of its server."""
        value = json.dumps({"at": clock.now().timestamp(), "words": words[:_MAX_WORDS]})
        try:
            self.store.put(self._key(tenant_id, address), value)
        except StoreFull:
            log.warning("bounced address not kept", access_point=self.name)

    def remove(self, tenant_id: str, address: str) -> None:
        """Forget an address, as a person asks for."""
        self.store.put(self._key(tenant_id, address), None)

    def words_of(self, tenant_id: str, address: str) -> str | None:
        """Why an address is on the list; None if it is not."""
        key = self._key(tenant_id, address)
        stored = self.store.get(key)
        if stored is None:
            return None
        known = json.loads(stored)
        if clock.now().timestamp() - float(known["at"]) < KEPT.total_seconds():
            return str(known["words"])
        self.store.change(key, stored, None)
        return None

    def _key(self, tenant_id: str, address: str) -> str:
        given = f"{tenant_id} {address.lower()}"
        return f"bounced {self.name} {hashlib.sha256(given.encode()).hexdigest()}"
