"""The promises of a week: what went over the wires, compared with the service's answers.

Each entry of the book is a promise that was broken, with the invoice, event or page.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import cycle, pairwise
from typing import Any

import psycopg
import requests

from bench.week import alarms, bills, writing
from bench.week.alarms import Alarm
from bench.week.bills import Bill
from bench.week.browsing import PERSON, Journey, Person
from bench.week.entries import Entry
from bench.week.faults import LATE_MINUTES, TIME_TO_TELL, TOLD_BY, Happened
from bench.week.foreign import instance_of, refuses
from bench.week.lives import Answers, Hook
from bench.week.operator import NOT_IN_THE_LOG
from bench.week.plan import (
    BY_AS4,
    FIVE_CORNERS,
    Arrival,
    Form,
    Kind,
    Plan,
    Receiver,
    Shape,
    Tenant,
)
from bench.week.post import bounces
from bench.week.suppliers import Received
from bench.week.town import Town
from einvoice import clock

# The first is of sends, the second of documents submitted at /v1.
ENDS = {
    "Delivered": ("transaction.sent", "invoice.delivered"),
    "Failed": ("transaction.failed",),
}
WITHOUT_INVOICE = "mail.withoutInvoice"
OF_ENDS = frozenset(kind for kinds in ENDS.values() for kind in kinds)
# The status "made available" of a French platform may come before the receipt of its flow.
RECEIPTS = frozenset({"RECEIPT", "AUTHORITY_RECEIPT", "KSEF_RECEIPT", "LIFE_CYCLE"})
LATEST_MINUTES = 10.0  # before the end of a fault, of the first document that notices it
TOLD_MINUTES, TOLD_SECONDS = 15.0, 20.0  # of the week; of reality, which processes and scrapes take
# After a fault, until work that waited is done, and rules have seen that it is.
AFTER_MINUTES, AFTER_SECONDS = 30.0, 60.0
# A worker that is killed between a webhook and its commit posts it again (docs/states.md).
POSTED_AGAIN = frozenset({
    Kind.WORKER_KILLED, Kind.DATABASE_AWAY, Kind.DATABASE_RESTARTED, Kind.DATABASE_READ_ONLY,
    Kind.REDIS_AWAY, Kind.REDIS_FULL
})  # fmt: skip
# Documents that go through the simulator, which keeps no list of what it took.
SIMULATED = frozenset({Form.UBL, Form.CII, Form.FACTUR_X, Form.ANSWERED})
TAKEN = frozenset({"AB", "AP"})  # Message Level Statuses of documents that are bills
REPORTS = 2  # of an invoice, to the tax office: of the seller's and of the buyer's access point
THREADS = 4
DISABLED = "EinvoiceWebhookEndpointsDisabled"
DATABASE = frozenset({Kind.DATABASE_AWAY})
# Who cannot log in asks without credentials, and people here come from one address.
WITHOUT_LOGIN = frozenset({Kind.DATABASE_AWAY, Kind.DATABASE_READ_ONLY})


@dataclass(frozen=True, slots=True)
class Found:
    """An invoice as the service shows it to its tenant."""

    id: str
    number: str
    status: str
    evidence: frozenset[str]
    response: str | None = None
    failure: str | None = None


class Book:
    """The book of a week that is over."""

    def __init__(
        self,
        town: Town,
        answers: Answers,
        received: Received,
        imported: Mapping[int, set[str]],
        persons: Sequence[Person],
        faults: Sequence[Happened],
    ) -> None:
        self._town, self._answers, self._received = town, answers, received
        self._imported, self._persons, self._faults = imported, persons, faults
        self._written = {number: tenant for one in persons
                         for number, tenant in one.written.items()}  # fmt: skip
        self._plan: Plan = town.plan
        self._local, self._hosts = threading.local(), cycle(town.urls)
        self._bounced = {one.number for one in self._plan.sends
                         if one.form is Form.MAIL and bounces(one.number)}  # fmt: skip
        self._undecided: frozenset[str] = frozenset()
        self.found: dict[int, list[Found]] = {}
        self.bills: dict[int, list[Bill]] = {}

    def entries(self) -> list[Entry]:
        """All broken promises. A page that the book cannot write is one too."""
        self._read()
        pages = (
            self._sends, self._warned, self._responses, self._arrivals, self._webhooks,
            self._answered, self._isolation, self._sums, self._logs, self._bills, self._reports,
            self._statuses, self._exchanges, self._period_reports, self._customers,
            self._journeys, self._told,
        )  # fmt: skip
        found = list[Entry]()
        for page in pages:
            try:
                found.extend(page())
            except Exception:  # noqa: BLE001 - a week is not lost for a page of its book
                words = traceback.format_exc(limit=-3)
                found.append(Entry("book", f"{page.__name__}: {words[-600:]}"))
        return found

    def _bills(self) -> Iterator[Entry]:
        """Each document that arrived is the bill that it has to be, those of Peppol too."""
        return bills.entries(self._plan, self._received, self.bills, self._of_five_corners())

    def _of_five_corners(self) -> dict[int, list[str]]:
        """The numbers of what tenants have sent over Peppol to themselves, by tenant."""
        own = [one.number for one in self._plan.tenants if one.shape in FIVE_CORNERS]
        return {
            each: [one.number for one in self._plan.sends
                   if one.tenant == each and one.number in self._answers.accepted]
            for each in own
        }  # fmt: skip

    def _to_themselves(self) -> list[str]:
        return [number for numbers in self._of_five_corners().values() for number in numbers]

    def _reports(self) -> Iterator[Entry]:
        """Each invoice over Peppol has the reports of both its access points, once."""
        book = self._town.networks.reports()
        for number in self._to_themselves():
            lines = [line for line in book if f" {number}  of " in line]
            accepted = [line for line in lines if line.endswith("accepted")]
            if len(accepted) != REPORTS:
                kind = "lost" if len(accepted) < REPORTS else "twice"
                yield Entry(kind, f"{number} has {len(accepted)} reports, not {REPORTS}: {lines}")
            for line in lines:
                if line not in accepted:
                    yield Entry("twice", f"a report was refused: {line[:300]}")

    def _statuses(self) -> Iterator[Entry]:
        """Each document of the foreign access point has one Message Level Status, and is taken."""
        found = self._town.networks.abroad.kept.statuses
        for one in self._plan.incoming:
            if one.kind not in (*BY_AS4, Arrival.AS4_LARGE):
                continue
            if one.number in self._received.taken:
                codes = [code for code, _ in found[instance_of(one)]]
                if len(codes) != len(one.bills) or not set(codes) <= TAKEN:
                    yield Entry("lost", f"{one.number} ({one.kind}) has the statuses {codes}")

    def _told(self) -> Iterator[Entry]:
        fired = self._town.watch.alarms
        return told(self._town, self._faults, fired, self._answers.accepted_in)

    # -- the service's answers ---------------------------------------------------------------------

    def _read(self) -> None:
        self._undecided = self._town.operator.undecided()
        for tenant in self._programs():
            headers = self._town.accounts[tenant.number].headers
            with ThreadPoolExecutor(THREADS) as pool:
                sent = pool.map(partial(self._one, headers), self._listed(headers, "sent"))
                received = pool.map(partial(self._bill, headers), self._listed(headers, "received"))
                self.found[tenant.number] = list(sent)
                self.bills[tenant.number] = list(received)

    def _programs(self) -> list[Tenant]:
        """The tenants that have documents."""
        return [one for one in self._plan.tenants if one.shape is not Shape.PLATFORM]

    def _get(self, path: str, headers: Mapping[str, str], **given: object) -> requests.Response:
        query: Any = given
        if not hasattr(self._local, "http"):  # for each thread a connection, to one of the hosts
            self._local.http, self._local.host = requests.Session(), next(self._hosts)
        http: requests.Session = self._local.http
        url = f"{self._local.host}{path}"
        return http.get(url, params=query, headers=dict(headers), timeout=60)

    def _listed(self, headers: Mapping[str, str], direction: str) -> Iterator[dict[str, Any]]:
        given: dict[str, object] = {"limit": 200, "direction": direction}
        while True:
            page = self._get("/api/invoices", headers, **given).json()
            yield from page["items"]
            if not page["hasMore"]:
                return
            given["cursor"] = page["nextCursor"]

    def _one(self, headers: Mapping[str, str], listed: dict[str, Any]) -> Found:
        name, response = listed["invoiceId"], listed["response"]
        kept = self._get(f"/api/invoices/{name}/artefacts", headers).json()["items"]
        kinds = frozenset(one["type"] for one in kept)
        said = response and response["status"]
        status, failure = listed["networkStatus"], listed["failureReason"]
        return Found(name, listed["number"], status, kinds, said, failure)

    def _bill(self, headers: Mapping[str, str], listed: dict[str, Any]) -> Bill:
        found = self._get(f"/api/invoices/{listed['invoiceId']}", headers).json()
        codes = frozenset(one["code"] for one in found["warnings"])
        response = found["response"] or {}
        said = response.get("responseCode"), response.get("status")
        return Bill(found["invoiceId"], found["number"], found["trafficLight"], codes, *said)

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
        for found in self.found.values():
            yield from settled(found, self._bounced, self._undecided)

    def _warned(self) -> Iterator[Entry]:
        """Who sends what the announced release of the rules refuses is told so, and nobody else."""
        announced = {one.number for one in self._plan.sends if one.form is Form.ANNOUNCED}
        for number in sorted(announced & self._answers.accepted.keys() - self._answers.warned):
            yield Entry("untold", f"{number} was not warned of the announced release")
        for number in sorted(self._answers.warned - announced):
            yield Entry("untold", f"{number} was warned of an announced release")

    def _of_shape(self, *shapes: Shape) -> set[int]:
        return {one.number for one in self._plan.tenants if one.shape in shapes}

    def _period_reports(self) -> Iterator[Entry]:
        """The reports of French sales to consumers (flux 10) count each of them once."""
        for tenant in self._of_shape(Shape.FRENCH):
            wanted = sum(
                one.tenant == tenant and one.number in self._answers.accepted
                for one in self._plan.sends if one.form is Form.CONSUMER
            )  # fmt: skip
            headers = self._town.accounts[tenant].headers
            listed = self._get("/api/period-reports", headers, limit=200).json()["items"]
            newest = {}
            for one in listed:
                newest.setdefault((one["kind"], one["start"]), one)
            counted = sum(one["documents"] for one in newest.values() if one["kind"] == "sales")
            left = [each for one in newest.values() for each in one["leftOut"]]
            if counted != wanted or left:
                yield Entry(
                    "sums",
                    f"the e-reports of France have {counted} sales, not {wanted}: {left[:3]}",
                )

    def _exchanges(self) -> Iterator[Entry]:
        """The monthly reports of Peppol count each invoice once. One that could not be recorded is
        in the log, with all that the reports need."""
        tenants = {one.number: one.shape for one in self._plan.tenants}
        arrived = sum(len(self.bills[each]) for each in self._of_shape(Shape.TRADER))
        sent = sum(tenants[one.tenant] is Shape.TRADER and one.number in self._answers.accepted
                   for one in self._plan.sends)  # fmt: skip
        own = len(self._to_themselves())
        found = self._town.operator.exchanges((self._town.began, clock.now()))
        logged = self._logged_exchanges()
        for direction, wanted in (("sent", sent + own), ("received", arrived + own)):
            if not found[direction] <= wanted <= found[direction] + logged:
                words = f"{found[direction]} {direction} invoices and the log {logged}"
                yield Entry("sums", f"the reports of Peppol have {words}; it is {wanted}")

    def _logged_exchanges(self) -> int:
        return sum(
            len(event.get("items", ()))
            for log in self._town.directory.glob("*.log")
            for line in log.read_text(errors="replace").splitlines()
            if (event := _error_of(line)) and event["event"] == "exchanges not recorded"
        )

    def _responses(self) -> Iterator[Entry]:
        """Each invoice has the response of its buyer, the report of a mail that came back, or the
        Message Level Status of a foreign access point."""
        wanted = {one.number: writing.RESPONDERS[writing.responder(one.number)]
                  for one in self._plan.sends if one.form is Form.ANSWERED}  # fmt: skip
        wanted |= dict.fromkeys(self._bounced, "undeliverable")
        abroad = self._of_shape(Shape.TRADER)
        wanted |= {one.number: "undeliverable" if refuses(one.number) else "received"
                   for one in self._plan.sends if one.tenant in abroad}  # fmt: skip
        for one in (one for found in self.found.values() for one in found):
            is_wrong = one.number in wanted and one.response != wanted[one.number]
            if is_wrong and one.status == "Delivered":
                said = f"{one.response}, not {wanted[one.number]}"
                yield Entry("lost", f"the response to {one.number} is {said}")

    def _customers(self) -> Iterator[Entry]:
        """Each imported customer is there, once."""
        for tenant, names in self._imported.items():
            token = self._town.token(self._town.accounts[tenant])
            file = self._get("/api/customers/export", {"Authorization": f"Bearer {token}"}).text
            found = Counter(line.split(",")[0] for line in file.splitlines())
            for name in sorted(names):
                if found[name] != 1:
                    yield Entry("lost", f"the customer {name} is there {found[name]} times")

    def _journeys(self) -> Iterator[Entry]:
        """A person in a browser gets done what the service takes."""
        done = [each for person in self._persons for each in person.journeys]
        yield from journeys(done, spans(self._faults, self._town))

    def _arrivals(self) -> Iterator[Entry]:
        """Each document that was accepted is at its network, once; but for one that a person has to
        decide, or has settled as lost on the way."""
        found = [one for each in self.found.values() for one in each]
        undecided = {one.number for one in found if one.id in self._undecided}
        given_up = {one.number for one in found if one.failure == NOT_IN_THE_LOG}
        simulated = {one.number for one in self._plan.sends if one.form in SIMULATED}
        simulated |= self._written.keys() | set(self._to_themselves()) | undecided | given_up
        arrived = self._town.arrived()
        for number in sorted(given_up & arrived.keys()):
            yield Entry("twice", f"{number} was settled as lost and is at its network")
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
                own = self._of(tenant)
                yield from self._ends(tenant, hooks, own)
                yield from self._told_of_bills(tenant, hooks)
                yield from self._told_of_letters(tenant, hooks)

    def _of(self, tenant: Tenant) -> list[Found]:
        """The invoices of a tenant, or of all tenants of a platform."""
        return [one for each in self._numbers(tenant) for one in self.found[each]]

    def _numbers(self, tenant: Tenant) -> list[int]:
        if tenant.shape is not Shape.PLATFORM:
            return [tenant.number]
        return [one.number for one in self._plan.tenants if one.platform == tenant.number]

    def _told_of_bills(self, tenant: Tenant, hooks: Sequence[Hook]) -> Iterator[Entry]:
        """Each bill has one event of its arrival, each response one of its end."""
        own = [one for each in self._numbers(tenant) for one in self.bills[each]]
        for kind, wanted in (
            ("transaction.received", {one.id for one in own}),
            ("response.sent", {one.id for one in own if one.code}),
            ("invoice.responded", {one.id for one in self._of(tenant) if one.response}),
        ):
            events = {(hook.event, hook.invoice or "") for hook in hooks if hook.type == kind}
            told = Counter(invoice for _, invoice in events)
            for invoice in wanted - told.keys():
                yield Entry("lost", f"{tenant.name} was not told {kind} of {invoice}")
            for invoice in told.keys() - wanted:
                yield Entry("seen", f"{tenant.name} was told {kind} of {invoice}")
            for invoice, times in told.items():
                if times > 1 and kind != "invoice.responded":
                    yield Entry("twice", f"{tenant.name}: {times} events {kind} of {invoice}")

    def _told_of_letters(self, tenant: Tenant, hooks: Sequence[Hook]) -> Iterator[Entry]:
        """Each mail without an invoice has one event, which names its subject."""
        letters = {one.number for one in self._plan.incoming
                   if one.kind is Arrival.LETTER and one.tenant == tenant.number}  # fmt: skip
        events = {(hook.event, hook.subject) for hook in hooks if hook.type == WITHOUT_INVOICE}
        told = Counter(subject for _, subject in events)
        for number in letters & self._received.taken.keys() - told.keys():
            yield Entry("untold", f"{tenant.name} was not told of the mail {number}")
        for subject, times in told.items():
            if times > 1 or subject not in letters:
                yield Entry("twice", f"{tenant.name}: {times} events of the mail {subject}")

    def _repeated(self, tenant: int, hooks: Sequence[Hook]) -> Iterator[Entry]:
        seen, repeating = set[str](), posted_again(self._faults, self._town)
        for hook in hooks:
            if hook.event in seen and not is_in(hook.minute, repeating):
                words = f"in minute {hook.minute:.0f} at tenant {tenant}"
                yield Entry("twice", f"the webhook {hook.event} arrived again {words}")
            seen.add(hook.event)

    def _ends(self, tenant: Tenant, hooks: Sequence[Hook], own: Sequence[Found]) -> Iterator[Entry]:
        told = defaultdict(set)
        for hook in hooks:
            if hook.invoice and hook.type in OF_ENDS:
                told[hook.invoice].add((hook.event, hook.type))
        for invoice in told.keys() - {one.id for one in own}:
            yield Entry("seen", f"{tenant.name} was told of {invoice}, which is not its own")
        for one in own:
            events = told.get(one.id, set())
            kinds = [kind for _, kind in events]
            if one.status in ENDS and not (kinds and set(kinds) <= set(ENDS[one.status])):
                yield Entry("lost", f"{one.number} is {one.status}; its webhooks: {events or 'no'}")
            elif len(kinds) > len(set(kinds)):
                yield Entry("twice", f"{one.number} has {len(events)} events of its end")

    def _answered(self) -> Iterator[Entry]:
        """No page and no call of the API is answered 500, or 429 where people can log in."""
        allowed = {500: self._spans(DATABASE), 429: self._spans(WITHOUT_LOGIN)}
        found = defaultdict[tuple[str, int], list[float]](list)
        for minute, what, status in self._answers.statuses:
            if status in allowed and not is_in(minute, allowed[status]):
                found[what, status].append(minute)
        for (what, status), minutes in found.items():
            when = f"minutes {min(minutes):.0f} to {max(minutes):.0f}"
            yield Entry("500", f"{what} was answered {status} {len(minutes)} times in {when}")

    def _isolation(self) -> Iterator[Entry]:
        """A document of one tenant is not found with the credential of another one."""
        for tenant, other in pairwise([*self._programs(), self._programs()[0]]):
            headers = self._town.accounts[other.number].headers
            ids = [
                one.id for one in (*self.found[tenant.number][:3], *self.bills[tenant.number][:2])
            ]
            for one in ids if other is not tenant else ():
                for path in ("", "/artefacts", "/pdf", "/content"):
                    status = self._get(f"/api/invoices/{one}{path}", headers).status_code
                    if status != 404:
                        words = f"{one}{path} of {tenant.name}: {status} for {other.name}"
                        yield Entry("seen", words)

    def _sums(self) -> Iterator[Entry]:
        """Usage is what was accepted and received; audit logs are whole; no work is left."""
        for tenant in self._plan.tenants:
            account = self._town.accounts[tenant.number]
            for fault in self._town.operator.audit_faults(account.tenant):
                yield Entry("sums", f"audit log of {tenant.name}: {fault}")
        for tenant in self._programs():
            yield from self._usage(tenant)
        with psycopg.connect(self._town.postgres.url) as connection:
            for row in connection.execute(
                "SELECT t.id, o.lane, t.access_point, t.status, t.phase, t.created_at, o.due_at"
                " FROM outbox o LEFT JOIN transmissions t ON t.id = o.subject_id"
                " WHERE o.kind IN ('transmission', 'message') ORDER BY o.id LIMIT 20"
            ):
                yield Entry("late", f"still in the outbox: {', '.join(map(str, row))}")

    def _usage(self, tenant: Tenant) -> Iterator[Entry]:
        token = self._town.token(self._town.accounts[tenant.number])
        answer = self._get("/api/usage", {"Authorization": f"Bearer {token}"})
        if not answer.ok:
            yield Entry("sums", f"usage of {tenant.name}: {answer.text[:200]}")
            return
        days = answer.json()["items"]
        accepted = self._answers.accepted
        own = {
            "sent": sum(one.tenant == tenant.number and number in accepted
                        for one in self._plan.sends for number in one.numbers)
                    # Of a person, also where the answer did not reach the browser in time.
                    + sum(one.number.startswith(PERSON) for one in self.found[tenant.number]),
            "received": len(self.bills[tenant.number]),
        }  # fmt: skip
        for name, wanted in own.items():
            counted = sum(int(day[name]) for day in days)
            if counted != wanted:
                words = f"usage of {tenant.name} has {counted} {name}, and it is {wanted}"
                yield Entry("sums", words)

    def _logs(self) -> Iterator[Entry]:
        """No process logs an error, but while something is broken."""
        away, found = spans(self._faults, self._town), Counter[str]()
        for log in sorted(self._town.directory.glob("*.log")):
            for line in log.read_text(errors="replace").splitlines():
                event = _error_of(line)
                if event and not is_in(self._minute_of(event["timestamp"]), away):
                    found[f"{log.stem}: {event['event']} {event.get('exception', '')[-300:]}"] += 1
        for text, times in found.items():
            yield Entry("error", f"{times} times {text}")

    def _minute_of(self, timestamp: str) -> float:
        moment = self._town.pace.at(datetime.fromisoformat(timestamp))
        return (moment - self._town.began) / timedelta(minutes=1)

    def _spans(self, kinds: Iterable[Kind]) -> list[tuple[float, float]]:
        return spans([one for one in self._faults if one.kind in kinds], self._town)


def settled(
    found: Iterable[Found], bounced: Container[str], undecided: Container[str]
) -> Iterator[Entry]:
    """Each is Delivered, with a receipt, or its operator found that its mail was lost on the way.

    bounced    numbers of mails that came back: Failed, if that was before their outcome was known
    undecided  ids of invoices that an operator has to decide, and is told of
    """
    for one in found:
        if one.status == "Failed" and (one.number in bounced or one.failure == NOT_IN_THE_LOG):
            continue
        if one.status != "Delivered":
            kind = "person" if one.id in undecided else "lost"
            why = one.failure or "no reason"
            yield Entry(kind, f"{one.number} ({one.id}) ended as {one.status}: {why}")
        elif not one.evidence & RECEIPTS:
            yield Entry("lost", f"{one.number} has no receipt but {sorted(one.evidence)}")


def journeys(done: Iterable[Journey], away: Sequence[tuple[float, float]]) -> Iterator[Entry]:
    """Each went well, but those during which something was broken.

    away    when that was, as (begin, end) in minutes
    """
    for one in done:
        if one.fault and not meets(one.began, one.ended, away):
            words = f"{one.what} in minutes {one.began:.0f} to {one.ended:.0f}: {one.fault}"
            yield Entry("page", words)


def _error_of(line: str) -> dict[str, Any] | None:
    """The line of a log if it is one of an error."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    is_one = isinstance(event, dict) and event.get("level") in ("error", "critical")
    return event if is_one else None


