"""Documents submitted as XML: the verdict on them, and where the request contradicts them.

`evaluate_submission` computes from plain values alone, so that it can run in a computing process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from math import ceil

from einvoice import clock, validation
from einvoice.documents.cii.read import read_invoice as read_cii
from einvoice.documents.conversion import form_of
from einvoice.documents.hybrid import OpenedPdf
from einvoice.documents.ubl.read import read_invoice as read_ubl
from einvoice.domain.errors import (
    FieldError,
    InvalidField,
    MissingRouting,
    UnreadableDocument,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Party, Routing
from einvoice.domain.plausibility import implausible
from einvoice.domain.profiles import Profile
from einvoice.domain.request import SendWarning
from einvoice.network.access_points import PEPPOL
from einvoice.services.forms import NetworkForms
from einvoice.services.send.evaluation import Evaluated, Plan, evaluate, fitted
from einvoice.validation import Judgement, Report, with_processing_time
from einvoice.xml import as_utf8

FORMATS = ("ubl", "cii", "auto")
_READERS = {"ubl": read_ubl, "cii": read_cii}


@dataclass(frozen=True, slots=True)
class NamedParty:
    """A party as the request names it, beside the document."""

    participant: ParticipantId | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as submitted, with what the request says about it.

    language  of the findings, if it is only validated
    on        the day whose rules judge it, if it is only validated; None: today
    metadata  the sender's own names and texts
    connection  id of the account by which it is sent
    profile   the name of the profile of the network that it is to follow
    pdf       the PDF that the content was attached to (`submit.opened`)
    as_sent   whether a document of no profile of the network is judged as what is sent instead
    """

    content: bytes
    format: str = "auto"
    network: str = PEPPOL
    sender: NamedParty = NamedParty()
    receiver: NamedParty = NamedParty()
    language: str = validation.DEFAULT_LANGUAGE
    on: date | None = None
    metadata: Mapping[str, str | None] | None = None
    connection: str | None = None
    profile: str | None = None
    pdf: OpenedPdf | None = None
    as_sent: bool = True

    @property
    def meaning(self) -> bytes:
        """The content that an Idempotency-Key identifies: document, network, parties, connection,
        profile, metadata."""
        ends = (str(end.participant) for end in (self.sender, self.receiver))
        digest = hashlib.sha256(self.content).hexdigest()
        own = [json.dumps(self.metadata, sort_keys=True)] if self.metadata else []
        own += [f"connection {self.connection}"] if self.connection else []
        own += [f"profile {self.profile}"] if self.profile else []
        return " ".join((digest, self.network, *ends, *own)).encode()

    def wanted_profile(self, forms: NetworkForms) -> Profile | None:
        """The profile that is asked for, if any. Raises InvalidField for one of another network."""
        return forms.named(self.profile, "/profile") if self.profile else None

    def own_profile(self, rule_set: str, forms: NetworkForms) -> Profile | None:
        """The profile that a document of a rule set is of already; None: it is to be converted."""
        wanted = self.wanted_profile(forms)
        if wanted is None:
            return forms.profile_by(rule_set)
        return wanted if wanted.rule_set == rule_set else None

    @property
    def routing(self) -> Routing:
        """Sender, and the receiver if it has a participant id. Raises MissingRouting."""
        sender = self.sender.participant
        if sender is None:
            raise MissingRouting("missing: sender.peppolId")
        return Routing(sender, self.receiver.participant, None)


@dataclass(frozen=True, slots=True)
class DocumentVerdict:
    """The report, how many milliseconds it took, and the warnings that are no findings of rules."""

    report: Report
    took_ms: int
    warnings: tuple[SendWarning, ...] = ()

    @classmethod
    def since(
        cls, started: float, report: Report, warnings: tuple[SendWarning, ...] = ()
    ) -> DocumentVerdict:
        """A verdict that was started at that moment of `clock.monotonic`."""
        return cls(report, ceil((clock.monotonic() - started) * 1000), warnings)

    def as_json(self) -> dict[str, object]:
        return with_processing_time(self.report.as_json(), self.took_ms)


