"""Suppliers' access points: they push documents until they are acknowledged, as networks do.

Most come through the endpoint of the buyers' network. Those that the tenant responds to come over
the simulator, whose sellers take responses. Some are mailed, and those of traders come by AS4.
"""

from __future__ import annotations

import smtplib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import requests

from bench.week import post, writing
from bench.week.foreign import Foreign
from bench.week.lives import Answers
from bench.week.plan import BY_AS4, Arrival, Incoming, Tenant
from einvoice.domain.identifiers import BIS_INVOICE
from tests.web.submission.documents import CII_SENDER

HANDS = 4
ANSWER_SECONDS, REPEAT_SECONDS, GIVEN_UP_SECONDS = 20.0, 1.0, 240.0
TOKEN = "token-of-the-network"
MAILS = frozenset({Arrival.MAILED, Arrival.LETTER})
# Codes that need a reason.
_REASONED = {"UQ": "REF", "CA": "PRI", "RE": "QUA"}


@dataclass
class Received:
    """The documents that were acknowledged, and the responses, by the numbers of the plan."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    taken: dict[str, str] = field(default_factory=dict)  # number → id of the bill, or ""
    refused: dict[str, str] = field(default_factory=dict)
    responded: dict[str, str] = field(default_factory=dict)  # id of the bill → code
    unanswered: set[str] = field(default_factory=set)


class Suppliers:
    """The suppliers of all tenants."""

    def __init__(
        self,
        url: str,
        tenants: tuple[Tenant, ...],
        headers: Callable[[int], dict[str, str]],
        minute: Callable[[], float],
        answers: Answers,
        *,
        mail_port: int,
        abroad: Foreign,
    ) -> None:
        self._url, self._headers, self._minute = url, headers, minute
        self._mail_port, self._abroad = mail_port, abroad
        self._mailboxes = {one.number: one.mailbox for one in tenants}
        self._participants = {one.number: one.participant for one in tenants}
        self._pool = ThreadPoolExecutor(HANDS, "suppliers")
        self._answers = answers
        self.received = Received()

    def begin(self, one: Incoming) -> None:
        """Let it arrive, in a thread of its own."""
        self._pool.submit(self._arrive, one)

    def join(self) -> None:
        self._pool.shutdown(wait=True)

    def _arrive(self, one: Incoming) -> None:
        if one.kind is Arrival.ANSWERED:
            self._over_the_simulator(one)
            return
        if one.kind in MAILS:
            self._mailed(one)
            return
        if one.kind in (*BY_AS4, Arrival.AS4_LARGE):
            self._over_peppol(one)
            return
        participant = self._participants[one.tenant]
        document = writing.incoming(one, participant)
        self._pushed(one, one.number, document)
        match one.kind:
            case Arrival.REPEATED:
                self._pushed(one, one.number, document)
            case Arrival.SENT_TWICE:
                self._pushed(one, f"{one.number}-again", document)
            case Arrival.ID_REUSED:
                self._pushed(one, one.number, writing.other(one, participant))

    def _pushed(self, one: Incoming, message: str, document: bytes) -> None:
        """Push until it is acknowledged or refused."""
        is_cii = one.kind is Arrival.CII
        headers = {
            "authorization": f"Bearer {TOKEN}",
            "x-sender": CII_SENDER if is_cii else writing.SUPPLIER,
            "x-receiver": self._participants[one.tenant],
            "x-document-type": str(BIS_INVOICE),
            "content-type": "application/xml",
        }
        url = f"{self._url}/networks/http-test/messages/{quote(message, safe='')}"
        answer = self._until(lambda: requests.post(
            url, data=document, headers=headers, timeout=ANSWER_SECONDS
        ), "inbound")  # fmt: skip
        if answer is None:
            self.received.unanswered.add(one.number)
        elif answer.ok:
            with self.received.lock:
                self.received.taken.setdefault(one.number, "")
        else:
            self.received.refused[one.number] = f"{answer.status_code} {answer.text[:300]}"

    def _over_peppol(self, one: Incoming) -> None:
        try:
            words = self._abroad.hand_over(one, self._participants[one.tenant])
        except TimeoutError:
            self.received.unanswered.add(one.number)
            return
        if words is not None:
            self.received.refused[one.number] = words
            return
        with self.received.lock:
            self.received.taken.setdefault(one.number, "")

    def _mailed(self, one: Incoming) -> None:
        """Mail it, one in three twice, as a mail server that lost the answer."""
        content = writing.letter(one, self._participants[one.tenant])
        for _ in range(2 if sum(one.number.encode()) % 3 == 0 else 1):
            self._handed_over(one, content)

    def _handed_over(self, one: Incoming, content: bytes) -> None:
        until = time.monotonic() + GIVEN_UP_SECONDS
        address = f"{self._mailboxes[one.tenant]}@{post.DOMAIN}"
        while time.monotonic() < until:
            try:
                words = post.hand_over(self._mail_port, address, content)
            except (OSError, smtplib.SMTPException):
                time.sleep(REPEAT_SECONDS)
                continue
            if words is not None:
                self.received.refused[one.number] = words
                return
            with self.received.lock:
                self.received.taken.setdefault(one.number, "")
            return
        self.received.unanswered.add(one.number)

    def _over_the_simulator(self, one: Incoming) -> None:
        document = writing.incoming(one, self._participants[one.tenant])
        headers = self._headers(one.tenant) | {"content-type": "application/xml"}
        query = f"messageId={quote(one.number)}"
        answer = self._until(lambda: requests.post(
            f"{self._url}/api/sandbox/inbound?{query}", data=document, headers=headers,
            timeout=ANSWER_SECONDS,
        ), "sandbox inbound")  # fmt: skip
        if answer is None:
            self.received.unanswered.add(one.number)
        elif not answer.ok:
            self.received.refused[one.number] = answer.text[:300]
        else:
            bill = answer.json()["invoiceId"]
            with self.received.lock:
                self.received.taken[one.number] = bill
            self._respond(one, bill)

    def _respond(self, one: Incoming, bill: str) -> None:
        body: dict[str, Any] = {"responseCode": one.code}
        if one.code in _REASONED:
            body["reasons"] = [{"code": _REASONED[one.code], "text": "See our order."}]
        headers = self._headers(one.tenant) | {"Idempotency-Key": f"{one.number}-{one.code}"}
        answer = self._until(lambda: requests.post(
            f"{self._url}/api/invoices/{bill}/response", json=body, headers=headers,
            timeout=ANSWER_SECONDS,
        ), "response")  # fmt: skip
        if answer is None or not answer.ok:
            words = "no answer" if answer is None else answer.text[:300]
            self.received.refused[f"response {one.code} to {one.number}"] = words
        else:
            with self.received.lock:
                self.received.responded[bill] = one.code

    def _until(self, call: Callable[[], requests.Response], what: str) -> requests.Response | None:
        """The answer, after repetitions while the service is away or busy; None: never."""
        until = time.monotonic() + GIVEN_UP_SECONDS
        while time.monotonic() < until:
            try:
                answer = call()
            except requests.RequestException:
                time.sleep(REPEAT_SECONDS)
                continue
            self._answers.note(self._minute(), what, answer.status_code)
            if answer.status_code < 500 and answer.status_code not in (409, 429):
                return answer
            time.sleep(REPEAT_SECONDS)
        return None
