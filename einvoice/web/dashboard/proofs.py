"""Files of a form by which a company identifies itself: what is taken, and why one is not.

A file is what its first bytes say (`kind_of`), not what its name or the browser says.
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.errors import FieldError, Phrase
from einvoice.services.account.identifications import MAX_FILE_BYTES, MAX_FILES
from einvoice.web.dashboard import uploads
from einvoice.web.dashboard.forms import search_text

KINDS = ("company-register", "identity-document", "power-of-attorney", "other")
MEBIBYTES = MAX_FILE_BYTES // 1024**2
MOST = MAX_FILES
_MAX_NAME = 200
_MARKS = {
    b"%PDF-": "application/pdf",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
}


@dataclass(frozen=True, slots=True)
class Proof:
    """A file that is taken."""

    name: str
    content_type: str
    content: bytes


def kind_of(content: bytes) -> str | None:
    """The media type of a PDF or picture; None for anything else.

    >>> kind_of(b"%PDF-1.7"), kind_of(b"<html>")
    ('application/pdf', None)
    """
    return next((kind for mark, kind in _MARKS.items() if content.startswith(mark)), None)


def of_form(field: str) -> tuple[list[Proof], list[FieldError]]:
    """The files of a field, or what is wrong with each that is not taken."""
    chosen = [one for one in uploads.uploaded().getlist(field) if one.filename]
    if not chosen:
        return [], [_fault("proofsNone", "choose at least one file")]
    if len(chosen) > MAX_FILES:
        message = f"{len(chosen)} files were chosen; at most {MAX_FILES} are taken"
        return [], [_fault("proofsMany", message, count=len(chosen), most=MAX_FILES)]
    taken, wrong = [], []
    for one in chosen:
        name, content = search_text(one.filename or "", _MAX_NAME), one.read(MAX_FILE_BYTES + 1)
        kind = kind_of(content)
        if not content:
            wrong.append(_fault("proofEmpty", f"{name} is empty", name=name))
        elif len(content) > MAX_FILE_BYTES:
            message = f"{name} has more than {MEBIBYTES} MiB"
            wrong.append(_fault("proofLarge", message, name=name, most=MEBIBYTES))
        elif kind is None:
            wrong.append(_fault("proofKind", f"{name} is no PDF, PNG or JPEG", name=name))
        else:
            taken.append(Proof(name, kind, content))
    return taken, wrong


def _fault(name: str, message: str, /, **values: object) -> FieldError:
    return FieldError("/file", "invalid-file", message, Phrase(name, values))
