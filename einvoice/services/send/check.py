"""The checks of a send: parties, evaluation, route to the receiver, rules, document.

Refusals come in the order of decisions 19.1. Every refusal is a RequestRefused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import NamedTuple

from einvoice import clock, validation
from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.codes import SCHEME_COUNTRY
from einvoice.domain.delivery import Clearance
from einvoice.domain.errors import (
    DocumentTypeNotSupported,
    FieldError,
    InvalidField,
    MissingReceiver,
    MissingRouting,
    ReceiverNotRegistered,
    RequestRefused,
    UnknownAccessPointRef,
    ValidationFailed,
)
from einvoice.domain.field_names import SELF_BILLED_FIELDS, SEND_FIELDS, FieldNames
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.domain.invoice import DocumentKind, Routing
from einvoice.domain.profiles import Profile
from einvoice.domain.request import PartyRequest, SendRequest, SendWarning
from einvoice.mail.invoice_mails import MailTemplate
from einvoice.network import limits
from einvoice.network.access_points import PEPPOL, stands_for
from einvoice.network.connections import Connection
from einvoice.network.types import AccessPoint
from einvoice.services.account import tenants
from einvoice.services.connections import choice
from einvoice.services.forms import NetworkForms
from einvoice.services.participants import lookup
from einvoice.services.participants.routing import (
    CountryPair,
    access_point_for,
    chosen_network,
    refuse_unserved,
)
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import emails
from einvoice.services.send.defaults import defaults_of
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.draft import Draft, ReadSend, Steps
from einvoice.services.send.evaluation import (
    Evaluated,
    Evaluation,
    Plan,
    evaluate_request,
    evaluation_of_request,
    kind_of,
)
from einvoice.services.send.parties import (
    RECEIVER_FIELD,
    SENDER_FIELD,
    check_ids,
    check_parties,
)
from einvoice.services.send.sizes import is_large_body
from einvoice.store.sending.registrations import RegistrationRecord
from einvoice.validation import Report, with_processing_time


def steps(read: Callable[[bytes], SendRequest], draft: Draft) -> Steps:
    """The steps of a send; `read` returns the request that a body holds."""
    with turn(draft) as in_turn:
        send = ReadSend(draft.command, draft.runtime, read(draft.command.body))
        draft.options = send.body["options"]
        _refuse_document_of_send(draft)
        yield "read"
        find_parties(send)
        plan = plan_of(send)
        yield "parties"
        evaluated = yield from evaluation(draft, send, plan, in_turn=in_turn)
    yield "write"
    route = find_route(send, plan)
    connection = find_connection(send, route)
    yield "route"
    refuse_errors_of(send, evaluated)
    document = document_of(send, plan, evaluated, route, connection)
    yield "document"
    return document


def _refuse_document_of_send(draft: Draft) -> None:
    if draft.options.get("includeDocument") and not draft.checks_only:
        message = "needs dryRun: the document of a send is its artefact UBL"
        raise InvalidField([FieldError("/options/includeDocument", "contradicts", message)])


@contextmanager
def turn(draft: Draft) -> Iterator[bool]:
    """Surrounds the reading and evaluation of a body; yields whether it has a turn to compute.

    That of a large body begins before it is read, which takes time too.
    Raises ComputingUnavailable.
    """
    is_large = draft.alone and is_large_body(draft.command.body)
    computing, tenant_id = draft.runtime.computing, draft.command.principal.tenant_id
    with computing.turn(tenant_id) if is_large else nullcontext():
        yield is_large


def find_parties(send: ReadSend) -> None:
    """Refuse a send without a reference, or whose parties this credential may not use.

    Where a network without a directory carries it, it needs no reference; where the network
    reaches receivers without a participant id, no receiver.
    """
    routing = send.body["routing"]
    if routing.receiver is None:
        _refuse_reference(routing)
        point = _point_for(send)
        send.body["routing"] = replace(routing, email=emails.receiver_of(send.body, point))
    elif not routing.access_point_ref and not _needs_no_lookup(send):
        raise MissingRouting("routing.accessPointRef is missing: look the receiver up first.")
    check_parties(routing, send.principal, send.runtime)


def _refuse_reference(routing: Routing) -> None:
    """Raise MissingReceiver for a reference to the lookup of a receiver that is not named."""
    if routing.access_point_ref:
        raise MissingReceiver("accessPointRef is the reference of a lookup of the receiver")


def _needs_no_lookup(send: ReadSend) -> bool:
    """Whether a send may do without a reference: its network needs none, or there is a last resort
    if the receiver is not registered.

    Raises NetworkNotSupported, AccessPointUnavailable, AmbiguousNetwork.
    """
    if not send.runtime.access_points.without_directory(send.principal.environment):
        return False
    return not _point_for(send).capabilities.needs_lookup or _last_resort(send) is not None


def plan_of(send: ReadSend) -> Plan:
    """How the invoice is evaluated, by the network that the send will go to.

    A network is not refused here: `find_route` does, after the invoice has been derived. Raises
    InvalidField for a profile that the network does not have.
    """
    networks, principal = send.runtime.forms, send.principal
    network = PEPPOL if len(networks.networks) == 1 else _expected_network(send)
    forms = networks.of(network or PEPPOL)
    if network is None:
        profile = forms.profile_for(send.kind, None, *countries_of(send.body))
    else:
        profile = profile_of(send.body, forms, principal, send.runtime)
    return Plan(forms, profile, clock.today(), send.body["routing"], announced=True)


def profile_of(
    request: SendRequest, forms: NetworkForms, principal: Principal, runtime: Runtime
) -> Profile:
    """The profile that a request names; else the first for its kind that the receiver lists.

    The lookup has the reference; without one, it is the first for its kind. Raises InvalidField.
    """
    name, kind = request["invoice"].get("profile"), kind_of(request)
    if name:
        return forms.named(name)
    chosen = _chosen_for_mail(request, forms, principal, runtime)
    if chosen is not None:
        return chosen
    reference, countries = request["routing"].access_point_ref, countries_of(request)
    if reference is None or len(forms.profiles_for(kind, *countries)) == 1:
        return forms.profile_for(kind, None, *countries)
    known = lookup.known(reference, principal, runtime.caches)
    return forms.profile_for(kind, known.document_types if known else None, *countries)


def _chosen_for_mail(
    request: SendRequest, forms: NetworkForms, principal: Principal, runtime: Runtime
) -> Profile | None:
    """The profile of the files that the tenant has chosen for mails to the receiver's country."""
    if forms.profiles[0].network != emails.NETWORK:
        return None
    tenant = tenants.get(principal.tenant_id, runtime.caches)
    _, receiver = countries_of(request)
    name = MailTemplate.of(tenant.profile, country=receiver).attached.profile
    found = next((each for each in forms.profiles if each.name == name), None)
    return found if found is not None and found.type_of(kind_of(request)) else None


