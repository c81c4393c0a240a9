"""The evaluation of an invoice: judged by the rules of a network, and written as it takes it.

The one computation of a send, its dry run, a validation, a conversion and a submission. Functions
of plain values alone, so that a large invoice can be evaluated in a computing process.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import date

from einvoice import validation
from einvoice.documents.ubl.write import document_xml
from einvoice.domain import type_codes
from einvoice.domain.bounds import to_store
from einvoice.domain.derive import derive
from einvoice.domain.field_names import SELF_BILLED_FIELDS, SEND_FIELDS, FieldNames
from einvoice.domain.invoice import DocumentKind, Invoice, Routing
from einvoice.domain.invoice_head import InvoiceHead, head_of
from einvoice.domain.legacy_totals import check_legacy
from einvoice.domain.pint import country_of
from einvoice.domain.pint_adaptation import has_further_terms, without_place
from einvoice.domain.profiles import UBL, Profile
from einvoice.domain.request import SendDefaults, SendRequest, SendWarning
from einvoice.services.forms import NetworkForms
from einvoice.services.invoices.pdf_computations import has_pdf
from einvoice.services.send.document import Warnings
from einvoice.services.send.legacy_body import LegacySend
from einvoice.validation import Report, warnings


@dataclass(frozen=True, slots=True)
class Plan:
    """For which network an invoice is evaluated, and by which rules.

    forms      of the documents of the network
    profile    the form that the document gets
    on         the day whose rules judge it
    routing    of the request; None: it has none
    language   of the findings, which call fields as in `names`
    announced  with a warning for what the next release of the rules will refuse
    """

    forms: NetworkForms
    profile: Profile
    on: date
    routing: Routing | None = None
    language: str = validation.DEFAULT_LANGUAGE
    names: FieldNames = SEND_FIELDS
    announced: bool = False


@dataclass(frozen=True, slots=True)
class FittedInvoice:
    """An invoice, as it is and in the form of a profile, with the warnings about both.

    tax_ids  of supplier and buyer, as the tenant writes them
    """

    invoice: Invoice
    fitted: Invoice
    warnings: tuple[SendWarning, ...]
    tax_ids: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The findings on an invoice, and its documents, which are empty if the report has errors.

    warnings          about the invoice, besides the findings
    document          UBL
    network_document  what the network takes instead, if that is not UBL
    has_pdf           whether a PDF is attached
    """

    head: InvoiceHead
    report: Report
    warnings: tuple[SendWarning, ...]
    document: bytes
    network_document: bytes | None
    has_pdf: bool

    def stored_warnings(self) -> Warnings:
        """The warnings about the invoice, then those among the findings, as they are stored."""
        return to_store((*_as_data(self.warnings), *warnings_of(self.report)))


def evaluate(invoice: FittedInvoice, plan: Plan) -> Evaluated:
    """Judge the invoice, and write its documents if there are no errors.

    Raises ValidationUnavailable, and InvalidField for characters that XML cannot carry.
    """
    return _finished(_evaluation(invoice, plan))


def evaluate_request(
    request: SendRequest, defaults: SendDefaults, plan: Plan, legacy: LegacySend | None = None
) -> Evaluated:
    """Derive the invoice of a request, and evaluate it. Raises what `derived` and `evaluate` raise.

    Errors in a v1 body have its names of fields; stored findings have the names of a send.
    """
    return _finished(evaluation_of_request(request, defaults, plan, legacy))


def invoice_of_request(request: SendRequest, defaults: SendDefaults, profile: Profile) -> Invoice:
    """The invoice of a request, completed. Raises what `derived` raises."""
    return derived(request, defaults, profile).fitted


Evaluation = Generator[str, None, Evaluated]


