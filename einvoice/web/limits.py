"""Rate limits: a moving minute for each caller and class of request (decisions 0.6).

GET, HEAD and OPTIONS share one budget, all other methods another. The response to a known API key
states the budget, what is left of it, and when the oldest request of the minute no longer counts.
A refused request is not counted.

Flask-Limiter limits the requests of people (`count_person`) and those without a credential
(`per_network`) by its decorators, with its strategy "moving-window" and a storage registered as
`limits` documents it: `BudgetStorage` counts with one Lua call, which returns everything that the
headers need (store/core/budgets). Two things are not Flask-Limiter's:

- Requests with an API key or an access token use the strategy directly (`count`, `enforce`). Their
  limit belongs to the credential, and the count returns the stamp by which a revocation is noticed.
- The headers. Flask-Limiter would query the storage again, and state Retry-After in every response.

Its `limit` as a context manager is not used: threads that enter the same block overwrite the limits
of each other.

Without Redis every request passes uncounted, and the headers state an unused budget.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from flask import Flask, Response, g, request
from flask_limiter import Limiter, RequestLimit, RouteLimit
from flask_limiter.util import get_remote_address
from limits import RateLimitItemPerMinute
from limits.storage import MovingWindowSupport, Storage

from einvoice import clock
from einvoice.domain.errors import RateLimitExceeded
from einvoice.observability import logging, metrics
from einvoice.services import rate_limits
from einvoice.services.principal import Operator, Principal, Session
from einvoice.services.rate_limits import WINDOW_SECONDS, Hit, Window
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


_per_minute = lru_cache(RateLimitItemPerMinute)


class BudgetStorage(Storage, MovingWindowSupport):
    """The storage `einvoice://`: moving windows in Redis, one round trip for each request."""

    STORAGE_SCHEME = ["einvoice"]  # noqa: RUF012 the name under which `limits` registers it
    base_exceptions = ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count a request; `g.hit` is the result, None while Redis is not available.

        `key`: namespace, id of the budget, class of request, limit (RateLimitItem.key_for).
        """
        _, budget_id, of_class, *_ = key.split("/")
        _note(rate_limits.hit(budget_id, of_class, limit))
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


def _note(hit: Hit | None) -> None:
    """Keep the result of counting the request in `g`."""
    g.hit = hit
    if hit is None:
        metrics.request_uncounted()
        runtime().caches.redis_warnings.get("", _warn)


def _warn() -> bool:
    log.warning("rate limits are off: redis is away")
    return True


limiter = Limiter(get_remote_address, strategy="moving-window", storage_uri="einvoice://")

# Families of sends, whose requests count with their credential.
COUNTED_BY_CREDENTIAL = frozenset(
    {"public", "legacy", "aliases", "submission", "batch", "send_batch"}
)


@limiter.request_filter
def _is_counted_by_credential() -> bool:
    return request.blueprint in COUNTED_BY_CREDENTIAL


def init_app(app: Flask) -> None:
    """Count requests, and put the headers on every response to one that was counted."""
    # Flask-Limiter adds its hooks to an application that does not list it. They look for limits of
    # the application and for its own headers, although there are none: 9 us a request.
    app.extensions.setdefault("limiter", set()).add(limiter)
    limiter.init_app(app)

    @app.after_request
    def _headers(response: Response) -> Response:
        budget: Budget | None = g.pop("budget", None) or _budget_of_route()
        if budget is not None:
            response.headers.add("X-RateLimit-Limit", str(budget.limit))
            response.headers.add("X-RateLimit-Remaining", str(budget.remaining))
            response.headers.add("X-RateLimit-Reset", str(budget.reset))
            if response.status_code == 429:
                own = response.headers.get("Retry-After", 0, type=int)
                response.headers["Retry-After"] = str(seconds_to_wait(own, budget))
        return response


def seconds_to_wait(own: int, budget: Budget) -> int:
    """The Retry-After of a refusal with 429.

    own  what the refusal says of itself, such as the rest of a month; 0: nothing
    """
    return own if own and budget.remaining else max(own, budget.retry_after)