def countries_of(request: SendRequest) -> tuple[str, str]:
    """The countries of the party that issues the document and of its receiver; "": not known.

    As the addresses say, else the participant ids.
    """
    invoice, routing = request["invoice"], request["routing"]
    issuer: PartyRequest = invoice["supplier"]
    receiver = invoice["buyer"]
    if kind_of(request).is_self_billed:
        issuer, receiver = receiver, issuer
    return _country_of(issuer, routing.sender), _country_of(receiver, routing.receiver)


def _country_of(party: PartyRequest, participant: ParticipantId | None) -> str:
    given = party.get("address", {}).get("countryCode")
    return given or SCHEME_COUNTRY.get(participant.scheme if participant else "", "")


def _expected_network(send: ReadSend) -> str | None:
    """The network that `find_route` will find; None if it will refuse the send."""
    routing, points = send.body["routing"], send.runtime.access_points
    reference = routing.access_point_ref
    try:
        if routing.network is None and reference is not None:
            known = lookup.known(reference, send.principal, send.runtime.caches)
            return points[known.access_point].network if known else None
        return _point_for(send).network
    except (RequestRefused, KeyError):
        return None


def evaluation(draft: Draft, send: ReadSend, plan: Plan, *, in_turn: bool) -> Evaluation:
    """Evaluate the invoice: in a computing process with a turn, or if it takes too long here.

    A draft of a group is too small for that, and is evaluated in steps.
    Raises what `evaluate_request` raises, ComputingUnavailable and ComputationTooLarge.
    """
    computing, principal = send.runtime.computing, send.principal
    given = send.body, defaults_of(principal, send.body, send.runtime), plan, send.legacy
    if in_turn:
        return computing.run_in_turn(evaluate_request, *given)
    if draft.alone:
        return computing.run(principal.tenant_id, evaluate_request, *given, large=False)
    return (yield from evaluation_of_request(*given))