def meets(began: float, ended: float, found: Iterable[tuple[float, float]]) -> bool:
    """Whether some of the time between two minutes is in one of the spans."""
    return any(began <= end and begin <= ended for begin, end in found)


def is_in(minute: float, found: Iterable[tuple[float, float]]) -> bool:
    """Whether the minute is in one of the spans."""
    return meets(minute, minute, found)


def spans(
    faults: Iterable[Happened], town: Town, seconds: float = AFTER_SECONDS
) -> list[tuple[float, float]]:
    """When faults may be noticed: from their begin until work that waited is done, for at least
    so many seconds of reality."""
    after = max(AFTER_MINUTES, alarms.real(seconds, town.pace))
    return [(one.began - 1, (one.ended or town.plan.minutes) + after) for one in faults]


def has_gone(plan: Plan) -> bool:
    """Whether a receiver of webhooks ends for good, which operators are told at any time."""
    return any(one.receiver is Receiver.GONE for one in plan.tenants)


def posted_again(faults: Iterable[Happened], town: Town) -> list[tuple[float, float]]:
    """When a webhook may be posted again: its lease ends after a fault, and so does the wait for
    workers, which is over when all is well."""
    posting = [one for one in faults if one.kind in POSTED_AGAIN]
    until_well = [(one.began, one.well or town.plan.minutes) for one in posting]
    return [*spans(posting, town), *until_well]


