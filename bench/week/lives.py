"""Who lives around the service: programs that send, receivers of webhooks, people at the pages."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import requests

from bench.week import writing
from bench.week.plan import Form, Plan, Receiver, Send, Tenant, Way
from tests.networks.stand_ins import Answer, Handler, StandIn

_SEND = "/api/invoices/send"
_DOCUMENTS = "/v1/invoices"
_PATHS = {
    Form.UBL: _DOCUMENTS, Form.CII: _DOCUMENTS, Form.FACTUR_X: _DOCUMENTS,
    Form.BATCH: "/api/invoices/batch",
}  # fmt: skip
HANDS = 24  # requests at once
ANSWER_SECONDS, IMPATIENT_SECONDS = 20.0, 0.15
REPEAT_SECONDS = 0.5  # between two tries of a client, as minutes are short
GIVEN_UP_SECONDS = 240.0
SLOW_SECONDS = 1.0
AWAY_SECONDS = 20.0  # for which a host that did not answer gets no requests
CUSTOMERS = 150  # of a file
NIGHT_BEGINS, NIGHT_ENDS = 300, 390  # minutes of a day that begins with the working day
PAGES = (
    "/dashboard", "/dashboard/invoices", "/dashboard/bills", "/dashboard/developers/usage",
    "/dashboard/invoices/new", "/dashboard/connections", "/dashboard/customers",
    "/dashboard/check",
)  # fmt: skip


# -- webhook receivers -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook that was answered with 200."""

    tenant: int
    event: str
    type: str
    invoice: str | None
    minute: float
    subject: str = ""  # of a mail


class Receivers(StandIn):
    """The receivers of all tenants: /<number of the tenant>."""

    def __init__(self, tenants: tuple[Tenant, ...]) -> None:
        super().__init__(_Hook)
        self.kinds = {one.number: one.receiver for one in tenants}
        self.lock = threading.Lock()
        self.hooks: list[Hook] = []
        self.requests: Counter[int] = Counter()
        self.minute: Callable[[], float] = lambda: 0.0

    def url(self, tenant: Tenant) -> str:
        return f"{self.origin}/{tenant.number}"

    def status(self, tenant: int) -> int:
        """How the receiver answers this time."""
        with self.lock:
            self.requests[tenant] += 1
            count = self.requests[tenant]
        match self.kinds[tenant]:
            case Receiver.TENTH if count % 10 == 0:
                return 500
            case Receiver.NIGHT if NIGHT_BEGINS <= self.minute() % 1440 < NIGHT_ENDS:
                return 503
            case Receiver.GONE if count > 5:
                return 410
            case Receiver.SLOW:
                time.sleep(SLOW_SECONDS)
        return 200

    def note(self, tenant: int, body: bytes) -> None:
        told = json.loads(body)
        hook = Hook(
            tenant, told["eventId"], told["eventType"], told.get("invoiceId"), self.minute(),
            told.get("subject", ""),
        )  # fmt: skip
        with self.lock:
            self.hooks.append(hook)


class _Hook(Handler):
    server: Receivers

    def call(self) -> None:
        tenant, body = int(self.path.strip("/")), self.received()
        status = self.server.status(tenant)
        if status == 200:
            self.server.note(tenant, body)
        self.send(Answer(status))


# -- programs that send ----------------------------------------------------------------------------


@dataclass
class Answers:
    """The answers of the API and the pages to clients."""

    minute: Callable[[], float]
    lock: threading.Lock = field(default_factory=threading.Lock)
    accepted: dict[str, str] = field(default_factory=dict)  # number → invoice id
    accepted_in: dict[str, float] = field(default_factory=dict)  # number → minute
    refused: dict[str, str] = field(default_factory=dict)  # number → problem
    given_up: set[str] = field(default_factory=set)
    changed: list[str] = field(default_factory=list)  # a repetition had another answer
    statuses: list[tuple[float, str, int]] = field(default_factory=list)  # not 2xx, 404 or 409
    warned: set[str] = field(default_factory=set)  # numbers, of what will be refused
    repeats: int = 0
    sent: list[tuple[float, float]] = field(default_factory=list)  # minute, seconds of the answer
    at_once: list[tuple[float, float]] = field(default_factory=list)  # those that do not wait
    late: list[float] = field(default_factory=list)  # minutes from the plan to the answer

    def accept(self, number: str, invoice: str) -> None:
        with self.lock:
            self.accepted_in.setdefault(number, self.minute())
            if self.accepted.setdefault(number, invoice) != invoice:
                self.changed.append(number)

    def note(self, minute: float, what: str, status: int) -> None:
        if status >= 500 or status == 429:
            with self.lock:
                self.statuses.append((minute, what, status))