class Route(NamedTuple):
    """Access point and id of the stored lookup, and the type of the document that they take."""

    access_point: str
    registration_id: str | None
    document_type: DocumentTypeId


def find_route(send: ReadSend, plan: Plan) -> Route:
    """Find the access point and the stored lookup of the receiver."""
    document_type = plan.profile.type_of(send.kind)
    if document_type is None:
        raise kind_not_taken(plan.profile, send.kind, send.body["routing"])
    return Route(*_route(send, plan, document_type), document_type)


def find_connection(send: ReadSend, route: Route) -> Connection | None:
    """Find the account by which the document is sent, where the network needs one.

    Raises NoConnection, AmbiguousConnection, InvalidField.
    """
    return choice.connection_for(
        send.runtime.access_points[route.access_point],
        send.principal.tenant_id,
        send.body["routing"].connection,
        send.body["invoice"]["supplier"].get("taxId"),
    )


def kind_not_taken(
    profile: Profile, kind: DocumentKind, routing: Routing
) -> DocumentTypeNotSupported:
    """The refusal of a document of a kind that the network has no document type for."""
    message = f"The network {profile.network} takes no {kind.value}."
    return DocumentTypeNotSupported(message, routing.receiver)


def refuse_errors_of(send: ReadSend, evaluated: Evaluated) -> None:
    """Raise ValidationFailed for an invoice against the rules."""
    names = SELF_BILLED_FIELDS if send.kind.is_self_billed else SEND_FIELDS
    if send.legacy:
        names = send.legacy.names
    refuse_errors(evaluated.report, send.command.language, names)


def document_of(
    send: ReadSend,
    plan: Plan,
    evaluated: Evaluated,
    route: Route,
    connection: Connection | None = None,
) -> AcceptableDocument:
    """The document to accept. Raises DocumentTooLarge; InvalidField for ids of its parties."""
    point = send.runtime.access_points[route.access_point]
    limits.check_size(point, evaluated.network_document or evaluated.document)
    embed_pdf, warnings = _embed_pdf(send, evaluated), evaluated.stored_warnings()
    if embed_pdf and point.capabilities.clearance is not Clearance.NONE:
        embed_pdf, warnings = None, (*warnings, _NOT_EMBEDDED)
    elif embed_pdf and evaluated.network_document is not None:
        embed_pdf, warnings = None, (*warnings, _NOT_IN_SYNTAX)
    names = send.legacy.names if send.legacy else SEND_FIELDS
    document = AcceptableDocument(
        head=evaluated.head,
        routing=replace(send.body["routing"], email=emails.receiver_of(send.body, point)),
        access_point=route.access_point,
        registration_id=route.registration_id,
        document_type=route.document_type,
        process=plan.profile.process,
        profile=plan.profile.name,
        report=evaluated.report,
        warnings=warnings,
        document=evaluated.document,
        network_document=evaluated.network_document,
        original=send.command.body,
        embed_pdf=embed_pdf,
        metadata=send.body["invoice"].get("metadata") or None,
        connection=connection,
    )
    check_ids(document, point, names.of(SENDER_FIELD), names.of(RECEIVER_FIELD))
    return document


# -- the route to the receiver ---------------------------------------------------------------------


def _point_for(send: ReadSend) -> AccessPoint:
    """The access point of a send without a reference (decisions 20.13).

    Raises NetworkNotSupported, AccessPointUnavailable, AmbiguousNetwork.
    """
    routing, principal, runtime = send.body["routing"], send.principal, send.runtime
    profile, invoice = (
        tenants.get(principal.tenant_id, runtime.caches).profile,
        send.body["invoice"],
    )
    countries = CountryPair(_country(invoice["supplier"]), _country(invoice["buyer"]))
    chosen = chosen_network(profile.get("networkChoices"), countries)
    return access_point_for(
        routing.receiver,
        principal.environment,
        runtime.access_points,
        routing.network,
        chosen,
        profile.get("lastResort"),
    )


