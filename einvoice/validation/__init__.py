"""Validation: the report on an invoice, which applies the rules to documents.

    validation.check(data, on=clock.today())    # raw XML of either syntax → Report
    validation.findings(invoice, routing)       # an invoice before it is written → Report

Both choose the rules by date and name them in the report. Every finding has words (texts/) and the
field of the send request that it leads to (terms/). `judge` is the verdict without words, which is
faster. Imports rules, documents, xml and domain; no storage.
"""

from __future__ import annotations

from einvoice.validation.document_report import check, report_of
from einvoice.validation.folding import folded
from einvoice.validation.invoice_report import findings
from einvoice.validation.judgement import Judgement, judge, rule_set
from einvoice.validation.refusals import refusal, refusal_in_words
from einvoice.validation.report import (
    NOT_JUDGED,
    Finding,
    Light,
    Report,
    is_judgement,
    traffic_light,
    with_processing_time,
)
from einvoice.validation.report_forms import (
    CURRENT_FORM,
    StoredReport,
    is_renderable,
    rendered,
)
from einvoice.validation.terms import field_at
from einvoice.validation.texts import DEFAULT_LANGUAGE, best_language
from einvoice.validation.wording import from_data, in_language

__all__ = [
    "CURRENT_FORM",
    "DEFAULT_LANGUAGE",
    "NOT_JUDGED",
    "Finding",
    "Judgement",
    "Light",
    "Report",
    "StoredReport",
    "best_language",
    "check",
    "field_at",
    "findings",
    "folded",
    "from_data",
    "in_language",
    "is_judgement",
    "is_renderable",
    "judge",
    "refusal",
    "refusal_in_words",
    "rendered",
    "report_of",
    "rule_set",
    "traffic_light",
    "with_processing_time",
]
