"""Rate limits: a moving minute for each API key and class of request (decisions 0.6).

GET and HEAD (and OPTIONS, which changes nothing) share one budget, all other methods another. Each
answer to a recognised key tells the budget, what is left of it, and when the oldest request of the
minute ages out; a refused request is not counted. One Lua call (store/budgets) does it all.

Without Redis everything is let through, uncounted: the headers then tell an untouched budget.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import Storage
from limits.strategies import STRATEGIES, MovingWindowRateLimiter, RateLimiter

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import RateLimitExceeded
from einvoice.observability import logging, metrics
from einvoice.services.caches import Cache
from einvoice.services.principal import Principal, Session
from einvoice.store import budgets
from einvoice.store.budgets import WINDOW_SECONDS, Hit
from einvoice.web.runtime import runtime

log = logging.get(__name__)

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_STRATEGY = "moving-window-in-one-call"
_a_minute = lru_cache(RateLimitItemPerMinute)
_complained: Cache[str, bool] = Cache(ttl=60.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """What the headers of an answer tell. `reset` is in Unix seconds."""

    limit: int
    remaining: int
    reset: int
    retry_after: int


def _never(*_: object) -> Any:
    raise NotImplementedError


class _Redis(Storage):
    """The storage flask-limiter wants to have; the strategy asks store/budgets instead."""

    STORAGE_SCHEME: Any = ("einvoice",)
    base_exceptions: Any = ()
    incr: Any = _never
    get: Any = _never
    get_expiry: Any = _never
    check: Any = _never
    reset: Any = _never
    clear: Any = _never
    acquire_entry: Any = _never


class _OneCall(MovingWindowRateLimiter):
    """The moving window by one call, which answers all that the headers and the key need."""

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        key_id, what = identifiers
        g.hit = budgets.hit(key_id, what, item.amount)
        return g.hit is None or bool(g.hit.allowed)


class _OnDemand(Limiter):
    """flask-limiter without its hooks: the credential asks the strategy once it knows the key.

    Working out which limits apply to a route costs 80 µs a request; here that is always one.
    """

    def init_app(self, app: Flask) -> None:
        app.extensions["limiter"] = {self}
        super().init_app(app)


def init_app(app: Flask, settings: Settings) -> None:
    """Make the limiter and put the headers on every answer to a recognised key."""
    STRATEGIES[_STRATEGY] = _OneCall
    limiter = _OnDemand(verb, app=app, strategy=_STRATEGY, storage_uri="einvoice://")
    app.extensions["budget_strategy"] = limiter.limiter

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


def verb() -> str:
    """The class of the request: get for what only reads, post for all else."""
    return "get" if request.method in _READING else "post"


def _kind() -> str:
    """The same for people: PATCH and DELETE are counted with POST."""
    return "GET" if verb() == "get" else "POST, PUT, PATCH and DELETE"


def count(who: Principal) -> Hit | None:
    """Count the request; None when Redis is away, which is counted and told once a minute."""
    return _hit(_limit(who), who.key_id or "")


def count_person(who: Session) -> None:
    """The same for a person at the dashboard. Raises RateLimitExceeded."""
    settings = runtime().settings
    reading = verb() == "get"
    limit = settings.limit_session_get if reading else settings.limit_session_post
    person = hashlib.sha256(f"{who.tenant_id}/{who.subject}".encode()).hexdigest()[:32]
    hit = _hit(limit, f"session-{person}")
    g.budget = budget = _budget(limit, hit)
    if hit is not None and not hit.allowed:
        raise RateLimitExceeded(
            f"You may make {budget.limit} {_kind()} requests a minute: "
            f"try again in {budget.retry_after} seconds."
        )


def count_address(place: str, limit: int) -> None:
    """The same for whoever asks at an open place, by his address. Raises RateLimitExceeded."""
    asker = hashlib.sha256(f"{place}/{request.remote_addr}".encode()).hexdigest()[:32]
    hit = _hit(limit, f"address-{asker}")
    g.budget = budget = _budget(limit, hit)
    if hit is not None and not hit.allowed:
        raise RateLimitExceeded(
            f"One address may make {budget.limit} {verb().upper()} requests a minute here: "
            f"try again in {budget.retry_after} seconds."
        )


def _hit(limit: int, whose: str) -> Hit | None:
    strategy: RateLimiter = current_app.extensions["budget_strategy"]
    if not strategy.hit(_a_minute(limit), whose, verb()):
        metrics.request_over_limit(verb())
    hit: Hit | None = g.hit
    if hit is None:
        _uncounted()
    return hit


def enforce(who: Principal, hit: Hit | None) -> None:
    """Let the answer tell the budget; raise RateLimitExceeded where it is used up."""
    g.budget = budget = _budget(_limit(who), hit)
    if hit is not None and not hit.allowed:
        raise RateLimitExceeded(
            f"This API key may make {budget.limit} {_kind()} requests a minute: "
            f"try again in {budget.retry_after} seconds."
        )


def enforce_address(address: str | None, limit: int) -> None:
    """Count a request that needs no key, by the network it comes from. Raises RateLimitExceeded.

    Where the address is not known (a socket without a proxy that tells it) nothing is counted.
    """
    if not address:
        return
    hit = budgets.hit(_network(address), "open", limit)
    if hit is None:
        _uncounted()
    elif not hit.allowed:
        metrics.request_over_limit("open")
        g.budget = budget = _budget(limit, hit)
        raise RateLimitExceeded(
            f"{limit} requests a minute are answered: try again in {budget.retry_after} seconds."
        )


def _network(address: str) -> str:
    """An IPv4 address; of IPv6 the /64, all of which one household has."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _limit(who: Principal) -> int:
    settings = runtime().settings
    if verb() == "get":
        return who.get_per_minute or settings.limit_get
    return who.post_per_minute or settings.limit_post


def _budget(limit: int, hit: Hit | None) -> Budget:
    """Both moments are rounded up: whoever waits for either does not come too early."""
    if hit is None:
        return Budget(limit, limit, int(clock.now().timestamp()) + WINDOW_SECONDS, WINDOW_SECONDS)
    room = hit.oldest + WINDOW_SECONDS * 1000
    return Budget(limit, max(limit - hit.used, 0), _seconds(room), _seconds(room - hit.now))


def _seconds(milliseconds: int) -> int:
    return -(-milliseconds // 1000)


def _uncounted() -> None:
    metrics.request_uncounted()
    _complained.get("", _complain)


def _complain() -> bool:
    log.warning("rate limits are off: redis is away")
    return True
