"""Whether the buyer can read an invoice that has its number, which is said where it takes long.

KSeF gives a number first and stores the invoice after it; the buyer reads it once it is stored
(permanentStorageDate), as a rule seconds later, at times a day.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.domain.artefacts import ArtefactKind
from einvoice.network.types import Delivered, Evidence, Outcome, Pending
from einvoice_ksef.rows import Row

log = structlog.get_logger()

BUYER_ACCESS: Final = ArtefactKind("BUYER_ACCESS", "application/json", "buyer-access-{number}.json")
ACCESS: Final = "access"  # member of the state of an invoice that is followed
FIRST_POLL: Final = timedelta(minutes=10)
INTERVAL: Final = timedelta(hours=1)
PATIENCE: Final = timedelta(days=3)
_TOLD, _NOT_TOLD = "told", "asked"


def announced(made: Delivered, pending: Pending, row: Row) -> Delivered:
    """The delivery, after which it is asked whether the invoice is stored, if it is not yet."""
    if row.stored or made.follow_up is not None:
        return made
    now = clock.now()
    state = {**pending.state, ACCESS: _NOT_TOLD}
    later = Pending(pending.reference, now + FIRST_POLL, now + PATIENCE, state)
    return replace(made, follow_up=later)


def outcome(pending: Pending, row: Row | None) -> Outcome:
    """The known state of a delivered invoice now; Delivered without a follow-up ends it."""
    is_told = pending.state[ACCESS] == _TOLD
    if row is not None and row.stored:
        return Delivered((_said(row.stored),) if is_told else ())
    now = clock.now()
    if pending.deadline is not None and pending.deadline < now:
        log.warning("invoice is not stored by KSeF", reference=pending.reference)
        return Delivered()
    later = replace(pending, next_poll_at=now + INTERVAL)
    if is_told or row is None:
        return later
    told = replace(later, state={**pending.state, ACCESS: _TOLD})
    return Delivered((_said(None),), follow_up=told)


def is_followed(state: Mapping[str, str]) -> bool:
    """Whether the invoice is delivered, and only its storage is asked for."""
    return ACCESS in state


def _said(since: str | None) -> Evidence:
    content = json.dumps({"availableToBuyer": since is not None, "since": since})
    return Evidence(BUYER_ACCESS, content.encode())
