"""`einvoice validate --verapdf`: what veraPDF finds, and that it may hang, flood or be missing.

The programs here are stand-ins that say so, with reports as veraPDF 1.26 writes them; a long test
runs veraPDF itself.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from einvoice.cli.validate import validate
from einvoice.cli.verapdf import VeraPdf
from einvoice.documents import pdf
from einvoice.documents.ubl import write as ubl
from tests.documents.pdf.samples import ACME, an_invoice
from tests.documents.test_hybrid import factur_x, metadata

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<report>
  <buildInformation><releaseDetails id="core" version="1.26.1"/></buildInformation>
  <jobs><job>{}</job></jobs>
</report>"""
CONFORMS = REPORT.format(
    '<validationReport jobEndStatus="normal" profileName="PDF/A-3A validation profile" '
    'isCompliant="true"><details passedRules="154" failedRules="0"/></validationReport>'
)
VIOLATES = REPORT.format("""
<validationReport profileName="PDF/A-3B validation profile" isCompliant="false"><details>
  <rule specification="ISO 19005-3:2012" clause="6.8" testNumber="4" status="failed"
      failedChecks="2">
    <description>Associated files have a relationship</description>
    <check status="failed"><context>root/EmbeddedFiles[0]</context>
      <errorMessage>The file is not associated</errorMessage></check>
  </rule>
  <rule specification="ISO 19005-3:2012" clause="6.1.2" testNumber="1" status="passed"/>
</details></validationReport>""")
UNREADABLE = REPORT.format(
    '<taskException type="PARSE"><exceptionMessage>Exception: not a PDF</exceptionMessage>'
    "</taskException>"
)
UNEXPLAINED = REPORT.format('<validationReport isCompliant="false"/>')


@pytest.fixture
def stand_in(tmp_path: Path) -> Callable[[str], str]:
    """`stand_in(script)` writes a stand-in for veraPDF and returns its path."""

    def write(script: str) -> str:
        path = tmp_path / "verapdf-stand-in"
        path.write_text(
            f"#!/bin/sh\n# A stand-in for veraPDF in tests: it checks nothing.\n{script}"
        )
        path.chmod(0o700)
        return str(path)

    return write


def writing(report: str) -> str:
    return f"cat <<'END'\n{report}\nEND\n"


def run(folder: Path, program: str, *options: str, content: bytes | None = None) -> Result:
    file = folder / "invoice.pdf"
    file.write_bytes(factur_x() if content is None else content)
    return CliRunner().invoke(validate, [str(file), "--verapdf", program, *options])


def found(result: Result) -> dict[str, dict[str, str]]:
    findings = json.loads(result.output)["findings"]
    return {each["ruleId"]: each for each in findings if each["ruleId"] != "PDF-PROFILE"}


def test_a_pdf_that_conforms_is_green_and_says_by_which_level(tmp_path, stand_in):
    result = run(tmp_path, stand_in(writing(CONFORMS)), "--json")

    finding = found(result)["PDF-VERAPDF"]
    assert (result.exit_code, finding["severity"]) == (0, "information")
    assert "PDF/A-3A" in finding["message"]
    assert "1.26.1" in finding["explanation"]


def test_a_clause_that_is_violated_is_an_error_with_its_place(tmp_path, stand_in):
    result = run(tmp_path, stand_in(writing(VIOLATES)), "--json")

    [(rule, finding)] = found(result).items()
    assert (result.exit_code, rule, finding["severity"]) == (1, "PDF-A-6.8-4", "error")
    assert "ISO 19005-3:2012, clause 6.8" in finding["message"]
    assert "2 places" in finding["explanation"]
    assert "root/EmbeddedFiles[0]: The file is not associated." in finding["explanation"]


def test_a_line_of_json_has_the_findings_on_a_pdf(tmp_path, stand_in):
    line = json.loads(run(tmp_path, stand_in(writing(VIOLATES)), "--jsonl").output)

    assert {"id": "PDF-A-6.8-4", "level": "error"} in line["pdf"]


