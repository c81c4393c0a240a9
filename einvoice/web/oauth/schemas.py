"""Schemas of the token endpoint and the two metadata documents, with the members of the RFCs."""

from __future__ import annotations

from collections.abc import Callable

from marshmallow import Schema, fields

from einvoice.security.api_keys import SCOPES
from einvoice.security.oauth import LIFETIME_SECONDS
from einvoice.services.account.access_tokens import Granted
from einvoice.web import responses
from einvoice.web.response_schema import ITSELF, ResponseSchema
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


class TokenResponse(ResponseSchema[Granted]):
    """RFC 6749, section 5.1."""

    access_token = a.text(
        "The token, for `Authorization: Bearer …`", "eyJhbGciOiJIUzI1NiIs…", source="token"
    )
    token_type = a.text("Always Bearer", "Bearer", source=lambda _: "Bearer")
    expires_in = a.number("Lifetime in seconds", 3600, source=lambda _: LIFETIME_SECONDS)
    scope = a.text("Scopes of the token", "invoices:read invoices:send")


class OAuthError(Exception):
    """An error in the format of OAuth (RFC 6749, section 5.2)."""

    error: str
    description: str
    status: int

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error, self.description, self.status = error, description, status


class TokenError(ResponseSchema[OAuthError]):
    """RFC 6749, section 5.2: the error format of OAuth."""

    error = a.text("Code of the error", "invalid_client")
    error_description = a.text(
        "The error as text", "The client or its secret is wrong.", source="description"
    )


def _below(path: str) -> Callable[[str], str]:
    """An address of the issuer."""
    return lambda issuer: f"{issuer}{path}"


def _always(*values: str) -> Callable[[str], list[str]]:
    return lambda _: list(values)


class ServerMetadata(ResponseSchema[str]):
    """RFC 8414."""

    issuer = a.text("Issuer of the tokens", _HOST, source=ITSELF)
    token_endpoint = a.text(
        "URL of the token endpoint", f"{_HOST}/oauth/token", source=_below("/oauth/token")
    )
    token_endpoint_auth_methods_supported = a.texts(
        "Authentication methods of clients",
        "client_secret_basic",
        source=_always("client_secret_basic", "client_secret_post"),
    )
    grant_types_supported = a.texts(
        "Supported grants", "client_credentials", source=_always("client_credentials")
    )
    response_types_supported = a.texts(
        "None: there is no authorization endpoint", "", source=_always()
    )
    scopes_supported = a.texts("All scopes", SCOPES[0], source=_always(*SCOPES))
    service_documentation = a.text("For people", f"{_HOST}/docs", source=_below("/docs"))


class ResourceMetadata(ResponseSchema[str]):
    """RFC 9728."""

    resource = a.text("The resource that accepts the tokens", _HOST, source=ITSELF)
    authorization_servers = a.texts("Issuers of the tokens", _HOST, source=lambda issuer: [issuer])
    scopes_supported = a.texts("All scopes", SCOPES[0], source=_always(*SCOPES))
    bearer_methods_supported = a.texts(
        "Place of the token in a request", "header", source=_always("header")
    )
    resource_name = a.text("This service", "eInvoice", source=lambda _: responses.provider())
    resource_documentation = a.text("For people", f"{_HOST}/docs", source=_below("/docs"))
