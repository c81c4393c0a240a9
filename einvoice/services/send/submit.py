"""Sending a document that was submitted as XML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from einvoice import clock, rules, validation
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.hybrid.opening import opened as open_pdf
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.bounds import to_store
from einvoice.domain.errors import (
    FieldError,
    InvalidField,
    MissingReceiver,
    NetworkFailed,
    RequestRefused,
)
from einvoice.domain.identifiers import (
    FRENCH_OTHER_PROCESS,
    FRENCH_PROCESS,
    PDF_INVOICE,
    DocumentTypeId,
    ProcessId,
)
from einvoice.domain.invoice import Invoice, Party
from einvoice.domain.invoice_head import head_of
from einvoice.domain.profiles import CII, HYBRID, UBL, Profile
from einvoice.domain.request import SendWarning
from einvoice.network import limits
from einvoice.network.types import AccessPoint
from einvoice.services.computing.sizes import is_large
from einvoice.services.connections import choice
from einvoice.services.forms import NetworkForms
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import Route
from einvoice.services.participants.routing import access_point_for
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.check import kind_not_taken, refuse_errors
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument, Origin
from einvoice.services.send.draft import Draft, Steps
from einvoice.services.send.evaluation import Evaluated, Plan, evaluate, fitted, warnings_of
from einvoice.services.send.parties import check_ids, check_parties
from einvoice.services.send.replay import replay_or_raise
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import send_draft
from einvoice.services.send.submission import EvaluatedSubmission, Submission, evaluate_submission
from einvoice.xml import as_utf8


def submit(
    command: SendCommand, read: Callable[[bytes], Submission], runtime: Runtime
) -> SendResult:
    """Send the document of a body, and wait for its final outcome.

    Every refusal is a RequestRefused. A key that was accepted before answers with the first result;
    it stands for what the request means, not for the bytes of its body.
    """

    def _steps(_: Draft) -> Steps:
        yield "read"
        return check(submission, command.principal, runtime, language=command.language)

    try:
        submission = read(command.body)
    except RequestRefused as refusal:
        return replay_or_raise(command, runtime, refusal)
    command = replace(command, body=submission.meaning)
    try:
        return send_draft(Draft(command, runtime, _steps, alone=True))
    except NetworkFailed as failed:
        raise failed.as_submission() from None


FindRoute = Callable[[Submission, AccessPoint, Sequence[DocumentTypeId]], Route]


def check(
    submission: Submission,
    principal: Principal,
    runtime: Runtime,
    find_route: FindRoute | None = None,
    language: str = validation.DEFAULT_LANGUAGE,
) -> AcceptableDocument:
    """Check parties, network, contradictions, rules and the receiver, in this order.

    find_route  replaces the lookup for callers that have looked the receivers up already
    language    of the findings of a refusal
    """
    routing = submission.routing
    check_parties(routing, principal, runtime, "sender.peppolId")
    receiver = routing.receiver
    try:
        point = access_point_for(
            receiver, principal.environment, runtime.access_points, submission.network
        )
    except MissingReceiver as refusal:
        raise refusal.naming("receiver.peppolId") from None
    forms = runtime.forms.of(point.network)
    whole = submission.content
    submission = opened(submission, principal, runtime)
    found = evaluated(submission, principal, runtime, forms, announced=True)
    if found.contradictions:
        raise InvalidField(found.contradictions)
    refuse_errors(found.verdict.report, language, took_ms=found.verdict.took_ms)
    document = _SubmittedDocument(submission, whole, found, _readable(found), forms, language)
    forms_of_it = (*document.candidates(), *document.hybrid())
    types = tuple(candidate.document_type for candidate in forms_of_it)
    if find_route is None:
        fresh_for = runtime.settings.lookup_fresh_for
        with runtime.slot.released():
            route = lookup.route_to(receiver, types, point, principal, fresh_for)
    else:
        route = find_route(submission, point, types)
    found_document = document.addressed(route)
    connection = choice.connection_for(
        route.point,
        principal.tenant_id,
        submission.connection,
        found_document.head.supplier_tax_id,
        "/connection",
    )
    check_ids(found_document, route.point, "sender.peppolId", "receiver.peppolId")
    return replace(found_document, connection=connection)


def opened(submission: Submission, principal: Principal, runtime: Runtime) -> Submission:
    """The submission of the invoice that is attached to a PDF; any other one as it is.

    A PDF is opened in a computing process, whatever its size. One without an invoice is left to the
    report. Raises ComputingUnavailable and ComputationTooLarge.
    """
    if not is_pdf(submission.content):
        return submission
    found = runtime.computing.run(principal.tenant_id, open_pdf, submission.content)
    return replace(submission, content=found.xml or submission.content, pdf=found)


def evaluated(
    submission: Submission,
    principal: Principal,
    runtime: Runtime,
    forms: NetworkForms,
    *,
    announced: bool = False,
) -> EvaluatedSubmission:
    """The document with its verdict; `forms` are the forms of the network.

    `announced`: with a warning for what the next release of the rules will refuse.

    Raises ComputingUnavailable and ComputationTooLarge for a large one.
    """
    given, large = (submission, submission.on or clock.today(), forms), is_large(submission.content)
    run = runtime.computing.run
    return run(principal.tenant_id, evaluate_submission, *given, announced, large=large)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A form that a document may be sent in: its profile, syntax, document type and process."""

    profile: Profile
    syntax: str
    document_type: DocumentTypeId
    process: ProcessId


