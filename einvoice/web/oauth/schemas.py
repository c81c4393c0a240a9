"""Schemas of the token endpoint and the two metadata documents, with the members of the RFCs."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.security.api_keys import SCOPES
from einvoice.web.shared import response_fields as a

_HOST = "https://api.example.com"


class TokenRequest(Schema):
    """RFC 6749, section 4.4.2; the client may be in an Authorization: Basic header instead."""

    grant_type = a.text("Always client_credentials", "client_credentials")
    scope = fields.String(
        metadata={
            "description": "Scopes, separated by spaces; default: all of the client",
            "example": "invoices:send invoices:read",
        }
    )
    client_id = fields.String(
        metadata={"description": "The client", "example": "ci_test_9vXk2vQ8aBcdEfGh01234w"}
    )
    client_secret = fields.String(metadata={"description": "Its secret", "example": "cs_Xk2vQ8aB…"})


class TokenResponse(Schema):
    """RFC 6749, section 5.1."""

    access_token = a.text("The token, for `Authorization: Bearer …`", "eyJhbGciOiJIUzI1NiIs…")
    token_type = a.text("Always Bearer", "Bearer")
    expires_in = a.number("Lifetime in seconds", 3600)
    scope = a.text("Scopes of the token", "invoices:read invoices:send")


class TokenError(Schema):
    """RFC 6749, section 5.2: the error format of OAuth."""

    error = a.text("Code of the error", "invalid_client")
    error_description = a.text("The error as text", "The client or its secret is wrong.")


class ServerMetadata(Schema):
    """RFC 8414."""

    issuer = a.text("Issuer of the tokens", _HOST)
    token_endpoint = a.text("URL of the token endpoint", f"{_HOST}/oauth/token")
    token_endpoint_auth_methods_supported = a.texts(
        "Authentication methods of clients", "client_secret_basic"
    )
    grant_types_supported = a.texts("Supported grants", "client_credentials")
    response_types_supported = a.texts("None: there is no authorization endpoint", "")
    scopes_supported = a.texts("All scopes", SCOPES[0])
    service_documentation = a.text("For people", f"{_HOST}/docs")


class ResourceMetadata(Schema):
    """RFC 9728."""

    resource = a.text("The resource that accepts the tokens", _HOST)
    authorization_servers = a.texts("Issuers of the tokens", _HOST)
    scopes_supported = a.texts("All scopes", SCOPES[0])
    bearer_methods_supported = a.texts("Place of the token in a request", "header")
    resource_name = a.text("This service", "eInvoice")
    resource_documentation = a.text("For people", f"{_HOST}/docs")
