"""What workers do, without a queue: they claim rows that are due, and call plugins in threads."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta

from flask import Flask

from einvoice import clock
from einvoice.services.inbound import mailboxes
from einvoice.services.tenant_data import export_jobs
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller

LEASE = timedelta(seconds=60)


def claimed(lane: str, *tenants: str, kind: str | None = None) -> tuple[list[int], str]:
    """The due rows of these tenants in a lane, and the token that they are claimed with.

    kind  those of this kind only; the others are claimed too
    """
    token, now = uuid.uuid4().hex, clock.now()
    rows = (outbox.claim(lane, each, 100, token=token, now=now, lease=LEASE) for each in tenants)
    return [row.id for found in rows for row in found if kind in (None, row.kind)], token


def await_calls() -> None:
    """Wait until the calls of plugins have ended (services/plugin_calls)."""
    for thread in threading.enumerate():
        if thread.name.startswith("call-"):
            thread.join(30)


def fetch_mailboxes(caller: Caller, move: Callable[..., None]) -> None:
    """Fetch what is due, also of mailboxes that are new."""
    with caller.app.app_context():
        parts = runtime_of(caller.app)
        mailboxes.schedule(parts)
        move(minutes=16)
        mailboxes.run(*claimed(outbox.PLUGINS, caller.tenant), parts)
        await_calls()


def claimed_export(service: Flask, tenant: str) -> tuple[list[int], str]:
    """The row of an export that was requested."""
    with service.app_context():
        return claimed(outbox.PLUGINS, tenant)


def write_export(service: Flask, tenant: str) -> None:
    """Write an export that was requested, to its end."""
    ids, token = claimed_export(service, tenant)
    with service.app_context():
        export_jobs.run(ids, token, runtime_of(service))
    for thread in threading.enumerate():
        if thread.name == "export":
            thread.join(30)