class Balancer:
    """As a load balancer does: a host that did not answer gets no requests for some seconds."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls, self._turn = urls, itertools.count()
        self._away: dict[str, float] = {}

    def pick(self) -> str:
        """The address of a host."""
        now, turn = time.monotonic(), next(self._turn)
        found = [url for url in self._urls if self._away.get(url, 0.0) <= now] or self._urls
        return found[turn % len(found)]

    def failed(self, url: str) -> None:
        """A host did not answer."""
        self._away[url] = time.monotonic() + AWAY_SECONDS


def waits_not(send: Send) -> bool:
    """Whether its program is content with the acceptance: one in five that send JSON once."""
    is_plain = send.form is Form.JSON and send.way is Way.PLAIN
    return is_plain and crc32(send.number.encode()) % 5 == 0


class Clients:
    """The programs of all tenants; each send is repeated with its key until it is answered."""

    def __init__(
        self,
        plan: Plan,
        urls: Sequence[str],
        headers: Callable[[int], dict[str, str]],
        minute: Callable[[], float],
    ) -> None:
        self._hosts, self._headers, self._minute = Balancer(urls), headers, minute
        self._shapes = {one.number: one.shape for one in plan.tenants}
        self._pool = ThreadPoolExecutor(HANDS, "clients")
        self._local, self._making = threading.local(), threading.Lock()
        self._references: dict[tuple[int, str], str] = {}
        self._bodies: dict[str, dict[str, Any]] = {}
        self.answers = Answers(minute)

    def begin(self, send: Send) -> None:
        """Send, in a thread of its own."""
        match send.way:
            case Way.TWICE_AT_ONCE:
                self._pool.submit(self._send, send)
                self._pool.submit(self._send, send)
            case Way.NO_PATIENCE:
                self._pool.submit(self._send, send, first=IMPATIENT_SECONDS)
            case Way.AGAIN_LATER:
                self._pool.submit(self._twice, send)
            case _:
                self._pool.submit(self._send, send)

    def join(self) -> None:
        self._pool.shutdown(wait=True)

    @property
    def http(self) -> requests.Session:
        """The connection of this thread."""
        if not hasattr(self._local, "http"):
            self._local.http = requests.Session()
        found: requests.Session = self._local.http
        return found

    def _twice(self, send: Send) -> None:
        self._send(send)
        time.sleep(REPEAT_SECONDS)
        self._send(send)

    def _send(self, send: Send, first: float | None = None) -> None:
        until, seconds = time.monotonic() + GIVEN_UP_SECONDS, first or ANSWER_SECONDS
        while time.monotonic() < until:
            url = self._hosts.pick()
            try:
                if self._answered(url, send, seconds):
                    return
            except requests.RequestException:  # the service is away, or the client did not wait
                if seconds == ANSWER_SECONDS:
                    self._hosts.failed(url)
            with self.answers.lock:
                self.answers.repeats += 1
            time.sleep(REPEAT_SECONDS)
            seconds = ANSWER_SECONDS
        self.answers.given_up.add(send.number)

    def _answered(self, url: str, send: Send, seconds: float) -> bool:
        body = self._body(url, send)
        if body is None:
            return False
        headers = self._headers(send.tenant)
        if send.form is not Form.BATCH:  # whose sends have keys of their own
            headers |= {"Idempotency-Key": send.number}
        if waits_not(send):
            headers |= {"Prefer": "respond-async"}
        begun = time.monotonic()
        answer = self.http.post(
            f"{url}{_PATHS.get(send.form, _SEND)}", json=body,
            headers=headers, timeout=seconds,
        )  # fmt: skip
        took, minute = time.monotonic() - begun, self._minute()
        self.answers.note(minute, "send", answer.status_code)
        if answer.ok and send.form is Form.BATCH:
            return self._noted(send, answer.json()["results"])
        if answer.ok:
            told = answer.json()
            self.answers.accept(send.number, told.get("invoiceId") or told["id"])
            (self.answers.at_once if waits_not(send) else self.answers.sent).append((minute, took))
            self.answers.late.append(minute - send.minute)
            if any(one["message"].startswith("From 20") for one in told.get("warnings", ())):
                self.answers.warned.add(send.number)
            return True
        if answer.status_code >= 500 or answer.status_code in (409, 429):
            return False
        self.answers.refused[send.number] = answer.text[:2000]
        return True

    def _noted(self, send: Send, results: list[dict[str, Any]]) -> bool:
        """Whether each send of a batch was answered."""
        done = True
        for number, result in zip(send.numbers, results, strict=True):
            if result["httpStatus"] == 200:
                self.answers.accept(number, result["invoiceId"])
            elif result["httpStatus"] >= 500 or result["httpStatus"] in (409, 429):
                done = False
            else:
                self.answers.refused[number] = str(result)[:2000]
        return done

    def _body(self, url: str, send: Send) -> dict[str, Any] | None:
        """The request, which is the same whenever it is repeated; None: no lookup was answered."""
        with self._making:
            if send.number in self._bodies:
                return self._bodies[send.number]
        shape, reference = self._shapes[send.tenant], None
        wanted = writing.receiver(shape, send.form, send.number)
        if wanted is not None:
            reference = self._reference(url, send.tenant, wanted)
            if reference is None:
                return None
        with self._making:
            if send.number not in self._bodies:
                made = writing.body(shape, send.form, send.numbers, reference)
                self._bodies[send.number] = made
            return self._bodies[send.number]

    def _reference(self, url: str, tenant: int, participant: str) -> str | None:
        """The reference of a receiver, looked up once by each tenant; None: not answered."""
        known = self._references.get((tenant, participant))
        if known is not None:
            return known
        found = self.http.get(
            f"{url}/api/participants/lookup", params=writing.lookup_of(participant),
            headers=self._headers(tenant), timeout=ANSWER_SECONDS,
        )  # fmt: skip
        self.answers.note(self._minute(), "lookup", found.status_code)
        if not found.ok:
            if found.status_code < 500:
                self.answers.refused[f"lookup of {participant}"] = found.text[:2000]
            return None
        reference: str = found.json()["accessPointRef"]
        self._references[tenant, participant] = reference
        return reference


# -- people ----------------------------------------------------------------------------------------


class People:
    """People who look at the pages of their account; `visit` is one look."""

    def __init__(self, url: str, answers: Answers, minute: Callable[[], float]) -> None:
        self._url, self._answers, self._minute = url, answers, minute
        self._sessions: dict[str, requests.Session] = {}
        self.visits = 0
        self.imported: dict[int, set[str]] = {}  # by tenant: names of customers

    def visit(self, tenant: str, token: Callable[[], str]) -> None:
        """Load a page of a tenant, logged in; another one each time."""
        page = PAGES[self.visits % len(PAGES)]
        try:
            answer = self._session(tenant, token).get(f"{self._url}{page}", timeout=ANSWER_SECONDS)
        except requests.RequestException:
            return
        self.visits += 1
        self._answers.note(self._minute(), page, answer.status_code)
        if "/login" in answer.url:
            self._sessions.pop(tenant, None)  # the session has ended

    def import_customers(self, tenant: int, token: Callable[[], str]) -> None:
        """Import a file of customers, and once more, as a person who saw no answer."""
        names = [f"Customer {tenant}-{len(self.imported)}-{each}" for each in range(CUSTOMERS)]
        rows = [f"{name};{name.replace(' ', '')}@example.com;BE" for name in names]
        file = "\n".join(("Name;Email;CountryCode", *rows)).encode()
        for _ in range(2):
            try:
                answer = requests.post(
                    f"{self._url}/api/customers/import", files={"file": ("c.csv", file)},
                    headers={"Authorization": f"Bearer {token()}"}, timeout=ANSWER_SECONDS,
                )  # fmt: skip
            except requests.RequestException:
                continue
            self._answers.note(self._minute(), "import", answer.status_code)
            if answer.ok:
                self.imported.setdefault(tenant, set()).update(names)

    def _session(self, tenant: str, token: Callable[[], str]) -> requests.Session:
        if tenant not in self._sessions:
            session = requests.Session()
            session.get(
                f"{self._url}/dashboard/login/local", params={"token": token()},
                timeout=ANSWER_SECONDS,
            )  # fmt: skip
            self._sessions[tenant] = session
        return self._sessions[tenant]
