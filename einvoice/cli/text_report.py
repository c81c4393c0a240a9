"""The report of `einvoice validate` for people, on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import click

from einvoice import clock
from einvoice.cli.checked_file import PASSED, RED, UNREADABLE, CheckedFile
from einvoice.cli.summary_table import SummaryTable, plain
from einvoice.validation import Finding, Light, Report, folded
from einvoice.validation.levels import Levels

_MAX_PLACES_PER_RULE: Final = 5
_COLOURS: Final = {Light.GREEN: "green", Light.AMBER: "yellow", Light.RED: "red"}
_SEVERITIES: Final = {"error": "red", "warning": "yellow", "information": "blue"}


class TextReport:
    """Print text about every file; of many files, only those not green, and a summary."""

    def __init__(self, many: bool, levels: Levels | None = None) -> None:
        self._many, self._levels = many, levels
        self._began = clock.monotonic()
        self._counts = {PASSED: 0, RED: 0, UNREADABLE: 0}
        self._others = 0
        self._table = SummaryTable(many=many)
        self._texts: list[str] = []

    def add(self, checked: CheckedFile) -> None:
        if checked.is_other:
            self._others += 1
        else:
            self._counts[checked.exit_code] += 1
        self._table.add(checked)
        if not (self._many and checked.is_green):
            self._texts.append("\n".join(_lines_of(checked)))

    def end(self) -> None:
        for text in self._texts:
            click.echo(text)
        if self._levels is not None:
            click.echo(_levels(self._levels))
        files = sum(self._counts.values()) + self._others
        if files != 1:
            for row in self._table.rows():
                click.echo(row)
            seconds = clock.monotonic() - self._began
            passed, red, unreadable = self._counts.values()
            click.echo(
                f"{_plural(files, 'file')} in {seconds:.1f} s: "
                f"{passed} passed, {red} red, {unreadable} unreadable"
                + (f", {self._others} other" if self._others else "")
            )


def _lines_of(checked: CheckedFile) -> Iterator[str]:
    report = checked.report
    if checked.is_other:
        badge = click.style(" OTHER ", bg="white", fg="black", bold=True)
        yield f"{badge} {plain(checked.file)}  {click.style(_reason(report), dim=True)}"
        return
    if report is None:
        yield f"{_badge(Light.RED)} {plain(checked.file)}: {checked.problem}"
        return
    yield f"{_badge(report.light)} {plain(checked.file)}  {_summary(report, checked)}"
    places = Counter[str]()
    for finding in folded(report.findings):
        places[finding.rule_id] += 1
        if places[finding.rule_id] <= _MAX_PLACES_PER_RULE:
            yield from _finding(finding)
    for rule, count in places.items():
        if count > _MAX_PLACES_PER_RULE:
            rest = f"and {count - _MAX_PLACES_PER_RULE} more of these; --json has them all"
            yield f"  {click.style(rule, bold=True)}  {click.style(rest, dim=True)}"


def _reason(report: Report | None) -> str:
    """Why a file is no invoice."""
    finding = next(iter(report.errors), None) if report else None
    return plain((finding.explanation or finding.message) if finding else "no invoice")


def _levels(levels: Levels) -> str:
    """The sentence that rules had other levels than their own."""
    rules = ", ".join(f"{rule}: {level}" for rule, level in levels.named.items())
    return f"Levels by {plain(levels.file)} (sha256 {levels.sha256}): {plain(rules) or 'none'}"


def _badge(light: Light) -> str:
    return click.style(f" {light.value.upper():5} ", bg=_COLOURS[light], fg="black", bold=True)


def _summary(report: Report, checked: CheckedFile) -> str:
    errors = len(report.errors)
    warnings = sum(finding.severity == "warning" for finding in report.findings)
    unread = "no invoice" if report.light is Light.RED else "not judged"
    what = f"{report.form.upper()} {report.kind}" if report.form else unread
    summary = f"{what}, {_plural(errors, 'error')}, {_plural(warnings, 'warning')}"
    return click.style(f"{summary} ({report.rule_set}, {checked.milliseconds} ms)", dim=True)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _finding(finding: Finding) -> Iterator[str]:
    rule = click.style(finding.rule_id, fg=_SEVERITIES[finding.severity], bold=True)
    line = f"line {finding.line}" if finding.line else ""
    where = "  ".join(part for part in (line, finding.location, finding.field) if part)
    yield f"  {rule}  {click.style(plain(where), dim=True)}"
    yield f"    {plain(finding.message)}"
    if finding.explanation:
        yield f"    {plain(finding.explanation)}"
    if finding.suggestion:
        yield click.style(f"    > {plain(finding.suggestion)}", fg="cyan")
