"""An SMP of our own: its book, its answers to lookups, and its registrations at the SML.

Source: Peppol SMP 1.4.0, SML 1.3.0. The book is in the store of the plugin, a value for each
participant; address and certificate of our access point are those of the moment of the answer, so
that a renewed certificate changes no entry. A participant is in the book before the SML names this
SMP for it, and until after the SML does not any more.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit

import structlog

from einvoice import clock
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.duties import Duty
from einvoice.network.endpoints import Request, Response
from einvoice.network.plugin_store import PluginStore, StoreFull
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
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import locator, smp_writing
from einvoice_peppol.card_index import CardNews
from einvoice_peppol.configuration import SmpSettings
from einvoice_peppol.directory import Directory
from einvoice_peppol.entry_routes import ALL
from einvoice_peppol.locator import (
    Locator,
    LocatorAway,
    LocatorRefused,
    NotAuthorized,
    Unregistered,
)
from einvoice_peppol.sbdh import PARTICIPANT_SCHEME
from einvoice_peppol.smp_writing import Target

PER_MINUTE: Final = 6_000  # lookups of one address
FORM: Final = "own-1"  # of entries in the book
FORM_WITH_CARDS: Final = "own-1-cards"  # of entries whose cards the Directory has
SPREAD_SECONDS: Final = 60.0  # until what the SML has is seen in DNS
MAX_KEPT: Final = 2_000  # signed answers
KEPT_SECONDS: Final = 300.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A participant in the book.

    listed     whether the SML has taken it; else a call was begun
    redirects  document types whose metadata are at another SMP: (address, id of its certificate)
    noted      whether the Directory gets its card
    """

    types: tuple[DocumentTypeId, ...]
    card: BusinessCard | None = None
    listed: bool = False
    redirects: Mapping[str, tuple[str, str]] = ()  # type: ignore[assignment]
    noted: bool = False

    def to_text(self) -> str:
        """As it is stored."""
        card = None if self.card is None else [self.card.name, self.card.country]
        found = {
            "types": [str(each) for each in self.types],
            "card": card,
            "listed": self.listed,
            "redirects": {name: list(at) for name, at in dict(self.redirects).items()},
            "noted": self.noted,
        }
        return json.dumps(found, separators=(",", ":"))

    @classmethod
    def of_text(cls, stored: str) -> BookEntry:
        """An entry as it was stored."""
        found: dict[str, Any] = json.loads(stored)
        card = None if found["card"] is None else BusinessCard(*found["card"])
        redirects = {name: (at[0], at[1]) for name, at in found["redirects"].items()}
        types = tuple(_type(each) for each in found["types"])
        return cls(types, card, found["listed"], redirects, found.get("noted", False))


