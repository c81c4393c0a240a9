"""Signatures of webhooks (Standard Webhooks), verified and made.

>>> body = b'{"eventType":"webhook.test"}'
>>> verify(sign(body, "evt_1", "whsec_a2V5", at=100), body, "whsec_a2V5", now=100)
{'eventType': 'webhook.test'}
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE_SECONDS = 300


class NotAuthentic(Exception):
    """The request is not the service's, or older than the tolerance; answer it with 401."""


def verify(
    headers: Mapping[str, str],
    body: bytes,
    signing_secret: str,
    *,
    secret: str | None = None,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of an authentic and fresh request.

    headers         of the request, names in any case
    body            as it was received, before parsing
    signing_secret  whsec_…
    secret          whk_…, compared with X-Webhook-Secret if given
    tolerance       how many seconds the clocks may differ
    now             Unix time; the clock of this machine by default
    """
    given = {name.lower(): value for name, value in headers.items()}
    if secret is not None and not _same(given.get("x-webhook-secret", ""), secret):
        raise NotAuthentic("X-Webhook-Secret is not the secret of this endpoint")
    stamp = given.get("webhook-timestamp", "")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 16):
        raise NotAuthentic("webhook-timestamp is missing or not a Unix time")
    if abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        raise NotAuthentic(f"webhook-timestamp is more than {tolerance:g} seconds off")
    expected = _signature(body, given.get("webhook-id", ""), stamp, signing_secret)
    signatures = given.get("webhook-signature", "").split(" ")
    if not any(_same(signature, expected) for signature in signatures):
        raise NotAuthentic("webhook-signature does not match the body")
    event = json.loads(body)
    if not isinstance(event, dict):
        raise NotAuthentic("the body is no event")
    return event


def sign(body: bytes, event_id: str, signing_secret: str, *, at: int) -> dict[str, str]:
    """The headers by which the service signs a body at a Unix time."""
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": _signature(body, event_id, str(at), signing_secret),
    }


def _signature(body: bytes, event_id: str, stamp: str, signing_secret: str) -> str:
    try:
        key = base64.b64decode(signing_secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("the signing secret is not of the form whsec_<base64>") from None
    signed = f"{event_id}.{stamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
