"""`einvoice validate`: check the invoices in files against the rules; print text or JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from einvoice import clock
from einvoice.cli.checked_file import PASSED, RED, UNREADABLE, CheckedFile, Output
from einvoice.cli.ci_reports import JUnit, Sarif
from einvoice.cli.file_checker import STANDARD_INPUT, FileChecker
from einvoice.cli.parallel_checks import checked_files
from einvoice.cli.summary_table import SummaryTable
from einvoice.cli.verapdf import VeraPdf
from einvoice.rules import EN16931
from einvoice.services import forms
from einvoice.validation import Finding, Light, Report, folded, judge

_PROGRESS_FROM_FILES = 20  # from this number of files on, show a progress bar and a summary
_MAX_PLACES_PER_RULE = 5
_SUFFIXES = frozenset({".xml", ".pdf"})

_COLOURS = {Light.GREEN: "green", Light.AMBER: "yellow", Light.RED: "red"}
_SEVERITIES = {"error": "red", "warning": "yellow", "information": "blue"}


def _rule_set(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    rule_sets = forms.installed().rule_sets
    if name is not None and name not in rule_sets:
        known = ", ".join(sorted(rule_set.name for rule_set in rule_sets))
        raise click.BadParameter(f"there is no rule set {name!r}; installed: {known}")
    return name


def _rule_set_of_network(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """The rule set of a network; `en16931` stands for documents of no network."""
    if name is None or name == EN16931.name:
        return name
    installed = forms.installed()
    if name not in installed.networks:
        known = ", ".join(sorted(installed.networks))
        raise click.BadParameter(f"there is no network {name!r}; installed: {known}, en16931")
    return installed.of(name).rule_set


def _rule_set_of_profile(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    profiles = [
        each for network in forms.installed().networks.values() for each in network.profiles
    ]
    found = next((each.rule_set for each in profiles if each.name == name), None)
    if name is not None and found is None:
        known = ", ".join(sorted(each.name for each in profiles))
        raise click.BadParameter(f"there is no profile {name!r}; installed: {known}")
    return found


def _verapdf(_: click.Context, __: click.Parameter, name: str | None) -> VeraPdf | None:
    if name is None:
        return None
    if found := VeraPdf.named(name):
        return found
    raise click.BadParameter(
        f"there is no program {name!r}; install veraPDF (https://verapdf.org), or leave the option "
        "out: then PDFs are checked for what the attached invoice needs only"
    )


@click.command("validate")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="The full reports as JSON.")
@click.option("--jsonl", is_flag=True, help="One line of JSON per document, without texts.")
@click.option(
    "--schema/--no-schema",
    default=True,
    help="--no-schema: check by the rules only, even if the XML Schema refuses the document.",
)
@click.option(
    "--on",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day whose rules apply; default: today.",
)
@click.option(
    "--rule-set",
    "asked",
    metavar="NAME",
    callback=_rule_set,
    help="Judge by this rule set, whatever the documents say: peppol-bis-billing, selfbilling, "
    "en16931, xrechnung, factur-x, nlcius, cius-ro, or one of a plugin.",
)
@click.option(
    "--network",
    metavar="NAME",
    callback=_rule_set_of_network,
    help="Judge documents that are of no other installed rule set by that of this network.",
)
@click.option(
    "--profile",
    metavar="NAME",
    callback=_rule_set_of_profile,
    help="Judge as documents of this profile, whatever they say; --rule-set comes before it.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the results as JUnit XML: a test case for each document.",
)
@click.option(
    "--sarif",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the findings as SARIF 2.1.0, for code scanning.",
)
@click.option(
    "--verapdf",
    metavar="PATH",
    callback=_verapdf,
    help="Check PDFs by PDF/A as a whole, with this veraPDF.",
)
def validate(
    paths: tuple[str, ...],
    as_json: bool,
    jsonl: bool,
    schema: bool,
    on: datetime | None,
    asked: str | None,
    network: str | None,
    profile: str | None,
    junit: Path | None,
    sarif: Path | None,
    verapdf: VeraPdf | None,
) -> None:
    """Check invoices: UBL 2.1, CII and what plugins add, by the rules for such documents.

    A document that is of no installed rule set is judged by that of the network, which is Peppol
    BIS Billing 3.0 where none is named. --network en16931 judges by the European norm alone.

    A PDF is opened, and the invoice that is attached to it is judged.

    PATH is a file, a folder (all its *.xml and *.pdf) or - for standard input. The exit code is 0
    if every document is green or amber, 1 if one is red, 2 if one cannot be read as an invoice.
    """
    files = list(_files(paths))
    single = len(paths) == 1 and files == list(paths)
    shown: Output = (
        _JsonLines()
        if jsonl
        else _JsonReports(single)
        if as_json
        else _TextReport(many=len(files) >= _PROGRESS_FROM_FILES)
    )
    outputs = [shown, *([JUnit(junit)] if junit else ()), *([Sarif(sarif)] if sarif else ())]
    judge_one = partial(
        judge,
        on=on.date() if on else clock.today(),
        schema=schema,
        rule_sets=forms.installed().rule_sets,
        asked=EN16931.name if network == EN16931.name else asked or profile,
        network=network,
        covered=network is None,
    )
    worst = PASSED if files else UNREADABLE
    hidden = jsonl and sys.stdout.isatty()
    make_checker = partial(
        FileChecker,
        judge_one,
        line=jsonl,
        words=outputs != [shown] or not jsonl,
        verapdf=verapdf,
    )
    with (
        closing(checked_files(files, make_checker)) as results,
        _progress(results, len(files), hidden=hidden) as followed,
    ):
        for checked in followed:
            worst = max(worst, checked.exit_code)
            for output in outputs:
                output.add(checked)
    for output in outputs:
        output.end()
    sys.exit(worst)


def _files(paths: Iterable[str]) -> Iterator[str]:
    """The files in the given order; those of a folder in alphabetical order."""
    for path in paths:
        folder = Path(path)
        if path == STANDARD_INPUT or not folder.is_dir():
            yield path
        else:
            found = (file for file in folder.rglob("*") if file.suffix.lower() in _SUFFIXES)
            yield from sorted(str(file) for file in found if file.is_file())


@contextmanager
def _progress(
    results: Iterator[CheckedFile], files: int, hidden: bool
) -> Iterator[Iterable[CheckedFile]]:
    """Show a progress bar on standard error if there are many files and it is a terminal."""
    if files < _PROGRESS_FROM_FILES or hidden or not sys.stderr.isatty():
        yield results
        return
    with click.progressbar(
        results, files, label="Validating", file=sys.stderr, show_pos=True
    ) as bar:
        yield bar


# -- one line of JSON a document -------------------------------------------------------------------


class _JsonLines:
    """Print a line of JSON for each document as it is checked."""

    def add(self, checked: CheckedFile) -> None:
        click.echo(checked.line)

    def end(self) -> None:
        pass


# -- full reports as JSON --------------------------------------------------------------------------


class _JsonReports:
    """Print one object for one file, a list for several files or a folder."""

    def __init__(self, single: bool) -> None:
        self._single = single
        self._reports: list[dict[str, object]] = []

    def add(self, checked: CheckedFile) -> None:
        self._reports.append(_report(checked))

    def end(self) -> None:
        shown = self._reports[0] if self._single else self._reports
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))


def _report(checked: CheckedFile) -> dict[str, object]:
    if checked.report is None:
        return {"file": checked.file, "trafficLight": Light.RED, "error": checked.problem}
    report = checked.report.as_json() | {"processingTimeMs": checked.milliseconds}
    return {"file": checked.file, **report}


# -- text ------------------------------------------------------------------------------------------


class _TextReport:
    """Print text about every file; of many files, only those not green, and a summary."""

    def __init__(self, many: bool) -> None:
        self._many = many
        self._began = clock.monotonic()
        self._counts = {PASSED: 0, RED: 0, UNREADABLE: 0}
        self._table = SummaryTable(many=many)
        self._texts: list[str] = []

    def add(self, checked: CheckedFile) -> None:
        self._counts[checked.exit_code] += 1
        self._table.add(checked)
        if not (self._many and checked.is_green):
            self._texts.append("\n".join(_lines_of(checked)))

    def end(self) -> None:
        for text in self._texts:
            click.echo(text)
        files = sum(self._counts.values())
        if files != 1:
            for row in self._table.rows():
                click.echo(row)
            seconds = clock.monotonic() - self._began
            passed, red, unreadable = self._counts.values()
            click.echo(
                f"{_plural(files, 'file')} in {seconds:.1f} s: "
                f"{passed} passed, {red} red, {unreadable} unreadable"
            )


def _lines_of(checked: CheckedFile) -> Iterator[str]:
    report = checked.report
    if report is None:
        yield f"{_badge(Light.RED)} {_plain(checked.file)}: {checked.problem}"
        return
    yield f"{_badge(report.light)} {_plain(checked.file)}  {_summary(report, checked)}"
    places = Counter[str]()
    for finding in folded(report.findings):
        places[finding.rule_id] += 1
        if places[finding.rule_id] <= _MAX_PLACES_PER_RULE:
            yield from _finding(finding)
    for rule, count in places.items():
        if count > _MAX_PLACES_PER_RULE:
            rest = f"and {count - _MAX_PLACES_PER_RULE} more of these; --json has them all"
            yield f"  {click.style(rule, bold=True)}  {click.style(rest, dim=True)}"


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
    yield f"  {rule}  {click.style(_plain(where), dim=True)}"
    yield f"    {_plain(finding.message)}"
    if finding.explanation:
        yield f"    {_plain(finding.explanation)}"
    if finding.suggestion:
        yield click.style(f"    > {_plain(finding.suggestion)}", fg="cyan")


def _plain(text: str) -> str:
    """Replace control characters in text from documents and file names, to protect the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


if __name__ == "__main__":
    validate()