def evaluation_of_request(
    request: SendRequest, defaults: SendDefaults, plan: Plan, legacy: LegacySend | None = None
) -> Evaluation:
    """`evaluate_request` in steps, for those who do each step of several together.

    It yields the name of each step that is done.
    """
    invoice = derived(request, defaults, plan.profile, legacy)
    yield "derive"
    found = yield from _evaluation(invoice, plan)
    if legacy and found.report.errors:
        return evaluate(invoice, replace(plan, names=legacy.names, announced=False))
    return found


def _evaluation(invoice: FittedInvoice, plan: Plan) -> Evaluation:
    report, network_document = _judge(invoice.fitted, plan)
    yield "judge"
    document = b"" if report.errors else _document(invoice, plan.profile)
    return Evaluated(
        head=head_of(invoice.fitted, *invoice.tax_ids),
        report=report,
        warnings=invoice.warnings,
        document=document,
        network_document=None if report.errors else network_document,
        has_pdf=has_pdf(invoice.invoice),
    )


def _finished(steps: Evaluation) -> Evaluated:
    """The result of the steps, all of them done."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Evaluated = end.value
            return found


def derived(
    request: SendRequest,
    defaults: SendDefaults,
    profile: Profile,
    legacy: LegacySend | None = None,
) -> FittedInvoice:
    """The invoice of a request, completed by totals, defaults and assumptions.

    Raises what `derive` raises; TotalsMismatch for a v1 body; InvalidField for what has no place
    in the documents of the network.
    """
    computed = check_legacy(legacy.lines, legacy.total_amount) if legacy else None
    found = derive(
        request["invoice"], request["routing"], defaults, computed, numbered=profile.numbered
    )
    invoice = request["invoice"]
    tax_ids = invoice["supplier"].get("taxId") or None, invoice["buyer"].get("taxId") or None
    return replace(fitted(found.invoice, profile, found.warnings), tax_ids=tax_ids)


def fitted(
    invoice: Invoice, profile: Profile, warnings: tuple[SendWarning, ...] = ()
) -> FittedInvoice:
    """The invoice with its form in a profile; `warnings`: about it so far.

    Raises InvalidField for what has no place in the documents of the network.
    """
    adapted = profile.adapt(invoice)
    kept = adapted.with_earlier(warnings)
    if has_further_terms(invoice):
        country = country_of(adapted.invoice.customization)
        kept = (*kept, *without_place(invoice, country, profile.terms))
    return FittedInvoice(invoice, adapted.invoice, kept)


def kind_of(request: SendRequest) -> DocumentKind:
    """The kind of document that the request becomes."""
    return type_codes.kind_of(request["invoice"])


def warnings_of(report: Report) -> Warnings:
    """The warnings among the findings, as they are stored with an invoice."""
    return tuple(
        warnings.of_finding(f)
        for f in validation.folded(report.findings)
        if f.severity == "warning"
    )


def _judge(invoice: Invoice, plan: Plan) -> tuple[Report, bytes | None]:
    """The findings on an invoice, and the document that has them, if it is not UBL."""
    profile, forms, names = plan.profile, plan.forms, plan.names
    if names is SEND_FIELDS and invoice.document_kind.is_self_billed:
        names = SELF_BILLED_FIELDS
    choice, on, announced = forms.choice(profile), plan.on, plan.announced
    if profile.syntax == UBL:
        report = validation.findings(
            invoice, plan.routing, on, plan.language, names, choice, announced=announced
        )
        return report, None
    document = profile.write(invoice)
    judgement = validation.judge(
        document, on=on, rule_sets=forms.rule_sets, asked=profile.rule_set, announced=announced
    )
    judgement = replace(judgement, choice=choice)
    return validation.report_of(judgement, plan.language, names), document


def _document(invoice: FittedInvoice, profile: Profile) -> bytes:
    return profile.write(invoice.fitted) if profile.syntax == UBL else document_xml(invoice.invoice)


def _as_data(warnings: tuple[SendWarning, ...]) -> Warnings:
    return tuple(warning.as_data() for warning in warnings)
