"""Random lives of transmissions, with crashes between any two statements, on both databases.

The network is a ledger that remembers what it took. Whatever happens, in whatever order: nothing
accepted is lost, nothing is delivered twice, a final status stays and is true, and the answer of a
send is given once.
"""

from __future__ import annotations

import contextlib
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from einvoice import clock
from einvoice.domain.artefacts import RECEIPT
from einvoice.domain.environments import Environment
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Evidence,
    Found,
    NeverSeen,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    Repeat,
    Unknown,
)
from einvoice.services.account import tenants
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.core import db
from einvoice.store.sending import acceptance, first_answers
from einvoice.store.sending.new_sends import Accepted, NewSend
from einvoice.store.tables import Event, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import new_send
from tests.crashes import Crash, crash_before

FINAL = {"Delivered", "Failed"}
BEHAVIOURS = st.sampled_from(
    ["delivers", "rejects", "pends", "not sent", "silent after", "silent before", "raises after"]
)


@dataclass
class Ledger(AccessPointBase):
    """A network that counts. `behaviour` is what the next submits come to."""

    name: str = "ledger"
    network: str = "peppol"
    environment: Environment = Environment.TEST
    capabilities: Capabilities = field(default_factory=Capabilities)
    behaviour: str = "delivers"
    taken: Counter[str] = field(default_factory=Counter)
    refused: set[str] = field(default_factory=set)
    crash_after: bool = False

    def lookup(self, participant: Any) -> Registration | NotRegistered:
        return NotRegistered()

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        message = prepared.message_id
        match self.behaviour:
            case "delivers" | "pends" | "silent after" | "raises after":
                self.taken[message] += 1
            case "rejects":
                self.refused.add(message)
        if self.crash_after:
            self.crash_after = False
            raise Crash
        return self._told(message)

    def _told(self, message: str) -> Outcome:
        match self.behaviour:
            case "delivers":
                return Delivered((Evidence(RECEIPT, message.encode()),))
            case "rejects":
                return Rejected("refused", "will not have it", 400)
            case "pends":
                return Pending(message, clock.now() + timedelta(seconds=5))
            case "not sent":
                return NotSent("no answer")
            case "raises after":
                raise OSError("connection reset")
            case _:
                return Unknown("no answer")

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return Delivered((Evidence(RECEIPT, pending.reference.encode()),))

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        if self.taken[prepared.message_id]:
            return Delivered((Evidence(RECEIPT, prepared.message_id.encode()),))
        if prepared.message_id in self.refused:
            return Rejected("refused", "would not have it", 400)
        return NeverSeen()


class LedgerInGroups(Ledger):
    """The same, which returns the outcomes of a batch one by one."""

    def submit_as_completed(
        self, batch: Sequence[tuple[Envelope, Prepared]]
    ) -> Iterator[list[tuple[int, Outcome]]]:
        for place in reversed(range(len(batch))):
            yield [(place, self.submit(*batch[place]))]


