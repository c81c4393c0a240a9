"""Answers of platforms: flows with their acknowledgement, errors, and anything else.

Fields that an earlier version of the interface does not have are never required.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from einvoice.http import Response

MAX_TEXT: Final = 500  # characters of a platform's words that are shown
ALREADY_THERE: Final = "AlreadyExistingFlow"
OK, ERROR, PENDING = "Ok", "Error", "Pending"
_LEVEL_ERROR: Final = "Error"


class Unreadable(Exception):
    """The answer is none of the interface: a page, nothing, or another form of JSON."""


def shown(text: object) -> str:
    """A text in one line, of at most MAX_TEXT characters."""
    return " ".join(str(text or "").split())[:MAX_TEXT]


@dataclass(frozen=True, slots=True)
class Detail:
    """A reason of an acknowledgement. `code` is one of the interface, or the platform's own."""

    code: str
    message: str
    item: str = ""
    is_error: bool = True

    @property
    def words(self) -> str:
        """The detail in one line.

        >>> Detail("VirusFound", "a virus", "file").words
        'VirusFound: a virus (file)'
        """
        where = f" ({self.item})" if self.item else ""
        return f"{self.code}: {self.message}{where}" if self.message else f"{self.code}{where}"


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow as a platform names it. Texts are empty where it does not say them."""

    id: str
    status: str = PENDING
    details: tuple[Detail, ...] = ()
    tracking_id: str = ""
    type: str = ""
    syntax: str = ""
    direction: str = ""
    rule: str = ""
    name: str = ""
    updated_at: str = ""
    submitted_at: str = ""

    @classmethod
    def of(cls, values: Any) -> Flow:
        """The flow in an answer. Raises Unreadable."""
        if not isinstance(values, Mapping) or not isinstance(values.get("flowId"), str):
            raise Unreadable("the platform names a flow without its id")
        told = values.get("acknowledgement")
        told = told if isinstance(told, Mapping) else {}
        return cls(
            values["flowId"],
            _text(told, "status") or PENDING,
            tuple(_details(told)),
            *(_text(values, name) for name in _TEXTS),
        )

    @property
    def errors(self) -> tuple[Detail, ...]:
        return tuple(each for each in self.details if each.is_error)

    @property
    def is_already_there(self) -> bool:
        """Whether it was refused because the platform has it from before."""
        return self.status == ERROR and any(each.code == ALREADY_THERE for each in self.errors)


_TEXTS: Final = (
    "trackingId", "flowType", "flowSyntax", "flowDirection", "processingRule", "name", "updatedAt",
    "submittedAt",
)  # fmt: skip


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _details(told: Mapping[str, Any]) -> Iterator[Detail]:
    listed = told.get("details")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Mapping):
            yield Detail(
                shown(_text(each, "reasonCode")) or "OtherTechnicalError",
                shown(_text(each, "reasonMessage")),
                shown(_text(each, "item")),
                each.get("level", _LEVEL_ERROR) == _LEVEL_ERROR,
            )


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of the interface."""

    code: str
    message: str

    @property
    def words(self) -> str:
        return f"{self.code}: {self.message}" if self.message else self.code


def members(response: Response) -> Mapping[str, Any]:
    """The members of a JSON object. Raises Unreadable."""
    values = response.json()
    if not isinstance(values, dict):
        raise Unreadable(unreadable(response))
    return values


def fault_in(response: Response) -> Fault | None:
    """The error that the platform names; None for a page, nothing, or another form of JSON."""
    try:
        values = members(response)
    except Unreadable:
        return None
    code = values.get("errorCode")
    if not isinstance(code, str) or not code:
        return None
    words = values.get("errorMessage") or values.get("details")
    return Fault(shown(code), shown(words))


def unreadable(response: Response) -> str:
    """The description of an answer that is not of the interface."""
    size = len(response.body)
    return f"HTTP {response.status} with {size:,} bytes that are not the platform's JSON"


def moment(text: str) -> datetime | None:
    """A moment as platforms write it; None for another text."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
