"""Requests that wait for outcomes leave the interpreter to others."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from einvoice.web.runtime import runtime_of
from tests.sandbox import Sandbox, a_body

NEVER_SETTLED = "0088:9520000000028"
WAITERS = 8

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_more_requests_wait_at_once_than_may_compute(app):
    """Eight sends wait for a worker side by side, not two by two."""
    sandbox = Sandbox.of(app)
    reference = sandbox.lookup(NEVER_SETTLED).json["accessPointRef"]
    headers = sandbox.headers | {"Prefer": "wait=25"}

    def send(_):
        body = a_body(NEVER_SETTLED, reference)
        return app.test_client().post("/api/invoices/send", json=body, headers=headers).status_code

    room, until = runtime_of(app).waiting_room, time.monotonic() + 20
    with ThreadPoolExecutor(WAITERS) as callers:
        asked = [callers.submit(send, number) for number in range(WAITERS)]
        while (together := room.waiting) < WAITERS and time.monotonic() < until:
            time.sleep(0.01)
        sandbox.work(60)

    assert together == WAITERS
    assert [one.result() for one in asked] == [200] * WAITERS
