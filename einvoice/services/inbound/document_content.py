"""Reading a received document: its findings, its head, and its UBL form.

A received document is stored whatever it contains. So an exception of a reader or a rule is logged
and leaves that part empty. Large documents are read in a computing process, never in this one,
which has no bound: one that finds none available is stored unread and judged later
(judging_later), as a network may not repeat a document that was refused. So are PDFs of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from lxml import etree

from einvoice import clock
from einvoice.documents.cii import read as cii
from einvoice.documents.hybrid import OpenedPdf, is_pdf
from einvoice.documents.hybrid.opening import opened
from einvoice.documents.salvage import salvaged
from einvoice.documents.summary import DocumentSummary, summary
from einvoice.documents.ubl import write as ubl
from einvoice.domain.errors import ComputationTooLarge, RequestRefused
from einvoice.domain.identifiers import SELF_BILLING_CUSTOMIZATION, DocumentTypeId
from einvoice.domain.invoice import DocumentKind
from einvoice.observability import logging
from einvoice.rules import Declared, RuleSets, Syntax
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.sizes import is_large
from einvoice.services.forms import NetworkForms
from einvoice.validation import (
    NOT_JUDGED,
    Finding,
    Judgement,
    Report,
    judge,
    report_of,
    rule_set,
)
from einvoice.xml import MAX_RECEIVED_BYTES, as_utf8, parse

log = logging.get(__name__)

T = TypeVar("T")

UNKNOWN, XML, PDF = "application/octet-stream", "application/xml", "application/pdf"


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The content of a document. `ubl` is empty if it is not UBL and cannot be converted.

    is_unread  no computing process had time for it: it can be read later
    """

    report: Report
    head: DocumentSummary
    media_type: str = UNKNOWN
    ubl: bytes = b""
    is_unread: bool = False


def read(
    document: bytes,
    document_type: DocumentTypeId,
    tenant_id: str,
    computing: Computing,
    forms: NetworkForms,
) -> ReadDocument:
    """Read any bytes; raises nothing.

    document_type  the type declared in the envelope
    forms          the forms of the network it came from
    """
    on = clock.today()
    large = is_large(document) or is_pdf(document)
    try:
        return computing.run(tenant_id, read_on, document, document_type, on, forms, large=large)
    except ComputationTooLarge:
        log.warning("received document too large to be judged", size=len(document))
        return replace(not_judged(document_type, on), media_type=_unread_type(document))
    except Exception as fault:  # noqa: BLE001 - whatever happened to the process
        log.warning("received document judged later", size=len(document), fault=str(fault))
        bare = not_judged(document_type, on)
        return replace(bare, media_type=_unread_type(document), is_unread=True)


def _unread_type(document: bytes) -> str:
    return PDF if is_pdf(document) else UNKNOWN


def read_on(
    document: bytes, document_type: DocumentTypeId, on: date, forms: NetworkForms
) -> ReadDocument:
    """Read the document by the rules of a day; a function of its arguments alone.

    Of a PDF the invoice that is attached to it is read.
    """
    if not is_pdf(document):
        return _read_on(document, None, document_type, on, forms)
    pdf = _safely("open", lambda: opened(document), None)
    if pdf is None:
        return replace(not_judged(document_type, on), media_type=PDF)
    return replace(_read_on(pdf.xml, pdf, document_type, on, forms), media_type=PDF)


def _read_on(
    document: bytes,
    pdf: OpenedPdf | None,
    document_type: DocumentTypeId,
    on: date,
    forms: NetworkForms,
) -> ReadDocument:
    judgement = _safely(
        "judge",
        lambda: judge(
            document,
            on=on,
            rule_sets=forms.rule_sets,
            network=forms.rule_set,
            foreign=_is_foreign(document_type, forms.rule_sets),
            pdf=pdf,
            max_bytes=MAX_RECEIVED_BYTES,
        ),
        None,
    )
    if judgement is None:
        return not_judged(document_type, on)
    report = _safely("word", lambda: report_of(judgement), None) or _report_without_rules(on)
    root = judgement.root
    if root is None or not judgement.is_document:
        kind = DocumentSummary(_kind(document_type))
        if root is None:
            head = _safely("salvage", lambda: salvaged(document), None)
            return ReadDocument(report, head or kind, UNKNOWN)
        return ReadDocument(report, kind, XML)
    as_ubl = _as_ubl(document, judgement, forms)
    if judgement.syntax not in (Syntax.UBL, Syntax.CII):
        root = _safely("parse", lambda: _parsed(as_ubl) if as_ubl else None, None)
    unknown = DocumentSummary(_kind(document_type))
    head = unknown if root is None else _safely("summarise", lambda: summary(root), unknown)
    return ReadDocument(report, head, XML, as_ubl)


def _is_foreign(document_type: DocumentTypeId, rule_sets: RuleSets) -> bool:
    """Whether the declared type has a customization that no rule set knows, such as PINT."""
    customization = document_type.value.partition("##")[2].rpartition("::")[0]
    return bool(customization) and not rule_sets.knows(Declared("", customization))


def not_judged(document_type: DocumentTypeId, on: date | None = None) -> ReadDocument:
    """Nothing of the document but its kind, by the rule set of a day (None: today)."""
    report = _report_without_rules(on or clock.today())
    return ReadDocument(report, DocumentSummary(_kind(document_type)))


def _as_ubl(document: bytes, judgement: Judgement, forms: NetworkForms) -> bytes:
    if judgement.syntax == Syntax.UBL:
        return as_utf8(document)
    root = judgement.root
    if root is None:
        return b""
    if judgement.syntax == Syntax.CII:
        return _safely("convert", lambda: ubl.document_xml(cii.read_invoice(root)), b"")
    profile = forms.profile_by(judgement.choice.rule_set.name)
    read_own = profile.read if profile else None
    if read_own is None:
        return b""
    return _safely("convert", lambda: ubl.document_xml(read_own(as_utf8(document))), b"")


def _parsed(document: bytes) -> etree._Element:
    return parse(document, max_bytes=MAX_RECEIVED_BYTES)


def _kind(document_type: DocumentTypeId) -> DocumentKind:
    """The kind of a document that cannot be read, by the type that its sender declared."""
    is_credit_note = "::CreditNote##" in document_type.value
    form = DocumentKind.CREDIT_NOTE if is_credit_note else DocumentKind.INVOICE
    return form.self_billed if SELF_BILLING_CUSTOMIZATION in document_type.value else form


def _report_without_rules(on: date) -> Report:
    message = "The document was stored, but the validation rules could not be run on it."
    finding = Finding("warning", "xsd", NOT_JUDGED, message)
    return Report(rule_set(on), (finding,), None, None)


def _safely(step: str, take: Callable[[], T], otherwise: T) -> T:
    try:
        return take()
    except RequestRefused:
        return otherwise
    except Exception:
        log.exception("a step broke on a received document", step=step)
        return otherwise
