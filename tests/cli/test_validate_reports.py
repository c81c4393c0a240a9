"""Several files of mixed rule sets: the table, and the reports for CI systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from click.testing import CliRunner, Result
from lxml import etree

from einvoice.cli import ci_reports
from einvoice.cli.validate import validate
from tests.documents.test_hybrid import factur_x
from tests.rules.samples import changed
from tests.rules.test_country_sets import document

# The part of SARIF 2.1.0 that the report uses, from the published schema: required members, and
# the values of enumerations.
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "properties": {
                                                "shortDescription": _TEXT,
                                                "properties": {
                                                    "properties": {
                                                        "tags": {
                                                            "type": "array",
                                                            "uniqueItems": True,
                                                        }
                                                    }
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {"required": ["executionSuccessful"]},
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "required": ["message"],
                            "properties": {
                                "message": _TEXT,
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "ruleId": {"type": "string"},
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "region": {
                                                        "properties": {
                                                            "startLine": {
                                                                "type": "integer",
                                                                "minimum": 1,
                                                            }
                                                        }
                                                    }
                                                },
                                            }
                                        }
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents of four rule sets, of which one breaks a rule, and a file that is none."""
    files = {
        "peppol.xml": etree.tostring(changed("")),
        "dutch.xml": etree.tostring(document("nlcius", "")),
        "wrong dutch.xml": etree.tostring(
            document("nlcius", "cac:PaymentMeans/cbc:PaymentMeansCode := 10")
        ),
        "romanian.xml": etree.tostring(document("cius-ro", "")),
        "hybrid.pdf": factur_x(),
        "text.xml": b"Dear \x01 Sirs",
    }
    (tmp_path / "in").mkdir()
    for name, content in files.items():
        (tmp_path / "in" / name).write_bytes(content)
    return tmp_path


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(validate, ["--no-schema", str(folder / "in"), *options])


def test_a_folder_of_mixed_files_has_a_table_with_the_rule_set_of_each(folder):
    rows = [line.split() for line in run(folder, "--on", "2026-11-21").stdout.splitlines()]

    for result, rule_set, file in (
        ("green", "peppol-bis-billing-3.0.21", "peppol.xml"),
        ("green", "nlcius-2.0.3.13", "dutch.xml"),
        ("green", "cius-ro-1.0.9", "romanian.xml"),
        ("green", "factur-x-1.09.2", "hybrid.pdf"),
        ("unreadable", "peppol-bis-billing-3.0.21", "text.xml"),
    ):
        assert [result, rule_set, str(folder / "in" / file)] in rows
    assert ["rule", "set", "green", "amber", "red", "unreadable"] in rows
    assert ["nlcius-2.0.3.13", "1", "0", "1", "0"] in rows


def test_one_file_has_no_table(folder):
    result = CliRunner().invoke(validate, ["--no-schema", str(folder / "in" / "dutch.xml")])

    assert "rule set " not in result.stdout


def test_the_junit_report_has_a_case_for_each_file(folder):
    result = run(folder, "--junit", str(folder / "junit.xml"))
    root = ET.parse(folder / "junit.xml").getroot()
    cases = {Path(case.get("name", "")).name: case for case in root.iter("testcase")}
    suites = {suite.get("name"): suite for suite in root.iter("testsuite")}

    assert result.exit_code == 2
    assert len(cases) == 6
    failure = cases["wrong dutch.xml"].find("failure")
    assert failure is not None
    assert failure.get("type") == "BR-NL-12"
    assert "BR-NL-12: line 1: The payment means must be" in (failure.text or "")
    assert cases["text.xml"].find("error") is not None
    assert cases["dutch.xml"].find("failure") is None
    assert cases["hybrid.pdf"].findtext("system-out", "").startswith("PDF-PROFILE")
    dutch = suites["nlcius-2.0.3.13"]
    assert [dutch.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "0"]


def test_the_sarif_report_has_a_result_for_each_finding(folder):
    run(folder, "--sarif", str(folder / "log.sarif"))
    log = json.loads((folder / "log.sarif").read_text())
    jsonschema.validate(log, SARIF)
    [run_of_tool] = log["runs"]
    results = {each["ruleId"]: each for each in run_of_tool["results"]}

    wrong = results["BR-NL-12"]
    assert (wrong["level"], wrong["properties"]) == ("error", {"ruleSet": "nlcius-2.0.3.13"})
    place = wrong["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("/in/wrong%20dutch.xml")
    assert place["physicalLocation"]["region"] == {"startLine": 1}
    assert place["logicalLocations"] == [{"fullyQualifiedName": "/Invoice[1]/PaymentMeans[1]"}]
    assert results["PDF-PROFILE"]["level"] == "note"
    assert {rule["id"] for rule in run_of_tool["tool"]["driver"]["rules"]} == set(results)


def test_the_sarif_report_says_how_many_findings_it_leaves_out(folder, monkeypatch):
    monkeypatch.setattr(ci_reports, "MAX_FINDINGS", 1)
    run(folder, "--sarif", str(folder / "log.sarif"))
    [run_of_tool] = json.loads((folder / "log.sarif").read_text())["runs"]

    assert len(run_of_tool["results"]) == 1
    [note] = run_of_tool["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "2 more findings are not listed."


def test_the_lines_of_json_are_the_same_beside_other_reports(folder):
    reports = ["--junit", str(folder / "j.xml"), "--sarif", str(folder / "s.json")]

    assert run(folder, "--jsonl", *reports).stdout == run(folder, "--jsonl").stdout
