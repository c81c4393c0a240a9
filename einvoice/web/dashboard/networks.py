"""The way of an account into a network: number, register, identification, publication, leaving.

One page, one step after another, for the participant id that its address names. What is next
follows from what is stored (services/participants/ways_in), so a person goes on with it on any day;
the other networks are the account's connections, with the steps of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flask import Response, request

from einvoice import clock
from einvoice.domain import company_numbers
from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.connections import State
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    FieldError,
    InvalidField,
    InvalidParticipant,
    NotFound,
    Phrase,
    RequestRefused,
    TooBusy,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims, identifications, tenants
from einvoice.services.account.identifications import Identified, NewFile, NewIdentification
from einvoice.services.connections import accounts, points
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.participants import moves, publications, standings, ways_in
from einvoice.services.participants.standings import AskedStandings
from einvoice.services.participants.ways_in import Stage, WayIn
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import forms, pages, proofs, refusals
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import connection_words, participant_schemas

MAX_LISTED = 50
MAX_SIGNER = 200  # characters
_PAGE = "dashboard_networks.show_way"
_KEY = participant_schemas.MigrationKey()
# Refusals that the page shows; others are pages of their own.
_SHOWN = (InvalidField, InvalidParticipant, Conflict, AccessPointUnavailable, TooBusy)
_NAMES = {"peppol": "Peppol"}

family = Pages("dashboard_networks", __name__, "/dashboard/networks")


@family.page("", least=Role.ADMIN)
def show_way() -> Response:
    """The steps of the participant id of the address, or of the number that is asked about."""
    return _shown()


@family.page("/claim", least=Role.ADMIN, methods=["POST"])
def claim_id() -> Response:
    """Claim the participant id, or claim a rejected one again."""
    participant, place, who = _participant(), pages.environment(), pages.who()
    try:
        claims.claim(who.tenant_id, place, participant, runtime().caches, who)
    except _SHOWN as refusal:
        return _shown(refusal, participant)
    return _back(participant)


@family.page("/identify", least=Role.ADMIN, methods=["POST"])
def identify() -> Response:
    """Send files that show that the company is the account's, for the operator to decide."""
    given, participant = forms.submitted().to_dict(), _participant()
    try:
        new = _identification(given, _way(participant))
        identifications.add_own(pages.who().tenant_id, new, pages.who())
    except _SHOWN as refusal:
        return _shown(refusal, participant, given)
    return _back(participant, "identificationSent")


@family.page("/publish", least=Role.ADMIN, methods=["POST"])
def publish_again() -> Response:
    """Have the id published: it was withdrawn, refused, or is not listed any more."""
    participant, who = _participant(), pages.who()
    try:
        publications.publish(who.tenant_id, pages.environment(), participant, runtime(), who)
    except _SHOWN as refusal:
        return _shown(refusal, participant)
    return _back(participant, "publishedAgain")


@family.page("/unpublish", least=Role.ADMIN, methods=["POST"])
def unpublish() -> Response:
    """Take the id out of the network, and keep it."""
    participant, who = _participant(), pages.who()
    try:
        publications.withdraw(who.tenant_id, pages.environment(), participant, who)
    except _SHOWN as refusal:
        return _shown(refusal, participant)
    return _back(participant)


@family.page("/move-in", least=Role.ADMIN, methods=["POST"])
def move_in() -> Response:
    """Take the participant id over from another provider, by the key that it has made."""
    given, participant, who = forms.submitted().to_dict(), _participant(), pages.who()
    try:
        named = forms.nested({"migrationKey": given.get("migrationKey", "").strip()})
        key = loaded(_KEY, named)["migrationKey"]
        with slots.released():
            moves.move_in(who.tenant_id, pages.environment(), participant, key, runtime(), who)
    except _SHOWN as refusal:
        return _shown(refusal, participant, given)
    return _back(participant, "movedIn")


@family.page("/move-out", least=Role.ADMIN, methods=["POST"])
def move_out() -> Response:
    """A migration key for another provider, shown once."""
    participant, who = _participant(), pages.who()
    try:
        with slots.released():
            key = moves.move_out(who.tenant_id, pages.environment(), participant, runtime(), who)
    except _SHOWN as refusal:
        return _shown(refusal, participant)
    address = _back(participant).headers["Location"]
    return pages.shown_once(address, participant=participant.canonical, secret=key)


@family.page("/withdraw", least=Role.ADMIN, methods=["POST"])
def withdraw() -> Response:
    """Give the participant id up: it is taken out of the network."""
    participant, who = _participant(), pages.who()
    tenants.disown_participant(
        who.tenant_id, pages.environment(), participant, runtime().caches, who
    )
    return pages.redirect_to(_PAGE, "deleted", environment=pages.environment().value)


# -- the page --------------------------------------------------------------------------------------


def _shown(
    refusal: RequestRefused | None = None,
    participant: ParticipantId | None = None,
    given: dict[str, str] | None = None,
) -> Response:
    """The page.

    refusal      why something was not done, with the form that was `given`
    participant  whose form it was; else the participant in the address
    """
    asked = _Asked.of_address() if participant is None else _Asked(chosen=participant)
    place, tenant_id = pages.environment(), pages.who().tenant_id
    way = _way(asked.chosen) if asked.chosen else None
    return pages.render(
        "dashboard/networks.html",
        200 if refusal is None else 409,
        asked=asked,
        way=way,
        stages=_stages(way),
        said=_said(way) if way and _is_asked(way) else None,
        names={point.name: network_name(point.network) for point in runtime().access_points},
        network=network_name(way.publishes or (way.registers or ("",))[0]) if way else "",
        mine=[] if way else ways_in.all_of(tenant_id, place, runtime(), MAX_LISTED),
        identified=_identified(way),
        proofs=proofs,
        wanted=runtime().settings.identification_text,
        moved=_key_shown(way),
        connected=_connected(place),
        given=given or {},
        refusal=refusal,
        errors=forms.errors_of(refusal),
        file_faults=_file_faults(refusal),
    )


