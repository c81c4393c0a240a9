"""A file that `einvoice validate` has checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from einvoice.validation import Light, Report
from einvoice.validation.provenance import Provenance

if TYPE_CHECKING:  # the page is imported where one is written
    from einvoice.validation.report_page.entries import FileEntry

PASSED, RED, UNREADABLE = 0, 1, 2  # exit codes: green or amber, red, not an invoice


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and its findings, which one process can send to another.

    milliseconds  for the check, and for the report
    rule_set      the release that judged it; "" if the file could not be opened
    problem       the reason why it could not be opened
    line          the line of JSON, if the output needs it
    report        the findings in words, if an output needs them; None: it could not be opened
    provenance    what the report was made from, if an output names it
    entry         the part of the file on a page of HTML, if one is written
    is_other      whether it is no invoice at all: XML of another kind, or a PDF without an invoice
    """

    file: str
    milliseconds: int
    light: Light = Light.RED
    exit_code: int = UNREADABLE
    rule_set: str = ""
    problem: str | None = None
    line: str = ""
    report: Report | None = None
    provenance: Provenance | None = None
    entry: FileEntry | None = None
    is_other: bool = False

    @property
    def is_green(self) -> bool:
        return self.light is Light.GREEN


class Output(Protocol):
    """Where the results of a validation go: the terminal, or a file for other programs."""

    def add(self, checked: CheckedFile) -> None:
        """Take the result of the next file."""
        ...

    def end(self) -> None:
        """Write what is left, after the last file."""
        ...
