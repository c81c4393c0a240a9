"""Connections: the states of a tenant's account at a network (docs/states.md).

>>> compact_account(" ro 123 456 ")
'RO123456'
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

# Days before the end of a connection on which its owner is reminded, ascending.
RENEWAL_WARNINGS = (1, 7, 30)


class State(StrEnum):
    """Whether a connection can be used, and who has to act."""

    SETTING_UP = "setting-up"  # no check has succeeded yet
    ACTIVE = "active"
    RENEWAL_DUE = "renewal-due"  # usable, and ends within 30 days
    NEEDS_PERSON = "needs-person"  # a person of the tenant has to act: consent, a new password
    BROKEN = "broken"  # the network refuses the account
    REVOKED = "revoked"  # final; credentials and plugin state are deleted


# Those at which a person of the tenant has to act.
NEEDING = frozenset({State.SETTING_UP, State.RENEWAL_DUE, State.NEEDS_PERSON, State.BROKEN})

USABLE = frozenset({State.ACTIVE, State.RENEWAL_DUE})
# No document waits for a connection in one of them: it is sent, or settled if that is revoked.
RESUMING = USABLE | {State.REVOKED}

NEXT_STEPS: dict[State, str] = {
    State.SETTING_UP: "Complete the connection: authorise it in the browser, or correct its "
    "credentials.",
    State.ACTIVE: "Nothing to do.",
    State.RENEWAL_DUE: "Authorise the connection again, or replace its credentials, before it "
    "ends.",
    State.NEEDS_PERSON: "Authorise the connection again, or replace its credentials.",
    State.BROKEN: "Correct the credentials or the account at the network, then check the "
    "connection.",
    State.REVOKED: "Add a new connection to use the account again.",
}


def is_restored(before: State, after: State) -> bool:
    """Whether a connection that could not be used any more can be used again."""
    return before in {State.NEEDS_PERSON, State.BROKEN} and after in USABLE


def working_state(expires_at: datetime | None, now: datetime) -> State:
    """The state of a connection that works and ends then."""
    if expires_at is None:
        return State.ACTIVE
    if expires_at <= now:
        return State.NEEDS_PERSON
    return State.ACTIVE if warning(expires_at, now) is None else State.RENEWAL_DUE


def warning(expires_at: datetime, now: datetime) -> int | None:
    """The shortest warning, in days, that covers the remaining time; None if there is none."""
    left = expires_at - now
    if left <= timedelta(0):
        return None
    return next((days for days in RENEWAL_WARNINGS if left <= timedelta(days=days)), None)


def compact_account(text: str) -> str:
    """A tax number in capitals, without spaces."""
    return "".join(text.split()).upper()