class OwnSmp:
    """The entries of our participants in our own SMP. Safe to share between threads."""

    def __init__(
        self,
        stage: str,
        settings: SmpSettings,
        target: Callable[[], Target],
        sml: Locator,
        directory: Directory,
        store: PluginStore,
        news: CardNews | None = None,
    ) -> None:
        self._prefix, self._settings, self._target = f"smp/{stage}/", settings, target
        self.locator, self._directory, self._store = sml, directory, store
        self._answers, self._news = _Answers(), news
        self.form = FORM if news is None else FORM_WITH_CARDS

    @property
    def host(self) -> str | None:
        """The host name that is the SMP's alone; None: its address has a path."""
        parts = urlsplit(self._settings.address)
        return None if parts.path.strip("/") else parts.netloc

    # -- entries -----------------------------------------------------------------------------------

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Write the entry, and register a new participant at the SML."""
        try:
            found = self.entry(participant)
            noted = self._note(participant, found, card)
            if found is not None and found.listed and self._is_named(participant):
                entry = replace(found, types=tuple(types), card=card, noted=noted)
                self._put(participant, entry)
                return Listed()
            entry = replace(found or BookEntry(()), types=tuple(types), card=card, noted=noted)
            self._put(participant, entry)
            self._register(participant)
            self._put(participant, replace(entry, listed=True))
        except LocatorRefused as fault:
            return self._refused(participant, fault)
        except (LocatorAway, StoreFull) as fault:
            return NotYet(str(fault))
        return Listed()

    def _note(
        self, participant: ParticipantId, found: BookEntry | None, card: BusinessCard | None
    ) -> bool:
        """Notify the Directory, if the card of the participant changes; whether it ever was."""
        if self._news is None:
            return False
        before = found if found is not None and found.listed and found.noted else BookEntry(())
        if card != before.card:
            self._news.note(participant)
        return True

    def has_card(self, participant: ParticipantId) -> bool | None:
        """Whether the book has a card of the participant; None: another SMP has the participant."""
        found = self.entry(participant)
        if found is not None:
            return found.listed and found.card is not None
        return None if self._is_named(participant) is False else False

    def duties(self) -> Iterator[Duty]:
        """The duty that notifies the Directory of cards."""
        if self._news is not None:
            yield self._news.duty(self.has_card)

    def _register(self, participant: ParticipantId) -> None:
        """Register the participant at the SML, or find out that it is. Raises the faults of it."""
        try:
            self.locator.create(participant)
        except LocatorRefused:
            if self._is_named(participant) is not True:
                raise

    def _refused(self, participant: ParticipantId, fault: LocatorRefused) -> PublishOutcome:
        """The meaning of a refusal of the SML: DNS says who has the participant."""
        named = self._is_named(participant)
        if named is None:
            # It was registered just now, perhaps by us: DNS will say by whom.
            return NotYet(f"the SML refuses it: {fault}", retry_after=SPREAD_SECONDS)
        self._put(participant, None)
        if named:
            return NotYet(f"the SML refuses it: {fault}")
        return EntryRefused(str(fault) or "another SMP has it", elsewhere=True)

    def _is_named(self, participant: ParticipantId) -> bool | None:
        """Whether DNS names this SMP for the participant; None: no SMP, or no answer."""
        try:
            found = self._directory.publisher(participant)
        except DirectoryUnavailable:
            return None
        if isinstance(found, NotRegistered):
            return None
        return found.rstrip("/").lower() == self._settings.address.lower()

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        """End the registration at the SML, then remove the entry."""
        try:
            found = self.entry(participant)
            if found is None:
                return Withdrawn()
            self._note(participant, replace(found, listed=True), None)
            try:
                self.locator.delete(participant)
            except Unregistered:
                pass
            except NotAuthorized:
                if self._is_named(participant) is not False:
                    raise
            self._put(participant, None)
        except LocatorRefused as fault:
            return NotYet(f"the SML refuses it: {fault}", retry_after=SPREAD_SECONDS)
        except LocatorAway as fault:
            return NotYet(str(fault))
        return Withdrawn()

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        """Let another SMP take over the participant, by a new key."""
        found = self.entry(participant)
        if found is None or not found.listed:
            return EntryRefused("it has no entry in our SMP")
        key = locator.new_key()
        try:
            self.locator.prepare_to_migrate(participant, key)
        except LocatorRefused as fault:
            return EntryRefused(str(fault))
        except LocatorAway as fault:
            return NotYet(str(fault))
        return MigrationKey(key)

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Write the entry, and take the participant over at the SML."""
        found = self.entry(participant)
        if found is not None and found.listed:
            return self.publish(participant, types, card)
        try:
            noted = self._note(participant, None, card)
            entry = BookEntry(tuple(types), card, noted=noted)
            self._put(participant, entry)
            self.locator.migrate(participant, key)
            self._put(participant, replace(entry, listed=True))
        except LocatorRefused as fault:
            if self._is_named(participant) is True:  # it was taken over before
                self._put(participant, replace(entry, listed=True))
                return Listed()
            self._put(participant, None)
            return EntryRefused(str(fault) or "the SML refuses the migration key")
        except (LocatorAway, StoreFull) as fault:
            return NotYet(str(fault))
        return Listed()

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        """Whether the book has these types, and DNS names no other SMP."""
        self._directory.forget(participant)
        named = self._directory.publisher(participant)
        found = self.entry(participant)
        if found is None or not found.listed:
            return EntryStatus(False)
        here = not isinstance(named, NotRegistered) and self._is_named(participant) is True
        return EntryStatus(True, here and set(found.types) == set(types))

    # -- the book ----------------------------------------------------------------------------------

    def entry(self, participant: ParticipantId) -> BookEntry | None:
        """The entry of a participant."""
        stored = self._store.get(self._prefix + participant.canonical)
        return None if stored is None else BookEntry.of_text(str(stored))

    def redirect(
        self, participant: ParticipantId, document_type: DocumentTypeId, address: str, uid: str
    ) -> None:
        """Answer for a document type with a redirect to another SMP. Raises LookupError."""
        found = self.entry(participant)
        if found is None:
            raise LookupError(f"{participant} has no entry in our SMP")
        redirects = {**dict(found.redirects), str(document_type): (address, uid)}
        types = tuple(dict.fromkeys((*found.types, document_type)))
        self._put(participant, replace(found, types=types, redirects=redirects))

    def _put(self, participant: ParticipantId, entry: BookEntry | None) -> None:
        text = None if entry is None else entry.to_text()
        self._store.put(self._prefix + participant.canonical, text)
        self._answers.forget(participant.canonical)
        self._directory.forget(participant)

    # -- answers -----------------------------------------------------------------------------------

    def answer(self, request: Request) -> Response:
        """The answer to a lookup: group, metadata or business card."""
        if request.method not in ("GET", "HEAD"):
            return Response(405, b"", "text/plain", {"allow": "GET, HEAD"})
        if request.path == "/":
            return Response(200, b"Service metadata publisher\n", "text/plain")
        body = self._document(request.path.strip("/"))
        return Response(404, b"", "text/plain") if body is None else Response(200, body)

    def _document(self, path: str) -> bytes | None:
        """The document at a path, without the slashes around it; None: there is none."""
        name, separator, rest = path.partition("/")
        if name == "businesscard":
            return self._card(rest)
        participant = _participant(name)
        if participant is None:
            return None
        if not separator:
            return self._group(participant)
        kind, _, document_type = rest.partition("/")
        if kind != "services" or "::" not in document_type:
            return None
        return self._metadata(participant, _type(document_type))

    def _group(self, participant: ParticipantId) -> bytes | None:
        found = self.entry(participant)
        if found is None:
            return None
        return smp_writing.group(participant.canonical, *found.types, base=self._settings.address)

    def _card(self, name: str) -> bytes | None:
        participant = _participant(name)
        found = None if participant is None else self.entry(participant)
        if participant is None or found is None or found.card is None:
            return None
        return smp_writing.card_of(participant, found.card)

    def _metadata(self, participant: ParticipantId, document_type: DocumentTypeId) -> bytes | None:
        found = self.entry(participant)
        if found is None or document_type not in found.types:
            return None
        content = self._content(participant, document_type, found)
        return None if content is None else self._answers.signed(
            participant.canonical, content, self._settings
        )  # fmt: skip

    def _content(
        self, participant: ParticipantId, document_type: DocumentTypeId, found: BookEntry
    ) -> str | None:
        redirect = dict(found.redirects).get(str(document_type))
        if redirect is not None:
            return smp_writing.redirection(*redirect)
        process = ALL.get(document_type)
        if process is None:  # of a former release
            return None
        return smp_writing.metadata_of(participant, document_type, process, self._target())


class _Answers:
    """Signed documents, each kept for minutes: many ask for the same ones."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[float, bytes]] = OrderedDict()
        self._lock = Lock()

    def signed(self, participant: str, content: str, settings: SmpSettings) -> bytes:
        """The content, signed."""
        key, now = (participant, content), clock.monotonic()
        with self._lock:
            until, kept = self._kept.get(key, (0.0, b""))
            if now < until:
                return kept
        assert settings.identity is not None  # noqa: S101 - of our own SMP
        made = smp_writing.signed(content, settings.identity)
        with self._lock:
            self._kept[key] = (now + KEPT_SECONDS, made)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return made

    def forget(self, participant: str) -> None:
        """Drop the documents of a participant."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == participant]:
                del self._kept[key]


def _participant(segment: str) -> ParticipantId | None:
    """The participant of a decoded segment `iso6523-actorid-upis::0208:0123456749`."""
    scheme, separator, value = segment.partition("::")
    if scheme.lower() != PARTICIPANT_SCHEME or not separator:
        return None
    try:
        return ParticipantId.parse(value)
    except InvalidParticipant:
        return None


def _type(text: str) -> DocumentTypeId:
    scheme, _, value = text.partition("::")
    return DocumentTypeId(scheme, value)
