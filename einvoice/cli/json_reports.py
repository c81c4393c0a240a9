"""The reports of `einvoice validate` for programs: a line for each document, or full reports."""

from __future__ import annotations

import json
from textwrap import indent

import click

from einvoice.cli.checked_file import CheckedFile
from einvoice.validation import Light, with_processing_time


class JsonLines:
    """Print a line of JSON for each document as it is checked."""

    def add(self, checked: CheckedFile) -> None:
        click.echo(checked.line)

    def end(self) -> None:
        pass


class JsonReports:
    """Print one object for one file, a list for several files or a folder, as they are checked."""

    def __init__(self, single: bool) -> None:
        self._single = single
        self._count = 0

    def add(self, checked: CheckedFile) -> None:
        text = json.dumps(_report(checked), indent=2, ensure_ascii=False)
        if not self._single:
            text = ("[\n" if self._count == 0 else ",\n") + indent(text, "  ")
        click.echo(text, nl=self._single)
        self._count += 1

    def end(self) -> None:
        if not self._single:
            click.echo("\n]" if self._count else "[]")


def _report(checked: CheckedFile) -> dict[str, object]:
    other = {"other": True} if checked.is_other else {}
    if checked.report is None:
        return {"file": checked.file, "trafficLight": Light.RED, "error": checked.problem}
    light = checked.report.as_json()
    findings = light.pop("findings")
    provenance = checked.provenance.as_json() if checked.provenance else {}
    whole = {**light, **provenance, "findings": findings}
    return {"file": checked.file, **other, **with_processing_time(whole, checked.milliseconds)}
