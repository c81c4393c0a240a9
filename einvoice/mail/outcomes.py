"""The outcomes of a submission to a mail server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_TEXT_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Reply:
    """The words of a server: code (RFC 5321), enhanced code (RFC 3463, may be empty), text."""

    code: int
    text: str
    enhanced: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (str(self.code), self.enhanced, self.text)))


@dataclass(frozen=True, slots=True)
class Taken:
    """The server took the message and is responsible for it. `server` is its host and port."""

    server: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Deferred:
    """Certainly no server has the message: submit it again later.

    `reply` is None if no server answered. `configuration`: until an operator acts (password,
    certificate), each attempt ends so.
    """

    reason: str
    reply: Reply | None = None
    configuration: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The server refused the sender, the receiver or the message for good (5xx).

    `step` is the command that it refused: MAIL, RCPT or DATA.
    """

    server: str
    step: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Lost:
    """The end of the message may have reached the server, whose answer did not come.

    It may have been taken: never submit it again without asking.
    """

    server: str
    reason: str


Outcome = Taken | Deferred | Refused | Lost