@dataclass(frozen=True, slots=True)
class _SubmittedDocument:
    """A document without errors, the invoice in it, and the forms of the network it goes to.

    whole  the document, or the PDF that it is attached to
    """

    submission: Submission
    whole: bytes
    evaluated: EvaluatedSubmission
    invoice: Invoice
    forms: NetworkForms
    language: str

    @property
    def form(self) -> str:
        return self.evaluated.verdict.report.form or ""

    @property
    def own_profile(self) -> Profile | None:
        """The profile that the document is of already."""
        return self.submission.own_profile(self.evaluated.rule_set, self.forms)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles that it may get: its own, the one that is asked for, or all of its kind."""
        only = self.own_profile or self.submission.wanted_profile(self.forms)
        return (only,) if only else self.forms.profiles_for(self.invoice.document_kind)

    def candidates(self) -> list[_Candidate]:
        """Forms of the document: as submitted, then as the service would write it in each profile.

        Raises DocumentTypeNotSupported.
        """
        kind, profiles = self.invoice.document_kind, self.profiles
        submitted = [(profiles[0], self.form)] if self.own_profile else []
        own = [(each, each.syntax) for each in profiles]
        forms = [*submitted, *(each for each in own if each not in submitted)]
        typed = ((each, syntax, self._type_of(each, syntax)) for each, syntax in forms)
        found = [
            _Candidate(each, syntax, name, each.process)
            for each, syntax, name in typed
            if name is not None
        ]
        if not found:
            raise kind_not_taken(profiles[0], kind, self.submission.routing)
        return found

    def hybrid(self) -> Iterator[_Candidate]:
        """The PDF as it is, if it is Factur-X with a whole invoice and no profile is asked for."""
        pdf, kind, found = self.submission.pdf, self.invoice.document_kind, self.evaluated
        if pdf is None or pdf.name != _FILE or found.rule_set != rules.FACTUR_X.name:
            return
        if not kind.is_self_billed and self.submission.profile is None:
            parties = (self.invoice.seller, self.invoice.buyer)
            is_french = all(each.address and each.address.country == "FR" for each in parties)
            process = FRENCH_PROCESS if is_french else FRENCH_OTHER_PROCESS
            yield _Candidate(self.profiles[0], HYBRID, PDF_INVOICE, process)

    def _chosen(self, route: Route) -> _Candidate:
        """The first candidate that the receiver accepts, at last the whole PDF.

        Raises DocumentTypeNotSupported.
        """
        candidates = self.candidates()
        for each in (*candidates, *self.hybrid()):
            if route.accepts(each.document_type, each.syntax):
                return each
        last = [each for each in candidates if each.profile == candidates[0].profile][-1]
        receiver = self.submission.routing.receiver
        lookup.refuse_unsupported(route, last.document_type, last.syntax, receiver)
        return last

    def _type_of(self, profile: Profile, syntax: str) -> DocumentTypeId | None:
        """The document type: of an own document with its customization, as of an Extension.

        An own document has the type of its form where the profile has no self-billed ones.
        """
        kind = self.invoice.document_kind
        found = profile.type_of(kind, syntax)
        if self.own_profile is None:
            return found
        found = found or profile.type_of(kind.form, syntax)
        if found is None or self.form not in (UBL, CII):
            return found
        return found.customized(self.invoice.customization)

    def addressed(self, route: Route) -> AcceptableDocument:
        """The document in a form that the receiver accepts, converted if it has to be.

        Raises DocumentTypeNotSupported, DocumentTooLarge; for one that is converted also
        InvalidField and ValidationFailed.
        """
        submission, verdict, invoice = self.submission, self.evaluated.verdict, self.invoice
        chosen = self._chosen(route)
        profile = chosen.profile
        document, network_document, report = as_utf8(submission.content), None, verdict.report
        warnings = (*[each.as_data() for each in verdict.warnings], *warnings_of(report))
        if self.own_profile is not None:
            warnings = (*warnings, *[each.as_data() for each in profile.remarks(invoice)])
        is_hybrid = chosen.syntax == HYBRID
        if is_hybrid:
            document, network_document = document_xml(invoice), self.whole
        elif self.own_profile is None:
            made = self._converted(profile)
            document, network_document, report = made.document, made.network_document, made.report
            added = [each.as_data() for each in made.warnings]
            warnings = (_converted_to(profile), *warnings, *added, *warnings_of(report))
        elif chosen.syntax != self.form:
            document = self._converted(profile).document
            warnings = (_CONVERTED, *warnings)
        elif self.form not in (UBL, CII):
            document, network_document = document_xml(invoice), as_utf8(submission.content)
        limits.check_size(route.point, network_document or document)
        return AcceptableDocument(
            head=head_of(invoice, _tax_id(invoice.seller), _tax_id(invoice.buyer)),
            routing=submission.routing,
            access_point=route.point.name,
            registration_id=route.registration_id,
            document_type=chosen.document_type,
            process=chosen.process,
            profile=profile.name,
            report=report,
            warnings=to_store(warnings),
            document=document,
            network_document=network_document,
            original=self.whole if is_hybrid else submission.content,
            original_type="application/pdf" if is_hybrid else "application/xml",
            origin=Origin(self.form, submission.network, verdict.took_ms),
            metadata=submission.metadata or None,
        )

    def _converted(self, profile: Profile) -> Evaluated:
        """The document's content in the form of the profile, judged like any other."""
        found = self.evaluated
        if found.named is not None:
            message = f"follows {found.named}, which {profile.network} does not carry here"
            raise InvalidField([FieldError("/invoice", "other-specification", message)])
        tried = found.tried == profile.name
        if tried and found.misfit is not None:
            raise found.misfit
        plan = Plan(self.forms, profile, clock.today(), self.submission.routing)
        made = found.conversion if tried else None
        made = made or evaluate(fitted(self.invoice, profile), plan)
        refuse_errors(made.report, self.language, took_ms=found.verdict.took_ms)
        return made


def _tax_id(party: Party) -> str | None:
    return party.vat_id or (party.tax_registration.value if party.tax_registration else None)


def _readable(found: EvaluatedSubmission) -> Invoice:
    if found.invoice is None:
        fault = found.unreadable
        message = f"holds no invoice: {fault.detail}" if fault else "holds no invoice"
        raise InvalidField([FieldError("/invoice", "unreadable-document", message)])
    return found.invoice


_FILE = "factur-x.xml"  # the attachment of Factur-X
_CONVERTED = SendWarning("converted-to-ubl", field="format").as_data()


def _converted_to(profile: Profile) -> Mapping[str, object]:
    values = {"profile": profile.name}
    return SendWarning("converted-for-network", field="format", values=values).as_data()
