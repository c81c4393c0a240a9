"""Findings for people: all warnings about unused elements as one.

The official rules warn about each element that is not part of the core invoice: 678 of UBL (UBL-CR,
UBL-DT) and about 460 of CII (CII-SR, CII-DT). Such a document is valid, but the receiver may ignore
these elements. The machine-readable list keeps every warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from einvoice.validation import texts
from einvoice.validation.report import Finding

_UNUSED = re.compile(r"(UBL|CII)-(CR|DT|SR)-")
_MAX_NAMED = 5


def folded(
    findings: Iterable[Finding], language: str = texts.DEFAULT_LANGUAGE
) -> Sequence[Finding]:
    """The findings, with all warnings about unused elements replaced by one at the end."""
    kept: list[Finding] = []
    unused: list[Finding] = []
    for finding in findings:
        foldable = finding.severity == "warning" and _UNUSED.match(finding.rule_id)
        (unused if foldable else kept).append(finding)
    return [*kept, _fold(unused, language)] if unused else kept


def _fold(unused: Sequence[Finding], language: str) -> Finding:
    words = texts.language(language)["fold"] or texts.language()["fold"]
    names = list(dict.fromkeys(name for name in map(_element, unused) if name))
    listed = ", ".join(names[:_MAX_NAMED])
    if len(names) > _MAX_NAMED:
        listed = words["and_more"].format(names=listed, more=len(names) - _MAX_NAMED)
    template = words["unused_one"] if len(unused) == 1 else words["unused"]
    return Finding(
        severity="warning",
        source="en16931",
        rule_id=unused[0].rule_id if len(unused) == 1 else f"{unused[0].rule_id[:6]}-*",
        message=template.format(count=len(unused), names=listed),
        suggestion=words["suggestion"],
        location=unused[0].location,
        line=unused[0].line,
    )


def _element(finding: Finding) -> str:
    """The unused element or attribute, as a path without prefixes."""
    path = finding.about or (finding.location or "").rpartition("/")[2].partition("[")[0]
    return re.sub(r"\b\w+:", "", path).lstrip("/")
