"""The draft of a page: what the form of a new invoice sends along to be stored and sent once.

A form has the key with which it is sent, which names its draft, the version that the page has seen,
and an id of the page. So the form is one draft from its first change on, and one invoice, in
however many windows it is open.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from werkzeug.datastructures import FileStorage

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.errors import FieldError, InvalidField, RequestRefused
from einvoice.services.invoices import drafts
from einvoice.services.invoices.drafts import Draft, DraftMark, DraftRecord, FileRecord, NewFile
from einvoice.web.contract import FORBIDDEN
from einvoice.web.dashboard import form_values, forms, invoice_form, pages, uploads
from einvoice.web.shared import draft_bodies

FILES = "files"  # the field of the form
MAX_DESCRIPTION = 512
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KEY = re.compile(rf"draft-({_UUID})")
_PAGE = re.compile(_UUID)
_VERSION = re.compile(r"[0-9]{1,9}", re.ASCII)
# Browsers name the type of a file as the machine has it, so the ending decides.
_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
}
ACCEPTED = ",".join(f".{ending}" for ending in _TYPES)
_NOT_IN_NAMES = re.compile(rf'[/\\:*?"<>|\x00-\x1f\x7f]|{FORBIDDEN.pattern}')
_MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class Sheet:
    """The draft of a page.

    key       with which the form is sent
    mark      the draft as the page has it; None if the key names none
    files     of the draft
    saved_at  when the draft was last stored; None if it is not
    refusal   why the draft does not hold what the page shows
    """

    key: str
    mark: DraftMark | None
    files: Sequence[FileRecord] = ()
    saved_at: datetime | None = None
    refusal: RequestRefused | None = None

    @property
    def draft_id(self) -> str | None:
        return self.mark.draft_id if self.mark else None


def blank() -> Sheet:
    """The sheet of a new page; its draft is not stored."""
    return _of(_new_mark())


def opened(draft: Draft) -> Sheet:
    """The sheet of a page that shows a draft."""
    mark = DraftMark(draft.record.id, draft.record.version, str(uuid.uuid4()))
    return replace(_of(mark), files=draft.files, saved_at=draft.record.updated_at)


def given() -> Sheet:
    """The sheet of the form in the request, with the state of its draft."""
    form = forms.submitted()
    key = form.get("key", "")
    named = _KEY.fullmatch(key)
    if named is None:
        return Sheet(key, None)
    version, page = form.get("version", ""), form.get("page", "")
    mark = DraftMark(
        named[1],
        int(version) if _VERSION.fullmatch(version) else 0,
        page if _PAGE.fullmatch(page) else None,
    )
    now = drafts.state_of(pages.who(), mark)
    saved_at = now.record.updated_at if now.record else None
    return Sheet(key, mark, now.files, saved_at, now.refusal)


def _new_mark() -> DraftMark:
    return DraftMark(str(ids.time_ordered(clock.now())), 0, str(uuid.uuid4()))


def _of(mark: DraftMark) -> Sheet:
    return Sheet(drafts.key_of(mark.draft_id), mark)


# -- storing ---------------------------------------------------------------------------------------


def saved(sheet: Sheet, values: Mapping[str, str], files: Sequence[NewFile] = ()) -> Sheet:
    """The sheet once its draft holds these values, and these files more. Raises what `drafts.save`
    raises."""
    mark = sheet.mark or _new_mark()
    content, _ = draft_bodies.content_of(form_values.body_of(values))
    record = drafts.save(pages.who(), pages.environment(), mark, content, files)
    return _stored(mark, record)


def kept(sheet: Sheet, values: Mapping[str, str]) -> Sheet:
    """Store the form while a person types: a refusal is shown, and a form not begun is not kept."""
    if sheet.mark is None or not (sheet.saved_at or invoice_form.is_begun(values)):
        return sheet
    try:
        return saved(sheet, values)
    except RequestRefused as refusal:
        return replace(sheet, refusal=refusal)


def copied(sheet: Sheet, values: Mapping[str, str]) -> Sheet:
    """A sheet with a draft of its own, which has these values and the files of this one."""
    mark = _new_mark()
    content, _ = draft_bodies.content_of(form_values.body_of(values))
    record = drafts.copy(pages.who(), pages.environment(), sheet.draft_id or "", mark, content)
    return _stored(mark, record)


def without_file(sheet: Sheet, file_id: str) -> Sheet:
    """The sheet without a file. Raises what `drafts.remove_file` raises."""
    mark = sheet.mark or _new_mark()
    return _stored(mark, drafts.remove_file(pages.who(), mark, file_id))


def _stored(mark: DraftMark, record: DraftRecord) -> Sheet:
    found = drafts.state_of(pages.who(), replace(mark, version=record.version))
    sheet = _of(replace(mark, version=record.version))
    return replace(sheet, files=found.files, saved_at=record.updated_at)


# -- files -----------------------------------------------------------------------------------------


def uploaded() -> list[NewFile]:
    """The files that the form uploads, with texts that an invoice can carry.

    Raises InvalidField for those that cannot be attached.
    """
    described = FORBIDDEN.sub(" ", forms.submitted().get("fileDescription", ""))
    description = described.strip()[:MAX_DESCRIPTION] or None
    given = uploads.uploaded().getlist(FILES)
    try:
        return [_file(each, description) for each in given if each.filename]
    finally:
        for each in given:
            each.close()


def _file(given: FileStorage, description: str | None) -> NewFile:
    name = _NOT_IN_NAMES.sub("_", given.filename or "").strip()
    media_type = _TYPES.get(name.rpartition(".")[2].lower())
    content = given.read()
    if media_type is None:
        raise _refused("newInvoice.notAttachable", name)
    if not content:
        raise _refused("newInvoice.emptyFile", name)
    short = name if len(name) <= _MAX_NAME else name[-_MAX_NAME:]
    return NewFile(short, media_type, content, description)


def nothing_chosen() -> InvalidField:
    """The refusal of a form that adds files and has none."""
    return _refused("newInvoice.noFile", "")


def _refused(words: str, name: str) -> InvalidField:
    text = pages.words()(words, name=name)
    return InvalidField([FieldError(f"/{FILES}", "not-attachable", text)])
