"""Refusals of the service as exceptions, each with its slug, its fields and what to do.

>>> Problem(404, {"type": "https://einvoice.example/errors/not-found"}).slug
'not-found'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from einvoice_client.generated.actions import ACTIONS

_SHOWN = 200


class EinvoiceError(Exception):
    """Whatever this client raises about a request."""


class NoAnswer(EinvoiceError):
    """The connection broke, or the time of the request ended, also after the repetitions."""


class UnexpectedAnswer(EinvoiceError):
    """An answer that is not the service's, such as the page of a proxy or firewall.

    status   its HTTP status
    excerpt  the beginning of its body
    """

    def __init__(self, status: int, content_type: str, excerpt: str) -> None:
        super().__init__(
            f"The answer has status {status} and is not the service's "
            f"({content_type or 'no type'}): {excerpt!r}. "
            "Check the address of the service and what is between you and it."
        )
        self.status, self.excerpt = status, excerpt


class Problem(EinvoiceError):
    """A refusal of the service (RFC 7807).

    slug         what it is, the last part of `type`; it never changes
    status       the HTTP status
    detail       what is wrong with this request, for people
    what_to_do   what to do about it; empty for a slug that is newer than this client
    fields       JSON pointers of the fields at fault
    request_id   for the support of the service
    members      the whole document
    retry_after  seconds after which to repeat the request, if the service said so
    """

    def __init__(
        self, status: int, members: Mapping[str, Any], retry_after: float | None = None
    ) -> None:
        self.status, self.members, self.retry_after = status, dict(members), retry_after
        self.slug = str(members.get("type", "")).rstrip("/").rpartition("/")[2]
        self.detail = str(members.get("detail") or members.get("title") or "")
        self.what_to_do = ACTIONS.get(self.slug, "")
        self.request_id: str | None = members.get("requestId")
        super().__init__(f"{self.slug or status}: {self.detail}")

    @property
    def fields(self) -> list[str]:
        errors = self.members.get("errors")
        pointers = [each.get("pointer") for each in errors] if isinstance(errors, list) else []
        return [str(pointer) for pointer in pointers if pointer] or self._single_field()

    def _single_field(self) -> list[str]:
        field = self.members.get("field")
        return [field] if isinstance(field, str) else []


class NotAuthenticated(Problem):
    """The key or token is missing, unknown or expired (401)."""


class NotAllowed(Problem):
    """The key or plan does not allow it (402, 403)."""


class NotFound(Problem):
    """No such resource in the environment of the key (404, 410)."""


class Conflict(Problem):
    """The state of the resource does not allow it (409, 412)."""


class InvalidRequest(Problem):
    """The request is wrong: correct it before you repeat it (other 4xx)."""


class NetworkFailed(InvalidRequest):
    """The invoice was valid, and the network rejected it while the request waited."""

    @property
    def retryable(self) -> bool:
        """Whether the same invoice may succeed later."""
        return self.members.get("retryable") is True


class RateLimited(Problem):
    """The budget of the key or plan is used up (429), and its pause is too long to wait for."""


class Unavailable(Problem):
    """The service or a network cannot answer now (5xx)."""


_KINDS: dict[int, type[Problem]] = {
    401: NotAuthenticated, 402: NotAllowed, 403: NotAllowed, 404: NotFound, 410: NotFound,
    409: Conflict, 412: Conflict, 429: RateLimited,
}  # fmt: skip


def raised_by(response: httpx.Response) -> EinvoiceError:
    """The exception of an answer that is no success; its body has been read."""
    members = _document(response)
    if members is None:
        kind = response.headers.get("content-type", "")
        return UnexpectedAnswer(response.status_code, kind, response.text[:_SHOWN])
    status = response.status_code
    kind_of = Unavailable if status >= 500 else _KINDS.get(status, InvalidRequest)
    problem = kind_of(status, members, seconds_to_wait(response))
    if problem.slug == "network-failed":
        return NetworkFailed(status, members, problem.retry_after)
    return problem


def _document(response: httpx.Response) -> dict[str, Any] | None:
    """The problem document; None if the answer has none (a proxy's page, OAuth's own errors)."""
    try:
        members = response.json()
    except ValueError:
        return None
    return members if isinstance(members, dict) and isinstance(members.get("type"), str) else None


def seconds_to_wait(response: httpx.Response) -> float | None:
    """Retry-After in seconds; None if it is missing or no number."""
    text = response.headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
