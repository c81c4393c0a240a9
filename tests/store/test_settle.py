"""A transmission is settled once, under the fence of its attempt."""

from __future__ import annotations

import itertools

import pytest
import sqlalchemy as sa

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.services.account import tenants
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Settlement
from einvoice.store.tables import Transmission
from tests.builders import accepted


def transmission_with(status: NetworkStatus) -> str:
    send = accepted(tenants.create("Acme"))
    with db.writing() as connection:
        connection.execute(
            sa.update(Transmission)
            .where(Transmission.id == send.transmission_id)
            .values(status=status.value, fence=3)
        )
    return send.transmission_id


def settle(transmission_id: str, status: NetworkStatus, fence: int = 3) -> bool:
    with db.writing() as connection:
        settlement = Settlement(transmission_id, fence, status, Phase.DONE)
        return transmission_id in transmissions.settle(connection, [settlement])


@pytest.mark.parametrize(("before", "after"), [*itertools.product(NetworkStatus, repeat=2)])
def test_only_processing_is_ever_left(app, before, after):
    """Delivered, Failed and Received are final."""
    transmission_id = transmission_with(before)

    assert settle(transmission_id, after) == (before is NetworkStatus.PROCESSING)
    found = transmissions.find(transmission_id)
    assert found is not None
    assert found.status == (after if before is NetworkStatus.PROCESSING else before)


@pytest.mark.parametrize("fence", [2, 4])
def test_a_settlement_under_another_fence_is_ignored(app, fence):
    """Another attempt has begun since, or this one never did."""
    transmission_id = transmission_with(NetworkStatus.PROCESSING)

    assert not settle(transmission_id, NetworkStatus.DELIVERED, fence)


def test_evidence_that_is_awaited_is_noted_for_its_transmission_alone(app):
    first, second = sorted(transmission_with(NetworkStatus.DELIVERED) for _ in range(2))
    with db.writing() as connection:
        transmissions.set_follow_up(connection, first, {"reference": "r"})

    assert transmissions.find(first).pending == {"reference": "r"}
    assert transmissions.find(second).pending is None
