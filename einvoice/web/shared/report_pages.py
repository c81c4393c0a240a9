"""The report on documents as a page of HTML: what the command line writes with `--html`."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Response

from einvoice.services.send.unsent import CheckedDocument
from einvoice.validation import warnings
from einvoice.validation.report_page.entries import FileEntry, entry
from einvoice.validation.report_page.page import ReportPage, policy

HTML = "text/html"


def entry_of(name: str, checked: CheckedDocument, language: str) -> FileEntry:
    """A document with its verdict on a page; warnings besides its findings are notes."""
    verdict = checked.verdict
    noted = warnings.in_words((each.as_data() for each in verdict.warnings), language)
    notes = [str(each["message"]) for each in noted]
    return entry(
        name, verdict.report, checked.provenance, checked.invoice, language=language, notes=notes
    )


def page_response(entries: Iterable[FileEntry], language: str) -> Response:
    """The page, which may load nothing and be in no frame."""
    page = ReportPage(language)
    for each in entries:
        page.add(each)
    response = Response(page.bytes(), content_type=f"{HTML}; charset=utf-8")
    response.headers["Content-Security-Policy"] = f"{policy()}; frame-ancestors 'none'"
    return response
