"""Addresses that were undeliverable a short time ago, by tenant: no mail is sent there for a week.

A server that gets many mails for mailboxes that do not exist refuses all mails of its sender. The
list is one of each tenant, so that none decides about the mails of another. People see it, and lift
an address.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

import structlog

from einvoice import clock
from einvoice.network.held_addresses import MAX_HELD, HeldAddress
from einvoice.network.plugin_store import PluginStore, StoreFull, Value

KEPT: Final = timedelta(days=7)
_MAX_WORDS: Final = 300
_EARLIER: Final = "bounced "  # keys of earlier releases, which name no address

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Suppression:
    """The list of one environment. `name`: of its access point."""

    store: PluginStore
    name: str

    def add(self, tenant_id: str, address: str, words: str) -> None:
        """Note that an address is undeliverable, with the words of its server."""
        if self._is_full(tenant_id):
            log.warning("held address not kept", access_point=self.name, tenant=tenant_id)
            return
        now = clock.now().timestamp()
        value = {"at": now, "words": words[:_MAX_WORDS], "address": address}
        try:
            self.store.put(self._key(tenant_id, id_of(address)), json.dumps(value))
        except StoreFull:
            log.warning("held address not kept", access_point=self.name)

    def words_of(self, tenant_id: str, address: str) -> str | None:
        """Why an address is on the list; None if it is not."""
        key = self._key(tenant_id, id_of(address))
        stored = self.store.get(key)
        held = None if stored is None else _held(key, stored)
        return None if held is None or held.until <= clock.now() else held.reason

    def lift(self, tenant_id: str, address_id: str) -> HeldAddress | None:
        """Take an address from the list; None: it is not there."""
        key = self._key(tenant_id, address_id)
        stored = self.store.get(key) if address_id.isascii() and address_id.isalnum() else None
        held = None if stored is None else _held(key, stored)
        self.store.change(key, stored, None)
        return None if held is None or held.until <= clock.now() else held

    def of(self, tenant_id: str | None) -> list[HeldAddress]:
        """The list of a tenant, or of all, the newest first."""
        start = f"held {self.name} " if tenant_id is None else self._key(tenant_id, "")
        kept = (_held(key, value) for key, value in self._stored(start))
        now = clock.now()
        found = islice((each for each in kept if each and each.until > now), MAX_HELD)
        return sorted(found, key=lambda each: each.since, reverse=True)

    def forget(self) -> None:
        """Remove what is no longer held."""
        now = clock.now()
        for key, value in self._stored("held "):
            held = _held(key, value)
            if held is None or held.until <= now:
                self.store.change(key, value, None)
        for key, value in self._stored(_EARLIER):
            self.store.change(key, value, None)

    def _is_full(self, tenant_id: str) -> bool:
        kept = self._stored(self._key(tenant_id, ""))
        return next(islice(kept, MAX_HELD - 1, None), None) is not None

    def _stored(self, start: str) -> Iterator[tuple[str, Value]]:
        """The values whose keys begin so, page by page."""
        page = self.store.find(start)
        while page:
            yield from page
            page = self.store.find(start, page[-1][0])

    def _key(self, tenant_id: str, address_id: str) -> str:
        return f"held {self.name} {tenant_id} {address_id}"


def id_of(address: str) -> str:
    """The id of a held address."""
    return hashlib.sha256(address.lower().encode()).hexdigest()[:40]


def _held(key: str, stored: Value) -> HeldAddress | None:
    _, _, tenant_id, address_id = key.split(" ", 3)
    try:
        known = json.loads(stored)
        since = datetime.fromtimestamp(float(known["at"]), UTC)
        address, words = str(known["address"]), str(known["words"])
    except (ValueError, KeyError, TypeError):
        return None
    return HeldAddress(address_id, tenant_id, address, words, since, since + KEPT)
