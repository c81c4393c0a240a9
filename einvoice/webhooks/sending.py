"""One POST, and what came of it as a type. No redirects, 15 s in all, any 2xx is success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits, Policy, Response

EXCERPT_BYTES = 1024
# Where web servers listen; no mail server or shell is ever spoken to.
PORTS = frozenset({80, 443, *range(1024, 65536)})
_GONE = 410
_SAYS_WHEN = (429, 503)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the log keeps of an attempt: no status where nothing was answered."""

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
    """429 or 503 with a Retry-After: seconds for which the receiver wants to be left alone."""

    reply: Reply
    after: float


@dataclass(frozen=True, slots=True)
class Gone:
    """410: the receiver wants no more webhooks here."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Failed:
    """Any other answer, or none; the schedule decides whether to try again."""

    reply: Reply


Result = Delivered | Retry | Gone | Failed


def policy(*, live: bool, allow_private: bool) -> Policy:
    """Live endpoints are https and public; sandbox ones may be http and, in a demo, private."""
    return Policy(https_only=live, allow_private=allow_private and not live, ports=PORTS)


def client(rules: Policy, *, seconds: float, user_agent: str) -> Client:
    """A client whose exchanges end within `seconds`."""
    limits = Limits(
        connect=min(5.0, seconds), read=seconds, total=seconds, answer_bytes=EXCERPT_BYTES
    )
    return Client(rules, limits=limits, user_agent=user_agent)


def post(
    sender: Client, url: str, headers: Mapping[str, str], body: bytes, *, now: datetime
) -> Result:
    """POST the body once. `now` is what a Retry-After date is measured from. Never raises."""
    began = clock.monotonic()
    try:
        answer = sender.send("POST", url, headers=headers, body=body, excerpt=True)
    except HttpFault as fault:
        return Failed(Reply(_since(began), error=str(fault)[:500]))
    return _result(answer, _since(began), now)


def _result(answer: Response, duration_ms: int, now: datetime) -> Result:
    ok = 200 <= answer.status < 300
    error = None if ok else f"the receiver answered {answer.status}"
    reply = Reply(duration_ms, answer.status, _text(answer.body), error)
    if ok:
        return Delivered(reply)
    if answer.status == _GONE:
        return Gone(reply)
    if answer.status in _SAYS_WHEN:
        after = retry_after(answer.headers.get("retry-after"), now)
        if after is not None:
            return Retry(reply, after)
    return Failed(reply)


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After header (a number or a date); None if absent or unreadable."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max((moment - now).total_seconds(), 0.0)


def _text(body: bytes) -> str:
    """Text that every database takes: PostgreSQL refuses NUL."""
    return body.decode("utf-8", "replace").replace("\0", "�")


def _since(began: float) -> int:
    return round((clock.monotonic() - began) * 1000)
