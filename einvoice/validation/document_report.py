"""The report on raw XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from lxml import etree

from einvoice import cpu_deadline
from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.domain.invoice import DocumentKind
from einvoice.rules.book import Flag
from einvoice.rules.evaluation import RuleFinding, RulesVerdict
from einvoice.rules.layers import Syntax
from einvoice.validation import texts
from einvoice.validation.facts import shown
from einvoice.validation.judgement import Judgement, judge, place_of_specification
from einvoice.validation.locations import ElementIndex
from einvoice.validation.report import Finding, Report
from einvoice.validation.wording import (
    against_schema,
    alien,
    encoded,
    finding_of,
    in_pdf,
    more_findings,
    not_judged,
    unreadable,
)

MAX_FINDINGS = 1_000  # of a report; the errors are first

_CREDIT_NOTE_TYPES = {"81", "83", "261", "381", "396", "532"}
_ORDER = {flag: number for number, flag in enumerate(Flag)}
_TYPE_CODES = {
    Syntax.UBL: ("{*}InvoiceTypeCode", "{*}CreditNoteTypeCode"),
    Syntax.CII: ("{*}ExchangedDocument/{*}TypeCode",),
}


def check(
    data: bytes, *, on: date, schema: bool = True, language: str = texts.DEFAULT_LANGUAGE
) -> Report:
    """The report on a document by the rules in force on a day. Any bytes have a report."""
    return report_of(judge(data, on=on, schema=schema), language)


def report_of(
    judgement: Judgement,
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
    *,
    values: bool = False,
) -> Report:
    """A judgement in words that use these names of fields.

    values  with the value that the document has at the place of each finding
    """
    found = tuple(_findings(judgement, language, names))
    if values and judgement.root is not None:
        index = ElementIndex(judgement.root)
        found = tuple(_with_value(finding, index) for finding in found)
    form = judgement.syntax.lower() if judgement.syntax else None
    return Report(judgement.pack.id, found, form, _kind(judgement), judgement.choice.by)


def _findings(judgement: Judgement, language: str, names: FieldNames) -> Iterator[Finding]:
    if judgement.unreadable is not None:
        yield unreadable(judgement.unreadable, language)
    for error in judgement.schema:
        yield against_schema(error, language)
    for misfit in judgement.misfits:
        yield in_pdf(misfit, language)
    if judgement.encoding is not None and judgement.root is not None:
        yield encoded(judgement.encoding, language)
    if judgement.unjudged is not None:
        written = judgement.specification
        yield not_judged(judgement.unjudged, written, language, judgement.named)
    if judgement.alien is not None and judgement.root is not None:
        place = place_of_specification(judgement.root)
        yield alien(judgement.alien, judgement.choice.rule_set.name, place, language)
    if judgement.verdict is not None and judgement.root is not None:
        yield from worded(judgement.verdict, judgement.root, language, names)


def worded(
    verdict: RulesVerdict,
    root: etree._Element,
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
) -> Iterator[Finding]:
    """The findings of rules in words, errors first."""
    index = ElementIndex(root)
    fired = errors_first(verdict.findings)
    for one in fired[:MAX_FINDINGS]:
        cpu_deadline.check()
        yield finding_of(one, index, language, names)
    if len(fired) > MAX_FINDINGS:
        yield more_findings(len(fired), MAX_FINDINGS, language)


def _with_value(finding: Finding, index: ElementIndex) -> Finding:
    """The finding with the value that it is about: of the attribute or the element below its
    location that its rule names, else of the element there, if it has no children."""
    path, _, attribute = (finding.about or "").partition("@")
    names = [step.rpartition(":")[2] for step in path.split("/") if step]
    place = "/".join((finding.location or "", *(f"{name}[1]" for name in names)))
    element = index.at(place)
    if element is None or (len(element) and not attribute):
        return finding
    text = element.get(attribute) if attribute else element.text
    return replace(finding, value=shown(text.strip())) if text and text.strip() else finding


def errors_first(findings: Iterable[RuleFinding]) -> list[RuleFinding]:
    """Errors, then warnings, then information; otherwise in the order given."""
    return sorted(findings, key=lambda fired: _ORDER[fired.severity])


def _kind(judgement: Judgement) -> str | None:
    """The kind of the document, by its document element and the document type code (BT-3)."""
    if judgement.syntax is None or judgement.root is None:
        return None
    kind = judgement.syntax.roots[judgement.root.tag]
    if judgement.syntax not in _TYPE_CODES:
        return kind
    found = map(judgement.root.findtext, _TYPE_CODES[judgement.syntax])
    code = next((text.strip() for text in found if text), "")
    if judgement.syntax == Syntax.CII and code in _CREDIT_NOTE_TYPES:
        kind = DocumentKind.CREDIT_NOTE.value
    return DocumentKind(kind).typed(code).value
