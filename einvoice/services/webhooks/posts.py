"""Posting deliveries of many endpoints at once, at most two at a time to each.

A batch is what one job leased of one endpoint. It starts no more posts when one of them ran into
its time limit, after ten seconds, or when a post could outlast the lease. What it did not post is
put back: it is due again at once, without having been attempted.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from queue import SimpleQueue

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.http import ConcurrentClient, HttpFault, Request, RequestStream, Response
from einvoice.observability import logging
from einvoice.observability.spans import Span
from einvoice.services.webhooks import attempts
from einvoice.services.webhooks.attempts import AttemptedDelivery
from einvoice.store.webhooks.webhooks import DueDelivery
from einvoice.webhooks import sending
from einvoice.webhooks.sending import Failed, Gone, Result

log = logging.get(__name__)

MAX_IN_FLIGHT = 2  # requests to one endpoint at the same time
BATCH_SECONDS = 10.0  # after that a batch starts no more posts
GATHER_SECONDS = 0.02  # seconds a result waits for others to share its commit
MAX_GROUP = 500  # results of one commit


class Batch:
    """Due deliveries of one endpoint. `seconds` is the time limit of one post."""

    def __init__(self, due: Sequence[DueDelivery], seconds: float) -> None:
        self.in_flight = min(MAX_IN_FLIGHT, len(due))
        self._waiting = deque(due)
        self._seconds = seconds
        self._until = clock.monotonic() + BATCH_SECONDS
        self._stopped = False
        self._lock = threading.Lock()

    def next(self) -> DueDelivery | None:
        """The next delivery to post; None if no more are to be started."""
        with self._lock:
            if self._stopped or not self._waiting or clock.monotonic() >= self._until:
                return None
            left = self._waiting[0].lease_until - clock.now()
            if left < clock.lasting(timedelta(seconds=self._seconds)):
                return None
            return self._waiting.popleft()

    def stop(self) -> None:
        """Start no more posts."""
        self._stopped = True

    def leave(self) -> list[DueDelivery] | None:
        """One request less is in flight. After the last: the deliveries that were not posted."""
        with self._lock:
            self.in_flight -= 1
            return None if self.in_flight else list(self._waiting)


@dataclass(slots=True)
class PostedGroup:
    """Results that share a commit; `put_back` were not attempted."""

    attempted: list[AttemptedDelivery] = field(default_factory=list)
    put_back: list[DueDelivery] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ended:
    batch: Batch
    rest: list[DueDelivery]


class _Post:
    """A request on its way."""

    __slots__ = ("batch", "began", "due", "span")

    def __init__(self, batch: Batch, due: DueDelivery, span: Span | None) -> None:
        self.batch = batch
        self.due = due
        self.span = span
        self.began = clock.monotonic()

    def result(self, outcome: Response | HttpFault) -> Result:
        taken = round((clock.monotonic() - self.began) * 1000)
        try:
            return sending.result(outcome, taken, now=clock.now())
        except Exception as fault:  # noqa: BLE001 - the delivery fails, the others go on
            return attempts.broken(fault)


class _Sender:
    """A thread that sends the requests of one policy. `done` is called in it with each result."""

    def __init__(self, client: ConcurrentClient, done: Callable[[_Post, Result], None]) -> None:
        self._client = client
        self._done = done
        self._numbers = count()
        self._posts: dict[int, _Post] = {}
        self._stream = RequestStream(client, excerpt=True)
        self._thread = threading.Thread(target=self._run, name="webhook-posts", daemon=True)
        self._thread.start()

    def send(self, post: _Post, request: Request) -> None:
        number = next(self._numbers)
        self._posts[number] = post
        self._stream.add(number, request)

    def finish(self) -> None:
        """Return when all results are known."""
        self._stream.finish()
        self._thread.join()

    def _run(self) -> None:
        while not self._completed():
            log.error("webhook posts begin again")

    def _completed(self) -> bool:
        """Whether the stream was finished. If it broke, what was on its way has failed."""
        try:
            for group in self._stream.completed():
                for number, outcome in group:
                    if (post := self._posts.pop(number, None)) is not None:
                        self._done(post, post.result(outcome))
        except Exception as fault:
            log.exception("webhook posts broke")
            self._stream = RequestStream(self._client, excerpt=True)
            for number in list(self._posts):
                self._done(self._posts.pop(number), attempts.broken(fault))
            return False
        return True


class Posts:
    """Posts batches, `endpoints` of them at once; `groups` yields the results."""

    def __init__(self, settings: Settings, endpoints: int) -> None:
        self._settings = settings
        self._endpoints = endpoints
        self._senders: dict[bool, _Sender] = {}
        self._results: SimpleQueue[AttemptedDelivery | _Ended | None] = SimpleQueue()
        self._open: set[Batch] = set()
        self._closed = False
        self._changed = threading.Condition()

    def start(self, due: Sequence[DueDelivery]) -> None:
        """Post these deliveries of one endpoint."""
        batch = Batch(due, self._settings.webhook_timeout)
        with self._changed:
            self._open.add(batch)
        for _ in range(batch.in_flight):
            self._post_next(batch)

    def _post_next(self, batch: Batch) -> None:
        """Post the next delivery of the batch. At its end the rest of it is put back."""
        while (due := batch.next()) is not None:
            span = attempts.begun(due)
            request = attempts.request(due, self._settings, span.trace if span else None)
            if not isinstance(request, Failed):
                self._sender(due).send(_Post(batch, due, span), request)
                return
            self._attempted(AttemptedDelivery(due, request), span)
        rest = batch.leave()
        if rest is not None:
            self._results.put(_Ended(batch, rest))

    def _sender(self, due: DueDelivery) -> _Sender:
        live = due.environment == Environment.LIVE
        with self._changed:
            if live not in self._senders:
                client = attempts.client(live, self._settings)
                self._senders[live] = _Sender(client, self._posted)
            return self._senders[live]

    def _posted(self, post: _Post, result: Result) -> None:
        if isinstance(result, Gone) or (isinstance(result, Failed) and result.timed_out):
            post.batch.stop()
        self._attempted(AttemptedDelivery(post.due, result), post.span)
        self._post_next(post.batch)

    def _attempted(self, done: AttemptedDelivery, span: Span | None) -> None:
        if span is not None:
            attempts.ended(span, done)
        self._results.put(done)

    def groups(self) -> Iterator[PostedGroup]:
        """Results as they come; ends when closed and nothing is being posted."""
        while not (self._closed and not self._open):
            first = self._results.get()
            if first is not None:
                ended = self._gathered(first, group := PostedGroup())
                yield group
                with self._changed:
                    self._open -= ended
                    self._changed.notify_all()
        for sender in self._senders.values():
            sender.finish()

    def _gathered(self, first: AttemptedDelivery | _Ended, group: PostedGroup) -> set[Batch]:
        """Fill the group with what comes in a moment; the batches that have ended."""
        ended: set[Batch] = set()
        one: AttemptedDelivery | _Ended | None = first
        time.sleep(GATHER_SECONDS)
        while True:
            if isinstance(one, AttemptedDelivery):
                group.attempted.append(one)
            elif one is not None:
                group.put_back += one.rest
                ended.add(one.batch)
            if len(group.attempted) >= MAX_GROUP or self._results.empty():
                return ended
            one = self._results.get()

    def wait_for_room(self, endpoints: int) -> None:
        """Return when so many more endpoints can be posted to at once."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._open) + endpoints <= self._endpoints)

    def close(self, *, stop: bool = False) -> None:
        """Nothing more is started; with `stop` batches put back what they have not posted."""
        with self._changed:
            self._closed = True
            for batch in self._open if stop else ():
                batch.stop()
        self._results.put(None)
