"""Running the duties of plugins. A duty is an outbox row that is rescheduled when it is done.

So it survives restarts and runs in one worker at a time; after the death of its worker it runs
again when the lease ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.duties import Duty
from einvoice.network.registry import Extras, OfPlugin
from einvoice.observability import logging
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import plugin_duties

log = logging.get(__name__)

TENANT = "plugins"  # of their outbox rows: they take turns with the tenants
MIN_BACKOFF, MAX_BACKOFF = timedelta(seconds=10), timedelta(hours=1)
# Seconds in which a job begins duties; with the longest one it ends before its own time limit.
MAX_JOB_SECONDS = 240.0
MAX_FAULT_LENGTH = 300

# A run that exceeded its time may still be going on: another one does not begin in this process.
_calls = Shares(1)


def subject_of(plugin: str, duty: str) -> str:
    """The id of a duty, which is the subject of its outbox row."""
    return f"duty_{hashlib.sha256(f'{plugin}/{duty}'.encode()).hexdigest()[:32]}"


def schedule(runtime: Runtime) -> None:
    """Insert the missing outbox rows of duties; a duty whose interval changed is due at once."""
    installed = _installed(runtime.extras)
    if not installed:
        return
    with db.writing() as connection:
        for subject, each in sorted(installed.items()):
            every = each.offer.every.total_seconds()
            plugin_duties.add(connection, subject, each.plugin, each.offer.name, every)
        for subject, state in plugin_duties.lock(connection, installed).items():
            every = installed[subject].offer.every.total_seconds()
            if state.every_seconds != every:
                plugin_duties.set_interval(connection, subject, every)
                outbox.make_due(connection, subject, clock.now())
            outbox.enqueue_chore(connection, outbox.DUTY, subject, TENANT)


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Run the duties of these rows, one after the other. One that is not installed ends."""
    installed = _installed(runtime.extras)
    last_begin = clock.monotonic() + MAX_JOB_SECONDS
    margin = runtime.settings.lease_margin
    for row_id, subject in outbox.subjects(outbox_ids, token):
        each = installed.get(subject)
        if each is None:
            _end(row_id, token, subject)
        elif clock.monotonic() > last_begin:
            with db.writing() as connection:
                due = (row_id, outbox.CHORES, clock.now())
                outbox.reschedule(connection, [due], token)
        elif outbox.extend_from_now(row_id, token, each.offer.seconds + margin):
            fault = _fault_of(subject, each)
            _settle(row_id, token, subject, each, fault)


def _installed(extras: Extras) -> dict[str, OfPlugin[Duty]]:
    return {subject_of(plugin, name): each for (plugin, name), each in extras.duties.items()}


def _in(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)


def _fault_of(subject: str, each: OfPlugin[Duty]) -> str | None:
    """Run the duty; the fault without secrets, None if it succeeded."""
    duty = each.offer
    try:
        _calls.call(subject, duty.run, duty.seconds)
    except PluginBusy:
        return f"did not end within {duty.seconds:g} seconds"
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - of a plugin: logged and repeated
        return each.settings.redacted(f"{type(fault).__name__}: {fault}")[:MAX_FAULT_LENGTH]
    return None


def _settle(row_id: int, token: str, subject: str, each: OfPlugin[Duty], fault: str | None) -> None:
    """Store how the run ended, and when the next one is due, unless the lease has ended."""
    now = clock.now()
    names = {"plugin": each.plugin, "duty": each.offer.name}
    with db.writing() as connection:
        state = plugin_duties.lock(connection, [subject]).get(subject)
        if not outbox.extend(connection, [row_id], token, _in(now, 1), now):
            log.warning("duty ended after its lease", **names)
            return
        failures = 0 if fault is None else (state.failures if state else 0) + 1
        due = now + (backoff(failures) if failures else each.offer.every)
        plugin_duties.record(connection, subject, failures, now, fault)
        outbox.reschedule(connection, [(row_id, outbox.CHORES, due)], token)
    if fault is not None:
        log.warning("duty failed", fault=fault, failures=failures, next_at=due.isoformat(), **names)


def backoff(failures: int) -> timedelta:
    """The pause after the n-th failure in a row: 10, 20, 40 … seconds, at most an hour."""
    doublings: int = min(failures - 1, 20)
    return min(MAX_BACKOFF, MIN_BACKOFF * (1 << doublings))


def _end(row_id: int, token: str, subject: str) -> None:
    """Delete a duty that no installed plugin offers. It is scheduled again if one does."""
    with db.writing() as connection:
        plugin_duties.lock(connection, [subject])
        if outbox.extend(connection, [row_id], token, _in(clock.now(), 1), clock.now()):
            outbox.complete(connection, [row_id], token)
            plugin_duties.remove(connection, subject)
            log.info("duty of a plugin that is not installed ended", subject=subject)