class Lives(RuleBasedStateMachine):
    """Sends, jobs, crashes, silence, time, operators' absence."""

    app: Flask
    time: list[timedelta]
    can: Capabilities

    def __init__(self) -> None:
        super().__init__()
        self.context = self.app.app_context()
        self.context.push()
        self.network = self.app.extensions["ledger"]
        self.network.taken.clear()
        self.network.refused.clear()
        self.network.capabilities = self.can
        self.network.crash_after = False
        self.sent: dict[str, NewSend] = {}
        self.seen_final: dict[str, str] = {}
        self.answers: dict[str, set[str]] = {}
        self.old_job: tuple[list[int], str] | None = None
        # Not a rule: a life that is given up before its first one is torn down too.
        self.tenant = tenants.create("Acme")

    def teardown(self) -> None:
        """Left alone with a healthy network, everything comes to its end."""
        self.network.behaviour = "delivers"
        self.network.crash_after = False
        for _ in range(12):
            self.a_round_of_work(seconds=200, crash=None, twice=False)
        for row in self.rows():
            settled = row.status in FINAL or row.attention
            assert settled, f"{row.id} was forgotten in {row.phase}"
            if row.status == "Delivered":
                assert self.network.taken[row.message_id] == 1
        self.context.pop()

    # -- what happens --

    @rule(key=st.sampled_from([None, "a", "b"]), waits=st.booleans(),
          crash=st.none() | st.integers(0, 4))  # fmt: skip
    def a_send_is_accepted(self, key: str | None, waits: bool, crash: int | None) -> None:
        send = new_send(
            self.tenant, key=key, access_point="ledger", lane="waited" if waits else "bulk",
            answered=None if waits else "processing",
            answer_by=clock.now() + timedelta(seconds=7) if waits else None,
        )  # fmt: skip
        result: Any = None
        with crash_before(crash):
            result = acceptance.accept(send)
        if isinstance(result, Accepted):
            self.sent[send.transmission_id] = send
        elif result is None:  # it died: either all of it is there or nothing
            if any(row.id == send.transmission_id for row in self.rows()):
                self.sent[send.transmission_id] = send
        else:
            assert isinstance(result, AcceptedKey)

    @rule(behaviour=BEHAVIOURS)
    def the_network_changes_its_mood(self, behaviour: str) -> None:
        self.network.behaviour = behaviour

    @rule()
    def the_next_worker_dies_behind_the_fence(self) -> None:
        self.network.crash_after = True

    @rule(
        seconds=st.sampled_from([0, 1, 10, 200]),
        crash=st.none() | st.integers(0, 9),
        twice=st.booleans(),
    )
    def a_round_of_work(self, seconds: int, crash: int | None, twice: bool) -> None:
        """Time passes, dead workers' leases end, the relay hands out, jobs run, maybe twice."""
        self.time[0] += timedelta(seconds=seconds)
        outbox.release_expired(clock.now())
        for lane in outbox.LANES:
            token = uuid.uuid4().hex
            claimed = outbox.claim(
                lane, self.tenant, 100, token=token, now=clock.now(), lease=timedelta(seconds=30)
            )
            for _ in range(1 + twice):
                with contextlib.suppress(Crash), crash_before(crash):
                    self.advance([row.id for row in claimed], token)

    @rule(crash=st.none() | st.integers(0, 9))
    def a_late_job_runs(self, crash: int | None) -> None:
        """A job that waited in the queue until somebody else did its work."""
        if self.old_job is not None:
            with contextlib.suppress(Crash), crash_before(crash):
                self.advance(*self.old_job)

    def advance(self, ids: list[int], token: str) -> None:
        self.old_job = (ids, token)
        transmit.advance(ids, token, runtime_of(self.app))

    @rule(data=st.data())
    def a_waiting_request_is_answered(self, data: st.DataObject) -> None:
        waiting = [s for s in self.sent.values() if s.answered is None]
        if not waiting:
            return
        send = data.draw(st.sampled_from(waiting))
        scope = KeyScope(send.tenant_id, "test", "send", send.key) if send.key else None
        word = first_answers.fix(send.transmission_id, scope)
        self.answers.setdefault(send.transmission_id, set()).add(word.value)

    # -- what always holds --

    def rows(self) -> list[Any]:
        query = sa.select(
            Transmission.id, Transmission.status, Transmission.phase, Transmission.attention,
            Transmission.message_id,
        ).where(Transmission.tenant_id == self.tenant)  # fmt: skip
        with db.reading() as connection:
            return list(connection.execute(query))

    @invariant()
    def nothing_is_taken_twice(self) -> None:
        if self.can.repeat is Repeat.NEVER:
            assert all(count == 1 for count in self.network.taken.values())

    @invariant()
    def nothing_accepted_is_lost(self) -> None:
        """Each accepted send is there, and final, owed, in flight or with a person."""
        rows = {row.id: row for row in self.rows()} if hasattr(self, "tenant") else {}
        assert set(self.sent) <= set(rows)
        query = sa.select(Outbox.subject_id)
        with db.reading() as connection:
            owed = set(connection.execute(query).scalars())
        for row in rows.values():
            assert row.status in FINAL or row.id in owed or row.attention

    @invariant()
    def a_final_status_stays_and_is_told_once(self) -> None:
        rows = self.rows() if hasattr(self, "tenant") else []
        for row in rows:
            before = self.seen_final.get(row.id)
            assert before in (None, row.status)
            if row.status in FINAL:
                self.seen_final[row.id] = row.status
        with db.reading() as connection:
            reported = Counter(
                payload["transactionId"]
                for payload in connection.execute(sa.select(Event.payload)).scalars()
            )
        ours = {row.id for row in rows}
        assert {i: reported[i] for i in ours if reported[i]} == dict.fromkeys(
            (i for i in self.seen_final if i in ours), 1
        )

    @invariant()
    def an_answer_is_given_once(self) -> None:
        assert all(len(words) == 1 for words in self.answers.values())


@pytest.fixture
def moved_clock(monkeypatch: pytest.MonkeyPatch) -> list[timedelta]:
    """A clock that the test can put forward."""
    real = clock.now
    ahead = [timedelta()]

    def _now() -> datetime:
        return real() + ahead[0]

    monkeypatch.setattr(clock, "now", _now)
    return ahead


@pytest.mark.parametrize(
    "can",
    [
        Capabilities(has_status=True, concurrency=2),
        Capabilities(has_status=False, repeat=Repeat.NEVER),
        Capabilities(has_status=True, repeat=Repeat.IDEMPOTENT, bulk=1),
        Capabilities(has_status=True, bulk=3),
    ],
    ids=["has status", "has no status", "recognises repeats", "outcomes in groups"],
)
@pytest.mark.parametrize(
    "lives",
    [4, pytest.param(12, marks=pytest.mark.more), pytest.param(300, marks=pytest.mark.long)],
)
def test_random_lives(
    make_app: Any, moved_clock: list[timedelta], can: Capabilities, lives: int
) -> None:
    """Whatever happens in whatever order, the promises of docs/states.md hold."""
    ledger = Ledger() if can.bulk == 1 else LedgerInGroups()
    plugin = ModuleType("ledger")

    @hookimpl
    def einvoice_access_points(settings: Any) -> list[Ledger]:
        return [ledger]

    plugin.einvoice_access_points = einvoice_access_points  # type: ignore[attr-defined]
    plugin.EINVOICE_INTERFACE = INTERFACE_VERSION  # type: ignore[attr-defined]
    app = make_app(plugins=[plugin])
    app.extensions["ledger"] = ledger

    class Machine(Lives):
        pass

    Machine.app, Machine.time, Machine.can = app, moved_clock, can
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=lives,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
