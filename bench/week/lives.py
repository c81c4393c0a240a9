"""Who lives around the service: programs that send, receivers of webhooks, people at the pages."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import requests

from bench.week.plan import Form, Plan, Receiver, Send, Shape, Tenant, Way
from einvoice import clock
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.web.shared.send_bodies import read_send
from tests.builders import SEND
from tests.networks.anaf import selling
from tests.networks.ksef import selling as polish_selling
from tests.networks.stand_ins import Answer, Handler, StandIn

BUYER = "0088:9520000000998"
SENDER = "0208:0123456749"
_SEND = "/api/invoices/send"
_PATHS = {Form.UBL: "/v1/invoices", Form.BATCH: "/api/invoices/batch"}
HANDS = 8  # requests at once
ANSWER_SECONDS, IMPATIENT_SECONDS = 20.0, 0.15
REPEAT_SECONDS = 0.5  # between two tries of a client, as minutes are short
GIVEN_UP_SECONDS = 240.0
SLOW_SECONDS = 1.0
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
            tenant, told["eventId"], told["eventType"], told.get("invoiceId"), self.minute()
        )
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
    """What clients got from the API and the pages."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    accepted: dict[str, str] = field(default_factory=dict)  # number → invoice id
    refused: dict[str, str] = field(default_factory=dict)  # number → problem
    given_up: set[str] = field(default_factory=set)
    changed: list[str] = field(default_factory=list)  # a repetition had another answer
    statuses: list[tuple[float, str, int]] = field(default_factory=list)  # not 2xx, 404 or 409
    repeats: int = 0
    sent: list[tuple[float, float]] = field(default_factory=list)  # minute, seconds of the answer

    def accept(self, number: str, invoice: str) -> None:
        with self.lock:
            if self.accepted.setdefault(number, invoice) != invoice:
                self.changed.append(number)

    def note(self, minute: float, what: str, status: int) -> None:
        if status >= 500 or status == 429:
            with self.lock:
                self.statuses.append((minute, what, status))


class Clients:
    """The programs of all tenants; each send is repeated with its key until it is answered."""

    def __init__(
        self, plan: Plan, url: str, keys: Mapping[int, str], minute: Callable[[], float]
    ) -> None:
        self._url, self._keys, self._minute = url, keys, minute
        self._shapes = {one.number: one.shape for one in plan.tenants}
        self._pool = ThreadPoolExecutor(HANDS, "clients")
        self._local = threading.local()
        self._references: dict[int, str] = {}
        self.answers = Answers()

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
            try:
                if self._answered(send, seconds):
                    return
            except requests.RequestException:
                pass  # the service is away, or the client did not wait
            with self.answers.lock:
                self.answers.repeats += 1
            time.sleep(REPEAT_SECONDS)
            seconds = ANSWER_SECONDS
        self.answers.given_up.add(send.number)

    def _answered(self, send: Send, seconds: float) -> bool:
        key = self._keys[send.tenant]
        body = self._body(send, key)
        if body is None:
            return False
        begun = time.monotonic()
        answer = self.http.post(
            f"{self._url}{_PATHS.get(send.form, _SEND)}", json=body,
            headers=_headers(send, key), timeout=seconds,
        )  # fmt: skip
        took, minute = time.monotonic() - begun, self._minute()
        self.answers.note(minute, "send", answer.status_code)
        if answer.ok and send.form is Form.BATCH:
            return self._noted(send, answer.json()["results"])
        if answer.ok:
            told = answer.json()
            self.answers.accept(send.number, told.get("invoiceId") or told["id"])
            self.answers.sent.append((minute, took))
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

    def _body(self, send: Send, key: str) -> dict[str, Any] | None:
        """The request; None if the lookup was not answered."""
        if self._shapes[send.tenant] in NATIONAL:
            body = NATIONAL[self._shapes[send.tenant]](send.number)
            return _worse(body) if send.form is Form.BAD else body
        reference = self._references.get(send.tenant)
        if reference is None:
            found = self.http.get(
                f"{self._url}/api/participants/lookup", params={"participantId": BUYER},
                headers={"x-api-key": key}, timeout=ANSWER_SECONDS,
            )  # fmt: skip
            self.answers.note(self._minute(), "lookup", found.status_code)
            if not found.ok:
                return None
            reference = self._references[send.tenant] = found.json()["accessPointRef"]
        match send.form:
            case Form.UBL:
                return _submitted(a_body(send.number, reference))
            case Form.BATCH:
                return {"invoices": [_entry(number) for number in send.numbers]}
            case Form.BAD:
                return _worse(a_body(send.number, reference))
        return a_body(send.number, reference)


def _headers(send: Send, key: str) -> dict[str, str]:
    """The sends of a batch have keys of their own."""
    if send.form is Form.BATCH:
        return {"x-api-key": key}
    name = {"Authorization": f"Bearer {key}"} if send.form is Form.UBL else {"x-api-key": key}
    return name | {"Idempotency-Key": send.number}


def a_body(number: str, reference: str) -> dict[str, Any]:
    """A send to the buyers' network."""
    today = clock.today().isoformat()
    invoice = dict(SEND["invoice"]) | {"number": number, "issueDate": today, "dueDate": today}
    routing = {
        "senderParticipantId": SENDER,
        "receiverParticipantId": BUYER,
        "accessPointRef": reference,
    }
    return {"invoice": invoice, "routing": routing}


def _entry(number: str) -> dict[str, Any]:
    """A send of a batch, which looks up its receiver itself."""
    body = a_body(number, "")
    del body["routing"]["accessPointRef"]
    return body | {"idempotencyKey": number}


def _worse(body: dict[str, Any]) -> dict[str, Any]:
    """The send with a total that is wrong."""
    totals = body["invoice"]["totals"]
    wrong = totals | {"grandTotal": totals["grandTotal"] + 1}
    return body | {"invoice": body["invoice"] | {"totals": wrong}}


def _submitted(body: dict[str, Any]) -> dict[str, Any]:
    """The send as a document in UBL."""
    wanted = read_send(json.dumps(body).encode())
    document = document_xml(derive(wanted["invoice"], wanted["routing"]).invoice)
    return {
        "format": "ubl",
        "sender": {"peppolId": SENDER},
        "receiver": {"peppolId": BUYER},
        "invoice": base64.b64encode(document).decode(),
    }


def _romanian(number: str) -> dict[str, Any]:
    today = clock.today().isoformat()
    return selling.a_send(number=number, issueDate=today, dueDate=today)


def _polish(number: str) -> dict[str, Any]:
    return polish_selling.a_send(number, dueDate=clock.today().isoformat())


NATIONAL: Mapping[Shape, Callable[[str], dict[str, Any]]] = {
    Shape.ROMANIAN: _romanian,
    Shape.POLISH: _polish,
}


# -- people ----------------------------------------------------------------------------------------


class People:
    """People who look at the pages of their account; `visit` is one look."""

    def __init__(self, url: str, answers: Answers, minute: Callable[[], float]) -> None:
        self._url, self._answers, self._minute = url, answers, minute
        self._sessions: dict[str, requests.Session] = {}
        self.visits = 0

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

    def _session(self, tenant: str, token: Callable[[], str]) -> requests.Session:
        if tenant not in self._sessions:
            session = requests.Session()
            session.get(
                f"{self._url}/dashboard/login/local", params={"token": token()},
                timeout=ANSWER_SECONDS,
            )  # fmt: skip
            self._sessions[tenant] = session
        return self._sessions[tenant]
