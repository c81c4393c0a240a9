"""The result of a send."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.delivery import SendAnswer
from einvoice.services.send.document import Warnings


@dataclass(frozen=True, slots=True)
class SendResult:
    """Ids, warnings, and whether this is the replay of an earlier result.

    invoice_id and transaction_id are None for a dry run; only that has a `document`, if it is asked
    for: the one that would be sent.
    """

    invoice_id: str | None
    transaction_id: str | None
    warnings: Warnings
    replay: bool = False
    payload_mismatch: bool = False
    dry_run: bool = False
    answer: SendAnswer = SendAnswer.PROCESSING
    document: bytes | None = None
