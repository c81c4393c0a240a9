"""Sends of concurrent requests, answered together by one thread.

Each request is run in two halves: the hooks and the view until there is a draft, and from the
result to the response. In between, the drafts of all are computed step by step and stored with one
commit. No request is handed from one thread to another, and the requests of a group are counted in
Redis with one round trip. A request keeps Flask's contexts in a contextvars.Context of its own, so
its hooks, problems, headers and logs are as of a request that is run in one piece. It runs what
Flask's dispatch runs, in the same order (tests/architecture/test_library_internals.py).

This is for a server that receives bodies without threads (web/serving/intake). A send that waits
for the network, or is long, has a thread of its own; `services/grouping` groups what is short of
these.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any, Protocol

from flask import Flask, Response
from flask.signals import request_started

from einvoice import clock
from einvoice.domain.errors import Overloaded, RequestRefused
from einvoice.observability import logging
from einvoice.services import rate_limits
from einvoice.services.grouping import GATHER_SECONDS, MAX_GROUP_SIZE, MAX_QUEUED_SECONDS
from einvoice.services.rate_limits import Hit, Window
from einvoice.services.send import send
from einvoice.services.send.draft import Draft
from einvoice.web import credentials, limits
from einvoice.web.admission import slots
from einvoice.web.admission.environ import GROUPED
from einvoice.web.application import ENTER
from einvoice.web.headers import preference_of
from einvoice.web.public.views import draft_of_request, response_to
from einvoice.web.requests import BEGAN
from einvoice.web.runtime import runtime_of

log = logging.get(__name__)

# The addresses of the view `public.send_invoice`.
PATHS = frozenset({"/api/invoices/send", "/v2/invoices/send", "/api/v2/invoices/send"})

Half = Callable[[], Response | None]


class Headers(Protocol):
    """The headers of a request by their names in lower case."""

    def __contains__(self, name: object) -> bool: ...

    def get(self, name: str, default: str) -> str: ...


class Asker(Protocol):
    """Sends the response of a request, with the contexts of the request. Raises nothing."""

    def answered(self, environ: dict[str, Any], response: Response) -> None: ...

    def refused(self, environ: dict[str, Any], refusal: RequestRefused) -> None: ...

    def failed(self, fault: Exception) -> None: ...


class GroupedSends:
    """The sends of a process that are answered in groups. All methods are safe for threads."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._default_wait = runtime_of(app).settings.send_wait
        self._queue: deque[_Send] = deque()
        self._lock = threading.Lock()
        self._enough = threading.Event()
        self._wanted = MAX_GROUP_SIZE  # as many requests set `_enough`
        self._at_work = threading.Lock()

    def takes(self, method: str, path: str, headers: Headers, length: int) -> bool:
        """Whether a request with a body of so many bytes is a short send that does not wait.

        A compressed body is long, whatever its length.
        """
        return (
            path in PATHS
            and method == "POST"
            and length <= send.MAX_GROUPED_BYTES
            and "content-encoding" not in headers
            and preference_of(headers.get("prefer", ""), self._default_wait).wait <= 0
        )

    def add(self, environ: dict[str, Any], asker: Asker) -> None:
        """Answer the request; if a thread is at work, leave it to the next group of that one."""
        with self._lock:
            self._queue.append(_Send(self._app, environ, asker))
            if len(self._queue) >= self._wanted:
                self._enough.set()
        while self._queue and self._at_work.acquire(blocking=False):
            try:
                self._gather(self._answer_next())
            finally:
                self._at_work.release()

    def _gather(self, size: int) -> None:
        """After a group of several, wait a moment for as many again."""
        with self._lock:
            self._wanted = size
            self._enough.clear()
            waits = 1 < size > len(self._queue)
        if waits:
            self._enough.wait(GATHER_SECONDS)

    def expired(self) -> list[_Send]:
        """Take out the requests that have waited for too long, because a group does not end."""
        limit = clock.monotonic() - MAX_QUEUED_SECONDS
        with self._lock:
            return [self._queue.popleft() for one in list(self._queue) if one.since < limit]

    def _answer_next(self) -> int:
        """Answer the next group; the number of its requests."""
        group: list[_Send] = []
        try:
            with slots.all_held():
                group = self._take()
                self._begin(group)
                drafts = [one.draft for one in group if one.draft is not None]
                with self._app.app_context():
                    send.WORK.compute(drafts)
            with self._app.app_context():
                send.WORK.store(drafts)
        except Exception as fault:  # noqa: BLE001 the response of each of its requests
            for one in group:
                one.fail(fault)
        for one in group:
            one.finish()
        return len(group)

    def _take(self) -> list[_Send]:
        with self._lock:
            return [self._queue.popleft() for _ in range(min(MAX_GROUP_SIZE, len(self._queue)))]

    def _begin(self, group: Sequence[_Send]) -> None:
        for one in group:
            one.enter()
        if len(group) > 1:
            self._count([one for one in group if one.is_open])
        for one in group:
            one.begin()

    def _count(self, group: Sequence[_Send]) -> None:
        """Count the requests in order, those whose key is known, before their hooks would."""
        known = [(one, windows) for one in group if (windows := one.windows()) is not None]
        of_tenants = [(one, tenant) for one, (tenant, _) in known if tenant is not None]
        refused = set()
        for one, hit in self._hits(of_tenants):
            one.counted_for_tenant(hit)
            if hit is not None and not hit.allowed:
                refused.add(one)
        for one, hit in self._hits([(one, key) for one, (_, key) in known if one not in refused]):
            one.counted(hit)

    def _hits(self, windows: Sequence[tuple[_Send, Window]]) -> list[tuple[_Send, Hit | None]]:
        """Count each request in its window, with one round trip."""
        if not windows:
            return []
        with self._app.app_context():
            hits = rate_limits.hits([window for _, window in windows])
        return [(one, hit) for (one, _), hit in zip(windows, hits, strict=True)]


