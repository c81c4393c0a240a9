"""The steps of checking a send: parties, derivation, route to the receiver, rules, document.

Refusals come in the order of decisions 19.1. Every refusal is a RequestRefused.
"""

from __future__ import annotations

from contextlib import ExitStack

from einvoice import clock, cpu_deadline, validation
from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.delivery import Clearance
from einvoice.domain.errors import (
    DocumentTypeNotSupported,
    MissingReceiver,
    MissingRouting,
    RequestRefused,
    UnknownAccessPointRef,
    ValidationFailed,
)
from einvoice.domain.field_names import SELF_BILLED_FIELDS, SEND_FIELDS, FieldNames
from einvoice.domain.identifiers import DocumentTypeId
from einvoice.domain.invoice import DocumentKind, Routing
from einvoice.domain.profiles import Profile
from einvoice.domain.request import PartyRequest, SendRequest, SendWarning
from einvoice.network import limits
from einvoice.network.access_points import PEPPOL, stands_for
from einvoice.network.types import AccessPoint
from einvoice.services.account import tenants
from einvoice.services.computing.pool import MAX_CPU_SECONDS_HERE
from einvoice.services.connections import choosing
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
from einvoice.services.send import judging, preparing
from einvoice.services.send.defaults import defaults_of
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.draft import Draft, Step
from einvoice.services.send.parties import check_parties
from einvoice.services.send.preparing import PreparedSend
from einvoice.store.sending.registrations import RegistrationRecord
from einvoice.validation import Report, with_processing_time


def find_parties(draft: Draft) -> None:
    """Refuse a send without a reference, or whose parties this credential may not use.

    Where a network without a directory carries it, it needs no reference; where the network
    reaches receivers without a participant id, no receiver.
    """
    routing, who, runtime = draft.request["routing"], draft.command.principal, draft.runtime
    if routing.receiver is None:
        _refuse_reference(routing)
        _point_for(draft)
    elif not routing.access_point_ref and not _needs_no_lookup(draft):
        raise MissingRouting("routing.accessPointRef is missing: look the receiver up first.")
    check_parties(routing, who, runtime)


def _refuse_reference(routing: Routing) -> None:
    """Raise MissingReceiver for a reference to the lookup of a receiver that is not named."""
    if routing.access_point_ref:
        raise MissingReceiver("accessPointRef is the reference of a lookup of the receiver")


def _needs_no_lookup(draft: Draft) -> bool:
    """Raises NetworkNotSupported, AccessPointUnavailable, AmbiguousNetwork."""
    environment, points = draft.command.principal.environment, draft.runtime.access_points
    if not points.without_directory(environment):
        return False
    return not _point_for(draft).capabilities.needs_lookup


def find_network(draft: Draft) -> None:
    """Find the form of the document, by the network that the send will go to.

    A network is not refused here: `find_route` does, after the invoice has been derived. Raises
    InvalidField for a profile that the network does not have.
    """
    networks, who = draft.runtime.forms, draft.command.principal
    network = PEPPOL if len(networks.networks) == 1 else _expected_network(draft)
    draft.forms = networks.of(network or PEPPOL)
    if network is None:
        draft.profile = draft.forms.profile_for(preparing.kind_of(draft.request))
    else:
        draft.profile = profile_of(draft.request, draft.forms, who, draft.runtime)


def profile_of(
    request: SendRequest, forms: NetworkForms, who: Principal, runtime: Runtime
) -> Profile:
    """The profile that a request names; else the first for its kind that the receiver lists.

    The lookup is that of the reference; without one, the first for its kind. Raises InvalidField.
    """
    name, kind = request["invoice"].get("profile"), preparing.kind_of(request)
    if name:
        return forms.named(name)
    reference = request["routing"].access_point_ref
    if reference is None or len(forms.profiles_for(kind)) == 1:
        return forms.profile_for(kind)
    known = lookup.known(reference, who, runtime.caches)
    return forms.profile_for(kind, known.document_types if known else None)