def test_a_pdf_with_ubl_need_not_be_pdfa(tmp_path, stand_in):
    invoice = an_invoice()
    content = pdf.render(invoice, ACME, ubl.document_xml(invoice))

    result = run(tmp_path, stand_in(writing(VIOLATES)), "--json", content=content)
    assert found(result)["PDF-A-6.8-4"]["severity"] == "warning"


def test_a_pdf_without_an_invoice_is_not_given_to_it(tmp_path, stand_in):
    result = run(tmp_path, stand_in(writing(VIOLATES)), "--json", content=b"%PDF-1.7 nothing")

    assert found(result).keys() == {"PDF-DAMAGED"}


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 1", "it wrote no report in XML."),
        ("echo 'Java is missing'; exit 127", "it wrote no report in XML."),
        ("kill -9 $$", "it wrote no report in XML."),
        (writing(CONFORMS[:200]), "it wrote no report in XML."),
        (writing(UNREADABLE), "Exception: not a PDF."),
        (writing(UNEXPLAINED), "its report says that the PDF does not conform, and not why."),
        ("exec cat /dev/zero", "it wrote more than 8 MiB."),
    ],
)
def test_no_result_is_a_warning_and_never_green(tmp_path, stand_in, script, reason):
    result = run(tmp_path, stand_in(script), "--json")

    finding = found(result)["PDF-VERAPDF-FAILED"]
    assert json.loads(result.output)["trafficLight"] == "amber"
    assert finding["explanation"] == f"It gave no result: {reason}"


def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path, stand_in):
    """It has started another one, as the launcher of veraPDF starts Java."""
    kept = tmp_path / "kept"
    script = f"mkfifo {kept}; (exec 3<>{kept}; cat <&3) & echo $! >{tmp_path}/child; wait"

    [finding] = VeraPdf(stand_in(script), seconds=0.5).check(b"%PDF-1.7", "error")

    assert finding.facts["reason"] == "it took longer than 0.5 seconds."
    status = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    assert not status.exists() or status.read_text().split()[2] == "Z"


def test_what_a_launcher_writes_before_the_report_is_left_out(tmp_path, stand_in):
    [finding] = VeraPdf(stand_in("echo 'WARNING: old Java'\n" + writing(CONFORMS))).check(
        b"%PDF-1.7", "error"
    )

    assert finding.code == "verapdf"


def test_a_program_that_is_missing_is_said_to_be(tmp_path):
    file = tmp_path / "no-program"
    file.write_text("not executable")

    for program in (str(tmp_path / "verapdf"), str(file), "no-such-verapdf"):
        result = run(tmp_path, program)

        assert result.exit_code == 2
        assert f"there is no program '{program}'" in result.output
        assert "https://verapdf.org" in result.output


@pytest.mark.long
def test_verapdf_itself_finds_what_is_wrong_and_what_is_not(tmp_path, stand_in):
    """veraPDF 1.26 of its public repository, where Java and Maven are installed."""
    tools = [shutil.which(tool) for tool in ("mvn", "java")]
    if None in tools:
        pytest.skip("veraPDF needs Java and Maven")
    fetch = ["mvn", "-q", "dependency:copy", "-Dartifact=org.verapdf.apps:greenfield-apps:1.26.2"]
    if subprocess.run([*fetch, f"-DoutputDirectory={tmp_path}"], timeout=300).returncode:
        pytest.skip("veraPDF cannot be fetched here")
    jar = tmp_path / "greenfield-apps-1.26.2.jar"
    program = stand_in(f'exec java -cp {jar} org.verapdf.apps.GreenfieldCliWrapper "$@"\n')

    good = run(tmp_path, program, "--json")
    assert (good.exit_code, found(good).keys()) == (0, {"PDF-VERAPDF"})
    older = factur_x(metadata(b"<pdfaid:part>3<", b"<pdfaid:part>2<"))
    bad = run(tmp_path, program, "--json", content=older)
    assert found(bad).keys() == {"PDF-PART", "PDF-A-6.8-5"}
