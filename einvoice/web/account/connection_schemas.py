"""Connections: bodies of the requests that create and change them, and of responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from einvoice.domain.connections import State
from einvoice.network.connections import ConnectionField
from einvoice.services.connections import accounts
from einvoice.services.connections.consents import Consent
from einvoice.services.connections.points import ConnectedPoint
from einvoice.web.contract import Contract, Labels
from einvoice.web.fields import NETWORK, Code, Text, environment_code
from einvoice.web.paging import Page, PartQuery
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import connection_words
from einvoice.web.shared import response_fields as a

MAX_BODY_BYTES = 1024 * 1024


def _name() -> Text:
    return Text("Your name of the connection.", max_length=100, example="Head office")


def credentials_field(words: str) -> Labels:
    return Labels(
        f"{words} They are stored encrypted and never returned. A file is in base64.",
        max_names=50,
        max_name_length=60,
        max_length=400_000,
        max_bytes=MAX_BODY_BYTES,
        example={"clientSecret": "…"},
    )


class NewConnection(Contract):
    """An account at a network."""

    environment = environment_code("The environment.", required=True)
    network = Text(
        "The network; the name of an access point where several are of one network.",
        max_length=40, form=NETWORK, required=True, example="ro-efactura",
    )  # fmt: skip
    account = Text(
        "The tax number that it is for.", max_length=64, required=True, example="RO123456789"
    )
    name = _name()
    credentials = credentials_field("By the names of the network's form.")
    consentOf = Text(
        "The id of a connection to the same network whose consent it uses: no person consents "
        "again. For networks whose form has sharesConsent.",
        max_length=40, example="0199a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b",
    )  # fmt: skip


class ConnectionChanges(Contract):
    """A merge patch: omitted members stay unchanged."""

    name = _name()
    credentials = credentials_field("Those to replace; others stay.")


class ConnectionQuery(PartQuery):
    environment = environment_code("Only those of this environment.")
    state = Code(
        "Only those in this state.", [state.value for state in State],
        name="a state of a connection", example="needs-person",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownConnection:
    """A connection with its waiting documents, described in a language."""

    connection: accounts.ConnectionRecord
    waiting_documents: int
    waiting_since: datetime | None
    language: str


def _state_text(shown: ShownConnection) -> str:
    return connection_words.meaning(State(shown.connection.state), shown.language)


def _next_step(shown: ShownConnection) -> str:
    return connection_words.next_step(State(shown.connection.state), shown.language)


class ConnectionRecord(ResponseSchema[ShownConnection]):
    inside = "connection"

    connectionId = a.an_id("The connection's id", source="id")
    environment = a.text("The environment", "test")
    network = a.text("The network", "ro-efactura")
    accessPoint = a.text("The access point", "ro-efactura-test")
    account = a.text("The tax number that it is for", "RO123456789")
    name = a.text("Your name of it", "Head office")
    state = a.text(f"One of {', '.join(State)}", "active")
    reason = a.text("Why it is in this state", "The consent has ended.", or_null=True)
    waitingDocuments = a.number(
        "Documents that wait until it can be used", 12, source=".waiting_documents"
    )
    waitingSince = a.moment(
        "Since when the first of them waits; null without any",
        or_null=True,
        source=".waiting_since",
    )
    stateText = a.text("What the state means, for people", "The account works.", source=_state_text)
    nextStep = a.text("What to do next, for people", "Nothing to do.", source=_next_step)
    consentBy = a.text("Who gave consent", "ann@example.com", or_null=True)
    consentAt = a.moment("When consent was given", or_null=True)
    consentId = a.an_id(
        "The consent that it uses, the same for all connections that use it; null where consents "
        "are not shared", or_null=True,
    )  # fmt: skip
    validUntil = a.moment("Until when it works without being renewed", or_null=True)
    renewedAt = a.moment("When its credentials were last renewed", or_null=True)
    expiresAt = a.moment("When it ends unless it is renewed", or_null=True)
    checkedAt = a.moment("When the network last answered a check", or_null=True)
    createdAt = a.moment("When it was created")
    updatedAt = a.moment("When it was last changed")


class ConnectionResponse(ConnectionRecord):
    provider = a.provider()


class ConnectionList(ResponseSchema[Page[ShownConnection]]):
    items = a.things(ConnectionRecord(), "The connections, oldest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


class ConnectionFormField(ResponseSchema[ConnectionField]):
    name = a.text("Name in credentials", "clientSecret")
    label = a.text("What to show", "Client secret")
    kind = a.text("text, secret or file", "secret", source="kind.value")
    required = a.flag("Whether it has to be given", example=True)
    maxSize = a.number("Characters, or bytes of a file, at most", 4000)
    hint = a.text("Where to find it", "On the page Applications of the authority.")


class ConnectionForm(ResponseSchema[ConnectedPoint]):
    """The form of a network."""

    environment = a.text("The environment", "test", source="point.environment")
    network = a.text("The network", "ro-efactura", source="point.network")
    accessPoint = a.text("The access point", "ro-efactura-test", source="point.name")
    accountLabel = a.text(
        "What account is called there",
        "Tax number",
        source=lambda offered: offered.connected.describe().account_label,
    )
    browser = a.flag(
        "Whether a person authorises it in the browser",
        example=True,
        source=lambda offered: offered.connected.describe().browser,
    )
    sharesConsent = a.flag(
        "Whether consentOf may be given",
        example=True,
        source=lambda offered: offered.shared is not None,
    )
    asksFor = a.things(
        ConnectionFormField(),
        "The fields of credentials",
        source=lambda offered: offered.connected.describe().fields,
    )


class ConnectionFormList(ResponseSchema[Sequence[ConnectedPoint]]):
    items = a.things(ConnectionForm(), "The networks that need an account", source=ITSELF)
    provider = a.provider()


class ConsentResponse(ResponseSchema[Consent]):
    """A consent that has begun. Open the URL in the same browser."""

    authoriseUrl = a.text(
        "Open it in the browser", "https://logincert.anaf.ro/authorize?state=…", source="url"
    )
    expiresAt = a.moment("Until when it can be completed")
    provider = a.provider()
