"""Requests that are repeated where that is safe, and answers that are problems raised.

What is repeated, by docs/sdks.md#retries: 429 and 503 after `Retry-After`; 409
`idempotency-in-progress`; no answer and other 5xx if the request is a reading one or has an
`Idempotency-Key`, with growing pauses. A POST that takes such a key has one: its own for each call,
the same over all its repetitions.
"""

from __future__ import annotations

import random
import re
import time
import uuid
from collections.abc import Callable, Iterator

import httpx

from einvoice_client.generated.once import ONCE
from einvoice_client.problems import EinvoiceError, NoAnswer, Problem, raised_by

KEY = "Idempotency-Key"
ATTEMPTS = 5
# A pause that the service asks for and that is longer is raised instead: a plan that is used up
# asks for the rest of the month.
MAX_PAUSE_SECONDS = 60.0
_READING = {"GET", "HEAD"}
_PATTERNS = [(method, re.compile(rf"(?:.*)?{path}")) for method, path in ONCE]


class RetryingTransport(httpx.BaseTransport):
    """Wraps the transport of httpx.

    attempts   how often a request is made at most
    max_pause  the longest Retry-After that is waited for, in seconds
    sleep      waits for seconds
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        *,
        attempts: int = ATTEMPTS,
        max_pause: float = MAX_PAUSE_SECONDS,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._inner, self._sleep = inner, sleep
        self._attempts, self._max_pause = attempts, max_pause

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer of success; EinvoiceError otherwise."""
        request.read()
        if KEY not in request.headers and _takes_key(request):
            request.headers[KEY] = str(uuid.uuid4())
        for pause in _pauses(self._attempts - 1):
            outcome = self._once(request)
            if isinstance(outcome, httpx.Response):
                return outcome
            waiting = _pause_before_repetition(request, outcome, pause)
            if waiting is None or waiting > self._max_pause:
                raise outcome
            self._sleep(waiting)
        outcome = self._once(request)
        if isinstance(outcome, httpx.Response):
            return outcome
        raise outcome

    def close(self) -> None:
        self._inner.close()

    def _once(self, request: httpx.Request) -> httpx.Response | EinvoiceError:
        try:
            response = self._inner.handle_request(request)
            response.request = request
            response.read()
        except httpx.TransportError as error:
            return NoAnswer(f"{request.method} {request.url.path}: {error or type(error).__name__}")
        kind = response.headers.get("content-type", "")
        if response.is_success and not kind.startswith("text/html"):
            return response
        return raised_by(response)


def _takes_key(request: httpx.Request) -> bool:
    path = request.url.path
    return any(m == request.method and pattern.fullmatch(path) for m, pattern in _PATTERNS)


def _pauses(count: int) -> Iterator[float]:
    """1, 2, 4 … seconds, each up to a quarter longer so that clients do not repeat together."""
    for exponent in range(count):
        yield 2.0**exponent * random.uniform(1, 1.25)


def _pause_before_repetition(
    request: httpx.Request, outcome: EinvoiceError, pause: float
) -> float | None:
    """Seconds to wait before the request is repeated; None if it is not."""
    safe = request.method in _READING or KEY in request.headers
    if isinstance(outcome, Problem):
        asked = pause if outcome.retry_after is None else outcome.retry_after
        if outcome.status == 429 or outcome.slug == "idempotency-in-progress":
            return asked
        if outcome.slug == "archive-damaged":
            return None
        return asked if safe and outcome.status >= 500 else None
    broken = isinstance(outcome, NoAnswer) or getattr(outcome, "status", 0) in (429, 502, 503, 504)
    return pause if safe and broken else None
