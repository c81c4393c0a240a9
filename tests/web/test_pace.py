"""Requests that wait for outcomes leave the interpreter to others."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox import Sandbox, a_body

NEVER_SETTLED = "0088:9520000000028"
WAITERS = 8

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_more_requests_wait_at_once_than_may_compute(app):
    """Eight sends that wait a second each are answered together, not two by two."""
    sandbox = Sandbox.of(app)
    reference = sandbox.lookup(NEVER_SETTLED).json["accessPointRef"]
    headers = sandbox.headers | {"Prefer": "wait=1"}

    def send(_):
        body = a_body(NEVER_SETTLED, reference)
        return app.test_client().post("/api/invoices/send", json=body, headers=headers).status_code

    started = time.monotonic()
    with ThreadPoolExecutor(WAITERS) as callers:
        answers = list(callers.map(send, range(WAITERS)))

    assert answers == [200] * WAITERS
    assert 1.0 <= time.monotonic() - started < 2.0
