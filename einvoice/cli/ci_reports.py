"""Reports of `einvoice validate` for CI systems: JUnit XML, and SARIF 2.1.0.

They are written after the last file. The number of findings is bounded, errors first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from lxml import etree

from einvoice import clock
from einvoice.cli.checked_file import UNREADABLE, CheckedFile
from einvoice.release import RELEASE
from einvoice.validation import Finding, Light, folded
from einvoice.validation.levels import Levels

MAX_FINDINGS: Final = 25_000  # of a SARIF log; code scanning of GitHub takes no more
_MAX_OF_FILE: Final = 100
_LEVELS: Final = {"error": "error", "warning": "warning", "information": "note"}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _findings(checked: CheckedFile) -> tuple[Finding, ...]:
    """The findings on a file for people, errors first."""
    if checked.report is None:
        return (Finding("error", "xsd", "UNREADABLE", f"{checked.problem}."),)
    return tuple(islice(folded(checked.report.findings), _MAX_OF_FILE))


def _words(finding: Finding) -> str:
    said = (finding.message, finding.explanation, finding.suggestion)
    return " ".join(part for part in said if part)


class JUnit:
    """One test suite for each rule set, one test case for each file; a red file is a failure."""

    def __init__(self, path: Path, levels: Levels | None = None) -> None:
        self._path, self._levels = path, levels
        self._suites: dict[str, list[etree._Element]] = {}
        self._seconds: dict[str, float] = {}

    def add(self, checked: CheckedFile) -> None:
        suite = "other" if checked.is_other else checked.rule_set or "unreadable"
        seconds = checked.milliseconds / 1000
        case = etree.Element("testcase", name=_plain(checked.file), classname=suite)
        case.set("time", f"{seconds:.3f}")
        self._describe(case, checked)
        self._suites.setdefault(suite, []).append(case)
        self._seconds[suite] = self._seconds.get(suite, 0.0) + seconds

    def _describe(self, case: etree._Element, checked: CheckedFile) -> None:
        found = _findings(checked)
        errors = [each for each in found if each.severity == "error"]
        others = [each for each in found if each.severity != "error"]
        if checked.is_other:
            etree.SubElement(case, "skipped", message=_plain(errors[0].message if errors else ""))
            return
        if checked.light is Light.RED:
            kind = "error" if checked.exit_code == UNREADABLE else "failure"
            failure = etree.SubElement(case, kind, type=errors[0].rule_id if errors else "red")
            failure.set("message", _plain(errors[0].message if errors else "red"))
            failure.text = "\n".join(map(_line, errors))
        if others:
            etree.SubElement(case, "system-out").text = "\n".join(map(_line, others))

    def end(self) -> None:
        root = etree.Element("testsuites", name="einvoice validate")
        for name, cases in self._suites.items():
            suite = etree.SubElement(root, "testsuite", name=name, tests=str(len(cases)))
            for kind, counted in (("failure", "failures"), ("error", "errors")):
                suite.set(counted, str(sum(case.find(kind) is not None for case in cases)))
            if skipped := sum(case.find("skipped") is not None for case in cases):
                suite.set("skipped", str(skipped))
            if self._levels is not None:
                suite.append(_properties(self._levels))
            suite.set("time", f"{self._seconds[name]:.3f}")
            suite.set("timestamp", clock.now().strftime("%Y-%m-%dT%H:%M:%S"))
            suite.extend(cases)
        document = etree.ElementTree(root)
        document.write(str(self._path), encoding="UTF-8", xml_declaration=True, pretty_print=True)


def _properties(levels: Levels) -> etree._Element:
    """The levels by which a suite was judged: the file with its digest, and each rule."""
    found = etree.Element("properties")
    named = {"levels.file": levels.file, "levels.sha256": levels.sha256}
    named |= {f"levels.{rule}": level for rule, level in levels.named.items()}
    for name, value in named.items():
        etree.SubElement(found, "property", name=_plain(name), value=_plain(value))
    return found


def _line(finding: Finding) -> str:
    place = f"line {finding.line}: " if finding.line else ""
    return _plain(f"{finding.rule_id}: {place}{_words(finding)}")


def _plain(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NOT_XML.sub("?", text)


class Sarif:
    """One run; each finding is a result at its line, with the path in the document."""

    def __init__(self, path: Path, levels: Levels | None = None) -> None:
        self._path, self._levels = path, levels
        self._results: list[dict[str, Any]] = []
        self._left_out = 0
        self._rules: dict[str, dict[str, Any]] = {}

    def add(self, checked: CheckedFile) -> None:
        for finding in _findings(checked):
            if len(self._results) < MAX_FINDINGS:
                self._results.append(self._result(checked, finding))
            else:
                self._left_out += 1

    def _result(self, checked: CheckedFile, finding: Finding) -> dict[str, Any]:
        if finding.rule_id not in self._rules:
            self._rules[finding.rule_id] = _rule(finding)
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(checked.file)}}
        if finding.line:
            place["region"] = {"startLine": finding.line}
        location: dict[str, Any] = {"physicalLocation": place}
        if finding.location:
            location["logicalLocations"] = [{"fullyQualifiedName": finding.location}]
        return {
            "ruleId": finding.rule_id,
            "level": "note" if checked.is_other else _LEVELS[finding.severity],
            "message": {"text": _words(finding)},
            "locations": [location],
            "properties": {"ruleSet": checked.rule_set},
        }

    def end(self) -> None:
        driver = {
            "name": "einvoice",
            "version": RELEASE,
            "rules": list(self._rules.values()),
        }
        run: dict[str, Any] = {"tool": {"driver": driver}, "results": self._results}
        if self._levels is not None:
            run["properties"] = {"levels": self._levels.as_json()}
        run["invocations"] = [
            {"executionSuccessful": True, "toolExecutionNotifications": list(self._notes())}
        ]
        log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
        self._path.write_text(json.dumps(log, ensure_ascii=False, indent=1), encoding="utf-8")

    def _notes(self) -> Iterator[dict[str, Any]]:
        if self._left_out:
            message = f"{self._left_out} more findings are not listed."
            yield {"level": "warning", "message": {"text": message}}


def _rule(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.rule_id,
        "shortDescription": {"text": finding.message},
        "properties": {"tags": list(dict.fromkeys((finding.source, *finding.business_terms)))},
    }


def _uri(file: str) -> str:
    """A path as a URI reference; standard input as such."""
    return "stdin" if file == "-" else quote(Path(file).as_posix())
