"""Drafts of invoices: what people have typed, kept until it is sent, deleted or too old.

People of a tenant see and change each other's drafts (decisions 26.6). A draft has a version: who
changes an older one is refused, and nothing is overwritten. A page may follow its own changes
without waiting for the answer to each, so it also has an id of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FileTooLarge, NotFound, PreconditionFailed
from einvoice.services.account import audit
from einvoice.services.principal import Principal, Reader, Session
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db
from einvoice.store.invoices import drafts as stored
from einvoice.store.invoices.drafts import DraftMark as DraftMark
from einvoice.store.invoices.drafts import DraftRecord as DraftRecord
from einvoice.store.invoices.drafts import FileRecord as FileRecord

KEPT_DAYS = 90  # after the last change
MAX_DRAFTS = 1000  # of a tenant in one environment
MAX_CONTENT_BYTES = 1024 * 1024
MAX_FILES = 50  # as many as an invoice may have
MAX_FILES_BYTES = 8 * 1024 * 1024  # of one file, and of all files of a draft
MAX_TENANT_BYTES = 200 * 1024 * 1024
_MIB = 1024 * 1024
# The space of the keys with which pages send; callers use others (decisions 19.4).
KEY_SPACE = "page"


@dataclass(frozen=True, slots=True)
class DraftContent:
    """The content of a draft: the JSON of its members, and the values that a list shows."""

    text: str
    number: str | None = None
    buyer_name: str | None = None

    @property
    def size(self) -> int:
        return len(self.text.encode())


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to attach."""

    name: str
    media_type: str
    content: bytes
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft with its content and its files; `bytes_of` has the bytes of the files by their ids,
    where they were asked for."""

    record: DraftRecord
    text: str
    files: Sequence[FileRecord]
    bytes_of: dict[str, bytes]


def key_of(draft_id: str) -> str:
    """The Idempotency-Key with which a draft is sent, from any page."""
    return f"draft-{draft_id}"


def kept_until(draft: DraftRecord) -> datetime:
    """When the draft is deleted unless it is changed before."""
    return draft.updated_at + timedelta(days=KEPT_DAYS)


# -- reading ---------------------------------------------------------------------------------------


def get(reader: Reader, draft_id: str, *, with_bytes: bool = False) -> Draft:
    """A draft of an environment that the caller sees. Raises NotFound."""
    with db.reading_by_key() as connection:
        record = _visible(connection, reader, draft_id)
        return Draft(
            record,
            stored.content_of(connection, reader.tenant_id, draft_id),
            stored.files_of(connection, reader.tenant_id, draft_id),
            stored.bytes_of(connection, reader.tenant_id, draft_id) if with_bytes else {},
        )


def files_to_send(reader: Reader, draft_id: str) -> list[tuple[FileRecord, bytes]]:
    """The files of a draft with their bytes; none if there is no such draft any more."""
    with db.reading_by_key() as connection:
        if _seen(connection, reader, draft_id) is None:
            return []
        files = stored.files_of(connection, reader.tenant_id, draft_id)
        found = stored.bytes_of(connection, reader.tenant_id, draft_id)
        return [(file, found[file.id]) for file in files]


@dataclass(frozen=True, slots=True)
class DraftState:
    """The result of storing the draft of a page. `refusal`: it is not as the page has it."""

    record: DraftRecord | None
    files: Sequence[FileRecord]
    refusal: PreconditionFailed | None


def state_of(session: Session, mark: DraftMark) -> DraftState:
    """The draft of a page as it is now; without a record it is not stored, or not any more."""
    with db.reading_by_key() as connection:
        record = _seen(connection, session, mark.draft_id)
        files = [] if record is None else stored.files_of(connection, session.tenant_id, record.id)
    is_current = mark.version == 0 if record is None else mark.is_of(record)
    return DraftState(record, files, None if is_current else _superseded())


def page(
    reader: Reader, environment: Environment | None, after: tuple[datetime, str] | None, limit: int
) -> list[DraftRecord]:
    """Drafts of an environment, or of those that the caller sees, newest first."""
    shown = [each.value for each in reader.environments if environment in (None, each)]
    return stored.page(reader.tenant_id, shown, after, limit)


def _seen(
    connection: Connection, reader: Reader, draft_id: str, *, locked: bool = False
) -> DraftRecord | None:
    found = stored.find(connection, reader.tenant_id, draft_id, locked=locked)
    environments = {each.value for each in reader.environments}
    return found if found is not None and found.environment in environments else None


def _visible(
    connection: Connection, reader: Reader, draft_id: str, *, locked: bool = False
) -> DraftRecord:
    found = _seen(connection, reader, draft_id, locked=locked)
    if found is None:
        raise NotFound(f"There is no draft {draft_id[:40]!r}.")
    return found


# -- writing ---------------------------------------------------------------------------------------


def create(
    reader: Reader, environment: Environment, content: DraftContent, files: Sequence[NewFile] = ()
) -> DraftRecord:
    """Store a new draft.

    Raises Conflict if the draft has too many files, or the tenant as many drafts, or as many bytes
    of them, as it may have, and FileTooLarge.
    """
    mark = DraftMark(str(ids.time_ordered(clock.now())), 0)
    with db.writing() as connection:
        stored.lock_tenant(connection, reader.tenant_id)
        draft = _added(connection, reader, environment, mark, content)
        return _written(connection, draft, None, content, files)


def replace(
    reader: Reader,
    draft_id: str,
    content: DraftContent,
    files: Sequence[NewFile],
    expected: Collection[int] | None = None,
) -> DraftRecord:
    """Replace content and files of a draft. `expected`: the versions that the caller has seen.

    Raises NotFound, PreconditionFailed and what `create` raises.
    """
    with db.writing() as connection:
        stored.lock_tenant(connection, reader.tenant_id)
        draft = _visible(connection, reader, draft_id, locked=True)
        _check_version(draft, expected)
        stored.remove_files(connection, reader.tenant_id, draft_id)
        return _written(connection, draft, None, content, files)


def save(
    session: Session,
    environment: Environment,
    mark: DraftMark,
    content: DraftContent,
    files: Sequence[NewFile] = (),
) -> DraftRecord:
    """Store what a page holds, as a new draft or in the one that it has, and add files to it.

    Raises PreconditionFailed if the draft was changed, sent or deleted since the page read it, and
    what `create` raises; then nothing is stored.
    """
    try:
        with db.writing() as connection:
            stored.lock_tenant(connection, session.tenant_id)
            draft = _of_page(connection, session, environment, mark)
            if draft is None:
                draft = _added(connection, session, environment, mark, content)
            return _written(connection, draft, mark.page, content, files)
    except IntegrityError:
        raise NotFound(f"There is no draft {mark.draft_id[:40]!r}.") from None


def copy(
    session: Session,
    environment: Environment,
    source_id: str,
    mark: DraftMark,
    content: DraftContent,
) -> DraftRecord:
    """Store what a page holds as another draft, with the files that the source still has.

    Raises what `create` raises.
    """
    files = [
        NewFile(file.name, file.media_type, content_of_file, file.description)
        for file, content_of_file in files_to_send(session, source_id)
    ]
    return save(session, environment, mark, content, files)


def remove_file(session: Session, mark: DraftMark, file_id: str) -> DraftRecord:
    """Remove a file of a draft, if it is there. Raises NotFound, and PreconditionFailed as `save`
    does."""
    with db.writing() as connection:
        draft = _visible(connection, session, mark.draft_id, locked=True)
        if not mark.is_of(draft):
            raise _superseded()
        stored.remove_files(connection, session.tenant_id, draft.id, file_id)
        return _written(connection, draft, mark.page)


def remove(reader: Reader, draft_id: str, expected: Collection[int] | None = None) -> None:
    """Delete a draft with its files. Raises NotFound, PreconditionFailed."""
    with db.writing() as connection:
        draft = _visible(connection, reader, draft_id, locked=True)
        _check_version(draft, expected)
        stored.remove(connection, reader.tenant_id, [draft_id])
        detail = {"number": draft.number, "createdBy": draft.created_by}
        audit.record(connection, reader.tenant_id, reader, "draft.deleted", draft_id, detail)


def _of_page(
    connection: Connection, session: Session, environment: Environment, mark: DraftMark
) -> DraftRecord | None:
    """The draft that a page may change; None if it is to be stored for the first time."""
    draft = _seen(connection, session, mark.draft_id, locked=True)
    if draft is None and mark.version == 0 and not _is_sent(connection, session, environment, mark):
        return None
    if draft is None or draft.environment != environment.value or not mark.is_of(draft):
        raise _superseded()
    return draft


def _is_sent(
    connection: Connection, session: Session, environment: Environment, mark: DraftMark
) -> bool:
    """Whether the page was sent before its first change was stored."""
    return idempotency.find_in(connection, _scope(session, environment, mark.draft_id)) is not None


def sent_as(session: Session, environment: Environment, draft_id: str) -> str | None:
    """The invoice that was sent from a draft, for as long as its key is known."""
    accepted = idempotency.find(_scope(session, environment, draft_id))
    return accepted.invoice_id if accepted else None


def _scope(session: Session, environment: Environment, draft_id: str) -> KeyScope:
    """The scope of the key with which a draft is sent."""
    return KeyScope(session.tenant_id, environment.value, KEY_SPACE, key_of(draft_id))


def _superseded() -> PreconditionFailed:
    return PreconditionFailed(
        "The draft was changed, sent or deleted since this page read it: nothing of it was "
        "overwritten, and what you typed is not stored."
    )


def _check_version(draft: DraftRecord, expected: Collection[int] | None) -> None:
    if expected is not None and draft.version not in expected:
        raise PreconditionFailed("The draft was changed since you read it: read it again.")


def _added(
    connection: Connection,
    reader: Reader,
    environment: Environment,
    mark: DraftMark,
    content: DraftContent,
) -> DraftRecord:
    """A new draft without files, to be written. The caller has locked the tenant."""
    now = clock.now()
    if stored.usage(connection, reader.tenant_id, environment.value).drafts >= MAX_DRAFTS:
        raise Conflict(
            f"An account has at most {MAX_DRAFTS:,} drafts in each environment: send or delete one."
        )
    draft = DraftRecord(
        id=mark.draft_id, tenant_id=reader.tenant_id, environment=environment.value,
        number=content.number, buyer_name=content.buyer_name, file_count=0, size=content.size,
        version=0, page=mark.page, created_by=_name_of(reader), created_at=now, updated_at=now,
    )  # fmt: skip
    stored.add(connection, draft, content.text)
    return draft


def _name_of(reader: Reader) -> str | None:
    """The person who began a draft, as colleagues know them; else the id of an API key."""
    return reader.key_id if isinstance(reader, Principal) else reader.email or reader.subject


def _written(
    connection: Connection,
    draft: DraftRecord,
    page_id: str | None,
    content: DraftContent | None = None,
    files: Sequence[NewFile] = (),
) -> DraftRecord:
    """The next version of a draft, with this content or its own, and with more files.

    The caller has locked the draft. Raises Conflict and FileTooLarge.
    """
    stored.add_files(connection, draft.tenant_id, draft.id, map(_record_of, files))
    own = draft.tenant_id, draft.id
    count, size = _checked_files(stored.files_of(connection, *own))
    values: dict[str, Any] = {"file_count": count, "page": page_id, "updated_at": clock.now()}
    if content is not None:
        shown = {"number": content.number, "buyer_name": content.buyer_name}
        values |= {"content": content.text, **shown}
    text = stored.content_of(connection, *own) if content is None else content.text
    values["size"] = size + len(text.encode())
    changed = stored.change(connection, *own, values)
    if stored.usage(connection, draft.tenant_id, draft.environment).size > MAX_TENANT_BYTES:
        raise Conflict(
            f"The drafts of an account have at most {MAX_TENANT_BYTES // _MIB} MiB together: "
            "send or delete one."
        )
    return changed


def _record_of(file: NewFile) -> tuple[FileRecord, bytes]:
    file_id = str(ids.time_ordered(clock.now()))
    size = len(file.content)
    return FileRecord(file_id, file.name, file.media_type, file.description, size), file.content


def _checked_files(files: Sequence[FileRecord]) -> tuple[int, int]:
    """Number and bytes of the files of a draft. Raises Conflict and FileTooLarge."""
    size = sum(file.size for file in files)
    if len(files) > MAX_FILES:
        message = f"An invoice has at most {MAX_FILES} attachments"
        raise Conflict(f"{message}; these would be {len(files)}.")
    if size > MAX_FILES_BYTES:
        message = (
            f"The attachments of an invoice have at most {MAX_FILES_BYTES // _MIB} MiB together"
        )
        raise FileTooLarge(f"{message}; these would be {size / _MIB:.1f} MiB.", MAX_FILES_BYTES)
    return len(files), size
