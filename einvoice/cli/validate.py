"""`einvoice validate`: check the invoices in files against the rules: text, JSON, a page."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from einvoice import clock
from einvoice.cli import validation_options
from einvoice.cli.checked_file import PASSED, UNREADABLE, CheckedFile, Output
from einvoice.cli.chosen_files import ChosenFiles, Others
from einvoice.cli.ci_reports import JUnit, Sarif
from einvoice.cli.file_checker import FileChecker
from einvoice.cli.json_reports import JsonLines, JsonReports
from einvoice.cli.parallel_checks import checked_files
from einvoice.cli.text_report import TextReport
from einvoice.cli.verapdf import VeraPdf
from einvoice.rules import EN16931
from einvoice.services import forms
from einvoice.validation import judge
from einvoice.validation.levels import Levels

_PROGRESS_FROM_FILES = 20  # from this number of files on, show a progress bar and a summary


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
    callback=validation_options.rule_set,
    help="Judge by this rule set, whatever the documents say: peppol-bis-billing, selfbilling, "
    "en16931, xrechnung, factur-x, nlcius, cius-ro, br-fr, br-fr-extended, or one of a plugin.",
)
@click.option(
    "--network",
    metavar="NAME",
    callback=validation_options.rule_set_of_network,
    help="Judge documents that are of no other installed rule set by that of this network.",
)
@click.option(
    "--profile",
    metavar="NAME",
    callback=validation_options.rule_set_of_profile,
    help="Judge as documents of this profile, whatever they say; --rule-set comes before it.",
)
@click.option(
    "--levels",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    callback=validation_options.levels,
    help="Raise or lower rules: a file in TOML with ids below error, warning and information.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Of folders, only files that fit: *.xml, or 2026/*.xml below the folder. Repeatable.",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Of folders, not these files. Repeatable."
)
@click.option(
    "--ignore-other",
    "others",
    flag_value=Others.IGNORED.value,
    default=Others.REPORTED.value,
    help="Leave out files in folders that are no invoices; else they are reported, and do not "
    "decide the exit code.",
)
@click.option(
    "--fail-on-other",
    "others",
    flag_value=Others.COUNTED.value,
    help="Count files in folders that are no invoices as unreadable.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    callback=validation_options.file_to_write,
    help="Write the results as JUnit XML: a test case for each document.",
)
@click.option(
    "--sarif",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    callback=validation_options.file_to_write,
    help="Write the findings as SARIF 2.1.0, for code scanning.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    callback=validation_options.file_to_write,
    help="Write one page for all documents: verdicts, findings and the invoices, to read or print.",
)
@click.option(
    "--verapdf",
    metavar="PATH",
    callback=validation_options.verapdf,
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
    levels: Levels | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    others: str,
    junit: Path | None,
    sarif: Path | None,
    html: Path | None,
    verapdf: VeraPdf | None,
) -> None:
    """Check invoices: UBL 2.1, CII and what plugins add, by the rules for such documents.

    A document that is of no installed rule set is judged by that of the network, which is Peppol
    BIS Billing 3.0 where none is named. --network en16931 judges by the European norm alone.

    A PDF is opened, and the invoice that is attached to it is judged.

    PATH is a file, a folder (all its *.xml and *.pdf) or - for standard input. The exit code is 0
    if every document is green or amber, 1 if one is red, 2 if one cannot be read as an invoice, or
    there is none.
    """
    chosen = ChosenFiles.of(paths, include, exclude)
    files = chosen.files
    shown: Output
    if jsonl:
        shown = JsonLines()
    elif as_json:
        shown = JsonReports(single=list(paths) == list(files) and len(files) == 1)
    else:
        shown = TextReport(many=len(files) >= _PROGRESS_FROM_FILES, levels=levels)
    outputs = [shown, *_written_reports(junit, sarif, html, levels)]
    judge_one = partial(
        judge,
        on=on.date() if on else clock.today(),
        schema=schema,
        rule_sets=forms.installed().rule_sets,
        asked=EN16931.name if network == EN16931.name else asked or profile,
        network=network,
        covered=network is None,
        levels=levels.flags if levels else None,
    )
    hidden = jsonl and sys.stdout.isatty()
    make_checker = partial(
        FileChecker,
        judge_one,
        line=jsonl,
        words=outputs != [shown] or not jsonl,
        provenance=as_json or html is not None,
        levels=levels,
        page=html is not None,
        verapdf=verapdf,
    )
    with (
        closing(checked_files(files, make_checker)) as results,
        _progress(results, len(files), hidden=hidden) as followed,
    ):
        exit_code = _exit_code(chosen.counted(followed, Others(others)), outputs)
    for output in outputs:
        _end(output)
    sys.exit(exit_code)


def _written_reports(
    junit: Path | None, sarif: Path | None, html: Path | None, levels: Levels | None
) -> Iterator[Output]:
    if junit:
        yield JUnit(junit, levels)
    if sarif:
        yield Sarif(sarif, levels)
    if html:
        from einvoice.cli.page_entries import HtmlReport  # imports what makes pages

        yield HtmlReport(html, levels)


def _exit_code(results: Iterable[CheckedFile], outputs: Sequence[Output]) -> int:
    """That of the worst of the results, each of which is added to every output."""
    worst = None  # of no invoice
    for checked in results:
        if not checked.is_other:
            worst = max(worst or PASSED, checked.exit_code)
        for output in outputs:
            output.add(checked)
    return UNREADABLE if worst is None else worst


class Unwritten(click.ClickException):
    """A report could not be written."""

    exit_code = UNREADABLE


def _end(output: Output) -> None:
    try:
        output.end()
    except BrokenPipeError:
        raise  # click ends the command: who reads its output has gone
    except OSError as fault:
        raise Unwritten(f"a report cannot be written: {fault}") from None


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


if __name__ == "__main__":
    validate()
