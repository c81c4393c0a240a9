"""Findings for people: hundreds of warnings of one sort become one sentence.

What the core invoice does not know is not wrong, only useless to the receiver: the official rules
warn once for each of 678 UBL elements (UBL-CR, UBL-DT) and about 460 of CII (CII-SR, CII-DT). The
machine-readable list keeps every one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from einvoice.validation import texts
from einvoice.validation.report import Finding

_UNUSED = re.compile(r"(UBL|CII)-(CR|DT|SR)-")
_NAMED = 5


def folded(
    findings: Iterable[Finding], language: str = texts.DEFAULT_LANGUAGE
) -> Sequence[Finding]:
    """The same findings, with all warnings about unused elements told as one, at the end."""
    kept: list[Finding] = []
    unused: list[Finding] = []
    for finding in findings:
        foldable = finding.severity == "warning" and _UNUSED.match(finding.rule_id)
        (unused if foldable else kept).append(finding)
    return [*kept, _fold(unused, language)] if unused else kept


def _fold(unused: Sequence[Finding], language: str) -> Finding:
    words = texts.language(language)["fold"]
    names = list(dict.fromkeys(name for name in map(_element, unused) if name))
    listed = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        listed = words["and_more"].format(names=listed, more=len(names) - _NAMED)
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
    """What is not used, as a path without prefixes."""
    path = finding.about or (finding.location or "").rpartition("/")[2].partition("[")[0]
    return re.sub(r"\w+:", "", path).lstrip("/")
