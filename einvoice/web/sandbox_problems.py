"""The header `Sandbox-Problem`: a 429 or 503 on request, for keys of the sandbox.

The value is the slug of the problem, so that programs can rehearse what they do about it:

    Sandbox-Problem: rate-limit-exceeded
    Sandbox-Problem: overloaded; once

With `once` the request is answered as usual when it is repeated after Retry-After; which requests
are repetitions is known by their Idempotency-Key, or else by method and address. A live key is
never answered so: its header is ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NoReturn

from flask import g, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    ComputingUnavailable,
    FieldError,
    InvalidField,
    Overloaded,
    RateLimitExceeded,
    ServiceUnavailable,
    TooBusy,
    ValidationUnavailable,
)
from einvoice.services import rate_limits
from einvoice.services.principal import Principal
from einvoice.web import headers, limits

HEADER = "Sandbox-Problem"
RATE_LIMIT_SECONDS = 2  # Retry-After of the 429
_ONCE = "once"
# The refusals, as the service raises them.
_UNAVAILABLE: Mapping[str, Callable[[], ServiceUnavailable]] = {
    "too-busy": partial(TooBusy, "Too many requests wait to be answered."),
    "overloaded": partial(Overloaded, "The oldest send has been waiting for 600 seconds."),
    "access-point-unavailable": partial(
        AccessPointUnavailable, "The network's directory does not answer."
    ),
    "validation-unavailable": ValidationUnavailable,
    "computing-unavailable": partial(
        ComputingUnavailable, "All computing processes are busy: try again later."
    ),
}
_ANYWHERE = (RateLimitExceeded.slug, TooBusy.slug)
SLUGS = (RateLimitExceeded.slug, *_UNAVAILABLE)


def simulate(principal: Principal, refused: Collection[str]) -> None:
    """Raise the problem that the header names; `refused` are the slugs of the route's refusals.

    Raises InvalidField for another problem.
    """
    asked = request.headers.get(HEADER)
    if asked is None or principal.environment is not Environment.TEST:
        return
    slug, _, mode = (part.strip() for part in asked.partition(";"))
    possible = [one for one in SLUGS if one in _ANYWHERE or one in refused]
    if slug not in possible or mode not in ("", _ONCE):
        message = f"is one of {', '.join(possible)} here, alone or followed by '; {_ONCE}'"
        raise InvalidField([FieldError(f"/{HEADER}", "unknown-problem", message)])
    refusal = _UNAVAILABLE[slug]() if slug in _UNAVAILABLE else None
    seconds = RATE_LIMIT_SECONDS if refusal is None else refusal.retry_after
    if mode == _ONCE:
        seconds = _seconds_left(principal, slug, seconds)
    if seconds > 0:
        _refuse(principal, refusal, seconds)


def _seconds_left(principal: Principal, slug: str, seconds: int) -> int:
    """How long the request is still refused; 0 for a repetition after that. A request is forgotten
    after a minute. Without Redis all are first ones."""
    repeated = request.headers.get("Idempotency-Key") or f"{request.method} {request.full_path}"
    digest = hashlib.sha256(f"{slug} {repeated}".encode()).hexdigest()[:32]
    hit = rate_limits.hit(f"{principal.key_id}-problem-{digest}", "once", 1)
    if hit is None or hit.allowed:
        return seconds
    return max(0, -(-(hit.oldest + seconds * 1000 - hit.now) // 1000))


def _refuse(principal: Principal, refusal: ServiceUnavailable | None, seconds: int) -> NoReturn:
    """Raise the refusal with the headers that it has at this route; None: the budget is used up."""
    if refusal is None:
        limits.refuse_as_used_up(principal, seconds)
    if isinstance(refusal, TooBusy):  # it comes before the credential is read
        g.pop("budget", None)
    else:  # and the others after the headers
        g.preference_applied = headers.preference(0.0).applied
    refusal.detail = f"Simulated: {refusal.detail}"
    refusal.retry_after = seconds
    refusal.is_provoked = True
    raise refusal
