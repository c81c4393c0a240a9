"""Clearance with a chain: each bill of a unit has a counter and the digest of the one before."""

from __future__ import annotations

import json
from dataclasses import asdict

from einvoice.network.connections import Connection, Renew
from einvoice.network.types import (
    ConnectionState,
    Envelope,
    Prepared,
)
from tests.networks.toll.authority import Link
from tests.networks.toll.clearance import BoundClearance, Clearance, ClearancePlugin


class Chain(Clearance):
    """The number of a bill begins with its unit: `A-17` is of unit A; without `-` it is of none."""

    def sequence_key(self, envelope: Envelope, connection: Connection) -> str | None:
        unit, separator, _ = envelope.number.partition("-")
        return unit if separator else None

    def bound(self, connection: Connection, renew: Renew) -> BoundChain:
        return BoundChain(self, connection, renew)


class BoundChain(BoundClearance):
    """The state has the last link of each unit; the prepared bytes are the link of the bill."""

    def prepare(self, envelope: Envelope) -> Prepared:
        message, connection = f"{envelope.transmission_id}@toll", self._connection
        unit, separator, _ = envelope.number.partition("-")
        if not separator:
            return Prepared(message)
        known = connection.state.get(f"unit {unit}")
        last = Link(**json.loads(known)) if known else None
        link = json.dumps(asdict(Link.after(last, unit, envelope.document)))
        state = {**connection.state, f"unit {unit}": link}
        return Prepared(
            message, link.encode(), connection_state=ConnectionState(connection.id, state)
        )

    def _clear(self, connection: Connection, prepared: Prepared) -> None:
        token = connection.credentials["refreshToken"]
        link = Link(**json.loads(prepared.content)) if prepared.content else None
        self._authority.clear(connection.account, token, prepared.message_id, link)


class ChainPlugin(ClearancePlugin):
    offered = Chain
