"""The client that posts, and the result of a POST as a type.

No redirects, 15 s in total, any 2xx is success.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from einvoice.http import ConcurrentClient, HttpFault, Limits, Policy, Response, TimedOut

EXCERPT_BYTES = 1024
MAX_CONNECTIONS = 200  # open at once in a process, for each policy; as many are kept
SLOW_FAILURE_MS = 5_000  # a failure that took longer counts as a timeout
PORTS_IN_WORDS = "80, 443 and 1024 to 65535"
_GONE = 410
_WITH_RETRY_AFTER = (429, 503)


class _WebPorts:
    """Ports of web servers; those of mail servers, shells and the like are excluded.

    A rule in place of a set of 64,514 numbers, which were 4 MB of each process.
    """

    def __contains__(self, port: object) -> bool:
        return port in (80, 443) or port in _FREE_PORTS


_FREE_PORTS = range(1024, 65536)
PORTS = _WebPorts()


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to an attempt, for the log; without a response there is no status."""

    duration_ms: int
    status_code: int | None = None
    excerpt: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """Any 2xx: the receiver has it."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Retry:
    """429 or 503 with a Retry-After, in seconds."""

    reply: Reply
    after: float


@dataclass(frozen=True, slots=True)
class Gone:
    """410: the receiver wants no more webhooks here."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Failed:
    """Any other response, or none; the schedule decides whether to try again.

    `timed_out`: it took so long that the endpoint gets no more requests for a while.
    """

    reply: Reply
    timed_out: bool = False


Result = Delivered | Retry | Gone | Failed


def policy(*, live: bool, allow_private: bool) -> Policy:
    """Live endpoints are https and public; sandbox ones may be http and, in a demo, private."""
    return Policy(
        https_only=live,
        allow_private=allow_private and not live,
        ports=PORTS,
        ports_in_words=PORTS_IN_WORDS,
    )


def client(rules: Policy, *, seconds: float, user_agent: str) -> ConcurrentClient:
    """A client whose requests end within `seconds`."""
    limits = Limits(
        connect=min(5.0, seconds), read=seconds, total=seconds, answer_bytes=EXCERPT_BYTES
    )
    return ConcurrentClient(
        rules, limits=limits, connections=MAX_CONNECTIONS, per_host=MAX_CONNECTIONS,
        user_agent=user_agent,
    )  # fmt: skip


def result(outcome: Response | HttpFault, duration_ms: int, *, now: datetime) -> Result:
    """The result of a POST that took so long. A Retry-After date is relative to `now`."""
    if isinstance(outcome, HttpFault):
        reply = Reply(duration_ms, error=str(outcome)[:500])
        return _failed(reply, timed_out=isinstance(outcome, TimedOut))
    ok = 200 <= outcome.status < 300
    error = None if ok else f"the receiver answered {outcome.status}"
    reply = Reply(duration_ms, outcome.status, _text(outcome.body), error)
    if ok:
        return Delivered(reply)
    if outcome.status == _GONE:
        return Gone(reply)
    if outcome.status in _WITH_RETRY_AFTER:
        after = retry_after(outcome.headers.get("retry-after"), now)
        if after is not None:
            return Retry(reply, after)
    return _failed(reply)


def _failed(reply: Reply, *, timed_out: bool = False) -> Failed:
    return Failed(reply, timed_out or reply.duration_ms > SLOW_FAILURE_MS)


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After header (a number or a date); None if absent or unreadable."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # of a year or an offset of many digits
        return None
    if moment.tzinfo is None:
        return None
    return max((moment - now).total_seconds(), 0.0)


def _text(body: bytes) -> str:
    """The body as text without NUL, which PostgreSQL refuses."""
    return body.decode("utf-8", "replace").replace("\0", "�")
