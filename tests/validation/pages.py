"""Pages of reports on documents, as `einvoice validate --html` and the service make them."""

from __future__ import annotations

from datetime import date

from einvoice.cli.page_entries import entry_of
from einvoice.validation import judge, report_of
from einvoice.validation.provenance import Provenance, sha256_of
from einvoice.validation.report_page.entries import FileEntry

DAY = date(2026, 11, 23)


def entry_for(document: bytes, name: str = "invoice.xml") -> FileEntry:
    """What a document has on a page."""
    judgement = judge(document, on=DAY)
    report = report_of(judgement, values=True)
    return entry_of(name, judgement, report, Provenance.of(judgement, sha256_of(document)))
