"""`einvoice validate`: exit codes, lines of JSON, reports, and files that are not invoices."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.rules import grown
from einvoice.cli.validate import validate
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION
from tests.oracle import official, sources
from tests.oracle.sources import ROOT
from tests.validation.conftest import derived

ON = ("--on", "2026-11-21")  # BIS Billing 3.0.21 is in force
KEYS = {
    "file", "syntax", "kind", "trafficLight", "ruleSet", "release", "chosenBy", "schemaErrors",
    "fired",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A valid invoice, one that fails the rules, one that fails the schema, and a text file."""
    good = document_xml(derived({})[0])
    (tmp_path / "good.xml").write_bytes(good)
    (tmp_path / "rules.xml").write_bytes(good.replace(b">121.00</cbc:Tax", b">1.00</cbc:Tax"))
    (tmp_path / "schema.xml").write_bytes(good.replace(b"<cbc:ID>", b"<cbc:No/><cbc:ID>", 1))
    (tmp_path / "text.xml").write_bytes(b"Dear Sirs")
    return tmp_path


def run(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(validate, [str(one) for one in arguments], input=given)


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["good.xml"], 0),
        (["rules.xml"], 1),
        (["schema.xml"], 1),
        (["text.xml"], 2),
        (["missing.xml"], 2),
        (["good.xml", "rules.xml"], 1),
        (["rules.xml", "text.xml"], 2),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"], ["--jsonl"]])
def test_the_exit_code_is_that_of_the_worst_file(
    folder: Path, names: list[str], code: int, form: list[str]
) -> None:
    """0 for green or amber, 1 for red, 2 for other files, in every output format."""
    assert run(*form, *(folder / name for name in names)).exit_code == code


def test_a_line_names_the_level_of_a_scenario_and_what_no_scenario_fits(tmp_path: Path) -> None:
    """The flag is that of the rule; the light follows the level."""
    text = (ROOT / "tests/samples/xrechnung_ubl.xml").read_text()
    (tmp_path / "level.xml").write_text(text.replace('unitCode="C62"', 'unitCode="??"'))
    (tmp_path / "refused.xml").write_text(text.replace("xrechnung_3.0<", "xrechnung_3.0 <"))
    level, refused = lines(run("--jsonl", tmp_path))

    [unit] = level["fired"]
    assert (unit["id"], unit["flag"], unit["level"]) == ("BR-CL-23", "fatal", "warning")
    assert (level["trafficLight"], refused["trafficLight"]) == ("amber", "red")
    assert [one["id"] for one in refused["fired"]] == ["BR-DE-21"]
    assert refused["refused"].endswith("xrechnung_3.0")


def test_information_does_not_count_as_a_warning(tmp_path: Path) -> None:
    """An XRechnung without a date of supply passes without one."""
    text = (ROOT / "tests/samples/xrechnung_ubl.xml").read_text()
    head, _, rest = text.partition("<cac:Delivery>")
    (tmp_path / "a.xml").write_text(head + rest.partition("</cac:Delivery>")[2])
    result = run(tmp_path / "a.xml")

    assert result.exit_code == 0
    assert "0 errors, 0 warnings" in result.stdout
    assert "BR-DE-TMP-32" in result.stdout


def test_a_line_of_json_has_exactly_its_fields(folder: Path) -> None:
    good, refused, broken, text = lines(run("--jsonl", folder))

    assert {frozenset(one) for one in (good, refused, broken, text)} == {frozenset(KEYS)}
    assert (good["syntax"], good["kind"], good["trafficLight"]) == ("UBL", "Invoice", "green")
    assert (good["schemaErrors"], good["fired"]) == ([], [])
    assert {"id": "BR-CO-15", "source": "CEN-UBL", "flag": "fatal", "at": "/Invoice[1]"} in refused[
        "fired"
    ]
    assert broken["schemaErrors"]
    assert broken["fired"] == []
    assert (text["syntax"], text["kind"], text["trafficLight"]) == (None, None, "red")


