"""Caches in the process, for seconds, of what every send reads again.

`Caches` holds all of them. It belongs to one running service (services/runtime) and is handed to
the functions that use it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from einvoice import clock
from einvoice.domain.credentials import OAuthClient
from einvoice.domain.errors import CredentialOwner
from einvoice.services.principal import Principal
from einvoice.store.account.platforms import PlatformRecord
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.sending.registrations import RegistrationRecord

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """Keeps up to `size` answers for `ttl` seconds each. Safe between threads."""

    def __init__(self, ttl: float, size: int = 10_000) -> None:
        self._ttl, self._size = ttl, size
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, load: Callable[[], V | None]) -> V | None:
        """The cached answer, or the result of `load`; None is not cached."""
        found = self._kept.get(key)
        if found is not None and found[0] > clock.monotonic():
            return found[1]
        value = load()
        if value is not None:
            self._keep(key, value)
        return value

    def _keep(self, key: K, value: V) -> None:
        with self._lock:
            self._kept[key] = (clock.monotonic() + self._ttl, value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def drop(self, key: K) -> None:
        """Remove one answer."""
        with self._lock:
            self._kept.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


@dataclass(frozen=True, slots=True)
class CachedKey:
    """An API key's principal as read when Redis had this stamp for it (None: no stamp)."""

    principal: Principal
    stamp: str | None


class Caches:
    """Every cache of one running service.

    A revoked key or client works for at most the `ttl` of its cache; for keys only while Redis is
    away (account/authentication.as_of).
    """

    def __init__(self) -> None:
        self.tenants: Cache[str, TenantRecord] = Cache(ttl=1.0)
        self.platforms: Cache[str, PlatformRecord] = Cache(ttl=1.0)
        # Ids of tenants, by their platform and what it calls them.
        self.platform_tenants: Cache[tuple[str, str], str] = Cache(ttl=1.0, size=50_000)
        self.participant_owners: Cache[tuple[str, str], str] = Cache(ttl=1.0)
        self.api_keys: Cache[str, CachedKey] = Cache(ttl=1.0)
        self.key_uses: Cache[str, bool] = Cache(ttl=60.0)
        self.oauth_clients: Cache[str, OAuthClient] = Cache(ttl=1.0)
        self.registrations: Cache[tuple[str, str, str], RegistrationRecord] = Cache(ttl=15.0)
        # What networks said of a participant (participants/standings).
        self.standings: Cache[tuple[str, str], Any] = Cache(ttl=60.0, size=1_000)
        self.tenants_with_customers: Cache[str, bool] = Cache(ttl=1.0)
        self.queue_age: Cache[str, float] = Cache(ttl=1.0)
        # What was noted of failed authentications (account/failures).
        self.failure_lines: Cache[tuple[str, str], bool] = Cache(ttl=60.0)
        self.failure_entries: Cache[tuple[CredentialOwner, str], bool] = Cache(ttl=3600.0)
        self.redis_warnings: Cache[str, bool] = Cache(ttl=60.0)  # at most one a minute

    def clear(self) -> None:
        """Drop every answer."""
        for cache in vars(self).values():
            cache.clear()
