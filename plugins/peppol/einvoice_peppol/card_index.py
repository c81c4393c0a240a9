"""Our own SMP informs the Peppol Directory of business cards that it has, changed or removed.

Source: REST interface of the indexer (`PUT` and `DELETE /indexer/1.0/`), as phoss-directory-client
0.13.5 calls it. The Directory knows an SMP by its TLS client certificate, and then asks the SMP for
the card. What changes is a record of a series before it is in the book; a duty tells the Directory,
in the order of the records, and again until it has answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice.network.duties import Duty
from einvoice.network.plugin_store import PluginStore, StoredRecord
from einvoice_peppol.locator import ClientCertificate
from einvoice_peppol.sbdh import PARTICIPANT_SCHEME
from einvoice_peppol.smp_writing import segment

EVERY: Final = timedelta(minutes=5)
SECONDS: Final = 120.0  # of a run
_WORK_SECONDS: Final = 90.0
# So long a record waits: until then the SML has the participant, or its worker has failed.
LAG: Final = timedelta(minutes=2)
MAX_REFUSED: Final = 20  # participants that the Directory refuses, before notices stop
_KEPT: Final = timedelta(days=1_100)
_MAX_WORDS: Final = 200
_LIMITS: Final = Limits(connect=5.0, read=10.0, total=12.0, answer_bytes=64 * 1024)
_TEXT: Final = {"content-type": "text/plain; charset=UTF-8"}

log = structlog.get_logger()


class IndexAway(Exception):
    """The Directory gave no answer that can be used. The message says why."""


class IndexRefused(Exception):
    """The Directory refuses a participant, in its own words."""


class NotTold(Exception):
    """The Directory does not have all cards. The message says why, for operators."""


class CardIndex:
    """The indexer of the Directory at an address, for one SMP. Safe to share between threads."""

    def __init__(
        self,
        address: str,
        certificate: ClientCertificate | None,
        policy: Policy,
        ca_file: str | None = None,
    ) -> None:
        self._address, self._certificate = f"{address.rstrip('/')}/indexer/1.0/", certificate
        self._http = Client(
            policy,
            limits=_LIMITS,
            ca_file=ca_file,
            client_certificate=None if certificate is None else certificate.paths,
        )

    def add(self, participant: ParticipantId) -> None:
        """Have the Directory ask for the participant's card. Raises IndexAway, IndexRefused."""
        body = f"{PARTICIPANT_SCHEME}::{participant.canonical}".encode()
        _check(self._sent("PUT", self._address, body))

    def remove(self, participant: ParticipantId) -> None:
        """Have the Directory forget the participant. Raises IndexAway, IndexRefused."""
        response = self._sent("DELETE", self._address + segment(participant))
        if response.status != 404:
            _check(response)

    def _sent(self, method: str, address: str, body: bytes | None = None) -> Response:
        headers = _TEXT if body is not None else {}
        try:
            response = self._http.send(method, address, headers=headers, body=body)
        except HttpFault as fault:
            raise IndexAway(f"the Peppol Directory does not answer: {fault}") from fault
        kind = response.headers.get("content-type", "").lower()
        if "html" in kind or response.body.lstrip()[:5].lower() in (b"<!doc", b"<html"):
            raise IndexAway(
                f"a page answers in place of the Peppol Directory (HTTP status {response.status})"
            )
        return response


def _check(response: Response) -> None:
    """Raise IndexAway or IndexRefused for an answer without success."""
    if response.status in (200, 201, 202, 204):
        return
    said = " ".join(response.body[:4096].decode("utf-8", "replace").split())
    words = f"HTTP status {response.status}: {''.join(filter(str.isprintable, said))[:_MAX_WORDS]}"
    if response.status in (400, 404, 409, 422):
        raise IndexRefused(words)
    if response.status in (401, 403):
        raise IndexAway(f"the Peppol Directory refuses the certificate of our SMP: {words}")
    raise IndexAway(f"the Peppol Directory answers with {words}")


@dataclass(slots=True)
class _Told:
    """The progress of notices: the last record, and the participants that are refused."""

    last: StoredRecord | None = None
    refused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_text(cls, stored: str | None) -> _Told:
        if stored is None:
            return cls()
        found: dict[str, Any] = json.loads(stored)
        at = datetime.fromisoformat(found["at"]) if found["at"] else None
        last = None if at is None else StoredRecord(found["id"], at, "")
        return cls(last, found["refused"])

    def to_text(self) -> str:
        last = self.last
        found = {
            "at": None if last is None else last.at.astimezone(UTC).isoformat(),
            "id": None if last is None else last.id,
            "refused": self.refused,
        }
        return json.dumps(found, separators=(",", ":"))


class CardNews:
    """The notices about cards of our SMP that the Directory has not had yet."""

    def __init__(self, stage: str, index: CardIndex, store: PluginStore) -> None:
        self._series = self._key = f"smp/{stage}/cards"
        self._stage, self._index, self._store = stage, index, store

    def note(self, participant: ParticipantId) -> None:
        """Queue a notice to the Directory about the participant: what the book has by then."""
        self._store.append(self._series, participant.canonical)

    def duty(self, has_card: Callable[[ParticipantId], bool | None]) -> Duty:
        """Tells the Directory. `has_card`: as `tell` takes it."""
        name = f"{self._stage}-directory"
        return Duty(name, EVERY, lambda: self.tell(has_card), seconds=SECONDS)

    def tell(self, has_card: Callable[[ParticipantId], bool | None]) -> int:
        """Tell the Directory what has changed; of how many participants.

        has_card  whether our SMP has a card of a participant; None: another SMP has the participant

        Raises NotTold. A notice that was taken is not repeated.
        """
        told = _Told.of_text(_text(self._store.get(self._key)))
        ends_at, count = clock.monotonic() + _WORK_SECONDS, 0
        try:
            for name in list(told.refused):
                count += self._tell_one(name, told, has_card)
            while clock.monotonic() < ends_at and (page := self._page(told)):
                done: set[str] = set()
                for record in page:
                    name = str(record.value)
                    if name not in done:
                        count += self._tell_one(name, told, has_card)
                        done.add(name)
                    told.last = record
        except IndexAway as fault:
            raise NotTold(str(fault)) from fault
        finally:
            self._store.put(self._key, told.to_text())
        if told.refused:
            raise NotTold(_refusals(told.refused))
        return count

    def _page(self, told: _Told) -> list[StoredRecord]:
        """The next records that are old enough."""
        now = clock.now()
        since = now - _KEPT if told.last is None else told.last.at
        return self._store.read(self._series, since, now - LAG, told.last)

    def _tell_one(
        self, name: str, told: _Told, has_card: Callable[[ParticipantId], bool | None]
    ) -> int:
        """Tell about one participant; whether the Directory took it. Raises IndexAway."""
        participant = ParticipantId.parse(name)
        has = has_card(participant)
        try:
            if has is not None:
                (self._index.add if has else self._index.remove)(participant)
        except IndexRefused as fault:
            if len(told.refused) >= MAX_REFUSED and name not in told.refused:
                raise IndexAway(_refusals(told.refused)) from fault
            told.refused[name] = str(fault)
            log.warning("business card refused", participant=name, words=str(fault))
            return 0
        told.refused.pop(name, None)
        return 0 if has is None else 1


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _refusals(refused: Mapping[str, str]) -> str:
    name, words = next(iter(refused.items()))
    return f"the Peppol Directory refuses the cards of {len(refused)} participants: {name}: {words}"
