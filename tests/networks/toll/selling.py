"""Sends to the toll authority."""

from __future__ import annotations

from typing import Any

from tests.builders import SENDER, send_body

BUYER = "0190:00000003123456780000"


def a_send(network: str | None = "toll", **invoice: Any) -> dict[str, Any]:
    """A send to the authority, without accessPointRef."""
    changes = {"number": "T-1", "buyer": {"name": "Buyer BV", "taxId": "NL123456789B12",
               "address": {"countryCode": "NL"}}} | invoice  # fmt: skip
    body = send_body("", **changes)
    body["routing"] = {"senderParticipantId": SENDER, "receiverParticipantId": BUYER}
    if network:
        body["routing"]["network"] = network
    return body
