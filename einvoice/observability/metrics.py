"""Metrics: one function for each thing that is counted."""

from __future__ import annotations

from prometheus_client import Counter

_uncounted = Counter(
    "einvoice_limits_uncounted_requests",
    "Requests let through without counting them, because Redis did not answer",
)
_refused = Counter(
    "einvoice_limits_refused_requests",
    "Requests refused with rate-limit-exceeded",
    ["verb"],
)


def request_uncounted() -> None:
    _uncounted.inc()


def request_over_limit(verb: str) -> None:
    """`verb` is get or post, the class of the request."""
    _refused.labels(verb).inc()
