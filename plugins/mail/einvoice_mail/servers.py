"""Whether the operator's mail servers take mails: doctor connects and logs in, and sends nothing.

Servers are tried in their order, so one that is reached is enough to send; the certificate that
ends first is named, three weeks before its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.mail import Deadlines, Deferred, Outgoing, Reached, Refused, greeted
from einvoice.network.checks import CheckResult, error, good, warning

SOON: Final = timedelta(days=21)
# All servers together within the time of a check.
_DEADLINES: Final = Deadlines(connect=3.0, answer=3.0, end=3.0, total=4.0)
_MOST: Final = 2


def checked(outgoing: Outgoing, deadlines: Deadlines = _DEADLINES) -> CheckResult:
    """The servers that are away or refuse, and the certificate that ends first."""
    asked = outgoing.servers[:_MOST]
    found = {each.place: greeted(each, trust=outgoing.trust, deadlines=deadlines) for each in asked}
    reached = {place: one for place, one in found.items() if isinstance(one, Reached)}
    ends_at = _first_end(reached.values())
    faults = [_words(place, one) for place, one in found.items() if not isinstance(one, Reached)]
    if not reached:
        return error(f"No mail server takes mails: {'; '.join(faults)}.", ends_at)
    if faults:
        return warning(f"Mails go by another server: {'; '.join(faults)}.", ends_at)
    if ends_at is not None and ends_at - clock.now() < SOON:
        return warning(
            f"A certificate of {', '.join(reached)} ends at {ends_at:%Y-%m-%d}: mails wait from "
            "then on, until it is renewed.",
            ends_at,
        )
    return good(f"{', '.join(reached)} can be reached.", ends_at)


def _words(place: str, fault: Deferred | Refused) -> str:
    if isinstance(fault, Refused):
        return f"{place} refuses {fault.step}: {fault.reply}"
    return f"{fault.reason}: {fault.reply}" if fault.reply else fault.reason


def _first_end(reached: Iterable[Reached]) -> datetime | None:
    ends = [each.certificate_ends_at for each in reached if each.certificate_ends_at]
    return min(ends, default=None)
