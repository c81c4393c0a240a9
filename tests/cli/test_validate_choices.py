"""`einvoice validate` on folders: which files it takes, what is no invoice, and levels of rules."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from einvoice.cli.validate import validate
from einvoice.documents.ubl.write import document_xml
from tests.validation.conftest import derived

SAMPLES = Path(__file__).parents[1] / "samples"
LEVELS = b'warning = ["BR-CO-15", "BR-CO-16"]\ninformation = ["BR-S-09"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Invoices, one of them red, in two folders beside XML and a PDF that are none."""
    good = document_xml(derived({})[0])
    below = tmp_path / "files" / "2026"
    below.mkdir(parents=True)
    (tmp_path / "files" / "good.xml").write_bytes(good)
    (below / "red.xml").write_bytes(good.replace(b">121.00</cbc:Tax", b">1.00</cbc:Tax"))
    (tmp_path / "files" / "order.xml").write_text("<Order/>")
    (below / "note.txt").write_text("<Note/>")
    return tmp_path / "files"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(validate, [str(one) for one in arguments])


def lines(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("--jsonl", *arguments).stdout.splitlines()]


def names(*arguments: object) -> list[str]:
    return [Path(one["file"]).name for one in lines(*arguments)]


def test_patterns_choose_among_the_files_of_a_folder(folder: Path) -> None:
    cases: dict[tuple[str, ...], list[str]] = {
        (): ["red.xml", "good.xml", "order.xml"],
        ("--include", "*.txt"): ["note.txt"],
        ("--include", "*.txt", "--include", "good*"): ["note.txt", "good.xml"],
        ("--exclude", "o*.xml"): ["red.xml", "good.xml"],
        ("--exclude", "2026/*"): ["good.xml", "order.xml"],
        ("--include", "2026/*", "--exclude", "*.txt"): ["red.xml"],
        ("--exclude", "2026"): ["red.xml", "good.xml", "order.xml"],  # the name of a file
        ("--include", "*.json"): [],
    }

    assert {options: names(folder, *options) for options in cases} == cases
    assert names(folder / "order.xml", "--exclude", "order.xml") == ["order.xml"]


def test_what_is_no_invoice_decides_only_if_it_is_named_or_asked_for(folder: Path) -> None:
    """Exit code, and whether the file is reported."""
    order, empty = folder / "order.xml", folder.parent / "empty"
    empty.mkdir()
    (folder / "cut.xml").write_text("<Order>")
    cases: dict[tuple[object, ...], tuple[int, bool]] = {
        (folder, "--exclude", "2026/*", "--exclude", "cut.xml"): (0, True),
        (folder, "--exclude", "cut.xml"): (1, True),
        (folder, "--exclude", "cut.xml", "--ignore-other"): (1, False),
        (folder, "--exclude", "cut.xml", "--fail-on-other"): (2, True),
        (folder,): (2, True),  # what cannot be parsed may be an invoice
        (order,): (2, True),
        (order, "--ignore-other"): (2, True),
        (folder, order, "--exclude", "2026/*", "--exclude", "cut.xml"): (2, True),
        (folder, "--include", "order.xml"): (2, True),  # no invoice was found
        (empty,): (2, False),
    }

    found = {
        given: (run(*given).exit_code, "order.xml" in run("--jsonl", *given).stdout)
        for given in cases
    }
    assert found == cases


def test_every_report_says_that_a_file_is_no_invoice(folder: Path, tmp_path: Path) -> None:
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.json"
    text = run(folder, "--junit", junit, "--sarif", sarif).stdout
    reports = json.loads(run(folder, "--json").stdout)
    (suite,) = etree.parse(junit).getroot().iterfind("testsuite[@name='other']")
    levels = {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2]: each
        for each in json.loads(sarif.read_text())["runs"][0]["results"]
    }

    assert " OTHER  " in text
    assert "An element Order without a namespace" in text
    assert "1 passed, 1 red, 0 unreadable, 1 other" in text
    assert [each.get("other") for each in reports] == [None, None, True]
    assert [each.get("other") for each in lines(folder)] == [None, None, True]
    assert (suite.get("errors"), suite.get("skipped")) == ("0", "1")
    assert levels["order.xml"]["level"] == "note"


def test_a_line_names_the_release_and_why_it_judged(folder: Path) -> None:
    good, former = lines(folder / "good.xml", SAMPLES / "former" / "zugferd_1.xml")

    assert good["ruleSet"].startswith("peppol-bis-billing-3.0.")
    assert good["release"].startswith("Peppol BIS Billing 3.0.")
    assert good["chosenBy"] == "document"
    assert (former["trafficLight"], former["notJudged"], former["chosenBy"]) == (
        "amber", "former", "network"
    )  # fmt: skip
    assert run(SAMPLES / "former" / "zugferd_1.xml").exit_code == 0
    assert lines(folder / "good.xml", "--rule-set", "en16931")[0]["chosenBy"] == "request"