def _file_faults(refusal: RequestRefused | None) -> list[str]:
    """Why each file was not taken, in the language of the page."""
    errors = refusal.errors if isinstance(refusal, InvalidField) else ()
    return [refusals.worded(each, pages.words()) for each in errors if each.pointer == "/file"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The participant and network in the address.

    number, country  as they were typed
    found            the participant ids that follow from the number
    chosen           the one whose steps are shown
    """

    number: str = ""
    country: str = ""
    found: tuple[ParticipantId, ...] = ()
    chosen: ParticipantId | None = None

    @classmethod
    def of_address(cls) -> _Asked:
        number = forms.search_text(request.args.get("number", ""), company_numbers.MAX_LENGTH)
        country = forms.search_text(request.args.get("country", ""), 2).upper()
        found = company_numbers.participant_ids(number, country or None) if number else ()
        named = company_numbers.participant_ids(request.args.get("id", ""))
        chosen = named[0] if named else found[0] if found else None
        return cls(number, country, found, chosen)


def _way(participant: ParticipantId) -> WayIn:
    return ways_in.of(pages.who().tenant_id, pages.environment(), participant, runtime())


def _is_asked(way: WayIn) -> bool:
    """Whether the networks are asked for the page: about an id that is not claimed, or on wish."""
    return way.stage is Stage.CLAIM or "ask" in request.args


def _said(way: WayIn) -> AskedStandings:
    who, place = pages.who(), pages.environment()
    with slots.released():
        return standings.of_any(who.tenant_id, place, way.participant, runtime())


def _stages(way: WayIn | None) -> list[tuple[str, str]]:
    """The steps with the state of each: done, now or later."""
    names = ("number", *ways_in.STAGES)
    now = 0 if way is None else names.index(way.stage)
    return [
        (name, "done" if place < now else "now" if place == now else "later")
        for place, name in enumerate(names)
    ]


def _identified(way: WayIn | None) -> list[Identified]:
    """The proofs that the account has sent, the newest first."""
    if way is None or way.stage is Stage.CLAIM or pages.environment() is Environment.TEST:
        return []
    return identifications.of_tenant(pages.who().tenant_id)[::-1][:MAX_LISTED]


def _key_shown(way: WayIn | None) -> str | None:
    """The migration key that was made just now for this id."""
    found = pages.secrets()
    if found is None or way is None or found["participant"] != way.participant.canonical:
        return None
    return found["secret"]


# -- forms -----------------------------------------------------------------------------------------


def _participant() -> ParticipantId:
    """The participant id of a form."""
    try:
        return ParticipantId.parse(forms.submitted().get("participantId", ""))
    except InvalidParticipant:
        raise NotFound(NOT_OWNED) from None


def _identification(given: dict[str, str], way: WayIn) -> NewIdentification:
    """The form of identification. Raises InvalidField with all that is wrong."""
    if way.stage is Stage.CLAIM:
        raise NotFound(NOT_OWNED)
    signer, wrong = forms.search_text(given.get("signer", ""), MAX_SIGNER), []
    if not signer:
        wrong.append(FieldError("/signer", "required", "is required", Phrase("required")))
    kind = given.get("documentKind", "")
    files, refused = proofs.of_form("file")
    if wrong or refused:
        raise InvalidField([*wrong, *refused])
    return NewIdentification(
        method=identifications.OWN_METHOD,
        numbers=[way.number] if way.number else [],
        identified_at=clock.now(),
        identified_by=signer,
        document_kind=kind if kind in proofs.KINDS else None,
        files=[
            NewFile(one.name, one.content_type, one.content, clock.now() + timedelta(days=5 * 366))
            for one in files
        ],
    )


def _back(participant: ParticipantId, notice: str | None = None) -> Response:
    place = pages.environment().value
    return pages.redirect_to(_PAGE, notice, id=participant.canonical, environment=place)


# -- the other networks ----------------------------------------------------------------------------


def _connected(place: Environment) -> list[dict[str, Any]]:
    """The networks that need an account, each with its steps for each account there is."""
    offered = [one for one in points.offered(runtime().access_points)
               if one.point.environment is place]  # fmt: skip
    found = accounts.page(
        pages.who().tenant_id, {"environment": place.value}, after=None,
        limit=accounts.MAX_CONNECTIONS,
    )  # fmt: skip
    open_ones = [one for one in found if one.state != State.REVOKED]
    return [
        {
            "name": one.point.name,
            "network": network_name(one.point.network),
            "browser": one.connected.describe().browser,
            "accounts": [
                _account(each) for each in open_ones if each.access_point == one.point.name
            ],
        }
        for one in offered
    ]


def _account(record: ConnectionRecord) -> dict[str, Any]:
    state, language = State(record.state), pages.finding_language()
    return {
        "record": record,
        "works": state in (State.ACTIVE, State.RENEWAL_DUE),
        "next": connection_words.next_step(state, language),
    }


def network_name(network: str) -> str:
    """The name of a network, for people."""
    return _NAMES.get(network, network)
