"""Connection links: bodies of the requests that make them, and of responses."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.connection_links import (
    DEFAULT_LASTS,
    MAX_ATTEMPTS,
    MAX_LASTS,
    LinkState,
)
from einvoice.services.connections.links import IssuedLink, LinkRecord
from einvoice.web.account import connection_schemas
from einvoice.web.contract import Contract
from einvoice.web.fields import NETWORK, Text, environment_code
from einvoice.web.paging import Moment, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

_EMAIL = (r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address, such as ana@example.com")


class NewConnectionLink(Contract):
    """The network or the connection that a person is asked to open."""

    environment = environment_code(
        "The environment; default: the one of the key. People have to name it."
    )
    network = Text(
        "The network; the name of an access point where several are of one network.",
        max_length=40, form=NETWORK, example="ro-efactura",
    )  # fmt: skip
    account = Text(
        "The tax number that it is for; default: the person states it.",
        max_length=64, example="RO123456789",
    )  # fmt: skip
    name = Text("Your name of the connection.", max_length=100, example="Head office")
    connectionId = Text(
        "In place of network and account: a connection that needs consent or credentials again.",
        max_length=40, example="0199a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b",
    )  # fmt: skip
    expiresAt = Moment(
        f"Its end, or its last day (UTC), within {MAX_LASTS.days} days; default: after "
        f"{DEFAULT_LASTS.days} days.",
        end=True, example="2026-12-01T00:00:00Z",
    )  # fmt: skip


class SubmittedLink(Contract):
    """The form of a link, as its page has it."""

    person = Text(
        "The e-mail address of the person.", max_length=254, form=_EMAIL, required=True,
        example="ana@example.com",
    )  # fmt: skip
    account = Text("The tax number that it is for.", max_length=64, example="RO123456789")
    credentials = connection_schemas.credentials_field("By the names of the network's form.")


class ConnectionLinkQuery(PartQuery):
    environment = environment_code("Only those of this environment.")


class ConnectionLinkRecord(ResponseSchema[LinkRecord]):
    linkId = a.an_id("The link's id", source="id")
    environment = a.text("The environment", "test")
    network = a.text("The network", "ro-efactura")
    accessPoint = a.text("The access point", "ro-efactura-test")
    account = a.text("The tax number that it is for", "RO123456789", or_null=True)
    name = a.text("Your name of the connection", "Head office")
    connectionId = a.an_id("The connection, as soon as there is one", or_null=True)
    state = a.text(
        f"One of {', '.join(LinkState)}", "open", source=lambda link: link.state(clock.now())
    )
    attempts = a.number(f"How often its form was sent; at most {MAX_ATTEMPTS} times", 1)
    createdAt = a.moment("When it was created")
    expiresAt = a.moment("Until when it can be opened")
    usedAt = a.moment("When the connection worked, which ends the link", or_null=True)
    revokedAt = a.moment("When it was revoked", or_null=True)


class ConnectionLinkResponse(ConnectionLinkRecord):
    provider = a.provider()


class ConnectionLinkWithUrl(ResponseSchema[IssuedLink]):
    """A link that was just made; only this response has its URL."""

    inside = "link"

    linkId = a.an_id("The link's id", source="id")
    url = a.text(
        "Hand it to the person",
        "https://einvoice.example/connect/q3X…",
        source=".url",
        or_null=True,
    )
    environment = a.text("The environment", "test")
    network = a.text("The network", "ro-efactura")
    accessPoint = a.text("The access point", "ro-efactura-test")
    account = a.text("The tax number that it is for", "RO123456789", or_null=True)
    name = a.text("Your name of the connection", "Head office")
    connectionId = a.an_id("The connection, as soon as there is one", or_null=True)
    state = a.text("Always open", "open", source=lambda made: made.link.state(clock.now()))
    createdAt = a.moment("When it was created")
    expiresAt = a.moment("Until when it can be opened")
    provider = a.provider()


class ConnectionLinkList(ResponseSchema[Page[LinkRecord]]):
    items = a.things(ConnectionLinkRecord(), "The links, oldest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
