"""The participant ids of a tenant."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.services.participants.standings import AskedStandings, Place, Standing
from einvoice.web.contract import Contract
from einvoice.web.fields import ParticipantText, Text, environment_code
from einvoice.web.paging import Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.runtime import runtime
from einvoice.web.shared import response_fields as a


class NewParticipant(Contract):
    """A participant id to add."""

    participantId = ParticipantText(
        "The id in the network.", max_length=140, required=True,
        example="0208:0123456749",
    )  # fmt: skip
    environment = environment_code("The environment.", required=True)


class ParticipantQuery(PartQuery):
    environment = environment_code("Only ids of this environment.")


class OwnedParticipant(ResponseSchema[tenants.OwnedParticipant]):
    participantId = a.text("The id in the network", "0208:0123456749", source="participant")
    environment = a.text("The environment", "test")
    createdAt = a.moment("When it was claimed")
    status = a.text(
        "verified, pending or rejected: only a verified id sends in live and receives", "verified"
    )
    decidedAt = a.moment("When the claim was verified or rejected", or_null=True)
    decidedBy = a.text(
        "Who did: operator, network or number (a verified number of yours)",
        "operator",
        or_null=True,
    )
    reason = a.text("The operator's reason", "Confirmed by telephone.", or_null=True)
    publication = a.text(
        "Whether the network names this service for it, which is asked each day: none (not seen "
        "yet, or withdrawn), pending (this service is publishing it), published, refused (the "
        "network does not let it), or moved (it did, and does not any more)",
        "published",
    )
    publicationReason = a.text(
        "Why it is not published: elsewhere (registered with another access point), "
        "not-registered, refused, or withdrawn (by you); null without an answer",
        "elsewhere",
        or_null=True,
    )
    publicationText = a.text(
        "The network's own words for a refusal",
        "The participant is registered already.",
        or_null=True,
    )
    publicationSince = a.moment("Since when it is so", or_null=True)
    publicationCheckedAt = a.moment("When the network last said so", or_null=True)


class MigrationKey(Contract):
    """The key of the provider that has the participant now."""

    migrationKey = Text(
        "The key that the other provider has made.", max_length=100, required=True,
        example="xS7gE0XegFU^j[A9",
    )  # fmt: skip


class NewMigrationKey(ResponseSchema[str]):
    migrationKey = a.text(
        "By which another provider takes the participant over, once: a secret; null for a "
        "repetition",
        "xS7gE0XegFU^j[A9",
        or_null=True,
        source=lambda key: key,
    )
    provider = a.provider()


class ParticipantResponse(OwnedParticipant):
    provider = a.provider()


class ParticipantList(ResponseSchema[Page[tenants.OwnedParticipant]]):
    items = a.things(OwnedParticipant(), "The participant ids, by environment and id")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


_STATUS = {
    Place.HERE: "here", Place.ELSEWHERE: "elsewhere", Place.ABSENT: "not-registered",
    Place.UNKNOWN: "no-answer",
}  # fmt: skip


class NetworkRegistration(ResponseSchema[Standing]):
    network = a.text(
        "The network",
        "peppol",
        source=lambda standing: runtime().access_points[standing.access_point].network,
    )
    status = a.text(
        "here (registered, and delivers to this service), elsewhere (registered with another "
        "access point), not-registered, or no-answer",
        "here",
        source=lambda standing: _STATUS[standing.place],
    )
    endpoint = a.text("Where it receives, if that is known", "https://ap.example/as4", or_null=True)
    certificateExpiresAt = a.moment(
        "When the certificate of that endpoint ends",
        or_null=True,
        source=lambda standing: standing.found and standing.found.certificate_expires_at,
    )
    documentTypes = a.number(
        "How many document types are registered",
        12,
        or_null=True,
        source=lambda standing: standing.found and len(standing.found.document_types),
    )


@dataclass(frozen=True, slots=True)
class Registrations:
    """The standings of a participant id at the networks."""

    participant: ParticipantId
    environment: Environment
    standings: AskedStandings


class ParticipantRegistrations(ResponseSchema[Registrations]):
    participantId = a.text(
        "The id in the network", "0208:0123456749", source="participant.canonical"
    )
    environment = a.text("The environment", "test")
    checkedAt = a.moment("When the networks were asked", source="standings.asked_at")
    items = a.things(
        NetworkRegistration(),
        "What each network says that registers ids",
        source="standings.standings",
    )
    provider = a.provider()