def _budget_of_route() -> Budget | None:
    """The budget that a decorator has counted against."""
    counted = limiter.current_limit
    if counted is None or "budget_unstated" in g:
        return None
    return _budget(counted.limit.amount, g.hit)


def is_reading() -> bool:
    """Whether the request only reads."""
    return request.method in _READING


def request_class() -> str:
    """The class of the request: get for methods that only read, post for all others."""
    return "get" if request.method in _READING else "post"


def count(principal: Principal) -> Hit | None:
    """Count the request against the budget of the key; None while Redis is not available.

    That of a platform for one of its tenants counts for the tenant first: so the requests of one
    tenant above its limit take nothing from the others. Raises RateLimitExceeded for those.
    """
    tenant = tenant_window(principal)
    if tenant is not None:
        _count_for_tenant(tenant)
    if not g.pop("counted", False):
        limiter.limiter.hit(_per_minute(_limit(principal)), *_budget_key(principal))
    hit: Hit | None = g.hit
    if hit is not None and not hit.allowed:
        metrics.request_over_limit(request_class())
    return hit


def _count_for_tenant(window: Window) -> None:
    """Count a request of a platform for its tenant. Raises RateLimitExceeded."""
    hit: Hit | None = g.pop("tenant_hit") if "tenant_hit" in g else rate_limits.hit(*window)
    if hit is not None and not hit.allowed:
        metrics.request_over_limit(request_class())
        g.pop("counted", None)
        g.budget = _budget(window.limit, hit)
        message = "Platforms may make {limit} {methods} requests a minute for this tenant"
        raise _refusal(message, window.limit, g.budget)


def counted(hit: Hit | None) -> None:
    """Keep the window of a request that was counted in a group: `count` returns it."""
    _note(hit)
    g.counted = True


def counted_for_tenant(hit: Hit | None) -> None:
    """Keep the window of its tenant, too."""
    g.tenant_hit = hit


def window_of(principal: Principal) -> Window:
    """The window in which the request counts."""
    return Window(*_budget_key(principal), _limit(principal))


def tenant_window(principal: Principal) -> Window | None:
    """The window of the tenant that a platform asks for; None for other requests."""
    platform = principal.platform
    if platform is None or not platform.for_tenant:
        return None
    settings, of_class = runtime().settings, request_class()
    if of_class == "get":
        limit = platform.get_per_minute or settings.limit_get
    else:
        limit = platform.post_per_minute or settings.limit_post
    return Window(f"tenant-{principal.tenant_id}", of_class, limit)


def _budget_key(principal: Principal) -> tuple[str, str]:
    return principal.key_id or "", request_class()


def enforce(principal: Principal, hit: Hit | None) -> None:
    """State the budget in the response. Raises RateLimitExceeded if it is used up."""
    limit = _limit(principal)
    g.budget = _budget(limit, hit)
    if hit is not None and not hit.allowed:
        message = "This API key may make {limit} {methods} requests a minute"
        raise _refusal(message, limit, g.budget)


def count_documents(principal: Principal, documents: int) -> None:
    """Count the documents of a batch; more than a minute has room for counts as all of it.

    Raises RateLimitExceeded. Nothing is counted then, nor without Redis.
    """
    limit = runtime().settings.limit_documents
    hit = rate_limits.hit(principal.key_id or "", "documents", limit, min(documents, limit))
    if hit is not None and not hit.allowed:
        metrics.request_over_limit("documents")
        g.budget = _budget(limit, hit)
        seconds = g.budget.retry_after
        raise RateLimitExceeded(
            f"This API key may send {limit} documents a minute in batches, and this one has "
            f"{documents}: try again in {seconds} seconds."
        )


def refuse_as_used_up(principal: Principal, seconds: int) -> NoReturn:
    """Raise RateLimitExceeded as if the budget were used up for so many seconds (the sandbox)."""
    limit = _limit(principal)
    g.budget = Budget(limit, 0, int(clock.now().timestamp()) + seconds, seconds)
    message = "Simulated: this API key may make {limit} {methods} requests a minute"
    raise _refusal(message, limit, g.budget)


