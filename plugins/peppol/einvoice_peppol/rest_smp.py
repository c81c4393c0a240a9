"""The client of another one's SMP: the REST interface of phoss SMP, which most providers run.

Source: phoss SMP 7.1 (its REST classes); ids are `scheme::value`, percent-encoded as one segment;
refusals are text/plain with a sentence. Each call is bounded, all calls of one operation together
too: after that nothing is written any more. A publication or check that did not end goes on where
it stopped (smp_progress).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import structlog

from einvoice import clock, xml
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice.network.plugin_store import PluginStore
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
from einvoice.network.types import DirectoryUnavailable
from einvoice_peppol import smp_documents, smp_progress, smp_writing, trust
from einvoice_peppol.directory import Directory
from einvoice_peppol.entry_routes import ALL
from einvoice_peppol.smp_documents import Endpoint, InvalidDocument
from einvoice_peppol.smp_progress import Steps
from einvoice_peppol.smp_writing import Target, segment

MAX_BYTES: Final = 1 << 20
OPERATION_SECONDS: Final = 45.0
MISCONFIGURED_SECONDS: Final = 300.0  # until the next call where an operator has to act
CALL_LIMITS: Final = Limits(connect=5.0, read=10.0, total=12.0, answer_bytes=MAX_BYTES)
_XML: Final = {"content-type": "application/xml; charset=utf-8"}
_MAX_WORDS: Final = 300
_PUBLISH, _STATUS, _GROUP = "publish", "status", "group"

log = structlog.get_logger()


class _Failed(Exception):
    """The SMP did not do what it was asked for."""

    def __init__(self, outcome: EntryRefused | NotYet, response: Response | None = None) -> None:
        super().__init__(outcome.reason)
        self.outcome, self.response = outcome, response


class _Calls:
    """The calls of one operation, until its deadline."""

    def __init__(
        self, http: Client, base: str, headers: Mapping[str, str], call: float, seconds: float
    ) -> None:
        self._http, self._base, self._headers, self._call = http, base, headers, call
        self._until = clock.monotonic() + seconds

    def ask(self, method: str, path: str, body: bytes | None = None) -> Response:
        """The answer to a request: any that is the SMP's own. Raises _Failed."""
        if clock.monotonic() + self._call > self._until:
            raise _Failed(NotYet("the SMP takes too long"))
        headers = {**self._headers, **(_XML if body is not None else {})}
        try:
            response = self._http.send(
                method, f"{self._base}/{path}", headers=headers, body=body or b""
                if method == "PUT" else body,
            )  # fmt: skip
        except HttpFault as fault:
            raise _Failed(NotYet(f"the SMP does not answer: {fault}")) from fault
        _check_own(response)
        return response

    def done(self, method: str, path: str, body: bytes | None = None) -> Response:
        """The answer of success. Raises _Failed."""
        response = self.ask(method, path, body)
        if response.status in (200, 201, 202, 204):
            return response
        raise _Failed(_failure(response), response)