def test_a_report_names_document_and_rules_by_their_digests(folder: Path) -> None:
    good, red = (
        json.loads(run(folder / name, "--json").stdout) for name in ("good.xml", "2026/red.xml")
    )
    other = json.loads(run(folder / "good.xml", "--json", "--rule-set", "en16931").stdout)

    assert good["documentSha256"] == hashlib.sha256((folder / "good.xml").read_bytes()).hexdigest()
    assert good["documentSha256"] != red["documentSha256"]
    assert good["ruleSetSha256"] == red["ruleSetSha256"] != other["ruleSetSha256"]
    assert len(good["ruleSetSha256"]) == 64
    (finding,) = (each for each in red["findings"] if each["ruleId"] == "BR-CO-15")
    assert "value" not in finding  # its place is a group of elements


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    file = tmp_path / "levels.toml"
    file.write_bytes(LEVELS)
    return file


def test_levels_raise_and_lower_rules(folder: Path, tmp_path: Path) -> None:
    """Light, exit code and the levels of what fired, beside a rule that keeps its own."""
    red, file = folder / "2026" / "red.xml", tmp_path / "levels.toml"
    found = {}
    for text in (b"", LEVELS, b'information = ["BR-CO-15", "BR-CO-16"]', b'warning = ["BR-CO-16"]'):
        file.write_bytes(text)
        (line,) = lines(red, "--levels", file)
        fired = {each["id"]: each.get("level", each["flag"]) for each in line["fired"]}
        found[text] = (line["trafficLight"], run(red, "--levels", file).exit_code, fired)

    assert found == {
        b"": ("red", 1, {"BR-CO-15": "fatal", "BR-CO-16": "fatal"}),
        LEVELS: ("amber", 0, {"BR-CO-15": "warning", "BR-CO-16": "warning"}),
        b'information = ["BR-CO-15", "BR-CO-16"]': (
            "green",
            0,
            dict.fromkeys(("BR-CO-15", "BR-CO-16"), "information"),
        ),
        b'warning = ["BR-CO-16"]': ("red", 1, {"BR-CO-15": "fatal", "BR-CO-16": "warning"}),
    }


def test_levels_come_after_those_of_the_scenario(tmp_path: Path) -> None:
    """BR-CL-23 is fatal in EN 16931 and a warning in the scenario of XRechnung."""
    document, file = tmp_path / "x.xml", tmp_path / "levels.toml"
    text = (SAMPLES / "xrechnung_ubl.xml").read_text()
    document.write_text(text.replace('unitCode="C62"', 'unitCode="nn"').replace("HUR", "nn"))
    found = {}
    for level in ("", "error", "information"):
        file.write_text(f'{level} = ["BR-CL-23"]' if level else "")
        found[level] = lines(document, "--levels", file)[0]["trafficLight"]

    assert found == {"": "amber", "error": "red", "information": "green"}


def test_every_report_says_which_levels_were_used(
    folder: Path, levels: Path, tmp_path: Path
) -> None:
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.json"
    digest = hashlib.sha256(LEVELS).hexdigest()
    rules = {"BR-CO-15": "warning", "BR-CO-16": "warning", "BR-S-09": "information"}
    stated = {"file": str(levels), "sha256": digest, "rules": rules}
    text = run(folder, "--levels", levels, "--junit", junit, "--sarif", sarif).stdout
    properties = {
        each.get("name"): each.get("value") for each in etree.parse(junit).iterfind(".//property")
    }

    assert f"Levels by {levels} (sha256 {digest}): BR-CO-15: warning, BR-CO-16" in text
    assert [each["levels"] for each in lines(folder, "--levels", levels)] == [digest] * 3
    for report in json.loads(run(folder, "--levels", levels, "--json").stdout):
        assert report["levels"] == stated
    assert (properties["levels.sha256"], properties["levels.BR-S-09"]) == (digest, "information")
    assert json.loads(sarif.read_text())["runs"][0]["properties"]["levels"] == stated
    assert "levels" not in run(folder, "--json").stdout


def test_a_file_that_is_none_of_levels_is_refused(folder: Path, tmp_path: Path) -> None:
    """A misspelt rule would leave the verdict as it is, without a word."""
    file = tmp_path / "levels.toml"
    cases = {
        b'warning = ["BR-CO-150"]': "no rule set has a rule 'BR-CO-150'",
        b'error = ["XML-EMPTY"]': "no rule set has a rule 'XML-EMPTY'",
        b'fatal = ["BR-CO-15"]': "'fatal' is no level; there are error, warning, information",
        b'warning = "BR-CO-15"': 'warning must be a list of ids: warning = ["BR-01"]',
        b"warning = [15]": "warning must be a list of ids",
        b'warning = ["BR-CO-15"]\nerror = ["BR-CO-15"]': "BR-CO-15 is named twice",
        b"BR-CO-15: warning": "it is not TOML",
        b"\xff": "it is not TOML",
        b"#" * (1024 * 1024 + 1): "it has more than 1048576 bytes",
    }

    for text, message in cases.items():
        file.write_bytes(text)
        result = run(folder, "--levels", file)
        assert (result.exit_code, message in result.stderr) == (2, True), text[:40]
    assert "No such file" in run(folder, "--levels", tmp_path / "none.toml").stderr