def _last_resort(send: ReadSend) -> AccessPoint | None:
    """The access point that the tenant has set for receivers that no other reaches; None if it has
    set none, the send names a network or a lookup, or no e-mail of the receiver is known."""
    routing, principal, runtime = send.body["routing"], send.principal, send.runtime
    name = tenants.get(principal.tenant_id, runtime.caches).profile.get("lastResort")
    if name is None or routing.network is not None or routing.access_point_ref is not None:
        return None
    found = runtime.access_points.serving_without_id(principal.environment, name)
    if len(found) != 1 or (found[0].capabilities.by_email and not emails.known_of(send.body)):
        return None
    return found[0]


def _country(party: PartyRequest) -> str | None:
    address = party.get("address")
    return address.get("countryCode") if address else None


def _route(send: ReadSend, plan: Plan, document_type: DocumentTypeId) -> tuple[str, str | None]:
    """Access point and stored lookup, by the reference; without one, by the receiver."""
    routing, principal, runtime = send.body["routing"], send.principal, send.runtime
    receiver = routing.receiver
    if routing.access_point_ref is None or receiver is None:
        try:
            return _route_by_lookup(send, plan, document_type, _point_for(send))
        except ReceiverNotRegistered:
            last = _last_resort(send)
            if last is None:
                raise
            return last.name, None
    refuse_unserved(receiver, principal.environment, runtime.access_points, routing.network)
    registration = lookup.registration_of(
        routing.access_point_ref, receiver, document_type, principal, runtime.caches
    )
    _check_access_point(registration, routing, principal, runtime)
    return registration.access_point, registration.id


def _route_by_lookup(
    send: ReadSend, plan: Plan, document_type: DocumentTypeId, point: AccessPoint
) -> tuple[str, str | None]:
    receiver, runtime = send.body["routing"].receiver, send.runtime
    with runtime.slot.released():
        route = lookup.route_to(
            receiver,
            (document_type,),
            point,
            send.principal,
            runtime.settings.lookup_fresh_for,
        )
    lookup.refuse_unsupported(route, document_type, plan.profile.syntax, receiver)
    return point.name, route.registration_id


def _check_access_point(
    registration: RegistrationRecord, routing: Routing, principal: Principal, runtime: Runtime
) -> None:
    """The access point of the lookup must still exist in the key's environment, and be of the
    network that the request names."""
    name, points = registration.access_point, runtime.access_points
    if name not in points or points[name].environment is not principal.environment:
        raise UnknownAccessPointRef(
            lambda field: f"The access point of this {field} is gone: look the receiver up again."
        )
    network = routing.network
    if network is not None and not stands_for(points[name], network):
        raise UnknownAccessPointRef(
            lambda field: f"{field} is of a lookup at another network than {network}."
        )


# -- findings and embedded PDF ---------------------------------------------------------------------


def refuse_errors(
    report: Report,
    language: str,
    names: FieldNames = SEND_FIELDS,
    took_ms: int | None = None,
) -> None:
    """Raise ValidationFailed for a report with errors, in words of this language.

    With `took_ms`, the milliseconds of the validation, it has the traffic light.
    """
    if not report.errors:
        return
    said = validation.in_language(report, language, names)
    raise ValidationFailed(
        list(dict.fromkeys(finding.as_violation() for finding in said.errors)),
        [finding.as_json() for finding in said.findings],
        None if took_ms is None else with_processing_time(said.as_json(), took_ms),
    )


_NOT_EMBEDDED = SendWarning("pdf-not-embedded", field="invoice.embedPdf").as_data()
_NOT_IN_SYNTAX = SendWarning(
    "pdf-not-embedded", field="invoice.embedPdf", variant="syntax"
).as_data()


def _embed_pdf(send: ReadSend, evaluated: Evaluated) -> str | None:
    """EmbeddedPdf.DUE if the request, else the tenant's setting, asks for a PDF in the document.

    A PDF that is attached already takes its place (decisions 17.15).
    """
    options, invoice = send.body["options"], send.body["invoice"]
    wanted = options.get("embedPdf", invoice.get("embedPdf"))
    if wanted is None:
        tenant = tenants.get(send.principal.tenant_id, send.runtime.caches)
        wanted = tenant.profile.get("embedPdf")
    return EmbeddedPdf.DUE if wanted is True and not evaluated.has_pdf else None
