"""A network whose directory this service writes to, in memory, in both environments.

Its plugin is this module. Nothing of it is part of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.network.hookspec import hookimpl
from einvoice.network.publishing import (
    BusinessCard,
    EntryRefused,
    EntryStatus,
    Listed,
    MigrationKey,
    MoveOutcome,
    NotYet,
    PublishOutcome,
    Withdrawn,
    WithdrawOutcome,
)
from einvoice.network.types import (
    AccessPointBase,
    Delivered,
    DirectoryUnavailable,
    Envelope,
    NotRegistered,
    Outcome,
    Prepared,
    Registration,
    receipt,
)

EINVOICE_INTERFACE = 2


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Book:
    """What the directory has: who publishes each participant, and what.

    kill  called before and after each change, with the name of the operation
    """

    entries: dict[str, tuple[str, tuple[DocumentTypeId, ...], BusinessCard | None]] = field(
        default_factory=dict
    )
    keys: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    is_away: bool = False
    kill: Callable[[str], None] = lambda _: None


class Almanac(AccessPointBase):
    """An access point of the network, with the name of a provider."""

    network = "almanac"
    receivable = (BIS_INVOICE, BIS_CREDIT_NOTE)

    def __init__(self, environment: Environment, book: Book | None = None) -> None:
        self.name = f"almanac-{environment}"
        self.environment = environment
        self.book = book or Book()
        self.form = "first"

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        self._answer()
        found = self.book.entries.get(participant.canonical)
        return NotRegistered() if found is None else Registration(found[1])

    def registered_here(self, participant: ParticipantId) -> bool:
        self._answer()
        return self._is_ours(participant)

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        return Delivered((receipt(b"<Receipt/>"),))

    def entry_form(self) -> str:
        return self.form

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        self.book.calls.append(("publish", participant.canonical))
        if self.book.is_away:
            return NotYet("the directory is away")
        if participant.canonical in self.book.entries and not self._is_ours(participant):
            return EntryRefused("The participant is registered already.", elsewhere=True)
        self._write(participant, types, card)
        return Listed()

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        self.book.calls.append(("withdraw", participant.canonical))
        if self.book.is_away:
            return NotYet("the directory is away")
        if self._is_ours(participant):
            self.book.kill("withdraw")
            del self.book.entries[participant.canonical]
            self.book.kill("withdrawn")
        return Withdrawn()

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        if self.book.is_away:
            return NotYet("the directory is away")
        if not self._is_ours(participant):
            return EntryRefused("It is not registered here.")
        key = self.book.keys[participant.canonical] = f"key-{len(self.book.keys)}"
        return MigrationKey(key)

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        self.book.calls.append(("move_in", participant.canonical))
        if self.book.is_away:
            return NotYet("the directory is away")
        if not self._is_ours(participant) and self.book.keys.get(participant.canonical) != key:
            return EntryRefused("The migration key is wrong.")
        self.book.keys.pop(participant.canonical, None)
        self._write(participant, types, card)
        return Listed()

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        self._answer()
        self.book.calls.append(("status", participant.canonical))
        if not self._is_ours(participant):
            return EntryStatus(False)
        return EntryStatus(True, self.book.entries[participant.canonical][1] == tuple(types))

    def _is_ours(self, participant: ParticipantId) -> bool:
        return self.book.entries.get(participant.canonical, ("",))[0] == self.name

    def _write(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> None:
        self.book.kill("publish")
        self.book.entries[participant.canonical] = (self.name, tuple(types), card)
        self.book.kill("published")

    def _answer(self) -> None:
        if self.book.is_away:
            raise DirectoryUnavailable("the directory is away")


@hookimpl
def einvoice_access_points() -> Iterator[Almanac]:
    """An access point in each environment."""
    for environment in Environment:
        yield Almanac(environment)
