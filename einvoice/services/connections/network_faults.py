"""Refusals that no tenant can correct: of this service's address, and of many accounts at once.

The first are known by access points (network/own_address). The second are counted here: where
accounts of three tenants that worked are refused within an hour, the network is at fault, as an
authority that refuses all certificates after a change of its own. Then no tenant is asked to
correct an account, accounts that were blamed before are usable again, and each is tried every few
minutes. After a day, or once fewer than two are left, a refusal counts as the account's own again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from einvoice import clock
from einvoice.domain import connections as domain
from einvoice.domain.connections import USABLE, State
from einvoice.network import own_address
from einvoice.network.own_address import AddressRefusal
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.connections import changes
from einvoice.services.connections.consent_groups import CHECK_PREFIX
from einvoice.services.plugin_store import DatabaseStore
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.core import db

log = logging.get(__name__)

MANY_TENANTS, FEW_TENANTS = 3, 2
WITHIN, LONGEST = timedelta(hours=1), timedelta(days=1)
PAUSE: Final = timedelta(minutes=5)  # between two tries of an account
MAX_LISTED: Final = 200
REASON: Final = (
    "The network refuses the accounts of several companies at once, so it is at fault and not this "
    "account: it is tried again every few minutes."
)
_TRIES: Final = 5
# Called in an application context, by the service itself.
_STORE: Final = DatabaseStore(nullcontext, "einvoice")


class Account(Protocol):
    """A connection: its id, its tenant and its access point."""

    @property
    def id(self) -> str: ...
    @property
    def tenant_id(self) -> str: ...
    @property
    def access_point(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Refused:
    connection_id: str
    tenant_id: str
    at: str

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class _Together:
    """Accounts that worked and are refused. `since`: when they became many; empty before."""

    accounts: tuple[_Refused, ...] = ()
    since: str = ""

    @classmethod
    def parse(cls, text: str | bytes | None, now: datetime) -> _Together:
        if not isinstance(text, str):
            return cls()
        values = json.loads(text)
        found = (_Refused(**each) for each in values["accounts"])
        recent = tuple(each for each in found if each.moment > now - WITHIN)
        return cls(recent, values["since"]).settled(now)

    def text(self) -> str | None:
        return json.dumps(asdict(self)) if self.accounts else None

    def with_(self, account: Account, now: datetime) -> _Together:
        one = _Refused(account.id, account.tenant_id, now.isoformat())
        kept = (*self.without(account.id).accounts, one)[-MAX_LISTED:]
        return replace(self, accounts=kept).settled(now)

    def without(self, connection_id: str) -> _Together:
        kept = tuple(each for each in self.accounts if each.connection_id != connection_id)
        return replace(self, accounts=kept)

    def settled(self, now: datetime) -> _Together:
        """With the moment at which they became many, as long as they are."""
        tenants = len({each.tenant_id for each in self.accounts})
        if self.since:
            return self if tenants >= FEW_TENANTS else replace(self, since="")
        return replace(self, since=now.isoformat()) if tenants >= MANY_TENANTS else self

    def is_of_network(self, now: datetime) -> bool:
        return bool(self.since) and now - datetime.fromisoformat(self.since) < LONGEST

    def refusal(self, now: datetime) -> AddressRefusal | None:
        if not self.is_of_network(now):
            return None
        last, count = max(each.moment for each in self.accounts), len(self.accounts)
        reason = f"{count} accounts that worked before are refused"
        return AddressRefusal(datetime.fromisoformat(self.since), last, last + PAUSE, count, reason)


def refusal_of(point: AccessPoint | None) -> AddressRefusal | None:
    """The refusal that lasts at this access point, and that no tenant can correct."""
    if point is None:
        return None
    return own_address.refusal_of(point) or accounts_refused(point.name)


def accounts_refused(access_point: str) -> AddressRefusal | None:
    """The refusal of many accounts of the access point at once."""
    now = clock.now()
    return _Together.parse(_STORE.get(_key(access_point)), now).refusal(now)


def is_of_network(account: Account, state: State) -> bool:
    """Count that the network refuses the account, which had this state; whether the network is at
    fault. The accounts that were blamed before that was known are usable again."""
    now, key = clock.now(), _key(account.access_point)
    if state not in USABLE:
        return accounts_refused(account.access_point) is not None
    for _ in range(_TRIES):
        text = _STORE.get(key)
        before = _Together.parse(text, now)
        found = before.with_(account, now)
        if _STORE.change(key, text, found.text()):
            break
    if found.since and not before.since:
        log.error(
            "network refuses many accounts",
            access_point=account.access_point,
            count=len(found.accounts),
        )
        _restore(each for each in found.accounts if each.connection_id != account.id)
    return found.is_of_network(now)


def works(account: Account, state: State) -> None:
    """Count that the network takes the account, which had this state."""
    now, key = clock.now(), _key(account.access_point)
    for _ in range(_TRIES):
        text = _STORE.get(key)
        if text is None:
            return
        found = _Together.parse(text, now)
        # A new account that works shows that logins work, while few are refused.
        left = _Together() if state not in USABLE and not found.since else found.without(account.id)
        if left == found or _STORE.change(key, text, left.text()):
            return


def _restore(accounts: Iterable[_Refused]) -> None:
    """Make connections usable that were blamed, and check them again."""
    now = clock.now()
    for one in accounts:
        with db.writing_session() as database:
            found = stored.find(database, one.tenant_id, one.connection_id, locked=True)
            if found is None or State(found.state) not in {State.NEEDS_PERSON, State.BROKEN}:
                continue
            before = State(found.state)
            found.state = domain.working_state(found.expires_at, now).value
            found.reason, found.updated_at = REASON, now
            database.flush()
            changes.announce(database, one.tenant_id, one.connection_id, before)
            outbox.make_due(database.connection(), CHECK_PREFIX + one.connection_id, now)


def _key(access_point: str) -> str:
    return f"accounts-refused-{access_point}"
