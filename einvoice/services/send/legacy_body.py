"""A v1 request to send, as read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from einvoice.domain.field_names import FieldNames
from einvoice.domain.legacy_totals import LegacyLine
from einvoice.domain.request import SendRequest


@dataclass(frozen=True, slots=True)
class LegacySend:
    """A v1 request as a send, with the lines and the total as v1 has them.

    `names`: what the v1 body calls the fields of a send.
    """

    request: SendRequest
    lines: Iterable[LegacyLine]
    total_amount: Decimal
    names: FieldNames
