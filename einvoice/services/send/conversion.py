"""The computations of a conversion: from a document or a request to a document in a syntax.

They compute from plain values alone, so that they can run in a computing process (`unsent`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from lxml import etree

from einvoice import clock, validation
from einvoice.documents import conversion, restating
from einvoice.documents.conversion import ConvertedDocument
from einvoice.documents.leaves import Place
from einvoice.documents.restating import RestatedDocument
from einvoice.domain.errors import (
    DeclaredTotalsMismatch,
    FieldError,
    InvalidField,
    UnreadableDocument,
)
from einvoice.domain.invoice import Invoice
from einvoice.domain.plausibility import implausible
from einvoice.domain.profiles import UBL
from einvoice.domain.request import SendDefaults, SendRequest, SendWarning
from einvoice.services.forms import NetworkForms
from einvoice.services.send.evaluation import Plan, derived, evaluate
from einvoice.services.send.submission import DocumentVerdict, Submission, of_parties
from einvoice.xml import NotXml, as_utf8, parse

JSON = "json"
_OTHER = {"ubl": "cii", "cii": "ubl"}
_MAX_SHOWN = 100  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class ConversionWarning:
    """An assumption of the service, or what the conversion lost or filled in.

    `location` and `line` are those of the source; of a request, `location` is that of the UBL
    document that a send would write.
    """

    warning: SendWarning
    location: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """A document in the wanted syntax, the verdict on it, and what the caller should know.

    body  in place of a document, the body of a send; `content` is the document that it becomes
    """

    content: bytes
    verdict: DocumentVerdict
    warnings: tuple[ConversionWarning, ...]
    body: Mapping[str, Any] | None = None


def convert_document(
    submission: Submission, to: str | None, on: date, forms: NetworkForms
) -> Conversion:
    """Convert a document, by default to the other syntax, and judge it by the rules of the day.

    By the rule set of the network, if the document is of no other. JSON is the body of a send; what
    is judged is the document that it becomes.

    Raises UnreadableDocument, and InvalidField where the request contradicts the document.
    """
    started = clock.monotonic()
    root = _parsed(submission.content)
    form = conversion.form_of(root)
    _refuse_other_format(submission, form)
    to = to or _OTHER[form]
    source = conversion.READERS[form](root)
    if wrong := tuple(of_parties(submission, source)):
        raise InvalidField(wrong)
    if to == JSON:
        return _restated(root, source, form, submission, on, forms, started)
    found = conversion.converted(root, source, form, to)
    wanted = submission.wanted_profile(forms)
    network = wanted.rule_set if wanted else forms.rule_set
    judgement = validation.judge(found.content, on=on, rule_sets=forms.rule_sets, network=network)
    report = validation.report_of(judgement, submission.language)
    warnings = (*map(ConversionWarning, implausible(source, on)), *_differences(found, form, to))
    return Conversion(found.content, DocumentVerdict.since(started, report), warnings)


def _restated(
    root: etree._Element,
    source: Invoice,
    form: str,
    submission: Submission,
    on: date,
    forms: NetworkForms,
    started: float,
) -> Conversion:
    """The body of a send, with the verdict on the document that it becomes."""
    profile = submission.wanted_profile(forms) or forms.profile_of(source)
    found = restating.restated(root, source, form, profile)
    content = conversion.WRITERS[UBL](found.invoice)
    judgement = validation.judge(
        content, on=on, rule_sets=forms.rule_sets, network=profile.rule_set
    )
    report = validation.report_of(judgement, submission.language)
    warnings = (
        *map(ConversionWarning, implausible(source, on)),
        *_differences(found, form, JSON),
        *_refused_totals(found.refusal),
    )
    return Conversion(content, DocumentVerdict.since(started, report), warnings, found.body)


def _refused_totals(refusal: DeclaredTotalsMismatch | None) -> Iterator[ConversionWarning]:
    """The totals of the source, if a send refuses them."""
    if refusal is not None:
        values = {"reason": refusal.detail}
        yield ConversionWarning(SendWarning("totals-refused", "", "invoice.totals", "", values))


def _parsed(content: bytes) -> etree._Element:
    try:
        return parse(as_utf8(content))
    except NotXml as fault:
        raise UnreadableDocument(fault.reason, path="/", line=fault.line or 1) from None


def _refuse_other_format(submission: Submission, form: str) -> None:
    if submission.format not in ("auto", form):
        words = f"is {submission.format}, but the document is {form}"
        raise InvalidField([FieldError("/format", "contradicts-document", words)])


def convert_request(
    request: SendRequest, defaults: SendDefaults, to: str, plan: Plan
) -> Conversion:
    """Write the invoice of a send in a syntax, and judge it by the rules of the plan.

    Raises DeclaredTotalsMismatch and what else `derived` refuses, and InvalidField for a text with
    characters that XML does not allow.
    """
    started = clock.monotonic()
    invoice = derived(request, defaults, plan.profile)
    found = conversion.written(invoice.fitted, to)
    if to == plan.profile.syntax == UBL:
        report = evaluate(invoice, plan).report
    else:
        rule_sets, network = plan.forms.rule_sets, plan.profile.rule_set
        judgement = validation.judge(
            found.content, on=plan.on, rule_sets=rule_sets, network=network
        )
        report = validation.report_of(judgement, plan.language)
    warnings = (*map(ConversionWarning, invoice.warnings), *_differences(found, UBL, to))
    return Conversion(found.content, DocumentVerdict.since(started, report), warnings)


# -- what the conversion lost and filled in --------------------------------------------------------


def _differences(
    found: ConvertedDocument | RestatedDocument, form: str, to: str
) -> Iterator[ConversionWarning]:
    for place in found.lost:
        variant = "unknown" if form == to else "no-place"
        yield _difference("not-carried-over", variant, place, to)
    for place in found.filled:
        yield _difference("filled-in", "", place, to)


def _difference(code: str, variant: str, place: Place, to: str) -> ConversionWarning:
    values = {"element": _named(place), "syntax": to.upper()}
    if place.count > 1:
        values["count"] = str(place.count)
    field = validation.field_at(place.first)
    warning = SendWarning(code, "", field, variant, values)
    return ConversionWarning(warning, place.path, place.line)


def _named(place: Place) -> str:
    """The element by name with its value: `NetworkID "VISA"`."""
    name = place.path.rpartition("/")[2].partition("[")[0]
    shown = place.value or ""
    if len(shown) > _MAX_SHOWN:
        shown = f"{shown[:_MAX_SHOWN]}…"
    return f'{name} "{shown}"' if shown else name
