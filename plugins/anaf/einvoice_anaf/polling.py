"""The state of an upload, and the file that the authority keeps of it.

`stareMesaj` is queried 5, 15, 30, 60, 120, 300 and 600 seconds after the query before, then every
half an hour: at most 55 times a day, of 100. A file is downloaded at most 9 times a day, of 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network import reasons
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    Blocked,
    Delivered,
    Envelope,
    Evidence,
    NotSent,
    Outcome,
    Pending,
    Rejected,
)
from einvoice_anaf import evidence, sealed, uploads
from einvoice_anaf.answers import Kind, classify
from einvoice_anaf.calls import Calls, Refused
from einvoice_anaf.configuration import Side
from einvoice_anaf.findings import findings_of, used_number
from einvoice_anaf.quota import Spent
from einvoice_anaf.sealed import NotAFile, NotSealed, RuleError, SealedFile

log = structlog.get_logger()

_INTERVALS: Final = (15, 30, 60, 120, 300, 600)  # seconds; the first query is 5 s after the upload
_LAST_INTERVAL: Final = 1800
_DOWNLOAD_INTERVALS: Final = (10, 120, 1800)
_LAST_DOWNLOAD_INTERVAL: Final = 4 * 3600
_MAX_DOWNLOADS: Final = 20  # of one file
_QUOTA_SECONDS: Final = 3600
MAX_NOTE: Final = 500  # characters

# Members of `Pending.state`. The last one is the index of our upload that was rejected because the
# number was used before; then that earlier upload is polled, to see whose document it is.
_POLLS, _DOWNLOADS, _FILE, _REPETITION = "polls", "downloads", "file", "of"


def untrusted_series(access_point: str) -> str:
    """The series of the plugin's store that has the files that were not trusted."""
    return f"untrusted-{access_point}"


class _NotAsked(Exception):
    """Something before the authority answered a download, which the authority did not count."""


class Polling:
    """Queries the uploads of one company."""

    def __init__(self, calls: Calls, side: Side, store: PluginStore) -> None:
        self._calls, self._signers, self._store = calls, side.signers, store
        self._series = untrusted_series(side.name)

    def outcome(self, envelope: Envelope, pending: Pending) -> Outcome:
        """The state, with the file as soon as there is one."""
        try:
            if _FILE in pending.state:  # cleared before; only its file is missing
                return self._cleared(envelope, pending, pending.state[_FILE], ())
            return self._by_state(envelope, pending)
        except Refused as refused:
            return refused.outcome
        except Spent as spent:
            return NotSent(str(spent), retry_after=spent.retry_after)
        except (HttpFault, _NotAsked) as fault:
            return NotSent(str(fault))

    def _by_state(self, envelope: Envelope, pending: Pending) -> Outcome:
        index = pending.reference
        response = self._calls.make(lambda token: self._calls.api.state(token, index))
        answer = classify(response.status, response.body)
        match answer.kind:
            case Kind.CLEARED:
                kept = (evidence.answer(response.body, index),)
                return self._cleared(envelope, pending, answer.download_id, kept)
            case Kind.REJECTED:
                return self._rejected(envelope, pending, answer.download_id)
            case Kind.NOT_TAKEN:
                kept = (evidence.answer(response.body, index),)
                return _failed("not-taken", "XML cu erori nepreluat de sistem", kept)
            case Kind.NO_RIGHT | Kind.NOT_FOUND if _REPETITION in pending.state:
                words = f"The number was used before, by the upload {index} of another account."
                return _duplicate(words, index)
            case Kind.NO_RIGHT if "CIF" in answer.text:
                return Blocked(answer.text)
            case Kind.QUOTA if answer.status == 200:
                return _later(pending, _POLLS, _QUOTA_SECONDS)
            case Kind.QUOTA | Kind.TECHNICAL:
                return NotSent(answer.text)
            case Kind.UNREADABLE if "stare" not in answer.values and not answer.errors:
                return NotSent(answer.text)  # the page of something before the authority
        if answer.kind is not Kind.WORKING:
            log.warning("state of an upload is not known", index=index, words=answer.text)
        return _later(pending, _POLLS, _after(_INTERVALS, _LAST_INTERVAL, pending, _POLLS))

    # -- cleared -----------------------------------------------------------------------------------

    def _cleared(
        self, envelope: Envelope, pending: Pending, file: str, kept: tuple[Evidence, ...]
    ) -> Outcome:
        """Delivered, with the sealed original, or with a follow-up that fetches it."""
        if envelope.document_type == uploads.MESSAGE:  # it has no original
            return Delivered(kept)
        index, found = pending.reference, self._file_of_cleared(pending, file)
        if isinstance(found, SealedFile) and self._is_trusted(index, found):
            if _REPETITION in pending.state and found.document != envelope.document:
                words = f"Another document has the number: that of the index {index}."
                return _duplicate(words, index)
            original = evidence.sealed(found, index, verified=bool(self._signers))
            return Delivered((*kept, original), _messages_follow(index))
        if _REPETITION in pending.state:  # whose document it is, is not known yet
            return _download_later(pending)
        later = _download_later(replace(pending, state={**pending.state, _FILE: file}))
        if found is not None:
            kept = (*kept, evidence.untrusted(_archive(found), index))
        given_up = int(later.state[_DOWNLOADS]) > _MAX_DOWNLOADS
        return Delivered(kept, _messages_follow(index) if given_up else later)

    def _is_trusted(self, index: str, found: SealedFile) -> bool:
        try:
            found.verify(self._signers)
        except NotSealed as fault:
            self._note(index, fault)
            return False
        return True

    def _file_of_cleared(self, pending: Pending, file: str) -> SealedFile | bytes | None:
        """As `_file`, but that the document is cleared is told before its file can be had."""
        try:
            return self._file(file)
        except _NotAsked:
            if _FILE in pending.state:  # told before
                raise
            return None

    def _file(self, file: str) -> SealedFile | bytes | None:
        """The file; as bytes if it has another form, None if it cannot be fetched now.

        Raises _NotAsked.
        """
        try:
            response = self._calls.make(lambda token: self._calls.api.download(token, file))
        except (HttpFault, Spent):
            return None
        answer = classify(response.status, response.body)
        if answer.kind is Kind.UNREADABLE:
            raise _NotAsked(answer.text)
        if answer.kind is not Kind.FILE:
            log.warning("file of an upload cannot be fetched", file=file, words=answer.text)
            return None
        try:
            return sealed.opened(response.body)
        except NotAFile as fault:
            self._note(file, fault)
            return response.body

    def _note(self, name: str, fault: Exception) -> None:
        """Report a file that is not trusted: in the log, and by `einvoice doctor`."""
        log.error("file of an upload is not trusted", index=name, reason=str(fault))
        self._store.append(self._series, f"{name} {fault}"[:MAX_NOTE])

    # -- rejected ----------------------------------------------------------------------------------

    def _rejected(self, envelope: Envelope, pending: Pending, file: str) -> Outcome:
        """Failed with the errors of the file; a duplicate of our own upload is that upload."""
        index, found = pending.reference, self._file(file)
        tries = _count(pending.state, _DOWNLOADS)
        if found is None or (isinstance(found, bytes) and tries < len(_DOWNLOAD_INTERVALS)):
            return _download_later(pending)
        if isinstance(found, bytes):
            words = "ANAF rejected the document, and its file of errors cannot be read."
            return _failed("nok", words, (evidence.untrusted(found, index),))
        earlier = next((each.earlier_index for each in found.errors if each.earlier_index), None)
        if earlier is not None and _REPETITION not in pending.state:
            return Pending(earlier, clock.now(), pending.deadline, {_REPETITION: index})
        keep = evidence.errors if self._is_trusted(index, found) else evidence.untrusted
        code, words = _words(found.errors)
        failed = _failed(code, words, (keep(found.archive, index),))
        return replace(failed, findings=findings_of(found.errors, envelope.document))


