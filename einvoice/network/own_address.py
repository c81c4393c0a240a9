"""Refusals of this service's address by a network, which no account can correct.

The firewall in front of an authority may refuse all calls from one address: 403 with JSON of a
security service, with a page, or with nothing. An access point that can tell it from a refusal of
an account has an `OwnAddress`, and asks it around each call:

    self.own_address.enter()
    response = self._http.send(...)
    if is_of_a_firewall(response):
        raise self.own_address.refused(f"HTTP {response.status} of no authority")
    self.own_address.answered()

After two refusals in a row calls pause, in all processes. Then one call at a time finds out whether
the address is still refused, after one minute, two, and five from then on.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol, runtime_checkable

import structlog

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network.plugin_store import PluginStore

log = structlog.get_logger()

MAX_REASON: Final = 300  # characters
# After so many refusals in a row: the first may concern one document or account.
_PAUSES: Final = (timedelta(0), timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=5))
# Without a call for so long, nothing is known any more.
_FORGOTTEN_AFTER: Final = timedelta(hours=1)
# How long another process may go on after this one has found a refusal.
_FRESH: Final = timedelta(seconds=5)
_TRIES: Final = 5


class AddressRefused(HttpFault):
    """The network refuses this service's address; it has taken nothing.

    retry_after  seconds until the next call is made
    """

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(f"The network refuses the address of this service: {reason}")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class AddressRefusal:
    """That calls are refused: since when, how often in a row, and until when they pause."""

    since: datetime
    last: datetime
    until: datetime
    count: int
    reason: str

    @classmethod
    def parse(cls, text: str | bytes | None, now: datetime) -> AddressRefusal | None:
        """The refusal that is stored; None if there is none, or none that is recent."""
        if not isinstance(text, str):
            return None
        values = json.loads(text)
        moments = {name: datetime.fromisoformat(values[name]) for name in _MOMENTS}
        found = cls(count=values["count"], reason=values["reason"], **moments)
        return found if found.last > now - _FORGOTTEN_AFTER else None

    def text(self) -> str:
        """The stored form."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    def again(self, reason: str, now: datetime) -> AddressRefusal:
        """The refusal after one more call."""
        pause = _PAUSES[min(self.count, len(_PAUSES) - 1)]
        return replace(self, last=now, until=now + pause, count=self.count + 1, reason=reason)

    @property
    def pauses(self) -> bool:
        """Whether calls pause, so that one at a time is made."""
        return self.count > 1


_MOMENTS: Final = ("since", "last", "until")


class OwnAddress:
    """The refusals of its address that an access point knows of. Safe to share between threads."""

    def __init__(self, store: PluginStore, access_point: str) -> None:
        self._store, self._access_point = store, access_point
        self._key = f"own-address-{access_point}"
        self._known: AddressRefusal | None = None
        self._read_at: datetime | None = None

    def enter(self) -> None:
        """Raise AddressRefused while calls pause. After a pause one caller is let through."""
        now = clock.now()
        known = self._current(now)
        if known is None or not known.pauses:
            return
        stored = self._store.get(self._key)
        found = AddressRefusal.parse(stored, now)
        if found is None or not found.pauses:
            self._note(found, now)
            return
        pause = _PAUSES[min(found.count, len(_PAUSES)) - 1]
        mine = replace(found, until=now + pause)
        if found.until <= now and self._store.change(self._key, stored, mine.text()):
            self._note(mine, now)
            return
        self._note(found, now)
        raise AddressRefused(found.reason, max(1.0, (found.until - now).total_seconds()))

    def refused(self, reason: str) -> AddressRefused:
        """Store that a call was refused; the fault to raise."""
        now, reason = clock.now(), reason[:MAX_REASON]
        for _ in range(_TRIES):
            stored = self._store.get(self._key)
            found = AddressRefusal.parse(stored, now) or AddressRefusal(now, now, now, 0, reason)
            found = found.again(reason, now)
            if self._store.change(self._key, stored, found.text()):
                break
        self._note(found, now)
        log.warning(
            "network refuses the address of this service",
            access_point=self._access_point,
            reason=reason,
            count=found.count,
            since=found.since.isoformat(),
        )
        return AddressRefused(reason, max(1.0, (found.until - now).total_seconds()))

    def answered(self) -> None:
        """Store that the network has answered a call: it does not refuse the address any more."""
        now = clock.now()
        if self._current(now) is None:
            return
        self._store.put(self._key, None)
        self._note(None, now)
        log.info("network takes the address of this service", access_point=self._access_point)

    def refusal(self) -> AddressRefusal | None:
        """The refusal that lasts, as it is stored; None: the network answers."""
        return AddressRefusal.parse(self._store.get(self._key), clock.now())

    def _current(self, now: datetime) -> AddressRefusal | None:
        """The refusal as it was a few seconds ago."""
        if self._read_at is None or not timedelta(0) <= now - self._read_at < _FRESH:
            self._note(self.refusal(), now)
        return self._known

    def _note(self, known: AddressRefusal | None, now: datetime) -> None:
        self._known, self._read_at = known, now


@runtime_checkable
class GuardsAddress(Protocol):
    """An access point that tells refusals of this service's address from refusals of an account.

    While the network refuses the address, documents wait without their time being counted, checks
    and fetches find nothing out, and the operator sees a problem. The tenants are not blamed.
    """

    own_address: OwnAddress


def refusal_of(point: object) -> AddressRefusal | None:
    """The refusal of the address that this access point knows, if it knows one."""
    return point.own_address.refusal() if isinstance(point, GuardsAddress) else None
