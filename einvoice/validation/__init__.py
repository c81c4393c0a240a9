"""The seam between documents and rules: what is found on an invoice, for machines and people.

    validation.check(data, on=clock.today())    # raw XML of either syntax → Report
    validation.findings(invoice, routing)       # what a send is about to write → Report

Both choose the rules by date and name them in the report, and both give every finding words
(texts/) and the field of the send request it leads to (terms/). `judge` is the verdict without
words, for machines that ask about many documents.
"""

from __future__ import annotations

from einvoice.validation.document_report import check, report_of
from einvoice.validation.folding import folded
from einvoice.validation.invoice_report import findings
from einvoice.validation.judgement import Judgement, judge, rule_set
from einvoice.validation.report import Finding, Light, Report, traffic_light

__all__ = [
    "Finding",
    "Judgement",
    "Light",
    "Report",
    "check",
    "findings",
    "folded",
    "judge",
    "report_of",
    "rule_set",
    "traffic_light",
]
