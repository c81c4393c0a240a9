"""Connections: what an access point asks of a tenant's account, and what it finds out about it.

An access point whose network requires an account of each tenant implements `Connected`. The
service stores credentials and state encrypted. It passes them to one call at a time, and replaces
them by those that the outcome has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

from einvoice.domain.environments import Environment
from einvoice.network.types import AccessPoint, Blocked, Envelope, NotSent

MAX_FILE_BYTES = 256 * 1024
MAX_TEXT_LENGTH = 4_000
MAX_KEY_LENGTH = 200  # of a sequence


@dataclass(frozen=True, slots=True)
class Connection:
    """A tenant's account at a network, in one environment.

    account      the tax number that it is for, in capitals and without spaces
    credentials  what the tenant has given, by the names of the fields, and what outcomes have added
                 (tokens); a file is in base64
    state        the access point's own
    """

    id: str
    tenant_id: str
    environment: Environment
    account: str
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    state: Mapping[str, str] = field(default_factory=dict, repr=False)


# -- what a tenant is asked for --------------------------------------------------------------------


class FieldKind(StrEnum):
    """How a field is asked for."""

    TEXT = "text"
    SECRET = "secret"  # noqa: S105 - a kind of field
    FILE = "file"


@dataclass(frozen=True, slots=True)
class ConnectionField:
    """A value that the tenant gives. `max_size`: characters, or bytes of a file."""

    name: str
    label: str
    kind: FieldKind = FieldKind.TEXT
    required: bool = True
    max_size: int = MAX_TEXT_LENGTH
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionForm:
    """The values and steps that an account needs.

    browser      a person authorises it at the network's own site
    check_every  the interval of `check`, 5 minutes to 30 days
    """

    fields: Sequence[ConnectionField] = ()
    browser: bool = False
    account_label: str = "Tax number"
    check_every: timedelta = timedelta(hours=6)


# -- outcomes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """`connection_id` is the id of the connection that was passed: others are not stored.

    `credentials` and `state` replace the stored ones as a whole; None leaves them. A token that the
    network has issued belongs here, whatever else is wrong.
    """

    connection_id: str
    credentials: Mapping[str, str] | None = field(default=None, repr=False)
    state: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Works(_Checked):
    """The account can be used.

    expires_at   when it ends without a person, if it does
    valid_until  until when it works without being renewed, to be shown to people
    """

    expires_at: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsPerson(_Checked):
    """Somebody at the tenant has to act: consent again, or give a new password.

    consent_ended  of a `SharedConsent`: none of the connections that use the consent works
    """

    reason: str
    consent_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(_Checked):
    """The network refuses the account, and new consent does not help."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotChecked:
    """The network did not answer: nothing is known, and nothing changes."""

    reason: str


CheckOutcome = Works | NeedsPerson | Broken | NotChecked


# -- the protocols ---------------------------------------------------------------------------------


@runtime_checkable
class Connected(Protocol):
    """An access point whose network requires an account of each tenant.

    `open` and `check` use the network; they are called in threads that are given up after 30
    seconds, outside of transactions, and never twice at the same time for one connection. An
    exception counts as NotChecked: a token that was issued before it is lost.
    """

    def describe(self) -> ConnectionForm:
        """The form that the tenant fills in. Does not use the network."""
        ...

    def open(self, connection: Connection) -> CheckOutcome:
        """The first check, after the tenant has given or replaced credentials."""
        ...

    def check(self, connection: Connection) -> CheckOutcome:
        """Check the account, and renew what can be renewed without a person."""
        ...


@runtime_checkable
class AuthorisedInBrowser(Connected, Protocol):
    """A network at whose site a person authorises the service (OAuth authorization code)."""

    def authorise_url(self, connection: Connection, state: str, redirect_uri: str) -> str:
        """Where to send the browser. Does not use the network."""
        ...

    def authorised(self, connection: Connection, code: str, redirect_uri: str) -> CheckOutcome:
        """Exchange the code with which the browser came back. Called as `check` is."""
        ...


@runtime_checkable
class SharedConsent(AuthorisedInBrowser, Protocol):
    """A network at which the consent of one person serves several accounts of a tenant.

    The form has no fields: a connection has the credentials of its consent. They are
    stored once, and passed to one call at a time of all the connections that use it. `state` is of
    each connection. An account that the consent does not cover is `NeedsPerson`.
    """

    def withdraw(self, credentials: Mapping[str, str]) -> NotChecked | None:
        """End the consent at the network; None: it has ended, or is unknown there.

        Called after the last connection that used it was removed, as `check` is. NotChecked and
        exceptions are repeated, so it may be called again after it has succeeded.
        """
        ...


@runtime_checkable
class LeavesNetwork(Connected, Protocol):
    """An access point whose network keeps something for an account, such as a web-hook."""

    def leave(self, connection: Connection) -> None:
        """Delete it: the connection has ended, also with its tenant. Since interface 2.

        Called by a worker, with the last credentials and state, which are deleted when it returns.
        An exception is repeated for a day, so it may be called again after it has succeeded.
        """
        ...


# -- sending by a connection -----------------------------------------------------------------------

# Renews the tokens of a connection and returns it as it is stored then. If others than those of the
# given connection are stored, they are returned at once. Otherwise `check` is called with the
# connection, by one caller at a time in all processes, and its outcome is stored. Blocked, NotSent:
# there are no new tokens, to be returned as the outcome of the document.
Renew = Callable[[Connection], Connection | Blocked | NotSent]


@runtime_checkable
class SendsByConnection(Connected, Protocol):
    """An access point that sends each document by the account of its tenant."""

    def bound(self, connection: Connection, renew: Renew) -> AccessPoint:
        """The access point as seen by one account. Does not use the network.

        `prepare`, `submit`, `poll` and `find` are called on it, for documents of this connection
        only. It has the name, environment and capabilities of the access point, and is used for
        one job. `renew` uses the network for up to 40 seconds, which count as time of the call.
        """
        ...


@runtime_checkable
class Serial(SendsByConnection, Protocol):
    """An access point some of whose documents are sent one after the other.

    Of the documents with one key, one at a time is between `prepare` and its final status, in the
    order in which they were accepted. Keys do not block each other.
    """

    def sequence_key(self, envelope: Envelope, connection: Connection) -> str | None:
        """The key of the document, 1 to 200 printable characters; None: it waits for no other.

        Called in the request that sends the document. Pure; the connection has no credentials and
        no state.
        """
        ...


def sending_by_connection(point: object) -> SendsByConnection | None:
    """The access point, if it sends by connections."""
    return (
        cast("SendsByConnection", point) if _sends_by_connection(cast("Any", type(point))) else None
    )


def serial(point: object) -> Serial | None:
    """The access point, if it has documents that are sent one after the other."""
    return cast("Serial", point) if _is_serial(cast("Any", type(point))) else None


# Asked for every send: a check of an object by its protocol takes 15 us.
@cache
def _sends_by_connection(kind: type) -> bool:
    return issubclass(kind, SendsByConnection)


@cache
def _is_serial(kind: type) -> bool:
    return issubclass(kind, Serial)
