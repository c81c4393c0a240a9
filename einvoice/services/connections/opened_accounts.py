"""Sending by a connection: opening it in a worker, and what its access point finds out meanwhile.

Secrets are opened here, for one job, and are in no row, log or event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection as DatabaseConnection

from einvoice import clock
from einvoice.domain.connections import USABLE, State
from einvoice.domain.errors import Conflict, NotFound, TooBusy
from einvoice.network.connections import Connection, SendsByConnection
from einvoice.network.types import AccessPoint, Blocked, NotSent
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.connections import changes, checks, network_faults, sealing
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import SealedConnection
from einvoice.store.core import db

log = logging.get(__name__)

# The longest that a throttled document delays the others of its connection.
MAX_THROTTLE = timedelta(hours=1)
_BUSY_SECONDS = 5.0
_REVOKED = "The connection is revoked."


@dataclass(slots=True)
class Account:
    """A connection as one job uses it.

    state            as it was read, or as the job has changed it
    throttled_until  until when the network takes nothing from the account
    """

    id: str
    runtime: Runtime = field(repr=False)
    point: SendsByConnection = field(repr=False)
    state: State = State.REVOKED
    throttled_until: datetime | None = None
    _sealed: SealedConnection | None = field(default=None, repr=False)
    _connection: Connection | None = field(default=None, repr=False)
    _has_changed: bool = False

    @property
    def is_usable(self) -> bool:
        return self.state in USABLE

    @property
    def is_throttled(self) -> bool:
        return self.throttled_until is not None and self.throttled_until > clock.now()

    def bound(self) -> AccessPoint:
        """The access point as seen by this account, which is usable."""
        return self.point.bound(self._opened(), self.renew)

    def _opened(self) -> Connection:
        if self._connection is None:
            raise LookupError(f"the connection {self.id} is not open")
        return self._connection

    # -- the state that documents leave ------------------------------------------------------------

    def current(self, point: AccessPoint) -> AccessPoint:
        """The access point with the newest state; `point` if the state has not changed."""
        return self.bound() if self._has_changed else point

    def bound_with(self, state: Mapping[str, str]) -> AccessPoint:
        """The access point as seen by the account in another state."""
        return self.point.bound(replace(self._opened(), state=state), self.renew)

    def store_state(self, connection: DatabaseConnection, state: Mapping[str, str]) -> bool:
        """Store the state in the caller's transaction; False if another one was stored meanwhile.

        Raises TooMuchToSeal.
        """
        if self._sealed is None:
            return False
        value = sealing.sealed(self.id, "plugin_state", state, self.runtime.settings)
        return stored.change_state(connection, self._sealed, value)

    def state_stored(self, state: Mapping[str, str]) -> None:
        """The transaction of `store_state` was committed."""
        if self._sealed is not None:
            version = (self._sealed.state_version or 0) + 1
            self._sealed = replace(self._sealed, state_version=version)
            self._connection = replace(self._opened(), state=state)
            self._has_changed = True

    def renew(self, seen: Connection) -> Connection | Blocked | NotSent:
        """The connection with other credentials than `seen`, renewed if they are stored still.

        Called by access points, in any thread.
        """
        with self.runtime.context():
            return self._renewed(seen)

    def _renewed(self, seen: Connection) -> Connection | Blocked | NotSent:
        try:
            found = checks.find(seen.tenant_id, self.id)
            after = checks.run(found, self.point.check, self.runtime, seen=seen)
        except TooBusy:
            return NotSent("another call has the connection", retry_after=_BUSY_SECONDS)
        except (NotFound, Conflict):
            return Blocked(_REVOKED)
        if State(after.state) not in USABLE:
            return Blocked(after.reason or _REVOKED)
        self.read()
        if self._connection is None:
            return Blocked(checks.UNREADABLE)
        if self._connection.credentials == seen.credentials and after.reason is not None:
            return NotSent(after.reason)
        return self._connection

    def block(self, reason: str) -> None:
        """Require a person, unless the credentials have been replaced since they were opened.

        The documents of the connection that no worker holds are parked.
        """
        if self._sealed is None or not self.is_usable:
            return
        if network_faults.is_of_network(self._sealed, self.state):
            self.throttle(network_faults.PAUSE.total_seconds())
            return
        secrets = self._connection.credentials if self._connection else {}
        with db.writing_session() as database:
            found = stored.find(database, self._sealed.tenant_id, self.id, locked=True)
            if found is None or not stored.has_credentials_of(database, found, self._sealed):
                return
            before = State(found.state)
            if before in USABLE:
                found.state = State.NEEDS_PERSON.value
                found.reason = checks.shown(reason, secrets)
                found.updated_at = clock.now()
                database.flush()
                changes.announce(database, found.tenant_id, self.id, before)
            self.state = State(found.state)

    def throttle(self, seconds: float) -> None:
        """Let all documents of the connection wait."""
        delay = min(timedelta(seconds=max(0.0, seconds)), MAX_THROTTLE)
        self.throttled_until = clock.now() + delay
        stored.throttle(self.id, self.throttled_until)

    def read(self) -> None:
        """Read and open the connection. One that cannot be opened requires a person."""
        self._has_changed = self._sealed is not None
        sealed = self._sealed = stored.for_sending(self.id)
        if sealed is None:
            return
        self.state, self.throttled_until = State(sealed.state), sealed.throttled_until
        if not self.is_usable:
            return
        try:
            self._connection = sealing.opened(sealed, self.runtime.settings)
        except SealBroken as fault:
            log.error("connection cannot be opened", connection=self.id, fault=str(fault))
            self._connection = None
            self.block(checks.UNREADABLE)


def opened(connection_id: str, point: SendsByConnection, runtime: Runtime) -> Account:
    """The account of a stored connection, in any state."""
    account = Account(connection_id, runtime, point)
    account.read()
    return account
