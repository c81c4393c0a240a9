"""Many invoices at a platform that loses answers and repeats messages: none is sent twice."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from einvoice.network.mailboxes import Fetched
from einvoice.network.types import Delivered, NeverSeen, Pending, Rejected, Unknown
from tests.networks.fr import company, messages
from tests.networks.fr.company import SELLER

MANY, TIMEOUTS = 20, 0.05


def run(bound, point, connection, service, platform, move, many, seed=7):
    """Send so many invoices and read their life cycle; the state of each, by its number."""
    chance = random.Random(seed)
    lost = {"createFlow", "getFlow", "searchFlows"}

    def faults(call):
        if call not in lost or chance.random() >= TIMEOUTS:
            return None
        return chance.choice(["lost", "gateway"])

    service.faults = faults
    waiting = {}
    for _ in range(many):
        one = company.envelope()
        waiting[one.number] = (one, submitted(bound, one))
    for number, (one, outcome) in waiting.items():
        while isinstance(outcome, Pending) and outcome.next_poll_at is not None:
            polled = bound.poll(one, outcome)
            outcome = polled if isinstance(polled, Pending | Rejected | Delivered) else outcome
        waiting[number] = (one, outcome)
    disturb(platform, chance)
    states = {number: [outcome] for number, (_, outcome) in waiting.items()}
    cursor = None
    for _ in range(many * 4 + 40):
        found = point.fetch(connection, cursor)
        if not isinstance(found, Fetched):
            continue
        for news in found.news:
            states[news.reference.number].append(news.outcome)
        cursor = found.cursor
        if not found.more and not json.loads(cursor)["aside"]:
            break
        if not found.more:
            move(minutes=11)  # until what was put aside is due
    return states


def submitted(bound, one):
    prepared = bound.prepare(one)
    for _ in range(20):
        outcome = bound.submit(one, prepared)
        while isinstance(outcome, Unknown):
            outcome = bound.find(one, prepared)
        if not isinstance(outcome, NeverSeen):
            return outcome
    raise AssertionError("never sent")


def disturb(platform, chance):
    """Tell each tenth message again, late."""
    incoming = [e for e in platform.flows.values() if e.direction == "In" and e.owner == SELLER]
    for flow in chance.sample(incoming, len(incoming) // 10):
        platform.tell(SELLER, flow.type, flow.content)


@pytest.mark.parametrize("many", [MANY, pytest.param(2_000, marks=pytest.mark.long)])
def test_final_states_are_those_of_the_platforms_book(
    bound, point, connection, service, platform, move, many
):
    states = run(bound, point, connection, service, platform, move, many)
    taken = Counter(
        messages.head_of(each.content).number
        for each in platform.flows.values()
        if each.direction == "Out" and each.status == "Ok"
    )

    assert len(states) == many
    assert set(taken.values()) == {1}
    assert set(taken) == set(states)
    assert all(any(isinstance(each, Delivered) for each in found) for found in states.values())
