"""The credentials of the /v1 family (decisions 19.11, 20.4)."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidToken
from einvoice.services.account import access_tokens
from einvoice.services.principal import Principal
from tests.web.caller import Caller, slug
from tests.web.submission.documents import request_of, two_lines

PATH = "/v1/invoices/validate"


def ask(caller: Caller, authorization: str | None, **headers: str):
    given = {} if authorization is None else {"Authorization": authorization}
    return caller.client.post(PATH, data=two_lines("B-1"), headers=given | headers)


@pytest.mark.parametrize(
    ("authorization", "expected", "challenge"),
    [
        (None, "token-required", "Bearer"),
        ("", "token-required", "Bearer"),
        ("Bearer", "token-required", "Bearer"),
        ("Bearer  ", "token-required", "Bearer"),
        ("Basic c2tfdGVzdF8=", "token-required", "Bearer"),
        ("Bearer sk_test_wrong", "invalid-api-key", 'Bearer error="invalid_token"'),
        ("Bearer sk_live_" + "A" * 49, "invalid-api-key", 'Bearer error="invalid_token"'),
        ("Bearer eyJhbGciOiJub25lIn0.e30.", "invalid-token", 'Bearer error="invalid_token"'),
        ("Bearer two words", "invalid-token", 'Bearer error="invalid_token"'),
        ("Bearer sk_other_x", "invalid-token", 'Bearer error="invalid_token"'),
    ],
)
def test_an_invalid_credential_is_refused_with_its_slug(caller, authorization, expected, challenge):
    """401 with the challenge of HTTP, without rate limit headers: no key was recognised."""
    answer = ask(caller, authorization)

    assert (answer.status_code, slug(answer)) == (401, expected)
    assert answer.headers["WWW-Authenticate"].startswith(challenge)
    assert "X-RateLimit-Limit" not in answer.headers


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_an_api_key_is_a_bearer_credential(caller, scheme):
    assert ask(caller, f"{scheme} {caller.key}").status_code == 200


def test_x_api_key_is_accepted_too(caller):
    """Where no Bearer credential is sent (decisions 20.4)."""
    assert ask(caller, None, **{"x-api-key": caller.key}).status_code == 200


def test_scopes_of_a_key_apply(service):
    caller = Caller(service, scopes=["invoices:read"])
    answer = ask(caller, f"Bearer {caller.key}")

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


def test_allowed_addresses_of_a_key_apply(service):
    caller = Caller(service, allowed_ips=["192.0.2.7"])
    answer = ask(caller, f"Bearer {caller.key}")

    assert (answer.status_code, slug(answer)) == (403, "ip-not-allowed")


def test_responses_state_the_rate_limit_of_the_key(caller):
    """That of POST requests, as for x-api-key; without Redis an unused budget is stated."""
    assert ask(caller, f"Bearer {caller.key}").headers["X-RateLimit-Limit"] == "20"


def test_an_access_token_is_verified(caller, monkeypatch):
    """Text that is not an API key is verified as a token."""

    def verify(token: str, *_: object) -> Principal:
        if token != "good":
            raise InvalidToken("no")
        return Principal(caller.tenant, Environment.TEST, frozenset({"invoices:send"}))

    monkeypatch.setattr(access_tokens, "principal_of", verify)

    assert ask(caller, "Bearer good").status_code == 200
    assert slug(ask(caller, "Bearer bad")) == "invalid-token"
    assert ask(caller, f"Bearer {caller.key}").status_code == 200


def test_a_body_is_not_read_before_the_credential(caller):
    """Documents are validated only for requests with a key."""
    body = request_of(b"not XML at all")

    assert caller.bearer("POST", PATH, body, Authorization="Bearer x").status_code == 401
