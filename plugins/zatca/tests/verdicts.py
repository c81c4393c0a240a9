"""The published verdicts of the official rules, on samples and on damaged ones."""

from __future__ import annotations

import csv
import json
import tarfile
from collections.abc import Iterator

from plugins.zatca.tests.official import there

Findings = set[tuple[str, str]]
LEFT_OUT = {"BR-KSA-98"}  # compares the moment of issue with that of judging


def of_samples(table: str) -> Iterator[tuple[str, bytes, Findings]]:
    with (there() / table).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            fired = {tuple(each.rsplit(":", 1)) for each in row["ids"].split()}
            yield row["file"], (there() / row["file"]).read_bytes(), _known(fired)


def of_mutants(name: str, *, judged: bool = True) -> Iterator[tuple[str, bytes, Findings]]:
    """The damaged samples that have an official verdict, or those that have none."""
    rows = {}
    with (there() / f"{name}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if bool(row.get("no_verdict_from")) != judged:
                rows[row["file"]] = {(each["id"], each["flag"]) for each in row["fired"]}
    with tarfile.open(there() / f"{name}.tar.xz") as archive:
        for member in archive:
            short = member.name.rpartition("/")[2]
            content = archive.extractfile(member) if short in rows else None
            if content is not None:
                yield short, content.read(), _known(rows[short])


def _known(fired: set) -> Findings:
    return {(rule, flag) for rule, flag in fired if rule not in LEFT_OUT}
