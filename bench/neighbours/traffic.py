"""Clients that send, push received documents, read and list, at whichever release is there."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

import requests

from bench.service import BY_HTTP, send_body
from einvoice.network import samples

CLIENTS = 6
TOKEN = "neighbours"
ANSWER_WITHIN = 300.0
RECEIVED_SHARE, TWICE_SHARE, WAITING_SHARE = 0.25, 0.1, 0.3
LIST_EVERY = 10
LISTS = ("invoices", "invoices?direction=received&processed=false", "events", "invoices?q=Sample")


@dataclass
class Told:
    """The answers that clients got, about documents that the book checks later.

    sent      number of each send → its invoice
    received  instance ids that a network was told are stored
    faults    what no client should be told, and how often
    """

    sent: dict[str, str] = field(default_factory=dict)
    received: set[str] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    repeats: int = 0
    reads: int = 0


class Traffic:
    """Clients that do one document for each permit, with a random side for each request."""

    def __init__(self, key: str, reference: str, seed: int) -> None:
        self.urls: Sequence[str] = ()
        self.told = Told()
        self._key, self._reference = {"x-api-key": key}, reference
        self._dice, self._lock = random.Random(seed), threading.Lock()
        self._permits, self._done, self._begun = threading.Semaphore(0), 0, 0
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def allow(self, documents: int) -> None:
        """Let the clients do so many more."""
        self._permits.release(documents)
        self._begun += documents

    def await_done(self) -> None:
        """Wait until all that were allowed are answered. Raises TimeoutError."""
        until = time.monotonic() + ANSWER_WITHIN + self._begun / 2
        while self._done < self._begun:
            if time.monotonic() > until:
                raise TimeoutError(f"{self._done} of {self._begun} documents were answered")
            time.sleep(0.05)

    def end(self) -> None:
        """Let the clients end."""
        self._ended.set()
        self._permits.release(CLIENTS)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        with requests.Session() as session:
            while self._permits.acquire() and not self._ended.is_set():
                with self._lock:
                    number = len(self.told.sent) + len(self.told.received) + self._done
                    kind = self._dice.random()
                try:
                    self._one(session, kind, number)
                except Exception as fault:  # noqa: BLE001 - counted, and the trial fails
                    self._fault(repr(fault))
                with self._lock:
                    self._done += 1
                    done = self._done
                if done % LIST_EVERY == 0:
                    self._read(session, self._dice.choice(LISTS))

    def _one(self, session: requests.Session, kind: float, number: int) -> None:
        name = f"{number}-{self._dice.getrandbits(40):010x}"
        if kind < RECEIVED_SHARE:
            self._push(session, f"m-{name}")
        else:
            self._send(session, f"T-{name}")

    # -- sending, and being pushed documents -------------------------------------------------------

    def _send(self, session: requests.Session, number: str) -> None:
        prefer = {} if self._dice.random() < WAITING_SHARE else {"Prefer": "respond-async"}
        headers = {**self._key, "Idempotency-Key": number, **prefer}
        body = send_body(number, BY_HTTP, self._reference)
        for _ in range(2 if self._dice.random() < TWICE_SHARE else 1):
            answer = self._until_answered(
                session, "POST", "/api/invoices/send", json=body, headers=headers
            )
            if answer.status_code != 200:
                self._fault(f"send: {answer.status_code} {answer.text[:300]}")
                return
            invoice = answer.json()["invoiceId"]
            if self.told.sent.setdefault(number, invoice) != invoice:
                self._fault("a repeated send has another invoice")
        self._read(session, f"invoices/{invoice}")

    def _push(self, session: requests.Session, instance: str) -> None:
        message = samples.inbound(instance_id=instance)
        headers = {
            "Authorization": f"Bearer {TOKEN}", "X-Sender": str(message.sender),
            "X-Receiver": str(message.receiver), "X-Document-Type": str(message.document_type),
        }  # fmt: skip
        receipts = set()
        for _ in range(2 if self._dice.random() < TWICE_SHARE else 1):
            answer = self._until_answered(
                session, "POST", f"/networks/http-test/messages/{quote(instance)}",
                data=message.document, headers=headers,
            )  # fmt: skip
            if answer.status_code != 200:
                self._fault(f"push: {answer.status_code} {answer.text[:300]}")
                return
            receipts.add(answer.content)
        if len(receipts) > 1:
            self._fault("a repeated document has another receipt")
        self.told.received.add(instance)

    # -- reading -----------------------------------------------------------------------------------

    def _read(self, session: requests.Session, path: str) -> None:
        answer = self._until_answered(session, "GET", f"/api/{path}", headers=self._key)
        self.told.reads += 1
        if answer.status_code != 200:
            what = path.partition("?")[0].partition("/")[0]
            self._fault(f"GET {what}: {answer.status_code} {answer.text[:300]}")

    def _until_answered(
        self, session: requests.Session, method: str, path: str, **rest: object
    ) -> requests.Response:
        """The first answer that is not "try again", of any side. 500 counts as an answer."""
        until = time.monotonic() + ANSWER_WITHIN
        while time.monotonic() < until:
            url = self._dice.choice(self.urls)
            try:
                answer = session.request(method, f"{url}{path}", timeout=30, **rest)  # type: ignore[arg-type]
            except requests.RequestException:
                pass  # killed
            else:
                if answer.status_code not in (409, 429, 503):
                    return answer
            with self._lock:
                self.told.repeats += 1
            time.sleep(0.2)
        raise TimeoutError(f"no answer to {method} {path.partition('?')[0]}")

    def _fault(self, text: str) -> None:
        text = re.sub(r'"instance".*', "…", text)  # what differs from one answer to the next
        with self._lock:
            self.told.faults[text] += 1
