"""Leases: who may submit, for how long, and in which order work is handed out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask

from einvoice import clock
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from tests.builders import accepted

LEASE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("token", "later", "held"),
    [
        ("token", timedelta(0), True),
        ("token", LEASE - timedelta(seconds=1), True),
        ("token", LEASE, False),
        ("other", timedelta(0), False),
    ],
)
def test_only_the_holder_of_a_live_lease_extends_it_and_sees_its_work(
    app: Flask, tenant: str, token: str, later: timedelta, held: bool
) -> None:
    """A worker whose lease has ended must not submit: another one may be doing so."""
    send = accepted(tenant)
    now = clock.now()
    [row] = outbox.claim(send.lane, tenant, 1, token="token", now=now, lease=LEASE)
    then = now + later

    assert len(transmissions.held([row.id], token, then)) == held
    with db.writing() as connection:
        extended = outbox.extend(connection, [row.id], token, then + LEASE, then)
    assert extended == ({row.id} if held else set())


def test_the_longest_due_is_claimed_first(app: Flask, tenant: str) -> None:
    """Whatever the order in which rows were written."""
    now = clock.now()
    with db.writing() as connection:
        for subject, seconds in (("third", 1), ("first", 3), ("second", 2), ("not due", -60)):
            outbox.enqueue(
                connection, kind=outbox.TRANSMISSION, lane=outbox.BULK, subject_id=subject,
                tenant_id=tenant, due_at=now - timedelta(seconds=seconds),
            )  # fmt: skip

    claimed = [
        [row.subject_id for row in outbox.claim("bulk", tenant, 1, token=t, now=now, lease=LEASE)]
        for t in ("a", "b", "c", "d")
    ]
    assert claimed == [["first"], ["second"], ["third"], []]


def test_transmissions_of_a_job_are_worked_on_in_the_order_of_their_rows(
    app: Flask, tenant: str
) -> None:
    """In whatever order the job names them."""
    sends = [accepted(tenant) for _ in range(3)]
    rows = outbox.claim(
        sends[0].lane, tenant, 3, token="token", now=clock.now() + LEASE, lease=LEASE
    )
    ids = sorted((row.id for row in rows), reverse=True)

    held = transmissions.held(ids, "token", clock.now())
    assert [work.outbox_id for work in held] == sorted(ids)
    assert [work.id for work in held] == [send.transmission_id for send in sends]
