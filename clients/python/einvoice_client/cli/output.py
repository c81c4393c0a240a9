"""What commands print: lines for people, or one JSON object a line; errors go to standard error."""

from __future__ import annotations

import json
import sys
from typing import Any

from einvoice_client.problems import (
    NoAnswer,
    NotAllowed,
    NotAuthenticated,
    Problem,
    RateLimited,
    Unavailable,
    UnexpectedAnswer,
)

FAILED, AGAIN, DENIED = 1, 3, 4
_MAX_TEXT = 300


def exit_code(error: Exception) -> int:
    """4: the key; 3: the same command may succeed later; 1: anything else."""
    if isinstance(error, NotAuthenticated | NotAllowed):
        return DENIED
    may_succeed = NoAnswer | Unavailable | RateLimited | UnexpectedAnswer | TimeoutError
    return AGAIN if isinstance(error, may_succeed) else FAILED


class Output:
    """Prints results and errors. Text of others reaches the terminal without control characters."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, members: dict[str, Any], line: str) -> None:
        """`members` as JSON, or the line for people."""
        print(json.dumps(members) if self.as_json else plain(line), flush=True)

    def note(self, line: str) -> None:
        """A line beside the results."""
        print(plain(line), file=sys.stderr, flush=True)

    def fault(self, message: str) -> None:
        if self.as_json:
            print(json.dumps({"error": message}), file=sys.stderr, flush=True)
        else:
            self.note(f"error: {message}")

    def error(self, error: Exception) -> None:
        if not isinstance(error, Problem):
            self.fault(str(error))
        elif self.as_json:
            print(json.dumps({"error": str(error), "problem": error.members}), file=sys.stderr)
        else:
            self.note("\n".join(_lines(error)))


def _lines(problem: Problem) -> list[str]:
    lines = [f"error: {problem.slug or problem.status}: {problem.detail}"]
    for each in problem.members.get("errors") or problem.members.get("findings") or []:
        if isinstance(each, dict):
            place = each.get("pointer") or each.get("field") or each.get("ruleId") or ""
            lines.append(f"  {place}: {each.get('message', '')}")
    if problem.what_to_do:
        lines.append(f"  what to do: {problem.what_to_do}")
    if problem.request_id:
        lines.append(f"  request: {problem.request_id}")
    return lines


def plain(text: str) -> str:
    r"""Lines of printable text, each cut where it is very long.

    >>> plain("a\x1b[2Jb\nc")
    'a�[2Jb\nc'
    """
    return "\n".join(_cut(line) for line in text.split("\n"))


def _cut(line: str) -> str:
    shown = line if len(line) <= _MAX_TEXT else line[: _MAX_TEXT - 1] + "…"
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in shown)