def _words(errors: Sequence[RuleError]) -> tuple[str, str]:
    """The code and the reason of a rejection: the first rule, and all texts."""
    rules = [each.rule for each in errors if each.rule]
    texts = [each.text for each in errors if each.text]
    return (rules or ["nok"])[0], "; ".join(texts) or "ANAF rejected the document without a reason."


def _failed(code: str, words: str, kept: tuple[Evidence, ...]) -> Rejected:
    reason = reasons.DOCUMENT_REFUSED
    return Rejected(code, words, 200, reason.retryable, reason.code, kept)


def _duplicate(words: str, index: str) -> Rejected:
    reason, found = reasons.DUPLICATE_DOCUMENT, (used_number(words, index),)
    return Rejected("duplicate", words, 200, reason.retryable, reason.code, findings=found)


def _messages_follow(index: str) -> Pending:
    """A follow-up that is not polled: messages of the buyer name the index, as `News`."""
    return Pending(index)


def _archive(found: SealedFile | bytes) -> bytes:
    return found if isinstance(found, bytes) else found.archive


def _download_later(pending: Pending) -> Pending:
    seconds = _after(_DOWNLOAD_INTERVALS, _LAST_DOWNLOAD_INTERVAL, pending, _DOWNLOADS)
    return _later(pending, _DOWNLOADS, seconds)


def _after(intervals: Sequence[int], last: int, pending: Pending, counter: str) -> int:
    count = _count(pending.state, counter)
    return intervals[count] if count < len(intervals) else last


def _later(pending: Pending, counter: str, seconds: float) -> Pending:
    """The same, queried again after so many seconds."""
    state = {**pending.state, counter: str(_count(pending.state, counter) + 1)}
    due = clock.now() + timedelta(seconds=seconds)
    return Pending(pending.reference, due, pending.deadline, state)


def _count(state: Mapping[str, str], counter: str) -> int:
    return int(state.get(counter, "0"))
