"""Reading a received document: its findings, its head, and its UBL form.

A received document is stored whatever it contains. So an exception of a reader or a rule is logged
and leaves that part empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from einvoice import clock
from einvoice.documents.cii import read as cii
from einvoice.documents.summary import DocumentSummary, summary
from einvoice.documents.ubl import write as ubl
from einvoice.domain.errors import RequestRefused
from einvoice.domain.identifiers import DocumentTypeId
from einvoice.domain.invoice import DocumentKind
from einvoice.observability import logging
from einvoice.rules import Syntax
from einvoice.validation import Finding, Judgement, Report, judge, report_of, rule_set

log = logging.get(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The content of a document. `ubl` is empty if it is not UBL and cannot be converted."""

    report: Report
    head: DocumentSummary
    is_xml: bool = False
    ubl: bytes = b""


def read(document: bytes, document_type: DocumentTypeId) -> ReadDocument:
    """Read any bytes; raises nothing. `document_type` is the type declared in the envelope."""
    judgement = _safely("judge", lambda: judge(document, on=clock.today()), None)
    if judgement is None:
        return ReadDocument(_report_without_rules(), DocumentSummary(_kind(document_type)))
    report = _safely("word", lambda: report_of(judgement), None) or _report_without_rules()
    root = judgement.root
    if root is None or not judgement.is_document:
        return ReadDocument(report, DocumentSummary(_kind(document_type)), root is not None)
    head = _safely("summarise", lambda: summary(root), DocumentSummary(_kind(document_type)))
    return ReadDocument(report, head, True, _as_ubl(document, judgement))


def _as_ubl(document: bytes, judgement: Judgement) -> bytes:
    if judgement.syntax == Syntax.UBL:
        return document
    root = judgement.root
    if root is None:
        return b""
    return _safely("convert", lambda: ubl.document_xml(cii.read_invoice(root)), b"")


def _kind(document_type: DocumentTypeId) -> DocumentKind:
    is_credit_note = "::CreditNote##" in document_type.value
    return DocumentKind.CREDIT_NOTE if is_credit_note else DocumentKind.INVOICE


def _report_without_rules() -> Report:
    words = "The document was stored, but the validation rules could not be run on it."
    finding = Finding("error", "xsd", "NOT-JUDGED", words)
    return Report(rule_set(clock.today()), (finding,), None, None)


def _safely(step: str, take: Callable[[], T], otherwise: T) -> T:
    try:
        return take()
    except RequestRefused:
        return otherwise
    except Exception:
        log.exception("a step broke on a received document", step=step)
        return otherwise
