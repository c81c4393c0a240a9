"""Checks that plugins of several networks offer to `einvoice doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from cryptography.x509 import Certificate

from einvoice import clock
from einvoice.http import Response
from einvoice.network.checks import CheckResult, error, good, warning

CLOCK_ERROR: Final = timedelta(minutes=5)
SIGNER_DAYS: Final = 30  # before the end of the last certificate


def clock_beside(
    response: Response, server: str, consequence: str, *, tolerance: timedelta, before: str = ""
) -> CheckResult:
    """The clock of this machine beside the date of a response.

    of           whose clock it is
    consequence  what happens if they differ by more than CLOCK_ERROR
    tolerance    a larger difference is a warning
    before       what each sentence begins with
    """
    theirs = _date(response)
    if theirs is None:
        return warning(f"{before}{server} does not say what time it is")
    wrong = abs(clock.now() - theirs)
    if clock.pace().rate != 1:  # web servers have the clock of the machine, stand-ins ours
        wrong = min(wrong, abs(clock.real_now() - theirs))
    message = f"{before}the clock differs by {wrong.total_seconds():.0f} s from that of {server}"
    if wrong > CLOCK_ERROR:
        return error(f"{message}: {consequence}. Set it by NTP.")
    return warning(f"{message}: set it by NTP.") if wrong > tolerance else good(message)


def signers_valid(known: Sequence[Certificate], missing: str, sealed: str) -> CheckResult:
    """Whether the certificates with which an authority seals are known, and still valid.

    missing  the sentence if there are none
    sealed   what they seal
    """
    if not known:
        return warning(missing)
    ends = max(each.not_valid_after_utc for each in known)
    message = f"{len(known)} certificates of signers, the last one until {ends:%Y-%m-%d}"
    if ends - clock.now() < timedelta(days=SIGNER_DAYS):
        return warning(f"{message}: add the next one, or {sealed} will not be trusted")
    return good(message)


def _date(response: Response) -> datetime | None:
    try:
        moment = parsedate_to_datetime(response.headers.get("date", ""))
    except (TypeError, ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
