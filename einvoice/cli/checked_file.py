"""A file that `einvoice validate` has checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from einvoice.validation import Judgement, Light

PASSED, RED, UNREADABLE = 0, 1, 2  # exit codes: green or amber, red, not an invoice


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and its findings; `problem` is the reason why it could not be opened."""

    file: str
    judgement: Judgement | None
    milliseconds: int
    problem: str | None = None

    @property
    def exit_code(self) -> int:
        if self.judgement is None or not self.judgement.is_document:
            return UNREADABLE
        return RED if self.judgement.light is Light.RED else PASSED

    @property
    def light(self) -> Light:
        return Light.RED if self.judgement is None else self.judgement.light

    @property
    def is_green(self) -> bool:
        return self.light is Light.GREEN

    @property
    def rule_set(self) -> str:
        """The release that judged it; "" if the file could not be opened."""
        return "" if self.judgement is None else self.judgement.pack.id


class Output(Protocol):
    """Where the results of a validation go: the terminal, or a file for other programs."""

    def add(self, checked: CheckedFile) -> None:
        """Take the result of the next file."""
        ...

    def end(self) -> None:
        """Write what is left, after the last file."""
        ...
