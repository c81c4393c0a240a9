"""Signatures, verified with the package `standardwebhooks` that integrators use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from einvoice import clock
from einvoice.webhooks import signing

BODY = '{"eventType":"transaction.sent","reason":"Größe 🙂"}'.encode()


def signed(*keys, at=None, secret="whk_1"):
    return signing.headers(
        BODY,
        event_id="evt-1",
        attempt=3,
        at=at or clock.now(),
        secret=secret,
        signing_secrets=keys,
    )


def test_the_standard_verifier_accepts_the_signature():
    """Integrators need no code of this service."""
    key = signing.new_signing_secret()

    assert Webhook(key).verify(BODY, signed(key))["eventType"] == "transaction.sent"


def test_both_secrets_verify_during_a_rotation():
    """A receiver may switch at any time within the day."""
    new, old = signing.new_signing_secret(), signing.new_signing_secret()
    headers = signed(new, old)

    assert len(headers["webhook-signature"].split(" ")) == 2
    for key in (new, old):
        Webhook(key).verify(BODY, headers)


@pytest.mark.parametrize("change", ["body", "id", "time", "key"])
def test_both_verifiers_refuse_every_change(change):
    """Ours is at least as strict as the standard one."""
    key = signing.new_signing_secret()
    headers, body, used = signed(key), BODY, key
    if change == "body":
        body = BODY.replace(b"sent", b"lost")
    elif change == "id":
        headers["webhook-id"] = "evt-2"
    elif change == "time":
        headers["webhook-timestamp"] = str(int(headers["webhook-timestamp"]) - 1)
    else:
        used = signing.new_signing_secret()

    with pytest.raises(WebhookVerificationError):
        Webhook(used).verify(body, headers)
    with pytest.raises(signing.NotAuthentic, match="signature"):
        signing.verify(body, headers, secret="whk_1", signing_secrets=[used], now=clock.now())


@pytest.mark.parametrize(
    ("seconds", "fresh"), [(300, True), (301, False), (-300, True), (-301, False)]
)
def test_a_request_is_valid_for_five_minutes(seconds, fresh):
    """Against replays, with tolerance for clocks that differ."""
    key = signing.new_signing_secret()
    now = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)
    headers = signed(key, at=now - timedelta(seconds=seconds))

    if fresh:
        signing.verify(BODY, headers, secret="whk_1", signing_secrets=[key], now=now)
    else:
        with pytest.raises(signing.NotAuthentic, match="timestamp"):
            signing.verify(BODY, headers, secret="whk_1", signing_secrets=[key], now=now)


@pytest.mark.parametrize("value", [None, "", "whk_2", "whk_1 ", "WHK_1", "ключ"])
def test_the_header_secret_must_match(value):
    """The contract's own check, in constant time."""
    key = signing.new_signing_secret()
    headers = signed(key)
    headers.pop("x-webhook-secret")
    if value is not None:
        headers["x-webhook-secret"] = value

    with pytest.raises(signing.NotAuthentic, match="X-Webhook-Secret"):
        signing.verify(BODY, headers, secret="whk_1", signing_secrets=[key], now=clock.now())


@pytest.mark.parametrize("value", ["", "soon", "-1", "1e9", "٣", "9" * 400])
def test_a_malformed_timestamp_is_refused(value):
    """With NotAuthentic, never another exception."""
    key = signing.new_signing_secret()
    headers = signed(key) | {"webhook-timestamp": value}

    with pytest.raises(signing.NotAuthentic):
        signing.verify(BODY, headers, secret="whk_1", signing_secrets=[key], now=clock.now())


def test_the_attempt_and_the_event_id_are_headers():
    """webhook-id is the same on every attempt: receivers deduplicate by it."""
    headers = signed(signing.new_signing_secret())

    assert (headers["webhook-id"], headers["webhook-attempt"]) == ("evt-1", "3")
    assert headers["content-type"] == "application/json"


def test_the_two_secrets_are_of_different_kinds():
    """The header secret may appear in request logs; it must never be the signing secret."""
    assert signing.new_signing_secret().startswith("whsec_")
    assert not signing.new_secret().startswith("whsec_")
    assert len({signing.new_secret() for _ in range(100)}) == 100
