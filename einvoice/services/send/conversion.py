"""The computations of a conversion: from a document or a request to a document in a syntax.

They compute from plain values alone, so that they can run in a computing process (`unsent`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from lxml import etree

from einvoice import clock, validation
from einvoice.documents import conversion, restating
from einvoice.documents.cii.write import EN16931
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
from einvoice.domain.profiles import CII, UBL
from einvoice.domain.request import SendDefaults, SendRequest, SendWarning
from einvoice.rules import PEPPOL_BIS_BILLING, Syntax, factur_x
from einvoice.rules.rule_sets import Declared
from einvoice.services.forms import NetworkForms
from einvoice.services.send.evaluation import Plan, derived, evaluate
from einvoice.services.send.submission import DocumentVerdict, Submission, of_parties
from einvoice.validation.judgement import declared
from einvoice.xml import NotXml, as_utf8, parse

JSON = "json"
_OTHER = {"ubl": "cii", "cii": "ubl"}
_SYNTAXES = {"ubl": Syntax.UBL, "cii": Syntax.CII}
_MAX_SHOWN = 100  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class ConversionWarning:
    """An assumption of the service, or what the conversion lost or filled in.

    `location` and `line` refer to the source; of a request, `location` refers to the UBL
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
    _refuse_pdf_without_invoice(submission)
    root = _parsed(submission.content)
    form = conversion.form_of(root)
    _refuse_other_format(submission, form)
    to = to or _OTHER[form]
    _refuse_without_lines(root, form)
    source = conversion.readable(root, form)
    if wrong := tuple(of_parties(submission, source)):
        raise InvalidField(wrong)
    if to == JSON:
        return _restated(root, source, form, submission, on, forms, started)
    found = conversion.converted(root, _fitted(source, form, to, forms), form, to)
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


_PDF_PROBLEMS = {
    "pdf-damaged": "the PDF is damaged",
    "pdf-encrypted": "the PDF needs a password",
    "pdf-without-invoice": "no invoice is attached to the PDF",
    "pdf-several-invoices": "several invoices are attached to the PDF",
    "pdf-too-large": "what is attached to the PDF is too large",
}


def _refuse_pdf_without_invoice(submission: Submission) -> None:
    if submission.pdf is not None and submission.pdf.problem is not None:
        message = _PDF_PROBLEMS.get(submission.pdf.problem, "the PDF cannot be read")
        raise UnreadableDocument(message, path="/", line=1)


def _refuse_without_lines(root: etree._Element, form: str) -> None:
    """Refuse a document of a profile that has no lines: an invoice of EN 16931 has at least one."""
    profile = factur_x.profile_of(declared(root)) if form == CII else None
    if profile in (factur_x.Profile.MINIMUM, factur_x.Profile.BASIC_WL):
        message = f"the profile {profile} of Factur-X has no lines, and an invoice has at least one"
        raise UnreadableDocument(message, path="/", line=1)


def _fitted(source: Invoice, form: str, to: str, forms: NetworkForms) -> Invoice:
    """The invoice as the rules of the other syntax take it.

    With the identifier of EN 16931 in place of one that the other syntax lacks. The rule sets say
    which they are: Factur-X has no UBL, NLCIUS and CIUS-RO have no CII. Peppol takes no subject
    code of a note in CII (R002), so it stays before the text, as in UBL.
    """
    if to == form:
        return source
    says = Declared(next(iter(_SYNTAXES[to].roots)), source.customization, source.profile)
    choice = forms.rule_sets.choose(says, asked=None, network=forms.rule_set)
    if not choice.rule_set.on(clock.today()).judges(_SYNTAXES[to]):
        return replace(source, customization=EN16931)
    if to == CII and choice.rule_set.name == PEPPOL_BIS_BILLING.name:
        return conversion.with_plain_notes(source)
    return source


def _parsed(content: bytes) -> etree._Element:
    try:
        return parse(as_utf8(content))
    except NotXml as fault:
        raise UnreadableDocument(fault.reason, path="/", line=fault.line or 1) from None


def _refuse_other_format(submission: Submission, form: str) -> None:
    if submission.format not in ("auto", form):
        message = f"is {submission.format}, but the document is {form}"
        raise InvalidField([FieldError("/format", "contradicts-document", message)])


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
    for place in found.zones:
        yield _difference("not-carried-over", "time-zone", place, to)
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
    """The element by name with its value and attributes: `Quantity "2" (unitCode "DAY")`."""
    name = place.path.rpartition("/")[2].partition("[")[0]
    named = _quoted(name, place.value or "")
    written = ", ".join(_quoted(name, value) for name, value in place.attributes)
    return f"{named} ({written})" if written else named


def _quoted(name: str, value: str) -> str:
    shown = value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}…"
    return f'{name} "{shown}"' if shown else name