def test_no_schema_runs_the_rules_on_documents_that_the_schema_refuses(folder: Path) -> None:
    [line] = lines(run("--jsonl", "--no-schema", folder / "schema.xml"))

    assert line["schemaErrors"] == []
    assert line["kind"] == "Invoice"
    assert line["trafficLight"] != "red" or line["fired"]


def test_file_names_are_as_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative names stay relative; files of a folder are in alphabetical order."""
    monkeypatch.chdir(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "UPPER.XML").write_bytes((folder / "good.xml").read_bytes())
    (folder / "sub" / "notes.txt").write_text("not looked at")

    assert [one["file"] for one in lines(run("--jsonl", "./good.xml", "sub"))] == [
        "./good.xml",
        "sub/UPPER.XML",
    ]


def test_one_file_is_one_report_and_several_are_a_list(folder: Path) -> None:
    report = json.loads(run("--json", *ON, folder / "rules.xml").stdout)
    reports = json.loads(run("--json", folder).stdout)

    assert (report["trafficLight"], report["outcome"]) == ("red", "Block")
    assert report["ruleSet"] == "peppol-bis-billing-3.0.21"
    assert report["findings"][0]["suggestion"]
    assert isinstance(report["processingTimeMs"], int)
    assert [Path(one["file"]).name for one in reports] == [
        "good.xml",
        "rules.xml",
        "schema.xml",
        "text.xml",
    ]


def test_the_text_has_the_finding_its_place_and_its_fix(folder: Path) -> None:
    shown = run(folder / "rules.xml").stdout

    assert "RED" in shown
    assert "BR-CO-15" in shown
    assert "invoice.totals.grandTotal" in shown
    assert "> Send 121.00" in shown


@pytest.mark.parametrize(("wrong", "rest"), [(5, ""), (6, "and 1 more of these"), (40, "35 more")])
def test_a_repeated_finding_is_printed_five_times(tmp_path: Path, wrong: int, rest: str) -> None:
    """The rest is counted; --json has every place."""
    invoice = grown("UBL", wrong)
    (tmp_path / "units.xml").write_bytes(
        re.sub(rb'(InvoicedQuantity) unitCode="\w+"', rb"\1", invoice)
    )
    shown = run(tmp_path / "units.xml").stdout
    [report] = [json.loads(run(tmp_path / "units.xml", "--json").stdout)]

    assert shown.count("> Give the unit as a code") == 5
    assert rest in shown
    assert ("more of these" in shown) is bool(rest)
    assert [one["ruleId"] for one in report["findings"]].count("BR-23") == wrong


def test_of_many_files_only_those_that_are_not_green_are_printed(folder: Path) -> None:
    for number in range(30):
        (folder / f"more-{number}.xml").write_bytes((folder / "good.xml").read_bytes())
    shown = run(folder).stdout

    assert "more-1.xml" not in shown
    assert "rules.xml" in shown
    assert "34 files" in shown


def test_standard_input_is_a_file_named_dash(folder: Path) -> None:
    given = (folder / "good.xml").read_bytes()

    assert lines(run("--jsonl", "-", given=given))[0]["trafficLight"] == "green"


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    """In names and texts they are replaced."""
    bad = folder / "a\x1b[31m.xml"
    bad.write_bytes((folder / "good.xml").read_bytes().replace(b">EUR<", ">\u202eEU<".encode()))
    shown = run(bad).stdout

    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_an_empty_folder_exits_with_2(tmp_path: Path) -> None:
    assert run(tmp_path).exit_code == 2


def test_the_day_selects_the_rule_set(folder: Path) -> None:
    days = ("2026-11-21", "2027-02-23", "2027-02-24")
    reports = [json.loads(run("--json", "--on", d, folder / "good.xml").stdout) for d in days]

    assert [report["ruleSet"].rpartition("-")[2] for report in reports] == [
        "3.0.21", "3.0.21", "3.0.22",
    ]  # fmt: skip


PEPPOL = "peppol-bis-billing"
OTHER = b"urn:cen.eu:en16931:2017#compliant#urn:example:other"


@pytest.mark.parametrize(
    ("options", "specification", "rule_set", "chosen_by", "light"),
    [
        ([], None, "peppol-bis-billing-3.0.21", "document", "green"),
        ([], OTHER, "en16931-1.3.16", "document", "amber"),
        (["--network", "peppol"], OTHER, "peppol-bis-billing-3.0.21", "network", "red"),
        (["--network", "en16931"], OTHER, "en16931-1.3.16", "request", "green"),
        (["--network", "en16931"], None, "en16931-1.3.16", "request", "green"),
        (["--rule-set", "en16931"], OTHER, "en16931-1.3.16", "request", "green"),
        (["--profile", PEPPOL], OTHER, "peppol-bis-billing-3.0.21", "request", "red"),
        (
            ["--profile", PEPPOL, "--rule-set", "en16931"],
            None,
            "en16931-1.3.16",
            "request",
            "green",
        ),
        (
            ["--rule-set", "peppol-bis-billing"],
            OTHER,
            "peppol-bis-billing-3.0.21",
            "request",
            "red",
        ),
    ],
)
def test_a_report_names_the_rule_set_and_why_it_judged(
    folder: Path,
    options: list[str],
    specification: bytes | None,
    rule_set: str,
    chosen_by: str,
    light: str,
) -> None:
    """What is asked for comes first, then what the document says, then the network."""
    path = folder / "good.xml"
    if specification is not None:
        path.write_bytes(
            path.read_bytes().replace(BIS_BILLING_CUSTOMIZATION.encode(), specification)
        )

    report = json.loads(run("--json", *ON, *options, path).stdout)

    assert (report["ruleSet"], report["ruleSetChosenBy"]) == (rule_set, chosen_by)
    assert report["trafficLight"] == light


def test_a_profile_that_is_not_installed_is_refused_with_those_that_are(folder: Path) -> None:
    result = run("--profile", "cius-xx", folder / "good.xml")

    assert result.exit_code == 2
    assert "'cius-xx'; installed: cius-ro, " in result.stderr
    assert "nlcius, pef, peppol-bis-billing, " in result.stderr


@pytest.mark.parametrize("option", ["--rule-set", "--network"])
def test_a_rule_set_or_network_that_is_not_installed_is_refused_with_those_that_are(
    folder: Path, option: str
) -> None:
    result = run(option, "cius-xx", folder / "good.xml")

    assert result.exit_code == 2
    assert "'cius-xx'" in result.stderr
    assert "en16931" in result.stderr


NETWORKS = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks"))


@pytest.mark.skipif(
    not NETWORKS.exists(), reason=f"no documents of networks at {NETWORKS} (set EINVOICE_NETWORKS)"
)
@pytest.mark.parametrize("country", ["ro/samples", "fr/use-cases-1.2"])
def test_documents_of_other_networks_have_the_verdict_of_the_official_en16931_rules(
    country: str,
) -> None:
    """The published samples of RO e-Factura and of the French reform, ids and flags."""
    compared = 0
    for row in lines(run("--jsonl", "--network", "en16931", NETWORKS / country)):
        content = Path(str(row["file"])).read_bytes()
        if row["syntax"] != "UBL" or row["schemaErrors"]:
            continue
        try:
            expected = official.verdict(content, (sources.CEN_UBL,)).fired
        except sources.Unavailable as reason:
            pytest.skip(str(reason))
        fired = Counter((one["id"], one["flag"]) for one in row["fired"])
        assert fired == Counter((one.id, one.flag) for one in expected.elements()), row["file"]
        compared += 1
    assert compared >= 8
