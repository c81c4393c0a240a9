"""Random lives of documents that are sent one after the other, with crashes, on both databases.

The authority keeps its own chains. Whatever happens, in whatever order: a chain has no gap and no
counter twice, the order is that of acceptance, and nothing waits for ever.
"""

from __future__ import annotations

import contextlib
import uuid
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import TooBusy
from einvoice.network.types import NotSent, Outcome, Unknown
from einvoice.services.account import tenants
from einvoice.services.connections import accounts, checks, parked_documents
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_sends import Accepted
from einvoice.store.tables import Outbox, Sequence, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import new_send
from tests.crashes import Crash, crash_before
from tests.networks.toll.chain import BoundChain, ChainPlugin

ACCOUNT = "NL1"
MOODS = st.sampled_from(["delivers", "not sent", "silent before", "silent after", "dies after"])


class Lives(RuleBasedStateMachine):
    """Sends of three units, jobs, crashes, ended consents, time."""

    app: Flask
    toll: ChainPlugin
    time: list[timedelta]

    def __init__(self) -> None:
        super().__init__()
        self.context = self.app.app_context()
        self.context.push()
        self.runtime = runtime_of(self.app)
        self.toll.authority.__init__()  # type: ignore[misc] # new books for each life
        self.mood = "delivers"
        self.accepted: dict[str, list[str]] = {}

    @initialize()
    def a_connection(self) -> None:
        self.tenant = tenants.create("Acme")
        new = NewConnection(
            Environment.TEST, "toll", ACCOUNT, credentials={"clientSecret": "secret"}
        )
        self.connection = accounts.create(self.tenant, new, self.runtime)
        self.a_person_consents()

    def teardown(self) -> None:
        """Left alone with a network that works and a consent, everything is delivered in order."""
        self.mood = "delivers"
        if hasattr(self, "tenant"):
            self.time[0] += timedelta(minutes=5)
            self.a_person_consents()
            for _ in range(60):
                self.a_round_of_work(seconds=200, crash=None, twice=False)
                if not self.rows(Outbox.subject_id):
                    break
            for unit, ids in self.accepted.items():
                chain = [link.counter for link in self.toll.authority.chains[ACCOUNT, unit]]
                assert chain == list(range(1, len(ids) + 1))
                cleared = [m.removesuffix("@toll") for m in self.toll.authority.cleared]
                assert [each for each in cleared if each in ids] == ids
            assert set(self.rows(Transmission.status)) <= {"Delivered"}
            assert self.rows(Sequence.id) == []
        self.context.pop()

    # -- what happens --

    @rule(units=st.lists(st.sampled_from("ABC"), min_size=1, max_size=3),
          crash=st.none() | st.integers(0, 9))  # fmt: skip
    def documents_are_accepted(self, units: list[str], crash: int | None) -> None:
        sends = [
            new_send(
                self.tenant, access_point="toll-clearance-test", connection_id=self.connection.id,
                sequence_key=unit, number=f"{unit}-1", created_at=clock.now(),
                retry_until=clock.now() + timedelta(days=300),
            )
            for unit in units
        ]  # fmt: skip
        results: list[Any] = []
        with crash_before(crash):
            results = acceptance.accept_many(sends)
        assert all(isinstance(result, Accepted) for result in results)
        known = set(self.rows(Transmission.id))
        for unit, send in zip(units, sends, strict=True):
            if send.transmission_id in known:
                self.accepted.setdefault(unit, []).append(send.transmission_id)

    @rule(mood=MOODS)
    def the_network_changes(self, mood: str) -> None:
        self.mood = mood

    @rule()
    def the_consent_ends(self) -> None:
        self.toll.authority.withdrawn.add(ACCOUNT)

    @rule()
    def a_person_consents(self) -> None:
        code = self.toll.authority.consent(ACCOUNT)
        with contextlib.suppress(TooBusy):
            checks.run(
                self.connection,
                lambda c: self.toll.point.authorised(c, code, ""),
                self.runtime,
                "Ann",
            )

    @rule(seconds=st.sampled_from([0, 1, 10, 200]), crash=st.none() | st.integers(0, 16),
          twice=st.booleans())  # fmt: skip
    def a_round_of_work(self, seconds: int, crash: int | None, twice: bool) -> None:
        self.time[0] += timedelta(seconds=seconds)
        outbox.release_expired(clock.now())
        parked_documents.reconcile()
        for lane in outbox.LANES:
            token, now = uuid.uuid4().hex, clock.now()
            lease = timedelta(seconds=30)
            rows = outbox.claim(lane, self.tenant, 100, token=token, now=now, lease=lease)
            for _ in range(1 + twice):
                with contextlib.suppress(Crash), crash_before(crash):
                    transmit.advance([row.id for row in rows], token, self.runtime)

    def submitted(self, submit: Any, *given: Any) -> Outcome:
        """What the network of this mood does with a document."""
        match self.mood:
            case "not sent":
                return NotSent("later")
            case "silent before":
                return Unknown("no answer")
        outcome: Outcome = submit(*given)
        if self.mood == "dies after":
            self.mood = "delivers"
            raise Crash
        return Unknown("no answer") if self.mood == "silent after" else outcome

    # -- what always holds --

    def rows(self, column: Any) -> list[Any]:
        table = column.class_
        query = sa.select(column).where(table.tenant_id == self.tenant)
        if table is Outbox:
            query = query.where(Outbox.kind == outbox.TRANSMISSION)
        with db.reading() as connection:
            return list(connection.execute(query).scalars())

    @invariant()
    def no_bill_was_out_of_order(self) -> None:
        assert self.toll.authority.faults == []

    @invariant()
    def every_open_document_has_its_row(self) -> None:
        if hasattr(self, "tenant"):
            owed = set(self.rows(Outbox.subject_id))
            query = sa.select(Transmission.id).where(
                Transmission.tenant_id == self.tenant, Transmission.status == "Processing"
            )
            with db.reading() as connection:
                open_ = set(connection.execute(query).scalars())
            assert open_ <= owed

    @invariant()
    def one_of_each_sequence_is_sent_at_a_time(self) -> None:
        if hasattr(self, "tenant"):
            query = (
                sa.select(Transmission.sequence_key)
                .join(Outbox, Outbox.subject_id == Transmission.id)
                .where(Transmission.tenant_id == self.tenant, Outbox.waits_for.is_(None))
            )
            with db.reading() as connection:
                keys = list(connection.execute(query).scalars())
            assert len(keys) == len(set(keys))


@pytest.mark.parametrize("lives", [8, pytest.param(100, marks=pytest.mark.long)])
def test_random_lives(make_app: Any, monkeypatch: pytest.MonkeyPatch, lives: int) -> None:
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])
    monkeypatch.setattr(checks, "WAIT_SECONDS", 0.05)
    toll = ChainPlugin()
    app = make_app(plugins=[toll])

    class Machine(Lives):
        pass

    running: list[Lives] = []
    begin, submit = Machine.__init__, BoundChain.submit

    def begun(machine: Lives) -> None:
        begin(machine)
        running[:] = [machine]

    monkeypatch.setattr(Machine, "__init__", begun)
    monkeypatch.setattr(BoundChain, "submit", lambda *given: running[0].submitted(submit, *given))
    Machine.app, Machine.toll, Machine.time = app, toll, ahead
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=lives,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
