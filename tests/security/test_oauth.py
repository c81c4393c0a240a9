"""Access tokens: what holds, and everything that only looks like one."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from joserfc.util import urlsafe_b64decode

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidToken, TokenExpired
from einvoice.security import sealing
from einvoice.security.oauth import LIFETIME_SECONDS, Grant, Tokens, environment_of, new_client_id

ONE, TWO = sealing.new_key(), sealing.new_key()
OURS = Settings(base_url="https://api.example.com", secret_key=ONE)
GRANT = Grant("ci_test_x", "tenant-1", Environment.TEST, frozenset({"invoices:send"}))


@pytest.fixture
def tokens() -> Tokens:
    return Tokens.of(OURS)


def parts(token: str) -> tuple[dict, dict]:
    head, body, _ = token.split(".")
    return tuple(json.loads(urlsafe_b64decode(part.encode())) for part in (head, body))


def test_a_token_says_what_was_granted(tokens):
    assert tokens.read(tokens.mint(GRANT)) == GRANT


def test_a_token_is_an_access_token_by_rfc_9068(tokens):
    """Its type, issuer, audience, subject and an id of its own are where others look for them."""
    header, claims = parts(tokens.mint(GRANT))

    assert (header["typ"], header["alg"]) == ("at+jwt", "HS256")
    assert claims["iss"] == claims["aud"] == "https://api.example.com"
    assert claims["sub"] == claims["client_id"] == "ci_test_x"
    assert (claims["tenant_id"], claims["environment"]) == ("tenant-1", "test")
    assert claims["scope"] == "invoices:send"
    assert claims["exp"] - claims["iat"] == LIFETIME_SECONDS == 3600
    assert claims["jti"] != parts(tokens.mint(GRANT))[1]["jti"]


@pytest.mark.parametrize(
    ("seconds", "holds"), [(LIFETIME_SECONDS - 1, True), (LIFETIME_SECONDS, False)]
)
def test_a_token_holds_for_an_hour(tokens, monkeypatch, seconds, holds):
    moment = clock.now().replace(microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: moment)
    token = tokens.mint(GRANT)
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(seconds=seconds))

    if holds:
        assert tokens.read(token) == GRANT
    else:
        with pytest.raises(TokenExpired):
            tokens.read(token)


def test_tokens_survive_a_rotation_and_end_with_the_key(tokens):
    """A new key in front signs; the old one reads until it is taken out."""
    token = tokens.mint(GRANT)
    rotated = Tokens.of(replace(OURS, secret_key=f"{TWO},{ONE}"))

    assert rotated.read(token) == GRANT
    assert rotated.read(rotated.mint(GRANT)) == GRANT
    with pytest.raises(InvalidToken):
        tokens.read(rotated.mint(GRANT))
    with pytest.raises(InvalidToken):
        Tokens.of(replace(OURS, secret_key=TWO)).read(token)


def test_each_environment_has_its_own_issuer():
    settings = replace(OURS, sandbox_base_url="https://sandbox.example.com/")
    tokens = Tokens.of(settings)
    claims = [
        parts(tokens.mint(replace(GRANT, environment=environment)))[1]["iss"]
        for environment in (Environment.TEST, Environment.LIVE)
    ]

    assert claims == ["https://sandbox.example.com", "https://api.example.com"]


def test_a_token_of_another_service_with_the_same_key_does_not_hold(tokens):
    other = Tokens.of(replace(OURS, base_url="https://other.example.com"))

    with pytest.raises(InvalidToken, match="another service"):
        tokens.read(other.mint(GRANT))


def forged(**changes) -> str:
    """A token with our key, but with another header or other claims."""
    [(kid, key)] = sealing.derived(OURS, "access tokens").items()
    header = {"alg": "HS256", "typ": "at+jwt", "kid": kid} | changes.pop("header", {})
    _, claims = parts(Tokens.of(OURS).mint(GRANT))
    claims = {n: v for n, v in (claims | changes).items() if v is not ...}
    return jwt.encode(header, claims, OctKey.import_key(key), algorithms=[header["alg"]])


def flipped(token: str, part: int) -> str:
    pieces = token.split(".")
    first = "A" if pieces[part][5] != "A" else "B"
    pieces[part] = pieces[part][:5] + first + pieces[part][6:]
    return ".".join(pieces)


GOOD = Tokens.of(OURS).mint(GRANT)


@pytest.mark.parametrize(
    "token",
    [
        "", "x", "a.b.c", "..", "é.é.é", "x" * 5000, GOOD + "x", GOOD[:-2], GOOD + ".x",
        flipped(GOOD, 0), flipped(GOOD, 1), flipped(GOOD, 2), GOOD.rsplit(".", 1)[0] + ".",
        "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0." + GOOD.split(".")[1] + ".",
        forged(header={"typ": "JWT"}), forged(header={"kid": "other"}),
        forged(header={"alg": "HS512"}), forged(iss="https://evil.example"), forged(iss=...),
        forged(environment="moon"), forged(environment=...), forged(exp=...), forged(exp="soon"),
        forged(exp=None), forged(scope=...), forged(scope=["a"]), forged(client_id=...),
        forged(tenant_id=...),
    ],
    ids=range(28),
)  # fmt: skip
def test_what_is_no_token_of_ours_is_invalid(tokens, token):
    """Never anything but InvalidToken."""
    with pytest.raises(InvalidToken):
        tokens.read(token)


@pytest.mark.parametrize(("length", "holds"), [(4095, True), (4096, True), (4097, False)])
def test_an_access_token_has_at_most_4096_characters(tokens, length, holds):
    """Longer ones are refused before they are parsed, though the signature is ours."""
    sized = (forged(pad="p" * n, header={"cty": c}) for n in range(2600, 2740) for c in ("", "x"))
    token = next(token for token in sized if len(token) == length)
    if holds:
        assert tokens.read(token) == GRANT
        return
    with pytest.raises(InvalidToken):
        tokens.read(token)


@pytest.mark.parametrize("text", ["", "ci_test_", "ci_live_" + "x" * 21, "sk_test_" + "x" * 22])
def test_what_is_no_client_id_has_no_environment(text):
    assert environment_of(text) is None
    assert environment_of(new_client_id(Environment.LIVE)) is Environment.LIVE


def test_derived_keys_are_other_keys():
    """What signs tokens opens no secret, and another purpose has another key."""
    [(kid, key)] = sealing.derived(OURS, "access tokens").items()

    assert key != sealing.derived(OURS, "something else")[kid]
    assert len(key) == 32