def is_noticed(plan: Plan, fault: Happened, accepted: Mapping[str, float]) -> bool:
    """Whether a document could notice the fault in time (docs/week.md, Time): one that was accepted
    early enough, and, of a network that is away, one that is late before the fault ends.

    accepted  in which minutes documents were, by their numbers
    """
    if fault.kind in TIME_TO_TELL and fault.oldest < LATE_MINUTES:
        return False
    ended = fault.ended or plan.minutes
    latest = ended - TIME_TO_TELL.get(fault.kind, 0.0) - LATEST_MINUTES
    return plan.has_sends(fault.kind, fault.began, latest, accepted)


def told(
    town: Town,
    faults: Sequence[Happened],
    fired: Sequence[Alarm],
    accepted: Mapping[str, float],
) -> Iterator[Entry]:
    """Each fault is told in time, and no alarm is without one; `accepted` as of `is_noticed`."""
    limit = max(TOLD_MINUTES, alarms.real(TOLD_SECONDS, town.pace))
    for fault in faults:
        names = TOLD_BY[fault.kind]
        if fault.kind is Kind.DISK_FULL and not town.disk.is_small:
            continue
        wait = TIME_TO_TELL.get(fault.kind, 0.0)
        alarm = alarms.told_at(fired, names, (fault.began, fault.began + wait + limit))
        if names and alarm is None and is_noticed(town.plan, fault, accepted):
            yield Entry("untold", f"{fault.kind} of minute {fault.began:.0f}")
    for alarm in fired:
        if alarm.name == DISABLED and has_gone(town.plan):
            continue
        if alarm.began > town.plan.minutes:  # the operator has gone home
            continue
        seconds = alarms.LINGERS.get(alarm.name, AFTER_SECONDS)
        if not is_in(alarm.began, spans(faults, town, seconds)):
            yield Entry("no fault", f"{alarm.name} in minute {alarm.began:.0f}")
