"""Judging a document without sending it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from einvoice import clock, validation
from einvoice.domain.errors import DeclaredTotalsMismatch, FieldError
from einvoice.domain.request import SendRequest, SendWarning
from einvoice.domain.type_codes import kind_of
from einvoice.network.access_points import PEPPOL
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import judging
from einvoice.services.send.check import profile_of
from einvoice.services.send.defaults import defaults_of
from einvoice.services.send.submission import DocumentVerdict, Submission
from einvoice.validation import Finding, Report


def validate(submission: Submission, who: Principal, runtime: Runtime) -> DocumentVerdict:
    """The verdict on a document; a contradiction to the request counts as an error.

    Raises InvalidField for a profile that the network does not have, and ComputingUnavailable and
    ComputationTooLarge for a large document.
    """
    forms = runtime.forms.of(submission.network)
    submission = judging.opened_submission(submission, who.tenant_id, runtime.computing)
    found = judging.judged(submission, who.tenant_id, runtime.computing, forms)
    report = found.conversion.report if found.conversion else found.verdict.report
    errors = (*found.contradictions, *(found.misfit.errors if found.misfit else ()))
    wrong = tuple(_as_finding(error) for error in errors)
    whole = replace(report, findings=(*wrong, *report.findings))
    return DocumentVerdict(whole, found.verdict.took_ms, found.verdict.warnings)


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
    who: Principal,
    runtime: Runtime,
    language: str,
    on: date | None = None,
) -> DocumentVerdict:
    """The verdict on the document that a send would write; wrong totals are an error in it.

    `language`: of the findings of rules; `on`: the day whose rules judge it, None is today.

    Raises ComputingUnavailable and ComputationTooLarge for a large one.
    """
    started = clock.monotonic()
    warnings: tuple[SendWarning, ...] = ()
    try:
        defaults = defaults_of(who, request, runtime)
        forms = runtime.forms.of(request["routing"].network or PEPPOL)
        profile = profile_of(request, forms, who, runtime).name
        found = judging.judged_send(
            request, defaults, who.tenant_id, runtime.computing, language, forms, profile, on
        )
        report, warnings = found.report, found.warnings
    except DeclaredTotalsMismatch as mismatch:
        rules = validation.rule_set(on or clock.today())
        kind = kind_of(request["invoice"])
        report = Report(rules, (_wrong_totals(mismatch),), "ubl", kind)
    return DocumentVerdict.since(started, report, warnings)


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