def _expected_network(draft: Draft) -> str | None:
    """The network that `find_route` will find; None if it will refuse the send."""
    routing, points = draft.request["routing"], draft.runtime.access_points
    reference, who = routing.access_point_ref, draft.command.principal
    try:
        if routing.network is None and reference is not None:
            known = lookup.known(reference, who, draft.runtime.caches)
            return points[known.access_point].network if known else None
        return _point_for(draft).network
    except (RequestRefused, KeyError):
        return None


def take_turn(draft: Draft) -> None:
    """Wait for a turn to compute, if the body is large. Raises ComputingUnavailable.

    Reading such a body takes time too: its turn begins before.
    """
    if draft.alone and judging.is_large_body(draft.command.body):
        draft.turn = ExitStack()
        computing, tenant_id = draft.runtime.computing, draft.command.principal.tenant_id
        draft.turn.enter_context(computing.turn(tenant_id))


def derive_invoice(draft: Draft) -> None:
    """Complete the invoice by totals, defaults and assumptions.

    A large send is also judged and written here, in a computing process: the other steps use the
    result. Raises ComputingUnavailable and ComputationTooLarge for it.
    """
    request, legacy = draft.request, draft.legacy
    defaults = defaults_of(draft.command.principal, request, draft.runtime)
    if draft.turn is None:
        draft.derived = preparing.derived(request, defaults, draft.profile, legacy)
        return
    given = request, legacy, defaults, clock.today(), draft.forms, draft.profile.name
    with draft.turn:
        draft.prepared = draft.runtime.computing.run_in_turn(preparing.prepare_document, *given)


def find_route(draft: Draft) -> None:
    """Find the access point and the stored lookup of the receiver."""
    kind = preparing.kind_of(draft.request)
    document_type = draft.profile.type_of(kind)
    if document_type is None:
        raise kind_not_taken(draft.profile, kind, draft.request["routing"])
    draft.document_type = document_type
    draft.route = _route(draft, document_type)


def find_connection(draft: Draft) -> None:
    """Find the account by which the document is sent, where the network needs one.

    Raises NoConnection, AmbiguousConnection, InvalidField.
    """
    who, points = draft.command.principal, draft.runtime.access_points
    draft.connection = choosing.connection_for(
        points[draft.route[0]],
        who.tenant_id,
        draft.request["routing"].connection,
        draft.request["invoice"]["supplier"].get("taxId"),
    )


def kind_not_taken(
    profile: Profile, kind: DocumentKind, routing: Routing
) -> DocumentTypeNotSupported:
    """The refusal of a document of a kind that the network has no document type for."""
    words = f"The network {profile.network} takes no {kind.value}."
    return DocumentTypeNotSupported(words, routing.receiver)


def judge(draft: Draft) -> None:
    """Apply the rules. Raises ValidationFailed."""
    draft.report = draft.prepared.report if draft.prepared else _judged(draft)
    self_billed = preparing.kind_of(draft.request).is_self_billed
    names = SELF_BILLED_FIELDS if self_billed else SEND_FIELDS
    if draft.legacy:
        names = draft.legacy.names
    refuse_errors(draft.report, draft.command.language, names)


def _judged(draft: Draft) -> Report:
    """The findings. A send that is done by itself has a deadline, after which it is also judged and
    written in a computing process; those of a group are too small to need one."""
    routing, today = draft.request["routing"], clock.today()
    given = draft.derived, routing, today, draft.forms, draft.profile, draft.legacy
    if not draft.alone:
        return preparing.judged(*given)
    try:
        with cpu_deadline.within(MAX_CPU_SECONDS_HERE):
            return preparing.judged(*given)
    except cpu_deadline.Overdue:
        who, runtime = draft.command.principal, draft.runtime
        draft.prepared = runtime.computing.run(
            who.tenant_id,
            preparing.prepare_document,
            draft.request,
            draft.legacy,
            defaults_of(who, draft.request, runtime),
            today,
            draft.forms,
            draft.profile.name,
        )
        return draft.prepared.report


