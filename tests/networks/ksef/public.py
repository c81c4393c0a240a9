"""Calls about the stand-in itself: its keys, and the limits of a caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.networks.ksef.answers import result
from tests.networks.ksef.calls import Request, Route
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority


def public_keys(authority: Authority, request: Request) -> Answer:
    return result([each.shown() for each in authority.keys.published])


def rate_limits(authority: Authority, request: Request) -> Answer:
    return result(authority.limits.shown(":".join(request.login.context)))


def session_limits(authority: Authority, request: Request) -> Answer:
    return result(authority.session_limits)


ROUTES: Final = (
    Route("GET", "/security/public-key-certificates", public_keys, None),
    Route("GET", "/rate-limits", rate_limits),
    Route("GET", "/limits/context", session_limits),
)
