"""The computations of a send: from a request to its findings, and to the document.

Functions of plain values alone. The steps of a send (`check`) call them one by one; those of a
large one are done by `prepare_document` in a computing process (`judging.is_large_body`).
"""

from __future__ import annotations

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
from einvoice.domain.profiles import UBL, Profile
from einvoice.domain.request import SendDefaults, SendRequest, SendWarning
from einvoice.services.forms import NetworkForms
from einvoice.services.invoices.printing import has_pdf
from einvoice.services.send.document import Warnings
from einvoice.services.send.legacy_body import LegacySend
from einvoice.validation import Report, warnings


@dataclass(frozen=True, slots=True)
class PreparedSend:
    """What is computed of a request.

    warnings          of the derivation, then of the rules
    document          UBL; empty if the report has errors
    network_document  what is submitted to a network that takes no UBL
    has_pdf           whether a PDF is attached
    """

    head: InvoiceHead
    report: Report
    warnings: Warnings
    document: bytes
    network_document: bytes | None
    has_pdf: bool


@dataclass(frozen=True, slots=True)
class JudgedSend:
    """The findings on the invoice of a send, and the warnings of its derivation."""

    report: Report
    warnings: tuple[SendWarning, ...]


def prepare(
    request: SendRequest,
    defaults: SendDefaults,
    on: date,
    language: str,
    forms: NetworkForms,
    profile_name: str,
) -> JudgedSend:
    """Derive the invoice, and judge it by the rules of the day, for a send that is judged only.

    `language`: of the findings; `forms`: those of the network, with the profile of this name.

    Raises DeclaredTotalsMismatch and what else `derived` raises.
    """
    profile = forms.named(profile_name)
    found = derived(request, defaults, profile)
    report = _judged(found, request["routing"], on, forms, profile, language)
    return JudgedSend(report, found.warnings)


def prepare_document(
    request: SendRequest,
    legacy: LegacySend | None,
    defaults: SendDefaults,
    on: date,
    forms: NetworkForms,
    profile_name: str,
) -> PreparedSend:
    """Derive the invoice, judge it by the rules of the day, and write it if there are no errors.

    Raises what `derived` and `judged` raise.
    """
    profile = forms.named(profile_name)
    found = derived(request, defaults, profile, legacy)
    report = judged(found, request["routing"], on, forms, profile, legacy)
    return prepared(request, found, report, profile)


@dataclass(frozen=True, slots=True)
class FittedInvoice:
    """The invoice of a request, as it is and as the network takes it, with all warnings."""

    invoice: Invoice
    fitted: Invoice
    warnings: tuple[SendWarning, ...]


def derived(
    request: SendRequest,
    defaults: SendDefaults,
    profile: Profile,
    legacy: LegacySend | None = None,
) -> FittedInvoice:
    """The invoice, completed by totals, defaults and assumptions, in the form of a profile.

    Raises what `derive` raises; TotalsMismatch for a v1 body; InvalidField for what has no place
    in the documents of the network.
    """
    computed = check_legacy(legacy.lines, legacy.total_amount) if legacy else None
    found = derive(request["invoice"], request["routing"], defaults, computed)
    adapted = profile.adapt(found.invoice)
    warnings = adapted.with_earlier(found.warnings)
    return FittedInvoice(found.invoice, adapted.invoice, warnings)


def judged(
    found: FittedInvoice,
    routing: Routing,
    on: date,
    forms: NetworkForms,
    profile: Profile,
    legacy: LegacySend | None = None,
) -> Report:
    """The findings on the invoice. Errors in a v1 body have its names of fields.

    What is stored of an accepted invoice has those of a send. A warning says what the next release
    of the rules will refuse. Raises ValidationUnavailable, and
    InvalidField for characters that XML cannot carry.
    """
    report = _judged(found, routing, on, forms, profile, announced=True)
    if legacy and report.errors:
        return _judged(found, routing, on, forms, profile, names=legacy.names)
    return report


def _judged(
    found: FittedInvoice,
    routing: Routing | None,
    on: date,
    forms: NetworkForms,
    profile: Profile,
    language: str = validation.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
    *,
    announced: bool = False,
) -> Report:
    if names is SEND_FIELDS and found.fitted.document_kind.is_self_billed:
        names = SELF_BILLED_FIELDS
    if profile.syntax == UBL:
        choice = forms.choice(profile)
        return validation.findings(
            found.fitted, routing, on, language, names, choice, announced=announced
        )
    judgement = validation.judge(
        profile.write(found.fitted),
        on=on,
        rule_sets=forms.rule_sets,
        asked=profile.rule_set,
        announced=announced,
    )
    judgement = replace(judgement, choice=forms.choice(profile))
    return validation.report_of(judgement, language, names)


def prepared(
    request: SendRequest, found: FittedInvoice, report: Report, profile: Profile
) -> PreparedSend:
    """The written document with what was found out about it. Raises InvalidField, as `judged`."""
    document, for_network = b"", None
    if not report.errors:
        document, for_network = written(found, profile)
    return PreparedSend(
        head=head_of(found.fitted, *_tax_ids(request)),
        report=report,
        warnings=to_store((*_assumptions(found.warnings), *warnings_of(report))),
        document=document,
        network_document=for_network,
        has_pdf=has_pdf(found.invoice),
    )


def written(found: FittedInvoice, profile: Profile) -> tuple[bytes, bytes | None]:
    """The UBL document, and what the network takes instead, if that is not UBL."""
    if profile.syntax == UBL:
        return profile.write(found.fitted), None
    return document_xml(found.invoice), profile.write(found.fitted)


@dataclass(frozen=True, slots=True)
class Conversion:
    """An invoice in the form of a profile, with the report on it.

    The documents are those of `written`; they are empty if the report has errors.
    """

    report: Report
    document: bytes
    network_document: bytes | None
    warnings: tuple[SendWarning, ...]


def converted(
    invoice: Invoice,
    routing: Routing | None,
    on: date,
    forms: NetworkForms,
    profile: Profile,
    language: str = validation.DEFAULT_LANGUAGE,
    *,
    announced: bool = False,
) -> Conversion:
    """The invoice of a submitted document, in the form of a profile, judged by its rules.

    Raises InvalidField for what has no place in it.
    """
    adapted = profile.adapt(invoice)
    found = FittedInvoice(invoice, adapted.invoice, adapted.warnings)
    report = _judged(found, routing, on, forms, profile, language, announced=announced)
    document, for_network = (b"", None) if report.errors else written(found, profile)
    return Conversion(report, document, for_network, adapted.warnings)


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


def _assumptions(derived: tuple[SendWarning, ...]) -> Warnings:
    return tuple(warning.as_data() for warning in derived)


def _tax_ids(request: SendRequest) -> tuple[str | None, str | None]:
    """Tax ids of supplier and buyer as the tenant writes them, for seeding the directory."""
    invoice = request["invoice"]
    return invoice["supplier"].get("taxId") or None, invoice["buyer"].get("taxId") or None
