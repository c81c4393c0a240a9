"""Documents that are not sent: validated or converted, and not stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from einvoice import clock, validation
from einvoice.domain.errors import DeclaredTotalsMismatch, FieldError
from einvoice.domain.invoice import Invoice
from einvoice.domain.request import SendRequest
from einvoice.network.access_points import PEPPOL
from einvoice.services.computing.sizes import is_large
from einvoice.services.forms import NetworkForms
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.check import profile_of
from einvoice.services.send.conversion import Conversion, convert_document, convert_request
from einvoice.services.send.defaults import defaults_of
from einvoice.services.send.evaluation import Plan, evaluate_request, invoice_of_request, kind_of
from einvoice.services.send.sizes import is_large_send
from einvoice.services.send.submission import DocumentVerdict, Submission
from einvoice.services.send.submit import evaluated, opened
from einvoice.validation import Finding, Report
from einvoice.validation.provenance import Provenance, sha256_of

# A conversion reads, writes and compares a document several times: it takes about so many times as
# long as reading and judging it.
TIMES = 6


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """The verdict on a document that is not sent, what it was made from, and the invoice in it.

    invoice  None: what was read is no complete invoice, or it was not asked for
    """

    verdict: DocumentVerdict
    provenance: Provenance
    invoice: Invoice | None = None

    def as_json(self) -> dict[str, object]:
        found = self.verdict.as_json()
        findings = found.pop("findings")
        return {**found, **self.provenance.as_json(), "findings": findings}


def validate(submission: Submission, principal: Principal, runtime: Runtime) -> CheckedDocument:
    """The verdict on a document; a contradiction to the request counts as an error.

    Raises InvalidField for a profile that the network does not have, and ComputingUnavailable and
    ComputationTooLarge for a large document.
    """
    forms = runtime.forms.of(submission.network)
    found = evaluated(opened(submission, principal, runtime), principal, runtime, forms)
    report = found.conversion.report if found.conversion else found.verdict.report
    errors = (*found.contradictions, *(found.misfit.errors if found.misfit else ()))
    wrong = tuple(_as_finding(error) for error in errors)
    whole = replace(report, findings=(*wrong, *report.findings))
    verdict = DocumentVerdict(whole, found.verdict.took_ms, found.verdict.warnings)
    return CheckedDocument(verdict, _provenance(verdict, submission.content, forms), found.invoice)


def _provenance(verdict: DocumentVerdict, given: bytes, forms: NetworkForms) -> Provenance:
    release = forms.rule_sets.release(verdict.report.rule_set)
    return Provenance.of_release(release, sha256_of(given) if given else None)


def _as_finding(error: FieldError) -> Finding:
    return Finding(
        severity="error",
        source="network",
        rule_id=error.code.upper(),
        message="The document must say what the request says about it.",
        explanation=f"{error.pointer} {error.message}.",
        suggestion="Correct whichever of the two is wrong.",
    )


def validate_send(
    request: SendRequest,
    principal: Principal,
    runtime: Runtime,
    language: str,
    on: date | None = None,
    *,
    body: bytes = b"",
    with_invoice: bool = False,
) -> CheckedDocument:
    """The verdict on the document that a send would write; wrong totals are an error in it.

    `language`: of the findings of rules; `on`: the day whose rules judge it, None is today; `body`:
    what the request was read of; `with_invoice`: whether the invoice is needed too.

    Raises ComputingUnavailable and ComputationTooLarge for a large one.
    """
    started, day = clock.monotonic(), on or clock.today()
    defaults = defaults_of(principal, request, runtime)
    plan = _plan(request, principal, runtime, language, day)
    run, large = runtime.computing.run, is_large_send(request)
    invoice = None
    try:
        found = run(principal.tenant_id, evaluate_request, request, defaults, plan, large=large)
    except DeclaredTotalsMismatch as mismatch:
        kind = kind_of(request)
        report = Report(validation.rule_set(day), (_wrong_totals(mismatch),), "ubl", kind)
        verdict = DocumentVerdict.since(started, report)
    else:
        verdict = DocumentVerdict.since(started, found.report, found.warnings)
        if with_invoice:
            given = request, defaults, plan.profile
            invoice = run(principal.tenant_id, invoice_of_request, *given, large=large)
    return CheckedDocument(verdict, _provenance(verdict, body, plan.forms), invoice)


def _plan(
    request: SendRequest, principal: Principal, runtime: Runtime, language: str, on: date
) -> Plan:
    """By the network that the request names, else Peppol."""
    routing = request["routing"]
    forms = runtime.forms.of(routing.network or PEPPOL)
    profile = profile_of(request, forms, principal, runtime)
    return Plan(forms, profile, on, routing, language)


def _wrong_totals(mismatch: DeclaredTotalsMismatch) -> Finding:
    return Finding(
        severity="error",
        source="network",
        rule_id=mismatch.slug.upper(),
        message="The declared totals must be what the lines come to, to the cent.",
        explanation=f"{mismatch.detail}.",
        suggestion="Send the computed amounts, or correct the lines.",
        field="invoice.totals",
    )


def convert(
    submission: Submission, to: str | None, principal: Principal, runtime: Runtime
) -> Conversion:
    """A document in the syntax, by default in the other one than its own.

    Raises UnreadableDocument, InvalidField for a contradiction to the request;
    ComputingUnavailable and ComputationTooLarge for a large document.
    """
    forms = runtime.forms.of(submission.network)
    submission = opened(submission, principal, runtime)
    given, run = (submission, to, submission.on or clock.today(), forms), runtime.computing.run
    large = is_large(submission.content, TIMES)
    return run(principal.tenant_id, convert_document, *given, large=large)


def convert_send(
    request: SendRequest, to: str, principal: Principal, runtime: Runtime, language: str
) -> Conversion:
    """The document that a send would write, in the syntax. `language`: of the findings.

    Raises what `convert_request` raises; ComputingUnavailable and ComputationTooLarge for a large
    one.
    """
    defaults = defaults_of(principal, request, runtime)
    plan = _plan(request, principal, runtime, language, clock.today())
    run, large = runtime.computing.run, is_large_send(request, TIMES)
    return run(principal.tenant_id, convert_request, request, defaults, to, plan, large=large)
