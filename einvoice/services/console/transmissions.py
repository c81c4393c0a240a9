"""Transmissions that need a person, and what an operator does about them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.services.delivery import operations
from einvoice.services.runtime import Runtime
from einvoice.store.sending.transmissions import Work as Work

MAX_EVIDENCE_BYTES = 5 * 1024 * 1024


class Kind(StrEnum):
    """Which transmissions are listed."""

    ATTENTION = "attention"  # no access point will report their outcome
    PARKED = "parked"  # wait until their connection can be used


def listed(kind: Kind) -> Sequence[Work]:
    """Transmissions and messages of all tenants, those that wait longest first; at most
    operations.MAX_LISTED."""
    return operations.needing_attention() if kind is Kind.ATTENTION else operations.parked()


def resolve(
    transmission_id: str,
    outcome: str,
    evidence: bytes,
    name: str,
    reason: str | None,
    runtime: Runtime,
) -> Work:
    """Settle it with an evidence. Raises NotFound, Conflict (it is final), InvalidField."""
    if not evidence or len(evidence) > MAX_EVIDENCE_BYTES:
        message = f"has {len(evidence):,} bytes; it must have 1 to {MAX_EVIDENCE_BYTES:,}"
        raise InvalidField([FieldError("/evidence", "out-of-range", message)])
    operations.resolve(transmission_id, outcome, evidence, name, reason, runtime.access_points)
    return operations.find(transmission_id)


def retry(transmission_id: str) -> Work:
    """Make its next step due now. Raises NotFound, Conflict (it is final)."""
    operations.retry_now(transmission_id)
    return operations.find(transmission_id)
