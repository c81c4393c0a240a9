"""Letters: e-mails to people about what needs them. Which events are of which topic, and when.

>>> topic_of("transaction.failed", {}), topic_of("transaction.sent", {})
(<Topic.FAILED: 'failed'>, None)
>>> topic_of("transaction.delayed", {"dueBy": "2026-11-29T10:00:00Z"})
<Topic.DELAYED: 'delayed'>
>>> topic_of("transaction.delayed", {"dueBy": None})
>>> [str(each) for each in wanted(Role.VIEWER, ["failed", "webhook"])]
['failed', 'delayed']
>>> topic_of("invoice.responded", {"response": {"status": "accepted"}})
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from einvoice.domain import events
from einvoice.domain.roles import Role


class Frequency(StrEnum):
    """When a person gets a letter."""

    NEVER = "never"
    AT_ONCE = "at-once"
    DAILY = "daily"


class Topic(StrEnum):
    """The subjects of letters, in the order in which a letter names them."""

    FAILED = "failed"
    DELAYED = "delayed"
    REJECTED = "rejected"
    CONNECTION = "connection"
    WEBHOOK = "webhook"
    RECEIVED = "received"


# Without the topic of webhooks that are down, which is read from their state.
TYPES: Mapping[str, Topic] = {
    events.TRANSACTION_FAILED: Topic.FAILED,
    events.PERIOD_REPORT_REFUSED: Topic.FAILED,
    events.TRANSACTION_DELAYED: Topic.DELAYED,
    events.INVOICE_RESPONDED: Topic.REJECTED,
    events.CONNECTION_NEEDS_PERSON: Topic.CONNECTION,
    events.MAIL_DOMAIN_LOST: Topic.CONNECTION,
    events.TRANSACTION_RECEIVED: Topic.RECEIVED,
    events.MAIL_WITHOUT_INVOICE: Topic.RECEIVED,
}
# Topics that a person gets who has chosen another one.
_WITH: Mapping[Topic, Topic] = {Topic.DELAYED: Topic.FAILED}
# The least role whose pages show it.
LEAST: Mapping[Topic, Role] = {Topic.CONNECTION: Role.ADMIN, Topic.WEBHOOK: Role.ADMIN}
_REFUSALS = frozenset({"rejected", "undeliverable", "cancelled"})

# A person gets a letter at most so often, whatever happens; what comes later is in the next one.
PAUSE, MAX_A_DAY = timedelta(minutes=15), 12
DAILY_HOUR = 7
WEBHOOK_DOWN_AFTER = timedelta(minutes=30)
# Who has not used the pages for so long gets none: perhaps they have left.
ASLEEP_AFTER = timedelta(days=90)
# How long the mail server may be away until a letter is given up, and the pauses between attempts.
KEPT = timedelta(days=1)
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


def topic_of(event_type: str, payload: Mapping[str, Any]) -> Topic | None:
    """The topic of an event; None for one that needs nobody."""
    topic = TYPES.get(event_type)
    if topic is Topic.REJECTED:
        response = payload.get("response") or {}
        return topic if response.get("status") in _REFUSALS else None
    if topic is Topic.DELAYED:
        return topic if payload.get("dueBy") else None  # a law wants it there
    return topic


def offered(role: Role) -> list[Topic]:
    """The topics that a person of this role may choose."""
    return [
        topic for topic in Topic if topic not in _WITH and role >= LEAST.get(topic, Role.VIEWER)
    ]


def wanted(role: Role, chosen: Collection[str]) -> list[Topic]:
    """The topics of which a person of this role gets letters who has chosen these."""
    may = offered(role)
    return [each for each in Topic if (named := _WITH.get(each, each)) in may and named in chosen]


def next_daily(now: datetime, zone: ZoneInfo) -> datetime:
    """The next DAILY_HOUR in a time zone.

    >>> from datetime import UTC
    >>> next_daily(datetime(2026, 7, 1, 5, 30, tzinfo=UTC), ZoneInfo("Europe/Brussels")).hour
    5
    """
    local = now.astimezone(zone)
    at = local.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
    if at <= local:
        at = (at + timedelta(days=1)).replace(hour=DAILY_HOUR)
    return at.astimezone(now.tzinfo)


def pause_after(attempts: int) -> timedelta:
    """Until the next attempt after so many that reached no mail server."""
    doubled: timedelta = _FIRST_PAUSE * 2 ** min(attempts - 1, 10)
    return min(doubled, _LONGEST_PAUSE)
