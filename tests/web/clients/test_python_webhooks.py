"""Webhooks are verified: signature, clock, rotation, and what an attacker would try."""

from __future__ import annotations

import time

import pytest
from einvoice_client import NotAuthentic, verify
from einvoice_client.webhooks import sign
from standardwebhooks import Webhook

SECRET = "whsec_" + "QUJD" * 8
OLDER = "whsec_" + "REVG" * 8
BODY = b'{"eventType":"webhook.test","eventId":"evt_1"}'
NOW = 1_795_147_506


def headers(**changes: str) -> dict[str, str]:
    signed = sign(BODY, "evt_1", SECRET, at=NOW) | {"X-Webhook-Secret": "whk_1"}
    return signed | {name.replace("_", "-"): value for name, value in changes.items()}


def test_what_the_library_of_standard_webhooks_verifies_is_what_is_signed() -> None:
    """Its clock is the real one."""
    assert Webhook(SECRET).verify(BODY, sign(BODY, "evt_1", SECRET, at=int(time.time())))


def test_an_authentic_request_is_its_event() -> None:
    rotated = sign(BODY, "evt_1", OLDER, at=NOW)["webhook-signature"]
    both = headers(webhook_signature=f"{rotated} {headers()['webhook-signature']}")
    upper = {name.upper(): value for name, value in headers().items()}
    for given in (headers(), both, upper):
        event = verify(given, BODY, SECRET, secret="whk_1", now=NOW)

        assert event["eventId"] == "evt_1"


def test_the_clock_may_be_five_minutes_off() -> None:
    for seconds in (-300, 300):
        assert verify(headers(), BODY, SECRET, now=NOW + seconds)
    for seconds in (-301, 301):
        with pytest.raises(NotAuthentic):
            verify(headers(), BODY, SECRET, now=NOW + seconds)


FORGED = {
    "another id": {"webhook_id": "evt_2"},
    "no signature": {"webhook_signature": ""},
    "another version": {"webhook_signature": headers()["webhook-signature"].replace("v1,", "v2,")},
    "letters beyond ASCII": {"webhook_signature": "v1,é"},
    "no time": {"webhook_timestamp": ""},
    "a time of other digits": {"webhook_timestamp": "١٧٩٥"},
    "a long time": {"webhook_timestamp": "9" * 5000},
    "another endpoint": {"X_Webhook_Secret": "whk_2"},
}


def test_what_was_changed_is_refused() -> None:
    taken = []
    for name, change in FORGED.items():
        try:
            verify(headers(**change), BODY, SECRET, secret="whk_1", now=NOW)
            taken.append(name)
        except NotAuthentic:
            pass
    with pytest.raises(NotAuthentic):
        verify(headers(), BODY + b" ", SECRET, now=NOW)
    with pytest.raises(NotAuthentic):
        verify(headers(), BODY, OLDER, now=NOW)

    assert taken == []
