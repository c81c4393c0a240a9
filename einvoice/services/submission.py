"""Documents that come as XML: look at them, say what is found, send them on their way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from einvoice import clock, validation
from einvoice.documents.cii.read import read_invoice as read_cii
from einvoice.documents.ubl.read import read_invoice as read_ubl
from einvoice.domain.derive import derive
from einvoice.domain.errors import DeclaredTotalsMismatch, FieldError, UnreadableDocument
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Party
from einvoice.domain.request import SendRequest
from einvoice.services.principal import Principal
from einvoice.services.send import defaults_of
from einvoice.validation import Finding, Judgement, Report

FORMATS = ("ubl", "cii", "auto")
_READERS = {"ubl": read_ubl, "cii": read_cii}


@dataclass(frozen=True, slots=True)
class Named:
    """A party as the request names it, beside the document."""

    participant: ParticipantId | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as it was handed in, and what was said about it."""

    content: bytes
    format: str = "auto"
    network: str = "peppol"
    sender: Named = Named()
    receiver: Named = Named()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The report, and the milliseconds it took to make."""

    report: Report
    took: int

    def as_json(self) -> dict[str, object]:
        body = self.report.as_json()
        found = body.pop("findings")
        return body | {"processingTimeMs": self.took, "findings": found}


@dataclass(frozen=True, slots=True)
class Read:
    """A document with its verdict, and the invoice in it unless it is none."""

    verdict: Verdict
    invoice: Invoice | None
    contradictions: tuple[FieldError, ...]


def read(submission: Submission) -> Read:
    """Judge the document, and compare it with what was said about it. Any bytes have a verdict."""
    started = clock.monotonic()
    judgement = validation.judge(submission.content, on=clock.today())
    report = validation.report_of(judgement)
    invoice = _invoice(judgement, report)
    wrong = tuple(contradictions(submission, report, invoice))
    return Read(Verdict(report, _since(started)), invoice, wrong)


def _since(started: float) -> int:
    """Whole milliseconds, a begun one counts."""
    return math.ceil((clock.monotonic() - started) * 1000)


def _invoice(judgement: Judgement, report: Report) -> Invoice | None:
    """What a document holds that rules object to may not be an invoice at all."""
    if judgement.root is None or report.form is None:
        return None
    try:
        return _READERS[report.form](judgement.root)
    except UnreadableDocument:
        return None


def validate(submission: Submission) -> Verdict:
    """The verdict on a document; what contradicts the request counts as an error."""
    found = read(submission)
    report = found.verdict.report
    wrong = tuple(_as_finding(error) for error in found.contradictions)
    whole = Report(report.rule_set, (*wrong, *report.findings), report.form, report.kind)
    return Verdict(whole, found.verdict.took)


def _as_finding(error: FieldError) -> Finding:
    return Finding(
        severity="error",
        source="network",
        rule_id=error.code.upper(),
        message="The document must say what the request says about it.",
        explanation=f"{error.pointer} {error.message}.",
        suggestion="Correct whichever of the two is wrong.",
    )


def validate_send(request: SendRequest, who: Principal) -> Verdict:
    """The verdict on the document that a send would write; wrong totals are an error in it."""
    started = clock.monotonic()
    try:
        invoice = derive(request["invoice"], request["routing"], defaults_of(who)).invoice
    except DeclaredTotalsMismatch as mismatch:
        rules = validation.rule_set(clock.today())
        kind = request["invoice"].get("type") or "invoice"
        report = Report(rules, (_wrong_totals(mismatch),), "ubl", kind)
    else:
        report = validation.findings(invoice, request["routing"])
    return Verdict(report, _since(started))


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


# -- what the request says and the document does not --------------------------------------------


def contradictions(
    submission: Submission, report: Report, invoice: Invoice | None
) -> Iterator[FieldError]:
    """Where the request says one thing of the document, and the document another."""
    if submission.format != "auto" and report.form not in (None, submission.format):
        words = f"is {submission.format}, but the document is {report.form}"
        yield FieldError("/format", "contradicts-document", words)
    if invoice is not None:
        for name, role, said, party in (
            ("sender", "seller", submission.sender, invoice.seller),
            ("receiver", "buyer", submission.receiver, invoice.buyer),
        ):
            yield from _of_party(f"/{name}", role, said, party)


def _of_party(pointer: str, role: str, said: Named, party: Party) -> Iterator[FieldError]:
    endpoint = party.endpoint
    if said.participant is not None and endpoint is not None:
        written = f"{endpoint.scheme}:{endpoint.value}"
        if written.lower() != said.participant.canonical:
            words = f"is {said.participant}, but the document's {role} has the address {written}"
            yield FieldError(f"{pointer}/peppolId", "contradicts-document", words)
    country = party.address.country if party.address else None
    if said.country and country and country != said.country:
        words = f"is {said.country}, but the document's {role} is in {country}"
        yield FieldError(f"{pointer}/country", "contradicts-document", words)
