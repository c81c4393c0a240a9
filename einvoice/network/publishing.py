"""Publishing participants: entries that an access point keeps in the directory of its network.

An access point that can write to the directory from which others look up receivers (Peppol: an
SMP) implements `PublishesParticipants`. The service calls it for each verified participant id, and
again until the directory has what the service has. Every operation may be called twice, and after
a process was killed in the middle of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.types import AccessPoint

MAX_FORM_LENGTH = 64
MAX_KEY_LENGTH = 100  # characters of a migration key
MAX_SECONDS = 60.0  # of one call


@dataclass(frozen=True, slots=True)
class BusinessCard:
    """The entry of a participant in a directory that people search.

    country  ISO 3166-1 alpha-2
    """

    name: str
    country: str


@dataclass(frozen=True, slots=True)
class Listed:
    """The directory has the entry as it was given."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The directory has no entry of this access point."""


@dataclass(frozen=True, slots=True)
class EntryRefused:
    """The directory will not take it, until something changes.

    reason     the network's own words, for people
    elsewhere  another provider has the participant: it moves here by a migration key only
    """

    reason: str
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class NotYet:
    """Nobody knows whether the directory has it: the call is repeated.

    retry_after  seconds, at the earliest
    """

    reason: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class MigrationKey:
    """The secret by which another provider takes the participant over, once."""

    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class EntryStatus:
    """The state of a participant's entry in the directory.

    is_listed    whether it has an entry of this access point
    is_complete  whether it is what `publish` would write: all types, our address and certificate
    """

    is_listed: bool
    is_complete: bool = False


PublishOutcome = Listed | EntryRefused | NotYet
WithdrawOutcome = Withdrawn | EntryRefused | NotYet
MoveOutcome = MigrationKey | EntryRefused | NotYet


@runtime_checkable
class PublishesParticipants(AccessPoint, Protocol):
    """An access point that writes the entries of participants into its network's directory.

    receivable  the document types that it can receive for a participant

    An operation has 60 seconds, in a worker, in a thread. It must not write to the directory
    afterwards. An exception counts as NotYet.
    """

    receivable: tuple[DocumentTypeId, ...]

    def entry_form(self) -> str:
        """The values of entries beside participant and types, such as address and certificate,
        as a text of at most 64 characters. Entries of another form are published again by
        `einvoice participants republish`. Does not use the network."""
        ...

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Write the entry, whether there is one or not; `card` None: none for people to find."""
        ...

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        """Remove the entry. Withdrawn also if there is none, or another provider has it."""
        ...

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        """Let another provider take the participant over. The entry stays until it has.

        A key that was made before may end.
        """
        ...

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Take the participant over from another provider, and write its entry.

        A call that is repeated after it succeeded is Listed.
        """
        ...

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        """The state of the participant's entry. Raises DirectoryUnavailable."""
        ...
