"""What must be true of a week, from what went over the wires, compared with the service's answers.

Each entry of the book is a promise that was broken, with the invoice, event or page.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
import requests

from bench.week import alarms
from bench.week.alarms import Alarm
from bench.week.faults import TIME_TO_TELL, TOLD_BY, Happened
from bench.week.lives import Answers, Hook
from bench.week.plan import Form, Kind, Plan, Receiver
from bench.week.town import Town

# The first is of sends, the second of documents submitted at /v1.
ENDS = {
    "Delivered": ("transaction.sent", "invoice.delivered"),
    "Failed": ("transaction.failed",),
}
OF_ENDS = frozenset(kind for kinds in ENDS.values() for kind in kinds)
RECEIPTS = frozenset({"RECEIPT", "AUTHORITY_RECEIPT", "KSEF_RECEIPT"})
TOLD_MINUTES, TOLD_SECONDS = 15.0, 20.0  # of the week; of reality, which processes and scrapes take
# After a fault, until work that waited is done, and rules have seen that it is.
AFTER_MINUTES, AFTER_SECONDS = 30.0, 60.0
# A worker that is killed between a webhook and its commit posts it again (docs/states.md).
POSTED_AGAIN = frozenset({
    Kind.WORKER_KILLED, Kind.DATABASE_AWAY, Kind.REDIS_AWAY, Kind.REDIS_FULL
})  # fmt: skip
THREADS = 4
DATABASE = frozenset({Kind.DATABASE_AWAY})


@dataclass(frozen=True, slots=True)
class Entry:
    """A promise that was broken. `kind`: lost, twice, untold, no fault, 500, seen, sums, late."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """An invoice as the service shows it to its tenant."""

    id: str
    number: str
    status: str
    evidence: frozenset[str]


class Book:
    """The book of a week that is over."""

    def __init__(self, town: Town, answers: Answers, faults: Sequence[Happened]) -> None:
        self._town, self._answers, self._faults = town, answers, faults
        self._plan: Plan = town.plan
        self.found: dict[int, list[Found]] = {}

    def entries(self) -> list[Entry]:
        """All broken promises."""
        self._read()
        parts = (
            self._sends(), self._arrivals(), self._webhooks(), self._answered(), self._isolation(),
            self._sums(), self._logs(), told(self._town, self._faults, self._town.watch.alarms),
        )  # fmt: skip
        return [entry for part in parts for entry in part]

    # -- the service's answers ---------------------------------------------------------------------

    def _read(self) -> None:
        for tenant in self._plan.tenants:
            key = self._town.accounts[tenant.number].key
            with ThreadPoolExecutor(THREADS) as pool:
                listed = list(self._listed(key))
                self.found[tenant.number] = list(pool.map(lambda one: self._one(key, one), listed))  # noqa: B023

    def _get(self, path: str, key: str, **parameters: object) -> requests.Response:
        return requests.get(
            f"{self._town.url}{path}", params=parameters, headers={"x-api-key": key}, timeout=60
        )  # fmt: skip

    def _listed(self, key: str) -> Iterator[dict[str, Any]]:
        given: dict[str, object] = {"limit": 200, "direction": "sent"}
        while True:
            page = self._get("/api/invoices", key, **given).json()
            yield from page["items"]
            if not page["hasMore"]:
                return
            given["cursor"] = page["nextCursor"]

    def _one(self, key: str, listed: dict[str, Any]) -> Found:
        name = listed["invoiceId"]
        kept = self._get(f"/api/invoices/{name}/artefacts", key).json()["items"]
        kinds = frozenset(one["type"] for one in kept)
        return Found(name, listed["number"], listed["networkStatus"], kinds)

    # -- promises ----------------------------------------------------------------------------------

    def _sends(self) -> Iterator[Entry]:
        """Each accepted document has one invoice, one end and its evidence."""
        answers = self._answers
        bad = {one.number for one in self._plan.sends if one.form is Form.BAD}
        planned = {number for one in self._plan.sends for number in one.numbers}
        for number in sorted(bad & answers.accepted.keys()):
            yield Entry("lost", f"{number} has wrong totals and was accepted")
        for number in sorted(planned - answers.accepted.keys() - answers.refused.keys()):
            yield Entry("lost", f"{number} was never answered")
        for number, problem in answers.refused.items():
            if number in bad:
                continue
            yield Entry("lost", f"{number} was refused: {problem[:300]}")
        for number in answers.changed:
            yield Entry("twice", f"{number}: a repetition with the key had another answer")
        numbers = Counter(one.number for found in self.found.values() for one in found)
        for number, times in numbers.items():
            if times > 1:
                yield Entry("twice", f"{number} is {times} invoices")
        for number in sorted(answers.accepted.keys() - numbers.keys()):
            yield Entry("lost", f"{number} was accepted and is no invoice")
        for one in (one for found in self.found.values() for one in found):
            if one.status != "Delivered":
                yield Entry("lost", f"{one.number} ({one.id}) ended as {one.status}")
            elif not one.evidence & RECEIPTS:
                yield Entry("lost", f"{one.number} has no receipt but {sorted(one.evidence)}")

    def _arrivals(self) -> Iterator[Entry]:
        """Each document that was accepted is at its network, once.

        Submitted documents go through the simulator, which keeps no list of what it took.
        """
        simulated = {one.number for one in self._plan.sends if one.form is Form.UBL}
        arrived = self._town.arrived()
        for number, times in arrived.items():
            if times > 1:
                yield Entry("twice", f"{number} is {times} times at its network")
            if number not in self._answers.accepted:
                yield Entry("twice", f"{number} is at its network and was not accepted")
        for number in sorted(self._answers.accepted.keys() - arrived.keys() - simulated):
            yield Entry("lost", f"{number} was accepted and is not at its network")

    def _webhooks(self) -> Iterator[Entry]:
        """Each end has one event, and each event arrived once, or its receiver was closed."""
        by_tenant: dict[int, list[Hook]] = defaultdict(list)
        for hook in self._town.receivers.hooks:
            by_tenant[hook.tenant].append(hook)
        for tenant in self._plan.tenants:
            hooks = by_tenant[tenant.number]
            yield from self._repeated(tenant.number, hooks)
            if tenant.receiver is not Receiver.GONE:
                yield from self._ends(tenant.number, hooks)

    def _repeated(self, tenant: int, hooks: Sequence[Hook]) -> Iterator[Entry]:
        spans = self._spans(POSTED_AGAIN)
        seen: set[str] = set()
        for hook in hooks:
            if hook.event in seen and not _is_in(hook.minute, spans):
                yield Entry("twice", f"the webhook {hook.event} arrived again at tenant {tenant}")
            seen.add(hook.event)

    def _ends(self, tenant: int, hooks: Sequence[Hook]) -> Iterator[Entry]:
        told = defaultdict(set)
        for hook in hooks:
            if hook.invoice and hook.type in OF_ENDS:
                told[hook.invoice].add((hook.event, hook.type))
        own = {one.id for one in self.found[tenant]}
        for invoice in told.keys() - own:
            yield Entry("seen", f"tenant {tenant} was told of {invoice}, which is not its own")
        for one in self.found[tenant]:
            events = told.get(one.id, set())
            kinds = [kind for _, kind in events]
            if one.status in ENDS and not (kinds and set(kinds) <= set(ENDS[one.status])):
                yield Entry("lost", f"{one.number} is {one.status}; its webhooks: {events or 'no'}")
            elif len(kinds) > len(set(kinds)):
                yield Entry("twice", f"{one.number} has {len(events)} events of its end")

    def _answered(self) -> Iterator[Entry]:
        """No page and no call of the API is answered 500."""
        away = self._spans(DATABASE)
        for minute, what, status in self._answers.statuses:
            if status in (500, 429) and not _is_in(minute, away):
                yield Entry("500", f"{what} was answered {status} in minute {minute:.0f}")

    def _isolation(self) -> Iterator[Entry]:
        """An invoice of one tenant is not found with the key of the next one."""
        tenants = self._plan.tenants
        for tenant in tenants:
            other = tenants[(tenant.number + 1) % len(tenants)]
            key = self._town.accounts[other.number].key
            for one in self.found[tenant.number][:3] if other is not tenant else ():
                for path in ("", "/artefacts", "/pdf"):
                    status = self._get(f"/api/invoices/{one.id}{path}", key).status_code
                    if status != 404:
                        yield Entry("seen", f"{one.number}{path}: {status} for {other.name}")

    def _sums(self) -> Iterator[Entry]:
        """Usage is what was accepted; the audit log is whole; no work is left."""
        for tenant in self._plan.tenants:
            account = self._town.accounts[tenant.number]
            answer = requests.get(
                f"{self._town.url}/api/usage",
                headers={"Authorization": f"Bearer {self._town.token(account)}"},
                timeout=60,
            )
            own = sum(one.tenant == tenant.number and number in self._answers.accepted
                      for one in self._plan.sends for number in one.numbers)  # fmt: skip
            if not answer.ok:
                yield Entry("sums", f"usage of {tenant.name}: {answer.text[:200]}")
                continue
            counted = sum(_sent(day) for day in answer.json()["items"])
            if counted != own:
                yield Entry("sums", f"usage of {tenant.name} is {counted}, accepted were {own}")
            for fault in self._town.operator.audit_faults(account.tenant):
                yield Entry("sums", f"audit log of {tenant.name}: {fault}")
        with psycopg.connect(self._town.postgres.url) as connection:
            for kind, count in connection.execute(
                "SELECT kind, count(*) FROM outbox WHERE kind IN ('transmission', 'message')"
                " GROUP BY kind"
            ):
                yield Entry("late", f"{count} rows of {kind} are still in the outbox")

    def _logs(self) -> Iterator[Entry]:
        """No process logs an error, but while something is broken."""
        away, found = spans(self._faults, self._town), Counter[str]()
        for log in sorted(self._town.directory.glob("*.log")):
            for line in log.read_text(errors="replace").splitlines():
                event = _error_of(line)
                if event and not _is_in(self._minute_of(event["timestamp"]), away):
                    found[f"{log.stem}: {event['event']} {event.get('exception', '')[-300:]}"] += 1
        for text, times in found.items():
            yield Entry("error", f"{times} times {text}")

    def _minute_of(self, timestamp: str) -> float:
        moment = self._town.pace.at(datetime.fromisoformat(timestamp))
        return (moment - self._town.began) / timedelta(minutes=1)

    def _spans(self, kinds: Iterable[Kind]) -> list[tuple[float, float]]:
        return spans([one for one in self._faults if one.kind in kinds], self._town)


def _error_of(line: str) -> dict[str, Any] | None:
    """The line of a log if it is one of an error."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    is_one = isinstance(event, dict) and event.get("level") in ("error", "critical")
    return event if is_one else None


