"""The official material of France, which lies outside of the project (EINVOICE_NETWORKS)."""

from __future__ import annotations

import csv
import json
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.networks.fr.judging import FOLDER

needed = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no documents of France at {FOLDER} (set EINVOICE_NETWORKS)"
)
_CDAR_RULES = FOLDER / "schematron" / "BR-FR-CDV-Schematron-CDAR.xslt"
_CDAR_SCHEMA = (
    FOLDER / "cdar-xsd" / "1xsd-CDAR_D22B_uncoupled"
    / "CrossDomainAcknowledgementAndResponse_100pD22B.xsd"
)  # fmt: skip
_FLUX10 = FOLDER / "flux10-xsd" / "1.0" / "ereporting.xsd"
_FLUX10_RULES = FOLDER / "flux10-schematron" / "1.0" / "xslt" / "PPF_Flux10_v1_0.xslt"


def life_cycles() -> list[Path]:
    """The 70 published messages of the life cycle."""
    return sorted(FOLDER.glob("**/*CDV*.xml"))


def use_case(number: int) -> list[bytes]:
    """The messages of a use case of annex B, in order; copies for the tax office left out."""
    folder = FOLDER / "use-cases-1.2" / f"UC{number}"
    files = [each for each in folder.glob("*CDV*.xml") if "PPF" not in each.name]
    return [each.read_bytes() for each in sorted(files, key=lambda each: each.name[4:])]


def verdicts() -> dict[str, set[str]]:
    """The rules that each published message breaks, by its file."""
    found = {}
    for name in ("verdicts-cdar.csv", "verdicts-cdar-use-cases.csv"):
        with (FOLDER / name).open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                found[row["file"]] = {each.split(":")[0] for each in row["ids"].split()}
    return found


def mutants(name: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The damaged messages, each with its row."""
    text = (FOLDER / f"{name}.jsonl").read_text("utf-8")
    rows = {row["file"]: row for row in map(json.loads, text.splitlines())}
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if member.name in rows and content is not None:
                yield rows[member.name], content.read()


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(_CDAR_SCHEMA)))


def schema_faults(message: bytes) -> list[str]:
    """What the schema of CDAR says against a message."""
    schema = _schema()
    if schema.validate(etree.fromstring(message)):
        return []
    return [str(each.message) for each in schema.error_log]


def e_report_faults(report: bytes) -> list[str]:
    """What schema and Schematron of flux 10 say against an e-report."""
    schema = _flux10_schema()
    faults = []
    if not schema.validate(etree.fromstring(report)):
        faults += [str(each.message) for each in schema.error_log]
    return faults + [
        " ".join("".join(each.itertext()).split()) for each in _judged(_FLUX10_RULES, report)
    ]


@cache
def _flux10_schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(_FLUX10)))


@cache
def _processor() -> Any:
    return pytest.importorskip("saxonche").PySaxonProcessor(license=False)


@cache
def _compiled(sheet: Path) -> Any:
    return _processor().new_xslt30_processor().compile_stylesheet(stylesheet_file=str(sheet))


def _judged(sheet: Path, document: bytes) -> Iterator[etree._Element]:
    """The failed assertions of a compiled Schematron."""
    node = _processor().parse_xml(xml_text=document.decode("utf-8-sig"))
    report = _compiled(sheet).transform_to_string(xdm_node=node)
    return etree.fromstring(report.encode()).iter("{*}failed-assert", "{*}successful-report")


def findings(message: bytes) -> set[str]:
    """The rules of BR-FR-CDV that a message breaks, as the official sheet says."""
    return {each.get("id", "") for each in _judged(_CDAR_RULES, message)}
