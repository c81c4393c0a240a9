"""A week is lived: sends, visits and faults of the plan, each at its minute."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from bench.week.accounts import Account
from bench.week.alarms import real
from bench.week.book import Book, is_in, spans
from bench.week.browsing import Person
from bench.week.diary import Diary, Sample, percentile
from bench.week.duties import Duties
from bench.week.faults import TOLD_BY, Breaker, Happened
from bench.week.lives import Clients, People
from bench.week.plan import PAUSE, QUIET_END, Plan, Shape
from bench.week.suppliers import Suppliers
from bench.week.town import Town, living
from einvoice import clock

# Who writes in a browser.
AT_PAGES = frozenset({Shape.BOOKKEEPER, Shape.SHOP, Shape.PUBLIC})
# Alerts that stay until a person of a tenant acts, or the doctor runs again.
STANDING = frozenset({
    "EinvoiceDoctorSerious", "EinvoiceDoctorStopped",
    "EinvoiceBackupOld", "EinvoiceRestoreCheckOld",
})  # fmt: skip
PERSONS = ("a", "b", "c")  # in browsers at a time
STEP_SECONDS = 0.05
SETTLE_SECONDS = 240.0
QUIET_SECONDS = 10  # of reality without an alert, before the week begins
MAX_LOG_BYTES = 4_000_000
VISIT_EVERY, DOCTOR_EVERY, SAMPLE_EVERY, IMPORT_EVERY = 6.0, 60.0, 4.0, 45.0  # minutes
JOURNEY_EVERY, ATTEND_EVERY = 40.0, 30.0
# Of reality at least: a person has a budget of pages a minute.
VISIT_SECONDS, IMPORT_SECONDS, JOURNEY_SECONDS = 3.0, 30.0, 45.0
_OPEN = """
SELECT count(*), coalesce(extract(epoch FROM max(%s - t.created_at)) / 60, 0)
FROM outbox o JOIN transmissions t ON t.id = o.subject_id WHERE o.kind = 'transmission'
"""

_SLOWEST = """
SELECT i.number, t.access_point, t.created_at,
       extract(epoch FROM t.settled_at - t.created_at) / 60 AS minutes,
       array_agg(a.started_at ORDER BY a.number), array_agg(a.outcome ORDER BY a.number),
       array_agg(a.detail ORDER BY a.number)