def _sent(day: Mapping[str, Any]) -> int:
    return int(day["sent"])


def _is_in(minute: float, found: Sequence[tuple[float, float]]) -> bool:
    return any(begin <= minute <= end for begin, end in found)


def spans(faults: Iterable[Happened], town: Town) -> list[tuple[float, float]]:
    """When faults may be noticed: from their begin until work that waited is done."""
    after = max(AFTER_MINUTES, alarms.real(AFTER_SECONDS, town.pace))
    return [(one.began - 1, (one.ended or town.plan.minutes) + after) for one in faults]


def told(town: Town, faults: Sequence[Happened], fired: Sequence[Alarm]) -> Iterator[Entry]:
    """Each fault is told in time, and no alarm is without one."""
    limit = max(TOLD_MINUTES, alarms.real(TOLD_SECONDS, town.pace))
    for fault in faults:
        names = TOLD_BY[fault.kind]
        until = fault.began + TIME_TO_TELL.get(fault.kind, 0.0) + limit
        alarm = alarms.told_at(fired, names, (fault.began, until))
        if names and alarm is None:
            yield Entry("untold", f"{fault.kind} of minute {fault.began:.0f}")
    noticed = spans(faults, town)
    for alarm in fired:
        if not alarms.within(alarm, noticed):
            yield Entry("no fault", f"{alarm.name} in minute {alarm.began:.0f}")
