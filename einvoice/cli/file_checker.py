"""The check of one file for `einvoice validate`."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from einvoice import clock
from einvoice.cli.checked_file import PASSED, RED, UNREADABLE, CheckedFile
from einvoice.cli.pdf_opening import PdfOpener
from einvoice.cli.verapdf import VeraPdf
from einvoice.documents.hybrid import OpenedPdf, is_pdf
from einvoice.rules import Syntax
from einvoice.validation import Judgement, Light, Report, judge, report_of
from einvoice.validation.levels import Levels
from einvoice.validation.provenance import Provenance, sha256_of
from einvoice.xml import MAX_BYTES

if TYPE_CHECKING:  # the page is imported where one is written
    from einvoice.validation.report_page.entries import FileEntry

STANDARD_INPUT = "-"
_TOO_LARGE, _WITHOUT_INVOICE = "pdf-too-large", "pdf-without-invoice"


class FileChecker:
    """Checks files one after the other.

    judge_one  `judge` with its options
    line       whether the line of JSON is needed
    words      whether the report is needed
    provenance  whether the report names what it was made from
    levels     those that `judge_one` applies
    page       whether a page of HTML is written
    verapdf    checks PDFs with an invoice by PDF/A as well; None: only what the attachment needs
    """

    def __init__(
        self,
        judge_one: Callable[..., Judgement] = judge,
        *,
        line: bool,
        words: bool,
        provenance: bool = False,
        levels: Levels | None = None,
        page: bool = False,
        verapdf: VeraPdf | None = None,
    ) -> None:
        self._judge_one = judge_one
        self._line = line
        self._words = words
        self._provenance = provenance
        self._levels = levels
        self._page = page
        self._verapdf = verapdf
        self._opener = PdfOpener()

    def close(self) -> None:
        """End what checks have started."""
        self._opener.close()

    def check(self, file: str) -> CheckedFile:
        """The findings on a file. Raises ValidationUnavailable."""
        began = clock.monotonic()
        try:
            data, digest = _content(file)
        except OSError as error:
            problem = error.strerror or str(error)
            line = self._line_of(file, None, problem)
            return CheckedFile(
                file, 0, problem=problem, line=line, entry=self._unread(file, problem)
            )
        pdf = self._opened(data)
        judgement = self._with_pdfa(self._judge_one(data, pdf=pdf), data, pdf)
        report = report_of(judgement, values=self._provenance) if self._words else None
        provenance = Provenance.of(judgement, digest, self._levels) if self._provenance else None
        return CheckedFile(
            file,
            milliseconds=round((clock.monotonic() - began) * 1000),
            light=judgement.light,
            exit_code=_exit_code(judgement),
            rule_set=judgement.pack.id,
            line=self._line_of(file, judgement),
            report=report,
            provenance=provenance,
            entry=self._entry(file, judgement, report, provenance),
            is_other=_is_other(judgement),
        )

    def _entry(
        self,
        file: str,
        judgement: Judgement,
        report: Report | None,
        provenance: Provenance | None,
    ) -> FileEntry | None:
        if not self._page or report is None or provenance is None:
            return None
        from einvoice.cli import page_entries

        return page_entries.entry_of(file, judgement, report, provenance)

    def _unread(self, file: str, problem: str) -> FileEntry | None:
        if not self._page:
            return None
        from einvoice.validation.report_page.entries import unread

        return unread(file, f"{problem}.")

    def _opened(self, data: bytes) -> OpenedPdf | None:
        if not is_pdf(data):
            return None
        return self._opener.open(data) if len(data) <= MAX_BYTES else OpenedPdf(problem=_TOO_LARGE)

    def _with_pdfa(self, judgement: Judgement, data: bytes, pdf: OpenedPdf | None) -> Judgement:
        """With the findings of veraPDF: errors of Factur-X, which requires PDF/A, else warnings."""
        if self._verapdf is None or pdf is None or pdf.problem is not None:
            return judgement
        severity = "error" if judgement.syntax is Syntax.CII else "warning"
        return replace(
            judgement, misfits=(*judgement.misfits, *self._verapdf.check(data, severity))
        )

    def _line_of(self, file: str, judgement: Judgement | None, problem: str = "") -> str:
        if not self._line:
            return ""
        levels = {"levels": self._levels.sha256} if self._levels else {}
        return json.dumps(_line(file, judgement, problem) | levels)


def _exit_code(judgement: Judgement) -> int:
    if not judgement.is_document and not judgement.is_former:
        return UNREADABLE
    return RED if judgement.light is Light.RED else PASSED


def _is_other(judgement: Judgement) -> bool:
    """Whether it is well-formed XML of another kind, or a PDF without an invoice."""
    fault = judgement.unreadable
    if fault is not None:
        return fault.code == _WITHOUT_INVOICE
    return not judgement.is_document and not judgement.is_former


def _content(file: str) -> tuple[bytes, str | None]:
    """The content, cut one byte above the parser's limit, so that the parser refuses it; and the
    digest of the whole, None of a longer one that is no regular file."""
    if file == STANDARD_INPUT:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        return data, sha256_of(data) if len(data) <= MAX_BYTES else None
    path = Path(file)
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
        if len(data) <= MAX_BYTES:
            return data, sha256_of(data)
        if not path.is_file():
            return data, None
        stream.seek(0)
        return data, hashlib.file_digest(stream, "sha256").hexdigest()


# -- one line of JSON a document -------------------------------------------------------------------


def _line(file: str, judgement: Judgement | None, problem: str) -> dict[str, object]:
    return (
        {
            "file": file,
            "syntax": judgement.syntax if judgement else None,
            "kind": judgement.kind if judgement else None,
            "trafficLight": judgement.light if judgement else Light.RED,
            "ruleSet": judgement.pack.id if judgement else None,
            "release": judgement.pack.release if judgement else None,
            "chosenBy": judgement.choice.by if judgement else None,
            "schemaErrors": list(_schema_errors(judgement, problem)),
            "fired": list(_fired(judgement)) if judgement else [],
        }
        | _refusal(judgement)
        | _unjudged(judgement)
        | _misfits(judgement)
    )


def _refusal(judgement: Judgement | None) -> dict[str, object]:
    """The specification identifier that the publisher of the rule set refuses, if it does."""
    return {} if judgement is None or judgement.alien is None else {"refused": judgement.alien}


def _unjudged(judgement: Judgement | None) -> dict[str, object]:
    """The parts of the document that no rule judged, and whether it is no invoice at all."""
    if judgement is None:
        return {}
    unjudged = {"notJudged": judgement.unjudged} if judgement.unjudged else {}
    return unjudged | ({"other": True} if _is_other(judgement) else {})


def _misfits(judgement: Judgement | None) -> dict[str, object]:
    """The findings on a PDF, if there are any."""
    found = judgement.misfits if judgement else ()
    return {"pdf": [{"id": one.rule, "level": one.severity} for one in found]} if found else {}


def _schema_errors(judgement: Judgement | None, problem: str) -> Iterator[dict[str, object]]:
    if judgement is None:
        yield {"code": "unreadable", "line": None, "at": None, "message": problem}
        return
    if judgement.unreadable is not None:
        error = judgement.unreadable
        yield {"code": error.code, "line": error.line, "at": None, "message": error.reason}
    for one in judgement.schema:
        yield {"code": one.code, "line": one.line, "at": one.path, "message": one.message}


def _fired(judgement: Judgement) -> Iterator[dict[str, object]]:
    for one in judgement.verdict.findings if judgement.verdict else ():
        fired: dict[str, object] = {"id": one.id, "source": one.layer}
        fired |= {"flag": one.flag, "at": one.place}
        yield fired if one.level is None else fired | {"level": one.level}