def write_document(draft: Draft) -> None:
    """Write the document, and complete what is to be accepted. Raises DocumentTooLarge."""
    request, profile = draft.request, draft.profile
    access_point, registration_id = draft.route
    found = draft.prepared or preparing.prepared(request, draft.derived, draft.report, profile)
    carried = found.network_document or found.document
    point = draft.runtime.access_points[access_point]
    limits.check_size(point, carried)
    embed_pdf, warnings = _embed_pdf(found, draft), found.warnings
    if embed_pdf and point.capabilities.clearance is not Clearance.NONE:
        embed_pdf, warnings = None, (*warnings, _NOT_EMBEDDED)
    draft.document = AcceptableDocument(
        head=found.head,
        routing=request["routing"],
        access_point=access_point,
        registration_id=registration_id,
        document_type=draft.document_type,
        process=profile.process,
        profile=profile.name,
        report=found.report,
        warnings=warnings,
        document=found.document,
        network_document=found.network_document,
        original=draft.command.body,
        embed_pdf=embed_pdf,
        metadata=request["invoice"].get("metadata") or None,
        connection=draft.connection,
    )


STEPS: tuple[Step, ...] = (
    find_parties,
    find_network,
    derive_invoice,
    find_route,
    find_connection,
    judge,
    write_document,
)


# -- the route to the receiver ---------------------------------------------------------------------


def _point_for(draft: Draft) -> AccessPoint:
    """The access point of a send without a reference (decisions 20.13).

    Raises NetworkNotSupported, AccessPointUnavailable, AmbiguousNetwork.
    """
    routing, who, runtime = draft.request["routing"], draft.command.principal, draft.runtime
    profile, invoice = tenants.get(who.tenant_id, runtime.caches).profile, draft.request["invoice"]
    countries = CountryPair(_country(invoice["supplier"]), _country(invoice["buyer"]))
    chosen = chosen_network(profile.get("networkChoices"), countries)
    return access_point_for(
        routing.receiver, who.environment, runtime.access_points, routing.network, chosen
    )


def _country(party: PartyRequest) -> str | None:
    address = party.get("address")
    return address.get("countryCode") if address else None


def _route(draft: Draft, document_type: DocumentTypeId) -> tuple[str, str | None]:
    """Access point and stored lookup: those of the reference; without one the receiver's own."""
    routing, who, runtime = draft.request["routing"], draft.command.principal, draft.runtime
    receiver = routing.receiver
    if routing.access_point_ref is None or receiver is None:
        return _route_by_lookup(draft, document_type, _point_for(draft))
    refuse_unserved(receiver, who.environment, runtime.access_points, routing.network)
    registration = lookup.registration_of(
        routing.access_point_ref, receiver, document_type, who, runtime.caches
    )
    _check_access_point(registration, routing, who, runtime)
    return registration.access_point, registration.id


def _route_by_lookup(
    draft: Draft, document_type: DocumentTypeId, point: AccessPoint
) -> tuple[str, str | None]:
    receiver, runtime = draft.request["routing"].receiver, draft.runtime
    with runtime.waiting_room.meanwhile():
        route = lookup.route_to(
            receiver,
            (document_type,),
            point,
            draft.command.principal,
            runtime.settings.lookup_fresh_for,
        )
    lookup.refuse_unsupported(route, document_type, draft.profile.syntax, receiver)
    return point.name, route.registration_id


def _check_access_point(
    registration: RegistrationRecord, routing: Routing, who: Principal, runtime: Runtime
) -> None:
    """The access point of the lookup must still exist in the key's environment, and be of the
    network that the request names."""
    name, points = registration.access_point, runtime.access_points
    if name not in points or points[name].environment is not who.environment:
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


def _embed_pdf(found: PreparedSend, draft: Draft) -> str | None:
    """EmbeddedPdf.DUE if the request, else the tenant's setting, asks for a PDF in the document.

    A PDF that is attached already takes its place (decisions 17.15).
    """
    request, runtime = draft.request, draft.runtime
    wanted = request["options"].get("embedPdf", request["invoice"].get("embedPdf"))
    if wanted is None:
        tenant = tenants.get(draft.command.principal.tenant_id, runtime.caches)
        wanted = tenant.profile.get("embedPdf")
    return EmbeddedPdf.DUE if wanted is True and not found.has_pdf else None
