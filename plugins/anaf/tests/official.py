"""The official material of RO e-Factura, which lies outside of the project (EINVOICE_NETWORKS)."""

from __future__ import annotations

import csv
import json
import os
import tarfile
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks")) / "ro"
DAY = date(2026, 11, 22)  # on which documents are judged
COMBINED = FOLDER / "schematron" / "1.0.9" / "EN16931-CIUS_RO-UBL-validation.xslt"

# Files in answers, which are described by words.
FILES = {"fisier cu extensia zip. ex: 123.zip": b"PK\x03\x04", "fisierul Pdf": b"%PDF-1.7"}

needed = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no documents of RO e-Factura at {FOLDER} (set EINVOICE_NETWORKS)"
)


def answers() -> list[dict[str, Any]]:
    """The example answers of the official interface."""
    return rows("official-answers.jsonl")


def body_of(row: dict[str, Any]) -> bytes:
    """The body of an example answer."""
    value = row["value"]
    if isinstance(value, str):
        return FILES.get(value, value.encode())
    return json.dumps(value, ensure_ascii=False).encode()


def rows(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def documents() -> Iterator[tuple[str, bytes, set[tuple[str, str]]]]:
    """(name, content, findings as (rule, flag)) of the published examples."""
    with (FOLDER / "verdicts.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            fired = {tuple(each.split(":")) for each in row["ids"].split()}
            yield row["file"], (FOLDER / row["file"]).read_bytes(), fired


def mutants(name: str) -> Iterator[tuple[str, bytes, set[tuple[str, str]]]]:
    """(name, content, findings) of the damaged examples that have a verdict."""
    for row, content in _damaged(name):
        if not row.get("no_verdict_from"):
            yield row["file"], content, {(each["id"], each["flag"]) for each in row["fired"]}


def unjudged(name: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the damaged examples on which the official rules fail."""
    for row, content in _damaged(name):
        if row.get("no_verdict_from"):
            yield row["file"], content


def _damaged(name: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    by_file = {row["file"]: row for row in rows(f"{name}.jsonl")}
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if member.name in by_file and content is not None:
                yield by_file[member.name], content.read()


@cache
def _compiled() -> tuple[Any, Any]:
    processor = pytest.importorskip("saxonche").PySaxonProcessor(license=False)
    compiler = processor.new_xslt30_processor()
    return processor, compiler.compile_stylesheet(stylesheet_file=str(COMBINED))


def verdict(document: bytes) -> set[tuple[str, str]]:
    """(rule, flag) of the findings of the official combined rules, run by Saxon."""
    from lxml import etree

    processor, executable = _compiled()
    report = executable.transform_to_string(
        xdm_node=processor.parse_xml(xml_text=document.decode())
    )
    found = etree.fromstring(report.encode()).iter("{*}failed-assert", "{*}successful-report")
    return {(each.get("id", ""), each.get("flag") or "fatal") for each in found}


def operations() -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    """(method, path) → names of required and of optional parameters, as published."""
    found = {}
    for name in ("upload", "lista"):
        document = json.loads((FOLDER / "openapi" / f"{name}.json").read_text(encoding="utf-8"))
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                parameters = operation.get("parameters", [])
                required = {each["name"] for each in parameters if each["required"]}
                every = {each["name"] for each in parameters}
                found[method.upper(), path] = required, every - required
    return found
