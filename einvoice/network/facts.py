"""Facts about an account or an access point, for people: lines with a label and a value.

    def connection_facts(self, connection):
        yield Fact("Next number", connection.state.get("next", "1"))

Labels and values are in English. Lines are shown as they are, so they name no secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from einvoice.network.connections import Connection

MAX_FACTS: Final = 20  # of an account or an access point; more are left out
MAX_CONNECTIONS: Final = 500  # that `operation_facts` gets


@dataclass(frozen=True, slots=True)
class Fact:
    """A line. `label` is a few words; `value` is at most 300 characters, longer ones are cut."""

    label: str
    value: str


@runtime_checkable
class DescribesConnections(Protocol):
    """An access point that says something of each account. Since interface 2."""

    def connection_facts(self, connection: Connection) -> Iterable[Fact]:
        """The lines of an account, from what is stored. Does not use the network.

        Called in requests for pages; an exception leaves the lines out.
        """
        ...


@runtime_checkable
class DescribesOperation(Protocol):
    """An access point that says something of itself to operators. Since interface 2."""

    def operation_facts(self, connections: Sequence[Connection]) -> Iterable[Fact]:
        """The lines of the access point. Does not use the network.

        connections  those of all tenants that are not revoked, at most MAX_CONNECTIONS
        """
        ...
