"""Checking files: UBL, CII, PDFs with an invoice inside and ZIPs of them, judged as
POST /v1/invoices/validate judges them. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Response

from einvoice.documents.hybrid import is_pdf
from einvoice.domain.errors import (
    ComputationTooLarge,
    ComputingUnavailable,
    RequestRefused,
    ValidationUnavailable,
)
from einvoice.domain.roles import Role
from einvoice.services.send import unsent
from einvoice.services.send.submission import Submission
from einvoice.services.send.unsent import CheckedDocument
from einvoice.validation import warnings
from einvoice.validation.report_page.entries import FileEntry, unread
from einvoice.web.dashboard import forms, pages, refusals, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import report_pages

MAX_FILES = 50
MAX_SHOWN = 100  # findings of a file
MAX_LINE = 200  # characters of a line of the document
_REFUSALS = (ComputationTooLarge, ComputingUnavailable, ValidationUnavailable)

family = Pages("dashboard_checking", __name__, "/dashboard/check")


@dataclass(frozen=True, slots=True)
class Checked:
    """A file with the report on it as the API returns it, or why it could not be judged.

    lines  the lines of the document at which there are findings, by their numbers
    """

    name: str
    report: Mapping[str, Any] | None = None
    warnings: list[dict[str, Any]] = field(default_factory=list)
    lines: Mapping[int, str] = field(default_factory=dict)
    refusal: RequestRefused | None = None


@family.page("", least=Role.VIEWER)
def show_check() -> Response:
    """The form."""
    return pages.render("dashboard/check.html", checked=[], most=MAX_FILES, left=0)


@family.page("", least=Role.VIEWER, methods=["POST"])
def check_files() -> Response:
    """The findings of the files of the form, of at most MAX_FILES; or a file with the report."""
    files = uploads.files("files", MAX_FILES)
    if forms.submitted().get("download"):
        return _report(files.first)
    checked = [_checked(each.name, each.content) for each in files.first]
    return pages.render(
        "dashboard/check.html",
        checked=checked,
        most=MAX_FILES,
        left=files.left,
        limit=MAX_SHOWN,
    )


def _report(files: Iterable[uploads.File]) -> Response:
    language = pages.finding_language()
    response = report_pages.page_response((_entry(each, language) for each in files), language)
    response.headers["Content-Disposition"] = "attachment; filename=report.html"
    return response


def _entry(file: uploads.File, language: str) -> FileEntry:
    try:
        checked = _judged(file.content, language)
    except _REFUSALS as refusal:
        return unread(file.name, refusals.reason(refusal, pages.words()))
    return report_pages.entry_of(file.name, checked, language)


def _judged(content: bytes, language: str) -> CheckedDocument:
    submission = Submission(content, as_sent=False, language=language)
    return unsent.validate(submission, pages.principal(), runtime())


def _checked(name: str, content: bytes) -> Checked:
    language = pages.finding_language()
    try:
        checked = _judged(content, language)
    except _REFUSALS as refusal:
        return Checked(name, refusal=refusal)
    report = checked.as_json()
    noted = warnings.in_words((each.as_data() for each in checked.verdict.warnings), language)
    return Checked(name, report, list(noted), _lines(content, report))


def _lines(content: bytes, report: Mapping[str, Any]) -> dict[int, str]:
    """The lines of the document that findings name; none of a PDF, whose document is inside."""
    findings: list[Mapping[str, Any]] = report["findings"][:MAX_SHOWN]
    wanted = {each["line"] for each in findings if each.get("line")}
    if is_pdf(content) or not wanted:
        return {}
    lines = content.decode("utf-8", "replace").splitlines()
    return {
        number: lines[number - 1].strip()[:MAX_LINE]
        for number in wanted
        if 0 < number <= len(lines)
    }
