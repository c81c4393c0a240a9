"""OAuth clients: bodies that create and change them, and bodies of responses (decisions 11)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.account import key_schemas as keys
from einvoice.web.account.key_schemas import RateLimits
from einvoice.web.account.key_schemas import Rotation as Rotation
from einvoice.web.contract import Contract
from einvoice.web.fields import Code
from einvoice.web.shared import response_fields as a

_ID = "ci_test_9vXk2vQ8aBcdEfGh01234w"


class NewClient(Contract):
    """A client to make."""

    name = keys.name_field(required=True)
    environment = Code("Where it works.", ("test", "live"), required=True, **keys.ENVIRONMENT)
    scopes = keys.scopes_field()
    allowedIps = keys.ips_field()
    allowedReceivers = keys.receivers_field()


class ClientChanges(Contract):
    """What is left out stays as it is."""

    name = keys.name_field()
    scopes = keys.scopes_field()
    allowedIps = keys.ips_field()
    allowedReceivers = keys.receivers_field()


class ClientQuery(Contract):
    environment = Code("Only clients of this environment.", ("test", "live"), **keys.ENVIRONMENT)


class Client(Schema):
    """A client without its secret, which is nowhere."""

    clientId = a.text("The client's id", _ID)
    name = a.text("What it is for", "ERP of the head office")
    environment = a.text("test or live", "test")
    last4 = a.text("How its secret ends", "0aZ9")
    scopes = a.texts("What its tokens may do at most", "invoices:send")
    allowedIps = a.texts("Where it may be used from; empty: anywhere", "192.0.2.0/24")
    allowedReceivers = a.texts("Whom it may send to; empty: anybody", "0088:9520000000004")
    rateLimits = fields.Nested(RateLimits(), metadata={"description": "Its budget"}, required=True)
    createdBy = a.text("Who made it", "ann@example.com", or_null=True)
    createdAt = a.moment("When it was made")
    revokedAt = a.moment("When it was revoked", or_null=True)
    oldSecretUntil = a.moment("How long the secret before counts beside this one", or_null=True)
    lastUsedAt = a.moment("When it last got a token", or_null=True)
    lastUsedIp = a.text("From where", "192.0.2.7", or_null=True)


class OneClient(Client):
    provider = a.provider()


class MadeClient(OneClient):
    """A new client, or one with a new secret: the only answer that shows it."""

    clientSecret = a.text("The secret, shown this once", "cs_Xk2vQ8aB…")


class ClientList(Schema):
    items = a.things(Client(), "All clients there were, oldest first")
    provider = a.provider()
