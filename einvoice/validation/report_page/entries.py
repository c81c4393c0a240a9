"""The part of one file on the page: its row in the list, its verdict, and its invoice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from einvoice.domain.invoice import Invoice
from einvoice.validation.folding import folded
from einvoice.validation.provenance import Provenance
from einvoice.validation.report import Light, Report
from einvoice.validation.report_page.invoices import invoice_html
from einvoice.validation.report_page.texts import rendered, words_in
from einvoice.validation.texts import DEFAULT_LANGUAGE

MAX_FINDINGS: Final = 200  # of a file, the errors first
UNREADABLE, OTHER = "unreadable", "other"  # lights of what is no invoice


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file with its verdict, which one process can send to another.

    light    green, amber, red; unreadable or other for what is no invoice
    problem  the reason why it could not be read at all
    verdict, invoice  HTML
    """

    name: str
    light: str
    rule_set: str = ""
    errors: int = 0
    warnings: int = 0
    problem: str = ""
    verdict: str = ""
    invoice: str = ""


def entry(
    name: str,
    report: Report,
    provenance: Provenance,
    invoice: Invoice | None,
    *,
    language: str = DEFAULT_LANGUAGE,
    notes: Sequence[str] = (),
) -> FileEntry:
    """The entry of a report in a language.

    invoice  what was read of the file; None: nothing that is an invoice
    notes    what was noticed besides the findings of rules
    """
    findings, say = folded(report.findings, language), words_in(language)
    errors = len(report.errors)
    warnings = sum(finding.severity == "warning" for finding in report.findings)
    verdict = rendered(
        "verdict.html",
        counts=(errors, warnings),
        report=report,
        provenance=provenance,
        findings=findings[:MAX_FINDINGS],
        more=max(0, len(findings) - MAX_FINDINGS),
        notes=notes,
        say=say,
    )
    shown = invoice_html(invoice, language) if report.is_document else ""
    return FileEntry(name, _light(report), report.rule_set, errors, warnings, "", verdict, shown)


def unread(name: str, problem: str) -> FileEntry:
    """The entry of a file that could not be opened or judged, with the reason as a sentence."""
    return FileEntry(name, UNREADABLE, problem=problem)


def _light(report: Report) -> str:
    unread = not report.is_document and report.light is Light.RED
    return UNREADABLE if unread else report.light.value