class _Send:
    """One request, with Flask's contexts from its entry to its response."""

    def __init__(self, app: Flask, environ: dict[str, Any], asker: Asker) -> None:
        self._app, self._environ, self._asker = app, environ, asker
        self._context = Context()
        self.since = clock.monotonic()
        self.is_open = True
        self.draft: Draft | None = None

    def refuse(self) -> None:
        """Answer the request, which is in no group, as one that waited for too long."""
        words = f"The send has been waiting for {MAX_QUEUED_SECONDS:.0f} seconds."
        self._asker.refused(self._environ, Overloaded(words))

    def enter(self) -> None:
        """Find the view, after the middleware of the application."""
        self._environ[ENTER] = self._push
        self._environ[GROUPED] = True
        self._environ[BEGAN] = self.since
        try:
            self._context.run(self._app, self._environ, _not_called)
        except Exception as fault:  # noqa: BLE001 as if Flask.wsgi_app raised it
            self.is_open = False
            self._asker.failed(fault)

    def windows(self) -> tuple[Window | None, Window] | None:
        """Where the request counts; None with a key that is not known.

        The first is the window of a platform's tenant, in which it counts first.
        """
        return self._context.run(_windows)

    def counted_for_tenant(self, hit: Hit | None) -> None:
        self._context.run(limits.counted_for_tenant, hit)

    def counted(self, hit: Hit | None) -> None:
        self._context.run(limits.counted, hit)

    def begin(self) -> None:
        """Run the hooks before the view, and the view until it has a draft."""
        if self.is_open:
            self._context.run(self._run, self._first_half)

    def finish(self) -> None:
        """Answer the request, unless it is answered."""
        if self.is_open:
            self._context.run(self._run, self._second_half)

    def fail(self, fault: Exception) -> None:
        """Let `finish` answer the request as one that failed, unless it is refused."""
        if self.draft is None:
            self._fault = fault
        elif self.draft.fault is None:
            self.draft.fault = fault

    def _push(self) -> None:
        self._flask = self._app.request_context(self._environ)
        self._flask.push()

    def _first_half(self) -> Response | None:
        request_started.send(self._app)
        refused = self._app.preprocess_request()
        if refused is not None:
            return self._app.make_response(refused)
        self.draft = draft_of_request()
        return None

    def _second_half(self) -> Response:
        if self.draft is None:
            raise self._fault
        return response_to(self.draft, send.final_result(self.draft))

    def _run(self, half: Half) -> None:
        """Run a half as Flask runs a view; a response or a fault ends the request."""
        try:
            response = self._response_of(half)
        except Exception as fault:  # noqa: BLE001 as in Flask.wsgi_app
            response = self._app.handle_exception(fault)
        if response is not None:
            self._end(response)

    def _response_of(self, half: Half) -> Response | None:
        try:
            found: Any = half()
        except Exception as fault:  # noqa: BLE001 as in Flask.full_dispatch_request
            found = self._app.handle_user_exception(fault)
        return None if found is None else self._app.finalize_request(found)

    def _end(self, response: Response) -> None:
        self.is_open = False
        try:
            self._asker.answered(self._environ, response)
            self._flask.pop(None)
        except Exception as fault:  # the other requests of the group are not concerned
            log.error("unforeseen", exc_info=fault)


def _windows() -> tuple[Window | None, Window] | None:
    with suppress(Exception):  # the hook repeats it, and what it raises answers the request
        principal = credentials.recognised()
        if principal is not None:
            return limits.tenant_window(principal), limits.window_of(principal)
    return None


def _not_called(*_: object) -> Any:
    """Starts a response; the entry of a request has none."""
