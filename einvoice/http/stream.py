"""Requests that are added while others are being sent, all on one thread.

stream = RequestStream(client)
Thread(target=lambda: handle(stream.completed())).start()
stream.add(1, Request("POST", url, body=body))  # from any thread
stream.finish()
"""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from selectors import EVENT_READ

from einvoice import clock
from einvoice.http.client import Response
from einvoice.http.connections import Origin, Steps, Wait
from einvoice.http.many import ConcurrentClient, OpenRequest, Results, Sending
from einvoice.http.request import Request

_IDLE_SECONDS = 60.0


class RequestStream(Sending):
    """Sends what is added, as `ConcurrentClient.send_all` does, until it is finished."""

    def __init__(self, client: ConcurrentClient, *, excerpt: bool = False) -> None:
        super().__init__(client, client.limits, math.inf, excerpt)
        self._added: SimpleQueue[tuple[int, Request]] = SimpleQueue()
        self._finished = False
        self._here, self._there = socket.socketpair()
        for side in (self._here, self._there):
            side.setblocking(False)
        waker = OpenRequest(0, Origin("", "", 0), "", b"", client.limits)
        waker.steps = self._woken()
        self._advance(waker)

    def add(self, position: int, request: Request) -> None:
        """Send the request; its result has this position. From any thread."""
        self._added.put((position, request))
        self._wake()

    def finish(self) -> None:
        """Nothing more is added: `completed` ends with the last result. From any thread."""
        self._finished = True
        self._wake()

    def completed(self) -> Iterator[Results]:
        """The results as they come. The thread that iterates sends the requests."""
        try:
            while True:
                finished = self._finished
                while not self._added.empty():
                    self._accept(*self._added.get())
                if not self._begin_waiting() and not self._done and finished:
                    return
                if not self._done:
                    self._continue(clock.monotonic() + _IDLE_SECONDS)
                done, self._done = self._done, []
                if done:
                    yield done
        finally:
            self.close()
            self._here.close()
            self._there.close()

    def _wake(self) -> None:
        with suppress(OSError):  # full: it is awake already; closed: nothing waits
            self._there.send(b"\0")

    def _woken(self) -> Steps[Response]:
        while True:
            yield Wait(self._here, EVENT_READ, math.inf)
            with suppress(BlockingIOError):
                self._here.recv(4096)