@dataclass(frozen=True, slots=True)
class EvaluatedSubmission:
    """A document with its verdict; the invoice in it, or why there is none to be read.

    rule_set    the name of the set that judged it
    conversion  what it becomes, if it is correct and not of the profile that is asked for, or of
                none of the network
    misfit      why it cannot become that
    tried       the name of the profile of the conversion or misfit
    named       its specification, if that is known and not judged: it becomes nothing else
    """

    rule_set: str
    verdict: DocumentVerdict
    invoice: Invoice | None
    unreadable: UnreadableDocument | None
    contradictions: tuple[FieldError, ...]
    conversion: Evaluated | None = None
    misfit: InvalidField | None = None
    tried: str | None = None
    named: str | None = None


def evaluate_submission(
    submission: Submission, on: date, forms: NetworkForms, announced: bool = False
) -> EvaluatedSubmission:
    """Judge the document by the rules of the day, and compare it with what the request says.

    By the rule set of the profile that is asked for, or of the network, if the document is of no
    other. `announced`: for a send, with a warning for what the next release will refuse.

    Any bytes get a verdict. Raises InvalidField for a profile that the network does not have.
    """
    started = clock.monotonic()
    wanted = submission.wanted_profile(forms)
    judgement = validation.judge(
        submission.content,
        on=on,
        rule_sets=forms.rule_sets,
        network=wanted.rule_set if wanted else forms.rule_set,
        announced=announced,
        covered=not announced and wanted is None,
        pdf=submission.pdf,
    )
    report = validation.report_of(judgement, submission.language, values=not announced)
    invoice, unreadable = None, None
    try:
        invoice = _invoice(submission.content, judgement, report, forms)
    except UnreadableDocument as fault:
        unreadable = fault
    wrong = tuple(contradictions(submission, report, invoice))
    warnings = tuple(implausible(invoice, on)) if invoice is not None else ()
    verdict = DocumentVerdict.since(started, report, warnings)
    name = judgement.choice.rule_set.name
    named = judgement.named
    found = EvaluatedSubmission(name, verdict, invoice, unreadable, wrong, named=named)
    own = submission.own_profile(name, forms) is not None
    if invoice is None or report.errors or own or named or not submission.as_sent:
        return found
    profile = wanted or forms.profile_for(invoice.document_kind)
    plan = Plan(forms, profile, on, language=submission.language, announced=announced)
    try:
        conversion = evaluate(fitted(invoice, profile), plan)
    except InvalidField as misfit:
        return replace(found, misfit=misfit, tried=profile.name)
    return replace(found, conversion=conversion, tried=profile.name)


def _invoice(
    content: bytes, judgement: Judgement, report: Report, forms: NetworkForms
) -> Invoice | None:
    if judgement.root is not None and judgement.is_former:
        form_of(judgement.root)  # refuses it by its name
    if judgement.root is None or report.form is None:
        return None
    if report.form in _READERS:
        return _READERS[report.form](judgement.root)
    profile = forms.profile_by(judgement.choice.rule_set.name)
    return profile.read(as_utf8(content)) if profile and profile.read else None


# -- what the request says and the document does not --------------------------------------------


def contradictions(
    submission: Submission, report: Report, invoice: Invoice | None
) -> Iterator[FieldError]:
    """Contradictions between the request and the document."""
    if submission.format != "auto" and report.form not in (None, submission.format):
        message = f"is {submission.format}, but the document is {report.form}"
        yield FieldError("/format", "contradicts-document", message)
    if invoice is not None:
        yield from of_parties(submission, invoice)


def of_parties(submission: Submission, invoice: Invoice) -> Iterator[FieldError]:
    """Contradictions between the parties of the request and the parties of the invoice."""
    roles = [("seller", invoice.seller), ("buyer", invoice.buyer)]
    if invoice.document_kind.is_self_billed:
        roles.reverse()
    ends = (("sender", submission.sender), ("receiver", submission.receiver))
    for (name, said), (role, party) in zip(ends, roles, strict=True):
        yield from _of_party(f"/{name}", role, said, party)


def _of_party(pointer: str, role: str, said: NamedParty, party: Party) -> Iterator[FieldError]:
    endpoint = party.endpoint
    if said.participant is not None and endpoint is not None:
        written = f"{endpoint.scheme}:{endpoint.value}"
        if ParticipantId.canonical_of(written) != said.participant.canonical:
            message = f"is {said.participant}, but the document's {role} has the address {written}"
            yield FieldError(f"{pointer}/peppolId", "contradicts-document", message)
    country = party.address.country if party.address else None
    if said.country and country and country != said.country:
        message = f"is {said.country}, but the document's {role} is in {country}"
        yield FieldError(f"{pointer}/country", "contradicts-document", message)