FROM transmissions t JOIN invoices i ON i.id = t.invoice_id
LEFT JOIN attempts a ON a.transmission_id = t.id
WHERE t.settled_at IS NOT NULL GROUP BY i.number, t.id ORDER BY minutes DESC LIMIT 12
"""


@dataclass
class Every:
    """Something that is done every so many minutes, in a thread, one at a time."""

    minutes: float
    run: Callable[[], None]
    due: float = 0.0
    _thread: threading.Thread | None = field(default=None, repr=False)

    def step(self, minute: float) -> None:
        if minute < self.due or (self._thread is not None and self._thread.is_alive()):
            return
        self.due = minute + self.minutes
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join(120)


class Planned(Protocol):
    """Something of the plan, with its minute."""

    @property
    def minute(self) -> float: ...


Thing = TypeVar("Thing", bound=Planned)


class Due(Generic[Thing]):
    """Begins what is planned, each at its minute."""

    def __init__(self, planned: Iterable[Thing], begin: Callable[[Thing], None]) -> None:
        self._planned, self._begin = iter(planned), begin
        self._next = next(self._planned, None)

    def step(self, minute: float) -> None:
        while self._next is not None and self._next.minute <= minute:
            self._begin(self._next)
            self._next = next(self._planned, None)


class Life:
    """One week in a town."""

    def __init__(self, town: Town, say: Callable[[str], None]) -> None:
        self._town, self._say = town, say
        plan = town.plan

        def headers(number: int) -> dict[str, str]:
            return town.accounts[number].headers

        self._clients = Clients(plan, town.urls, headers, town.minute)
        answers = self._clients.answers
        self._suppliers = Suppliers(
            town.url, plan.tenants, headers, town.minute, answers, mail_port=town.mail_port,
            abroad=town.networks.abroad,
        )  # fmt: skip
        self._people = People(town.url, answers, town.minute)
        self._breaker, self._duties = Breaker(town), Duties(town)
        people = [town.accounts[one.number] for one in plan.tenants if one.shape in AT_PAGES]
        every = max(JOURNEY_EVERY, real(JOURNEY_SECONDS, town.pace))
        self._persons = [
            Person(
                name, town.url, people[place :: len(PERSONS)] or people, town.token, town.minute,
                answers.accept, first=every * place / len(PERSONS), every=every,
            )
            for place, name in enumerate(PERSONS)
        ]  # fmt: skip
        self._samples: list[Sample] = []
        self._loads: list[float] = []
        self._doctor: list[dict[str, Any]] = []
        self._settled = 0  # outcomes that nobody knew, by the operator
        self._every = [
            Every(max(VISIT_EVERY, real(VISIT_SECONDS, town.pace)), self._visit),
            Every(max(IMPORT_EVERY, real(IMPORT_SECONDS, town.pace)), self._import),
            Every(SAMPLE_EVERY, self._sample),
            Every(DOCTOR_EVERY, self._ask_doctor),
            Every(ATTEND_EVERY, self._attend),
        ]

    def live(self) -> Diary:
        """Live the plan until its end, and until everything has settled."""
        town, plan = self._town, self._town.plan
        self._quiet()
        town.begin()
        for each in self._every:
            each.due = 0.0
        breaking = threading.Thread(target=self._break, name="faults", daemon=True)
        breaking.start()
        self._duties.start()
        for person in self._persons:
            person.start()
        sends = Due(plan.sends, self._clients.begin)
        incoming = Due(plan.incoming, self._suppliers.begin)
        while (minute := town.minute()) < plan.minutes:
            sends.step(minute)
            incoming.step(minute)
            for each in self._every:
                each.step(minute)
            time.sleep(STEP_SECONDS)
        breaking.join(120)
        self._duties.join()
        for person in self._persons:
            person.stop()
        self._say("the week is over; waiting until all is settled")
        self._clients.join()
        self._suppliers.join()
        self._settle()
        for each in self._every:
            each.join()
        town.watch.stop()
        return self._diary()

    def _quiet(self) -> None:
        """Wait until the doctor has reported, and no alert of the start fires any more: for some
        seconds, as one may be seen before the first scrape, or between two rounds of rules."""
        until, quiet = time.monotonic() + SETTLE_SECONDS, 0
        self._ask_doctor()
        while quiet < QUIET_SECONDS and time.monotonic() < until:
            quiet = quiet + 1 if self._town.watch.is_quiet(STANDING) else 0
            time.sleep(1.0)
        self._town.watch.clear()
        self._samples.clear()

    def _break(self) -> None:
        """The faults of the plan. One that takes longer to break or mend moves the next one."""
        ended = 0.0
        for fault in self._town.plan.faults:
            self._until(max(fault.begins, ended + PAUSE))
            if self._town.minute() + fault.lasts > self._town.plan.minutes - QUIET_END / 2:
                return
            self._say(f"minute {self._town.minute():5.0f}: {fault.kind}")
            happened = self._breaker.begin(fault)
            self._until(happened.began + fault.lasts)
            self._breaker.end(happened)
            ended = self._town.minute()

    def _until(self, minute: float) -> None:
        while (left := minute - self._town.minute()) > 0:
            time.sleep(min(1.0, max(0.01, left * 60 / self._town.plan.rate)))

    def _settle(self) -> None:
        """Wait until no document is open and no alert fires, after a last round of reports."""
        self._report()
        until = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < until:
            for each in self._every:
                each.step(self._town.minute())
            self._attend()
            self._sample()
            last = self._samples[-1:]
            firing = self._town.watch.firing - STANDING
            if last and not last[0].open and not firing and self._is_told():
                return
            time.sleep(1.0)

    def _report(self) -> None:
        """Let the rounds of reports of a period be made now, as an operator may."""
        with psycopg.connect(self._town.postgres.url) as connection:
            connection.execute("UPDATE outbox SET due_at = %s WHERE kind = 'report'", [clock.now()])

    def _is_told(self) -> bool:
        """Whether no webhook waits for a receiver that answers, and no round of reports is due."""
        with psycopg.connect(self._town.postgres.url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM outbox WHERE kind = 'webhook'"
                " OR kind = 'report' AND due_at <= %s", [clock.now()],
            ).fetchone()  # fmt: skip
        return row is not None and not row[0]

    def _visit(self) -> None:
        account = self._account(self._people.visits)
        self._people.visit(account.tenant, lambda: self._town.token(account))

    def _import(self) -> None:
        account = self._account(len(self._people.imported) * 3)
        self._people.import_customers(account.number, lambda: self._town.token(account))

    def _account(self, turn: int) -> Account:
        accounts = list(self._town.accounts.values())
        return accounts[turn % len(accounts)]

    def _ask_doctor(self) -> None:
        minute = self._town.minute()
        with suppress(SQLAlchemyError):  # without a database there is nothing to record it in
            self._doctor.append({"minute": minute, "findings": self._town.operator.doctor()})

    def _attend(self) -> None:
        """`einvoice transmissions attention`: of mails, the log of the mail server decides."""
        with suppress(SQLAlchemyError):
            self._settled += self._town.operator.settle_mails(self._town.networks.post.ids)

    def _sample(self) -> None:
        town = self._town
        try:
            with psycopg.connect(town.postgres.url, connect_timeout=3) as connection:
                row = connection.execute(_OPEN, [clock.now()]).fetchone()
        except psycopg.Error:
            return
        self._loads.append(os.getloadavg()[0])
        minute, (open_, oldest) = town.minute(), row or (0, 0)
        arrived = town.arrived().total()
        sent = len(self._clients.answers.accepted)
        self._samples.append(Sample(minute, sent, arrived, open_, float(oldest)))
        for one in self._breaker.happened:
            if one.ended is None:
                one.oldest = max(one.oldest, float(oldest))
            is_mended = one.ended is not None and minute > one.ended
            if is_mended and one.well is None and (not open_ or oldest < minute - one.ended):
                self._well(one, minute)

    def _well(self, one: Happened, minute: float) -> None:
        """All is well again when the alerts of a fault have ended and what waited is done."""
        if not self._town.watch.firing & set(TOLD_BY[one.kind]):
            one.well = minute

    def _slowest(self) -> list[dict[str, Any]]:
        """The documents that took longest, with what was tried, for the reader of the diary."""
        town = self._town
        with psycopg.connect(town.postgres.url) as connection:
            rows = connection.execute(_SLOWEST).fetchall()
        return [
            {
                "number": number,
                "network": point,
                "accepted": round((at - town.began) / timedelta(minutes=1), 1),
                "minutes": round(float(minutes), 1),
                "attempts": [
                    {"minute": round((begun - town.began) / timedelta(minutes=1), 1),
                     "outcome": outcome, "detail": detail}
                    for begun, outcome, detail in zip(*tried, strict=True)
                    if begun is not None  # settled before an attempt
                ],
            }
            for number, point, at, minutes, *tried in rows
        ]  # fmt: skip

    def _diary(self) -> Diary:
        town, answers = self._town, self._clients.answers
        received = self._suppliers.received
        book = Book(
            town, answers, received, self._people.imported, self._persons, self._breaker.happened
        )
        entries = [*book.entries(), *self._duties.entries]
        for entry in entries[:60]:  # here, since what follows may fail
            self._say(f"{entry.kind}: {entry.text}")
        slowest = self._slowest()
        away = spans(self._breaker.happened, town)
        counts = {
            "planned sends": len(town.plan.sends),
            "accepted": len(answers.accepted),
            "refused": len(answers.refused),
            "repeated requests": answers.repeats,
            **town.networks.counts(),
            "documents that arrived": len(received.taken),
            "responses to bills": len(received.responded),
            "imported customers": sum(map(len, self._people.imported.values())),
            "webhooks": len(town.receivers.hooks),
            "answers of 5xx and 429": dict(Counter(f"{a} {s}" for _, a, s in answers.statuses)),
            "page visits": self._people.visits,
            "journeys in a browser": sum(len(one.journeys) for one in self._persons),
            "outcomes settled by the operator": self._settled,
            "runs of the doctor": len(self._doctor),
            "alerts": len(town.watch.alarms),
            **_waits("sends that wait for an outcome", answers.sent, away),
            **_waits("sends that do not", answers.at_once, away),
            "p99 of minutes from plan to answer": round(percentile(answers.late, 0.99)),
            "load average": round(statistics.fmean(self._loads or [0.0]), 1),
            "minutes that 20 s of reality are": round(real(20, town.pace), 1),
        }
        return Diary(
            town.plan,
            self._samples,
            self._breaker.happened,
            town.watch.alarms,
            entries,
            counts,
            answers.accepted_in,
            self._doctor,
            slowest,
            self._duties.done,
        )


def _waits(
    what: str, answers: Sequence[tuple[float, float]], away: Sequence[tuple[float, float]]
) -> dict[str, int]:
    """Milliseconds that requests took: minute and seconds of each, and the spans of faults."""
    took = {
        what: [seconds for _, seconds in answers],
        f"{what} in fair weather": [one for minute, one in answers if not is_in(minute, away)],
    }
    return {
        f"p{percent} of {which}, ms": round(1000 * percentile(seconds, percent / 100))
        for which, seconds in took.items()
        for percent in (50, 99)
    }


def lived(plan: Plan, say: Callable[[str], None], logs: Path, other: str | None = None) -> Diary:
    """Live a week and keep its diary; the ends of the logs of its processes go into `logs`.

    other  the commit of another release, to which and back the fault `release` goes
    """
    with living(plan, other) as town:
        town.watch.start()
        say(f"{town.url}, 1 minute is {plan.rate:.0f}; {len(plan.sends)} sends, "
            f"{len(plan.faults)} faults; logs: {town.directory}")  # fmt: skip
        try:
            return Life(town, say).live()
        finally:
            _keep(town.directory, logs)


def _keep(directory: Path, logs: Path) -> None:
    """Copy the ends of logs."""
    logs.mkdir(parents=True, exist_ok=True)
    for log in directory.glob("*.log"):
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
            (logs / log.name).write_bytes(file.read())
