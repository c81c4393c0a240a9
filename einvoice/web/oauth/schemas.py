"""The token endpoint and the two metadata documents, as their RFCs name the members."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.security.api_keys import SCOPES
from einvoice.web.shared import response_fields as a

_HOST = "https://api.example.com"


class TokenRequest(Schema):
    """RFC 6749, section 4.4.2; the client may also stand in an Authorization: Basic header."""

    grant_type = a.text("Always client_credentials", "client_credentials")
    scope = fields.String(
        metadata={
            "description": "Scopes, separated by blanks; without it all the client has",
            "example": "invoices:send invoices:read",
        }
    )
    client_id = fields.String(
        metadata={"description": "The client", "example": "ci_test_9vXk2vQ8aBcdEfGh01234w"}
    )
    client_secret = fields.String(metadata={"description": "Its secret", "example": "cs_Xk2vQ8aB…"})


class TokenAnswer(Schema):
    """RFC 6749, section 5.1."""

    access_token = a.text("To be sent as `Authorization: Bearer …`", "eyJhbGciOiJIUzI1NiIs…")
    token_type = a.text("Always Bearer", "Bearer")
    expires_in = a.number("Seconds it holds", 3600)
    scope = a.text("What it may do", "invoices:read invoices:send")


class TokenRefusal(Schema):
    """RFC 6749, section 5.2: OAuth's own form of an error."""

    error = a.text("What is wrong, for programs", "invalid_client")
    error_description = a.text("What is wrong, for people", "The client or its secret is wrong.")


class ServerMetadata(Schema):
    """RFC 8414."""

    issuer = a.text("Who issues the tokens", _HOST)
    token_endpoint = a.text("Where they are issued", f"{_HOST}/oauth/token")
    token_endpoint_auth_methods_supported = a.texts(
        "How a client says who it is", "client_secret_basic"
    )
    grant_types_supported = a.texts("What may be asked for", "client_credentials")
    response_types_supported = a.texts("None: there is no authorization endpoint", "")
    scopes_supported = a.texts("All there are", SCOPES[0])
    service_documentation = a.text("For people", f"{_HOST}/docs")


class ResourceMetadata(Schema):
    """RFC 9728."""

    resource = a.text("What the tokens are for", _HOST)
    authorization_servers = a.texts("Who issues them", _HOST)
    scopes_supported = a.texts("All there are", SCOPES[0])
    bearer_methods_supported = a.texts("Where the token goes", "header")
    resource_name = a.text("This service", "eInvoice")
    resource_documentation = a.text("For people", f"{_HOST}/docs")
