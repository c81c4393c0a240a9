"""What is asked before an invoice is sent, and the confirmations of clients that cannot ask.

A client that supports elicitation asks its person. For any other, the first call returns the
question with a code, and the second one sends what the code was made for.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from einvoice_client.cli.output import plain

VALID_SECONDS = 600.0
MAX_OPEN = 100
_MAX_NAME = 80
Json = dict[str, Any]


def digest(invoice: Json, routing: Json) -> str:
    """The same for the same content, in any order of members."""
    text = json.dumps([invoice, routing], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def question(invoice: Json, routing: Json, environment: str) -> str:
    """What a person is asked. Each name is one short line of printable text."""
    totals, buyer = invoice.get("totals"), invoice.get("buyer")
    amount = totals.get("grandTotal") if isinstance(totals, dict) else None
    name = buyer.get("name") if isinstance(buyer, dict) else None
    purpose = "for good, over the network" if environment == "live" else "in the sandbox"
    return (
        f"Send invoice {_shown(invoice.get('number'))} {purpose}?\n"
        f"Buyer: {_shown(name)}\n"
        f"Receiver: {_shown(routing.get('receiverParticipantId') or routing.get('network'))}\n"
        f"Total: {_shown(amount)} {_shown(invoice.get('currency'))}"
    )


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return plain(text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1] + "…")


class Confirmations:
    """Codes for sends that were shown and not made yet. Each is used once, within ten minutes."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open: dict[str, tuple[str, float]] = {}

    def new(self, content: str) -> str:
        """A code for the content with this digest."""
        code = secrets.token_urlsafe(12)
        self._open[code] = content, self._now()
        while len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]
        return code

    def use(self, code: str, content: str) -> bool:
        """Whether the code is for this content, and was not used before."""
        made_for, at = self._open.get(code, ("", 0.0))
        if made_for != content or self._now() - at > VALID_SECONDS:
            return False
        del self._open[code]
        return True
