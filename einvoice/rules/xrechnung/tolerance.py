"""The tolerance of amounts that XRechnung recomputes: 0.02, in Hungarian forints 0.5."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from einvoice.rules.peppol.tolerance import SLACK

_FORINT_SLACK = Decimal("0.5")


def slack_in(currencies: Iterable[str]) -> Decimal:
    """The tolerance in an invoice currency (BT-5), as written."""
    return _FORINT_SLACK if "HUF" in currencies else SLACK
