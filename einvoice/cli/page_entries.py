"""The page that `einvoice validate --html` writes: what each file has on it."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from lxml import etree

from einvoice.cli.checked_file import CheckedFile
from einvoice.documents import conversion
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import Invoice
from einvoice.rules import Syntax
from einvoice.services import forms
from einvoice.validation import Judgement, Report
from einvoice.validation.levels import Levels
from einvoice.validation.provenance import Provenance
from einvoice.validation.report_page.entries import OTHER, FileEntry, entry
from einvoice.validation.report_page.page import ReportPage

_FORMS = {Syntax.UBL: "ubl", Syntax.CII: "cii"}


def entry_of(file: str, judgement: Judgement, report: Report, provenance: Provenance) -> FileEntry:
    """The entry of a file, with the invoice that was read of it."""
    name = "stdin" if file == "-" else file
    return entry(name, report, provenance, _invoice(judgement))


def _invoice(judgement: Judgement) -> Invoice | None:
    root, syntax = judgement.root, judgement.syntax
    if root is None or syntax is None:
        return None
    try:
        if syntax in _FORMS:
            return conversion.readable(root, _FORMS[syntax])
        return _of_plugin(root, judgement.choice.rule_set.name)
    except UnreadableDocument:
        return None


def _of_plugin(root: etree._Element, rule_set: str) -> Invoice | None:
    networks = forms.installed().networks.values()
    found = (each.profile_by(rule_set) for each in networks)
    profile = next((each for each in found if each is not None and each.read is not None), None)
    if profile is None or profile.read is None:
        return None
    return profile.read(etree.tostring(root))


class HtmlReport:
    """One page for all files. It is written beside its path, and takes its place when complete."""

    def __init__(self, path: Path, levels: Levels | None) -> None:
        self._path = path
        self._page = ReportPage(levels=levels)

    def add(self, checked: CheckedFile) -> None:
        if checked.entry is not None:
            light = OTHER if checked.is_other else checked.entry.light
            self._page.add(replace(checked.entry, light=light))

    def end(self) -> None:
        try:
            self._write()
        finally:
            self._page.close()

    def _write(self) -> None:
        if self._path.is_symlink() or (self._path.exists() and not self._path.is_file()):
            with self._path.open("wb") as target:  # a link or a device, such as /dev/stdout
                self._page.write(target)
            return
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as target:
                self._page.write(target)
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