def _check_own(response: Response) -> None:
    """Raise _Failed for what is not the answer of the SMP: of a proxy, a firewall or a login."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if 300 <= response.status < 400:
        raise _Failed(
            NotYet(f"the SMP answers with a redirect (HTTP status {response.status}): "
                   "set the address it leads to", MISCONFIGURED_SECONDS)
        )  # fmt: skip
    if kind == "text/html" or response.body.lstrip()[:15].lower().startswith((b"<!doc", b"<html")):
        raise _Failed(
            NotYet(f"a page answers in place of the SMP (HTTP status {response.status})",
                   MISCONFIGURED_SECONDS)
        )  # fmt: skip


def _failure(response: Response) -> EntryRefused | NotYet:
    """The meaning of an answer without success."""
    said = words(response)
    match response.status:
        case 400 | 409 | 422:
            return EntryRefused(said or f"HTTP status {response.status}")
        case 401 | 403:
            return NotYet(
                f"the SMP refuses our user or password: {said}", retry_after=MISCONFIGURED_SECONDS
            )
        case 404 | 405 | 412:
            return NotYet(
                f"the SMP answers with HTTP status {response.status}: {said}",
                retry_after=MISCONFIGURED_SECONDS,
            )
        case status:
            return NotYet(f"the SMP answers with HTTP status {status}: {said}")


def words(response: Response) -> str:
    """The sentence of an answer, for people."""
    text = " ".join(response.body[:4096].decode("utf-8", "replace").split())
    return "".join(each for each in text if each.isprintable())[:_MAX_WORDS]


class RestSmp:
    """The entries of our participants in an SMP of somebody else.

    base    address of its REST interface
    target  where our participants are reached, as of now
    directory  of the network, which says whether another provider has a participant
    store  keeps the steps of operations that did not end
    limits  of one call
    seconds  all calls of one operation end within
    """

    def __init__(
        self,
        base: str,
        user: str,
        password: str,
        target: Callable[[], Target],
        directory: Directory,
        store: PluginStore,
        *,
        policy: Policy,
        ca_file: str | None = None,
        limits: Limits = CALL_LIMITS,
        seconds: float = OPERATION_SECONDS,
    ) -> None:
        self._base = base.rstrip("/")
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {"authorization": f"Basic {token}", "accept": "*/*"}
        self._now, self._directory, self._store = target, directory, store
        self._http = Client(policy, limits=limits, ca_file=ca_file)
        self._call_seconds, self._seconds = limits.total, seconds

    @property
    def _target(self) -> Target:
        return self._now()

    @property
    def form(self) -> str:
        """A text that changes with what is written."""
        return self._target.form

    # -- operations --------------------------------------------------------------------------------

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Write group, metadata and business card, and take away other types."""
        calls = self._calls()
        try:
            with self._steps(_PUBLISH, participant, types, card) as steps:
                if not steps.is_done(_GROUP):
                    self._put_group(calls, participant)
                    steps.add(_GROUP)
                self._write(calls, participant, types, card, steps)
        except _Failed as fault:
            return fault.outcome
        return Listed()

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        """Remove business card, group and metadata, here and by the SMP in the SML."""
        calls = self._calls()
        self._begin_again(participant)
        try:
            self._remove_card(calls, participant)
            response = calls.ask("DELETE", segment(participant))
            if response.status in (200, 204, 404):
                return Withdrawn()
            if response.status >= 500 and self._is_elsewhere(participant):
                # The SML lets only its provider delete it: the SMP ends the migration instead.
                calls.done("PUT", f"migration/outbound/finalize/{segment(participant)}")
                return Withdrawn()
            return _failure(response)
        except _Failed as fault:
            return fault.outcome

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        """Begin a migration; one that was begun before is cancelled: its key is shown once."""
        calls, name = self._calls(), segment(participant)
        try:
            if self._types(calls, participant) is None:
                return EntryRefused("it has no entry at the SMP")
            response = calls.ask("PUT", f"migration/outbound/start/{name}")
            if response.status == 400:
                calls.done("PUT", f"migration/outbound/cancel/{name}")
                response = calls.ask("PUT", f"migration/outbound/start/{name}")
            if response.status != 200:
                return _failure(response)
            return MigrationKey(_key_in(response))
        except _Failed as fault:
            return fault.outcome

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        """Complete the migration that another provider has begun, then write the entry."""
        calls, name = self._calls(), segment(participant)
        try:
            if self._types(calls, participant) is None:
                path = f"migration/inbound/{name}/{smp_writing.quoted(key)}"
                response = calls.ask("PUT", path)
                if response.status >= 500 and "migration" in words(response).lower():
                    return EntryRefused(words(response))
                if response.status != 200:
                    return _failure(response)
                self._put_group(calls, participant)
            with self._steps(_PUBLISH, participant, types, card) as steps:
                self._write(calls, participant, types, card, steps)
        except _Failed as fault:
            return fault.outcome
        return Listed()

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        """Whether the SMP has these types with our endpoint. Raises DirectoryUnavailable."""
        calls = self._calls()
        try:
            found = self._types(calls, participant)
            if found is None:
                return EntryStatus(False)
            with self._steps(_STATUS, participant, types, None) as steps:
                complete = set(found) == set(types) and all(
                    self._is_current(calls, participant, each, steps) for each in types
                )
        except _Failed as fault:
            raise DirectoryUnavailable(str(fault)) from fault
        return EntryStatus(True, complete)

    # -- parts -------------------------------------------------------------------------------------

    def _calls(self) -> _Calls:
        return _Calls(self._http, self._base, self._headers, self._call_seconds, self._seconds)

    @contextmanager
    def _steps(
        self,
        operation: str,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> Iterator[Steps]:
        """The steps of an operation that are done. They are forgotten when it is complete, and when
        the SMP refuses a call, since it may not have any more what they have written."""
        written = "\n".join([self.form, repr(card), *map(str, types)])
        mark = hashlib.sha256(written.encode()).hexdigest()
        steps = Steps(self._store, self._key(operation, participant), mark)
        try:
            yield steps
        except _Failed as fault:
            if fault.response is not None and fault.response.status < 500:
                steps.forget()
            else:
                steps.keep()
            raise
        steps.forget()

    def _key(self, operation: str, participant: ParticipantId) -> str:
        return smp_progress.key_of(operation, self._base, participant)

    def _begin_again(self, participant: ParticipantId) -> None:
        """Forget the steps of operations on a participant whose entry goes."""
        for operation in (_PUBLISH, _STATUS):
            smp_progress.forget(self._store, self._key(operation, participant))

    def _put_group(self, calls: _Calls, participant: ParticipantId) -> None:
        """Write the group, by which a new one is registered in the SML. Raises _Failed."""
        body = smp_writing.group(participant.canonical)
        try:
            calls.done("PUT", segment(participant), body)
        except _Failed as fault:
            if fault.response is not None and self._is_elsewhere(participant):
                raise _Failed(
                    EntryRefused(words(fault.response) or str(fault), elsewhere=True)
                ) from fault
            raise

    def _is_elsewhere(self, participant: ParticipantId) -> bool:
        """Whether the network names another provider for the participant, for certain."""
        self._directory.forget(participant)
        try:
            seat = self._directory.receiving_seat(participant)
        except DirectoryUnavailable:
            return False
        return seat not in (None, trust.seat_id(self._target.certificate))

    def _write(
        self,
        calls: _Calls,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
        steps: Steps,
    ) -> None:
        for each in types:
            if steps.is_done(str(each)):
                continue
            content = smp_writing.metadata_of(participant, each, ALL[each], self._target)
            calls.done("PUT", _path(participant, each), smp_writing.unsigned(content))
            steps.add(str(each))
        for each in set(self._types(calls, participant) or ()) - set(types):
            calls.done("DELETE", _path(participant, each))
        if card is None:
            self._remove_card(calls, participant)
        else:
            self._put_card(calls, participant, card)

    def _put_card(self, calls: _Calls, participant: ParticipantId, card: BusinessCard) -> None:
        """Write the business card and tell the Directory; an SMP may have no cards."""
        name = segment(participant)
        response = calls.ask("PUT", f"businesscard/{name}", smp_writing.card_of(participant, card))
        if response.status in (404, 405, 412, 501):
            log.info("the SMP takes no business cards", participant=str(participant))
            return
        if response.status not in (200, 201, 204):
            raise _Failed(_failure(response), response)
        pushed = calls.ask("POST", f"businesscard/{name}/push")
        if pushed.status not in (200, 202, 204):  # the Directory asks the SMP by itself, later
            log.warning("business card not pushed", participant=str(participant),
                        status=pushed.status, words=words(pushed))  # fmt: skip

    def _remove_card(self, calls: _Calls, participant: ParticipantId) -> None:
        response = calls.ask("DELETE", f"businesscard/{segment(participant)}")
        if response.status not in (200, 204, 404, 405, 412, 501):
            raise _Failed(_failure(response), response)

    def _types(
        self, calls: _Calls, participant: ParticipantId
    ) -> tuple[DocumentTypeId, ...] | None:
        """The document types that the SMP has; None without a group. Raises _Failed."""
        response = calls.ask("GET", segment(participant))
        if response.status == 404:
            return None
        if response.status != 200:
            raise _Failed(_failure(response), response)
        try:
            root = xml.parse(response.body, max_bytes=MAX_BYTES)
            return smp_documents.document_types(root, participant)
        except (xml.NotXml, InvalidDocument) as fault:
            raise _Failed(NotYet(f"the answer of the SMP cannot be read: {fault}")) from fault

    def _is_current(
        self, calls: _Calls, participant: ParticipantId, document_type: DocumentTypeId, steps: Steps
    ) -> bool:
        """Whether the metadata of a type name our endpoint and certificate."""
        if steps.is_done(str(document_type)):
            return True
        response = calls.ask("GET", _path(participant, document_type))
        if response.status == 404:
            return False
        if response.status != 200:
            raise _Failed(_failure(response), response)
        try:
            root = xml.parse(response.body, max_bytes=MAX_BYTES)
            found = smp_documents.metadata(
                root, participant, document_type, ALL[document_type], clock.now()
            )
        except (xml.NotXml, InvalidDocument):
            return False
        if found != Endpoint(self._target.address, self._target.certificate):
            return False
        steps.add(str(document_type))
        return True


def _path(participant: ParticipantId, document_type: DocumentTypeId) -> str:
    return smp_writing.path_of(participant, document_type).removeprefix("/")


def _key_in(response: Response) -> str:
    """The migration key in the answer to the beginning of a migration. Raises _Failed."""
    try:
        root = xml.parse(response.body, max_bytes=MAX_BYTES)
    except xml.NotXml as fault:
        raise _Failed(NotYet(f"the answer of the SMP cannot be read: {fault}")) from fault
    key = (root.findtext("{*}migrationKey") or "").strip()
    if root.get("success") != "true" or not key:
        raise _Failed(NotYet("the SMP has begun no migration"))
    return key
