"""Rate limits: a moving minute for each caller and class of request (decisions 0.6).

GET, HEAD and OPTIONS share one budget, all other methods another. The response to a known API key
states the budget, what is left of it, and when the oldest request of the minute no longer counts.
A refused request is not counted.

Flask-Limiter provides the moving window; `BudgetStorage` counts with one Lua call, which returns
everything that the headers need (store/budgets). The limit depends on the credential, which counts
the request itself once the key is known.

Without Redis every request passes uncounted, and the headers state an unused budget.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from flask import Flask, Response, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits import RateLimitItemPerMinute
from limits.storage import MovingWindowSupport, Storage

from einvoice import clock
from einvoice.domain.errors import RateLimitExceeded
from einvoice.observability import logging, metrics
from einvoice.services import rate_limits
from einvoice.services.principal import Principal, Session
from einvoice.services.rate_limits import WINDOW_SECONDS, Hit
from einvoice.web.requests import client_network
from einvoice.web.runtime import runtime

log = logging.get(__name__)

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Budget:
    """The values of the rate limit headers. `reset` is in Unix seconds."""

    limit: int
    remaining: int
    reset: int
    retry_after: int


class _PerMinute(RateLimitItemPerMinute):
    """Requests a minute. The key of its count is the id of the budget and the class of request."""

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join(str(identifier) for identifier in identifiers)


_per_minute = lru_cache(_PerMinute)


class BudgetStorage(Storage, MovingWindowSupport):
    """The storage `einvoice://`: moving windows in Redis, one round trip for each request."""

    STORAGE_SCHEME = ["einvoice"]  # noqa: RUF012 the name under which `limits` registers it
    base_exceptions = ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count a request; `g.hit` is the result, None while Redis is not available."""
        budget_id, _, of_class = key.rpartition("/")
        g.hit = rate_limits.hit(budget_id, of_class, limit)
        if g.hit is None:
            metrics.request_uncounted()
            runtime().caches.redis_warnings.get("", _warn)
        return g.hit is None or bool(g.hit.allowed)

    def check(self) -> bool:
        return rate_limits.is_available()

    def get_moving_window(self, key: str, limit: int, expiry: int) -> NoReturn:
        raise NotImplementedError

    def incr(self, key: str, expiry: int, amount: int = 1) -> NoReturn:
        raise NotImplementedError

    def get(self, key: str) -> NoReturn:
        raise NotImplementedError

    def get_expiry(self, key: str) -> NoReturn:
        raise NotImplementedError

    def reset(self) -> NoReturn:
        raise NotImplementedError

    def clear(self, key: str) -> NoReturn:
        raise NotImplementedError


def _warn() -> bool:
    log.warning("rate limits are off: redis is away")
    return True


# Flask-Limiter checks limits in hooks of the application it is given: 50 µs a request, to find that
# no route has a limit of its own. An application that serves nothing takes the hooks.
limiter = Limiter(
    get_remote_address,
    app=Flask(__name__, static_folder=None),
    strategy="moving-window",
    storage_uri="einvoice://",
)


def init_app(app: Flask) -> None:
    """Put the headers on every response to a request that was counted."""

    @app.after_request
    def _headers(response: Response) -> Response:
        budget: Budget | None = g.pop("budget", None)
        if budget is not None:
            response.headers["X-RateLimit-Limit"] = str(budget.limit)
            response.headers["X-RateLimit-Remaining"] = str(budget.remaining)
            response.headers["X-RateLimit-Reset"] = str(budget.reset)
            if response.status_code == 429:
                response.headers["Retry-After"] = str(budget.retry_after)
        return response


def request_class() -> str:
    """The class of the request: get for methods that only read, post for all others."""
    return "get" if request.method in _READING else "post"


def count(principal: Principal) -> Hit | None:
    """Count the request against the budget of the key; None while Redis is not available."""
    return _hit(principal.key_id or "", _limit(principal))


def enforce(principal: Principal, hit: Hit | None) -> None:
    """State the budget in the response. Raises RateLimitExceeded if it is used up."""
    _enforce(_limit(principal), hit, "This API key may make {limit} {methods} requests a minute")


def count_person(session: Session) -> None:
    """Count the request of a person at the dashboard. Raises RateLimitExceeded."""
    settings = runtime().settings
    reading = request_class() == "get"
    limit = settings.limit_session_get if reading else settings.limit_session_post
    person = _digest(f"{session.tenant_id}/{session.subject}")
    hit = _hit(f"session-{person}", limit)
    _enforce(limit, hit, "You may make {limit} {methods} requests a minute")


def count_network(place: str, limit: int, *, stated: bool = True) -> None:
    """Count a request that needs no credential by its client's network. Raises RateLimitExceeded.

    Every `place` has a budget of its own. Without a client address (a socket behind a proxy that
    does not forward it) nothing is counted: one budget for everyone would let anyone use it up.
    `stated`: whether the headers state the budget; a refusal always states it.
    """
    network = client_network()
    if network is None:
        return
    hit = _hit(f"address-{_digest(f'{place}/{network}')}", limit)
    if stated or (hit is not None and not hit.allowed):
        _enforce(limit, hit, "One address may make {limit} {method} requests a minute here")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _hit(budget_id: str, limit: int) -> Hit | None:
    if not limiter.limiter.hit(_per_minute(limit), budget_id, request_class()):
        metrics.request_over_limit(request_class())
    hit: Hit | None = g.hit
    return hit


def _enforce(limit: int, hit: Hit | None, words: str) -> None:
    g.budget = budget = _budget(limit, hit)
    if hit is not None and not hit.allowed:
        method = request_class().upper()
        methods = "GET" if method == "GET" else "POST, PUT, PATCH and DELETE"
        allowed = words.format(limit=limit, method=method, methods=methods)
        raise RateLimitExceeded(f"{allowed}: try again in {budget.retry_after} seconds.")


def _limit(principal: Principal) -> int:
    settings = runtime().settings
    if request_class() == "get":
        return principal.get_per_minute or settings.limit_get
    return principal.post_per_minute or settings.limit_post


def _budget(limit: int, hit: Hit | None) -> Budget:
    """Both times are rounded up, so that a caller who waits for either is not too early."""
    if hit is None:
        return Budget(limit, limit, int(clock.now().timestamp()) + WINDOW_SECONDS, WINDOW_SECONDS)
    free_at = hit.oldest + WINDOW_SECONDS * 1000
    return Budget(limit, max(limit - hit.used, 0), _seconds(free_at), _seconds(free_at - hit.now))


def _seconds(milliseconds: int) -> int:
    return -(-milliseconds // 1000)
