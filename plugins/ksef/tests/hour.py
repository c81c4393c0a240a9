"""Sellers who send for an hour, on a clock that moves as fast as the work is done.

The service's part (jobs of 100 documents, polls when they are due, searches after answers that were
lost, delays of a connection) is done by `Seller`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

from einvoice import clock
from einvoice.network.types import (
    Blocked,
    Delivered,
    Envelope,
    Found,
    NeverSeen,
    NotSent,
    Outcome,
    Pending,
    Rejected,
    Unknown,
)
from plugins.ksef.tests import company

JOB = 100  # documents
CALL = timedelta(milliseconds=80)  # that a call takes at least


class MovingClock:
    """The time of the service and of the stand-in; sleeping moves it."""

    def __init__(self) -> None:
        self.begun = self.at = clock.now()

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - self.begun).total_seconds()

    def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@contextmanager
def moving() -> Iterator[MovingClock]:
    """Let the clock be one that moves."""
    made = MovingClock()
    with (
        mock.patch.object(clock, "now", made.now),
        mock.patch.object(clock, "monotonic", made.monotonic),
        mock.patch("time.sleep", made.sleep),
    ):
        yield made


@dataclass
class Document:
    """A document, and what is done with it next: at `due`, by `state`."""

    envelope: Envelope
    due: datetime
    state: Outcome | Found = field(default_factory=NeverSeen)
    attempts: int = 0

    @property
    def is_final(self) -> bool:
        if isinstance(self.state, Delivered):
            return self.state.follow_up is None
        return isinstance(self.state, Rejected | Blocked)

    @property
    def step(self) -> str:
        if isinstance(self.state, Pending | Delivered):
            return "poll"
        return "find" if isinstance(self.state, Unknown) else "submit"


class Seller:
    """A seller with documents that become due one after the other."""

    def __init__(self, bound: Any, documents: list[Document]) -> None:
        self.bound, self.documents = bound, documents
        self.waits_until = clock.now()
        self.outcomes: Counter[str] = Counter()

    @property
    def open(self) -> list[Document]:
        return [each for each in self.documents if not each.is_final]

    def next_due(self) -> datetime | None:
        due = [each.due for each in self.open]
        return max(min(due), self.waits_until) if due else None

    def work(self) -> None:
        """Do what is due: one job of each kind."""
        now = clock.now()
        due = sorted((each for each in self.open if each.due <= now), key=lambda each: each.due)
        for step in ("find", "poll", "submit"):
            some = [each for each in due if each.step == step][:JOB]
            if some and clock.now() >= self.waits_until:
                getattr(self, f"_{step}")(some)

    def _submit(self, some: list[Document]) -> None:
        batch = [(each.envelope, self.bound.prepare(each.envelope)) for each in some]
        for group in self.bound.submit_as_completed(batch):
            for place, outcome in group:
                some[place].attempts += 1
                self._take(some[place], outcome)

    def _poll(self, some: list[Document]) -> None:
        pendings = [
            each.state.follow_up if isinstance(each.state, Delivered) else each.state
            for each in some
        ]
        asked = [(each.envelope, pending) for each, pending in zip(some, pendings, strict=True)]
        for document, outcome in zip(some, self.bound.poll_many(asked), strict=True):
            if isinstance(outcome, NotSent | Unknown):
                document.due = clock.now() + timedelta(seconds=15)
            elif not (isinstance(document.state, Delivered) and isinstance(outcome, Pending)):
                self._take(document, outcome)
            else:
                document.due = outcome.next_poll_at or clock.now()

    def _find(self, some: list[Document]) -> None:
        for each in some:
            self._take(each, self.bound.find(each.envelope, self.bound.prepare(each.envelope)))

    def _take(self, document: Document, outcome: Outcome | Found) -> None:
        self.outcomes[type(outcome).__name__] += 1
        document.state, now = outcome, clock.now()
        match outcome:
            case Pending():
                document.due = outcome.next_poll_at or now
            case Delivered(follow_up=Pending() as later):
                document.due = later.next_poll_at or now
            case NotSent():
                wait = timedelta(seconds=outcome.retry_after or 2.0 ** min(document.attempts, 8))
                document.due = now + wait
                if outcome.retry_after is not None:
                    self.waits_until = max(self.waits_until, now + wait)
            case Unknown():
                document.due = now + timedelta(seconds=outcome.ask_after or 15.0)
            case _:
                document.due = now


def seller(
    point: Any, authority: Any, nip: str, count: int, spread: timedelta = timedelta(0)
) -> Seller:
    """A seller with so many documents, which become due evenly over a time."""
    given = {"token": authority.issue_token(nip)}
    connection = company.connected(point, given, nip=nip, name=f"c-{nip}")
    now, documents = clock.now(), []
    for number in range(count):
        envelope = company.envelope(f"{nip}/{number}", seller=nip)
        documents.append(Document(envelope, now + spread * (number / count)))
    return Seller(company.bound(point, connection), documents)


def run(sellers: list[Seller], moved: MovingClock, most: timedelta) -> timedelta:
    """Work until everything is final or the time is over; the time that it took."""
    begun = moved.at
    while moved.at - begun < most:
        due = [each for each in (one.next_due() for one in sellers) if each is not None]
        if not due:
            break
        moved.at = max(moved.at + CALL, min(due))
        for one in sellers:
            next_due = one.next_due()
            if next_due is not None and next_due <= moved.at:
                one.work()
                moved.at += CALL
    return moved.at - begun
