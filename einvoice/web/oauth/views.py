"""Access tokens for programs: the client credentials grant and its metadata."""

from __future__ import annotations

from urllib.parse import unquote_plus

from flask import Response, request

from einvoice.domain.errors import IpNotAllowed, RateLimitExceeded
from einvoice.security import oauth as tokens
from einvoice.services.account import access_tokens
from einvoice.web import credentials, limits, responses
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.oauth import schemas
from einvoice.web.oauth.schemas import OAuthError
from einvoice.web.response_schema import Written
from einvoice.web.runtime import runtime

family = Family("oauth", __name__, credential=credentials.public, tag="OAuth")

MAX_REQUESTS_PER_MINUTE = 60  # for one address
MAX_BODY_BYTES = 16 * 1024
_FORM = "application/x-www-form-urlencoded"
_CACHED = {"Cache-Control": "public, max-age=3600"}
_TOKEN, _ERROR = schemas.TokenResponse(), schemas.TokenError()
_REFUSED = {"application/json": {"schema": schemas.TokenError}}


@family.route("/oauth/token", methods=["POST"])
@family.doc(
    requestBody={"required": True, "content": {_FORM: {"schema": schemas.TokenRequest}}},
    responses={
        400: {"description": "The request is invalid.", "content": _REFUSED},
        401: {"description": "The client or its secret is wrong.", "content": _REFUSED},
    },
)
@family.refuses(IpNotAllowed, RateLimitExceeded)
@family.response(200, _TOKEN)
@limits.per_network(lambda: "oauth/token", lambda: MAX_REQUESTS_PER_MINUTE)
def issue_token() -> Response:
    """Issue an access token to a client (client credentials grant).

    Id and secret of the client are in `Authorization: Basic` or in the form, not in both. A token
    is valid for an hour; request a new one shortly before. Errors have the format of OAuth.
    """
    try:
        form = _form()
        granted = _granted(*_client(form), form.get("scope"))
    except OAuthError as refusal:
        return _refused(refusal)
    return _never_kept(responses.json_response(_TOKEN.write(granted)))


def _form() -> dict[str, str]:
    """The form's fields, each at most once; empty ones count as absent (RFC 6749, section 3.2)."""
    request.max_content_length = MAX_BODY_BYTES
    if request.mimetype not in {_FORM, ""}:
        raise OAuthError("invalid_request", f"Send a form ({_FORM}), not {request.mimetype[:100]}.")
    with request_bodies.receiving_body():
        form = request.form
    given = {name: values for name, values in form.lists() if values != [""]}
    twice = sorted(name for name, values in given.items() if len(values) > 1)
    if twice:
        raise OAuthError("invalid_request", f"Given more than once: {', '.join(twice)[:200]}.")
    fields = {name: values[0] for name, values in given.items()}
    if "grant_type" not in fields:
        raise OAuthError("invalid_request", "grant_type is missing: send client_credentials.")
    if fields["grant_type"] != "client_credentials":
        raise OAuthError("unsupported_grant_type", "The only grant is client_credentials.")
    return fields


def _client(form: dict[str, str]) -> tuple[str, str]:
    """Id and secret of the client, from the header or the form."""
    header = request.authorization
    if header is not None and header.type == "basic":
        if "client_secret" in form:
            raise OAuthError(
                "invalid_request", "The client is given in the header and in the form."
            )
        return unquote_plus(header.username or ""), unquote_plus(header.password or "")
    if "client_id" in form and "client_secret" in form:
        return form["client_id"], form["client_secret"]
    raise OAuthError("invalid_client", "Send the id and secret of the client.", 401)


def _granted(client_id: str, secret: str, scope: str | None) -> access_tokens.Granted:
    environment = tokens.environment_of(client_id)
    try:
        if environment is not None and not credentials.is_host_of(environment):
            raise access_tokens.InvalidClient
        return access_tokens.grant(
            client_id, secret, scope, request.remote_addr, runtime().settings
        )
    except access_tokens.InvalidClient as refused:
        credentials.note_failure("invalid_client", refused.owner)
        raise OAuthError("invalid_client", "The client or its secret is wrong.", 401) from None
    except access_tokens.InvalidScope as fault:
        raise OAuthError("invalid_scope", str(fault)) from None


def _refused(refusal: OAuthError) -> Response:
    response = responses.json_response(_ERROR.write(refusal), refusal.status)
    if refusal.status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="oauth"'
    return _never_kept(response)


def _never_kept(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    response.headers["Pragma"] = "no-cache"
    return response


# -- metadata --------------------------------------------------------------------------------------


@family.route("/.well-known/oauth-authorization-server")
@family.response(200, schemas.ServerMetadata())
def get_authorization_server() -> Written[str]:
    """Get the metadata of the authorization server (RFC 8414)."""
    return credentials.issuer(), 200, _CACHED


@family.route("/.well-known/oauth-protected-resource")
@family.response(200, schemas.ResourceMetadata())
def get_protected_resource() -> Written[str]:
    """Get the metadata of the protected resource (RFC 9728)."""
    return credentials.issuer(), 200, _CACHED