def _refuse(words: str) -> Callable[[RequestLimit], None]:
    """The function that Flask-Limiter calls for a request over its limit."""

    def refuse(exceeded: RequestLimit) -> None:
        metrics.request_over_limit(request_class())
        raise _refusal(words, exceeded.limit.amount, _budget(exceeded.limit.amount, g.hit))

    return refuse


def _person_limit() -> str:
    settings = runtime().settings
    reading = request_class() == "get"
    limit = settings.limit_session_get if reading else settings.limit_session_post
    return f"{limit} per minute"


def _person() -> str:
    session: Session = g.session
    return f"session-{_digest(f'{session.tenant_id}/{session.subject}')}"


@limiter.shared_limit(
    _person_limit,
    scope=lambda _: request_class(),
    key_func=_person,
    on_breach=_refuse("You may make {limit} {methods} requests a minute"),
)
def count_person() -> None:
    """Count the request of the person in `g.session`. Raises RateLimitExceeded."""


def _operator() -> str:
    operator: Operator = g.operator
    return f"operator-{_digest(operator.subject)}"


@limiter.shared_limit(
    _person_limit,
    scope=lambda _: request_class(),
    key_func=_operator,
    on_breach=_refuse("You may make {limit} {methods} requests a minute"),
)
def count_operator() -> None:
    """Count the request of the operator in `g.operator`. Raises RateLimitExceeded."""


def per_network(place: Callable[[], str], limit: Callable[[], int]) -> RouteLimit:
    """A decorator that counts requests without a credential by the client's network.

    Every `place` has a budget of its own, of `limit` requests a minute. Without a client address (a
    socket behind a proxy that does not forward it) nothing is counted: one budget for everyone
    would let anyone use it up. The function raises RateLimitExceeded.
    """
    return limiter.shared_limit(
        lambda: f"{limit()} per minute",
        scope=lambda _: request_class(),
        key_func=lambda: f"address-{_digest(f'{place()}/{client_network()}')}",
        exempt_when=lambda: client_network() is None,
        on_breach=_refuse("One address may make {limit} {method} requests a minute here"),
    )


def count_failure() -> None:
    """Count a failed authentication by the client's network. Raises RateLimitExceeded.

    Requests of the same network with a valid credential are not affected.
    """
    network, limit = client_network(), runtime().settings.limit_failures
    if network is None:
        return
    hit = rate_limits.hit(f"failures-{_digest(network)}", "open", limit)
    if hit is not None and not hit.allowed:
        metrics.request_over_limit("open")
        g.budget = _budget(limit, hit)
        message = "One address may fail to authenticate {limit} times a minute"
        raise _refusal(message, limit, g.budget)


def leave_unstated() -> None:
    """State the budget of the route in refusals only."""
    g.budget_unstated = True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _refusal(words: str, limit: int, budget: Budget) -> RateLimitExceeded:
    method = request_class().upper()
    methods = "GET" if method == "GET" else "POST, PUT, PATCH and DELETE"
    allowed = words.format(limit=limit, method=method, methods=methods)
    return RateLimitExceeded(f"{allowed}: try again in {budget.retry_after} seconds.")


def _limit(principal: Principal) -> int:
    settings, reading = runtime().settings, request_class() == "get"
    own = principal.get_per_minute if reading else principal.post_per_minute
    if own is not None:
        return own
    if principal.platform is not None:
        return settings.limit_platform_get if reading else settings.limit_platform_post
    return settings.limit_get if reading else settings.limit_post


def _budget(limit: int, hit: Hit | None) -> Budget:
    """Both times are rounded up, so that a caller who waits for either is not too early."""
    if hit is None:
        return Budget(limit, limit, int(clock.now().timestamp()) + WINDOW_SECONDS, WINDOW_SECONDS)
    free_at = hit.oldest + WINDOW_SECONDS * 1000
    return Budget(limit, max(limit - hit.used, 0), _seconds(free_at), _seconds(free_at - hit.now))


def _seconds(milliseconds: int) -> int:
    return -(-milliseconds // 1000)
