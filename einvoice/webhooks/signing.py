"""The headers by which a receiver verifies a webhook, and the verification.

`X-Webhook-Secret` is the contract's; the others are Standard Webhooks v1: base64 of the HMAC-SHA256
over `id.timestamp.body`. The two secrets differ, because the first is sent with every request and
may appear in request logs (decisions 4).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

SIGNING_PREFIX = "whsec_"
TOLERANCE_SECONDS = 300


class NotAuthentic(Exception):
    """The request has no valid secret and signature, or is too old."""


def new_secret() -> str:
    """A value for X-Webhook-Secret: 32 random bytes."""
    return f"whk_{secrets.token_urlsafe(32)}"


def new_signing_secret() -> str:
    """`whsec_` + base64 of 32 random bytes, the format of Standard Webhooks."""
    return SIGNING_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(
    body: bytes,
    *,
    event_id: str,
    attempt: int,
    at: datetime,
    secret: str,
    signing_secrets: Sequence[str],
) -> dict[str, str]:
    """The headers of one attempt; one signature for each signing secret, the newest first."""
    seconds = str(int(at.timestamp()))
    signatures = [signature(body, event_id, seconds, key) for key in signing_secrets]
    return {
        "content-type": "application/json",
        "x-webhook-secret": secret,
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(signatures),
        "webhook-attempt": str(attempt),
    }


def signature(body: bytes, event_id: str, seconds: str, signing_secret: str) -> str:
    """`v1,` + base64 of the HMAC-SHA256 over `event_id.seconds.body`."""
    signed = f"{event_id}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(_key(signing_secret), signed, sha256)).decode()


def verify(
    body: bytes,
    received: Mapping[str, str],
    *,
    secret: str,
    signing_secrets: Iterable[str],
    now: datetime,
) -> None:
    """Verify a webhook as a receiver does. Raises NotAuthentic.

    `received` are the headers with lower-case names. Secrets are compared in constant time.
    """
    if not _same(received.get("x-webhook-secret", ""), secret):
        raise NotAuthentic("X-Webhook-Secret is missing or wrong")
    seconds = received.get("webhook-timestamp", "")
    if not (seconds.isascii() and seconds.isdigit()) or len(seconds) > 12:
        raise NotAuthentic("webhook-timestamp is missing or malformed")
    if abs(now.timestamp() - int(seconds)) > TOLERANCE_SECONDS:
        raise NotAuthentic(f"webhook-timestamp is more than {TOLERANCE_SECONDS} s off")
    given = received.get("webhook-signature", "").split(" ")
    event_id = received.get("webhook-id", "")
    expected = [signature(body, event_id, seconds, key) for key in signing_secrets]
    if not any([_same(one, other) for one in given for other in expected]):  # noqa: C419 - no early end
        raise NotAuthentic("no signature matches")


def _key(signing_secret: str) -> bytes:
    try:
        return base64.b64decode(signing_secret.removeprefix(SIGNING_PREFIX), validate=True)
    except binascii.Error as fault:
        raise ValueError("a signing secret is whsec_ + base64") from fault


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
