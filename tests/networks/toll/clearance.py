"""Clearance by the toll authority: bills are sent by the account of their tenant."""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.profiles import Profile
from einvoice.network.connections import Connection, Renew
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    AccessPointBase,
    Blocked,
    Capabilities,
    Delivered,
    Envelope,
    Found,
    NeverSeen,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Registration,
    receipt,
)
from einvoice.rules import RuleSet
from tests.networks.toll import form
from tests.networks.toll.accounts import TollAccounts
from tests.networks.toll.authority import Authority, Expired, Throttled

SCHEME = "0190"
RECEIPT = receipt(b"<Receipt/>")


class Clearance(TollAccounts):
    """What is offered: it knows the accounts, and sends nothing itself."""

    name = "toll-clearance-test"
    network = "toll"
    capabilities = Capabilities(
        has_status=True, concurrency=4, needs_lookup=False, formats=(form.PROFILE.syntax,)
    )

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == SCHEME

    def bound(self, connection: Connection, renew: Renew) -> BoundClearance:
        return BoundClearance(self, connection, renew)


class BoundClearance(AccessPointBase):
    """The authority as seen by one account."""

    name, network, capabilities = Clearance.name, Clearance.network, Clearance.capabilities
    environment = Environment.TEST

    def __init__(self, offered: Clearance, connection: Connection, renew: Renew) -> None:
        self._authority, self._connection, self._renew = offered.authority, connection, renew

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        raise AssertionError("the authority has no directory")

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        connection = self._connection
        for _ in range(20):
            try:
                self._clear(connection, prepared)
            except Expired:
                found = self._renew(connection)
                if isinstance(found, Blocked | NotSent):
                    return found
                connection = self._connection = found
            except Throttled as fault:
                return NotSent(str(fault), retry_after=fault.seconds)
            else:
                return Delivered((RECEIPT,))
        return NotSent("the token ends as soon as it is issued")

    def _clear(self, connection: Connection, prepared: Prepared) -> None:
        token = connection.credentials["refreshToken"]
        self._authority.clear(connection.account, token, prepared.message_id)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return Delivered((RECEIPT,))

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        if self._authority.knows(prepared.message_id):
            return Delivered((RECEIPT,))
        return NeverSeen()


class ClearancePlugin:
    """The plugin of the clearance, with the form of the network."""

    EINVOICE_INTERFACE = 1
    offered = Clearance

    def __init__(self, uses: int | None = None) -> None:
        self.authority = Authority(uses)
        self.point = self.offered(self.authority)

    @hookimpl
    def einvoice_access_points(self) -> Iterator[Clearance]:
        yield self.point

    @hookimpl
    def einvoice_rule_sets(self) -> Iterator[RuleSet]:
        yield form.RULES

    @hookimpl
    def einvoice_profiles(self) -> Iterator[Profile]:
        yield form.PROFILE
