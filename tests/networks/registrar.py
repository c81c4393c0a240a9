"""A live network with a public register that names the access point of each participant.

Its plugin is this module. Nothing of it is part of the service.
"""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    AccessPointBase,
    Delivered,
    DirectoryUnavailable,
    Envelope,
    Inbox,
    NotRegistered,
    Outcome,
    Prepared,
    Registration,
    receipt,
)

EINVOICE_INTERFACE = 1
ELSEWHERE = "0208:0403019261"  # registered with another access point


class Registrar(AccessPointBase):
    """Its register has one participant elsewhere; `here` has those that name this access point."""

    name = "register-live"
    network = "register"
    environment = Environment.LIVE

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.here: set[str] = set()
        self.asked: list[str] = []
        self.lookups = 0
        self.away = False  # does not say by whom a participant is registered
        self.silent = False  # nor whether it is

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        self.lookups += 1
        if self.silent:
            raise DirectoryUnavailable("the register does not answer")
        known = participant.canonical in {*self.here, ELSEWHERE}
        return Registration((BIS_INVOICE,)) if known else NotRegistered()

    def registered_here(self, participant: ParticipantId) -> bool:
        self.asked.append(participant.canonical)
        if self.away:
            raise DirectoryUnavailable("the register does not answer")
        return participant.canonical in self.here

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        return Delivered((receipt(b"<Receipt/>"),))


@hookimpl
def einvoice_access_points(inbox: Inbox) -> Iterator[Registrar]:
    """The access point of the network."""
    yield Registrar(inbox)
