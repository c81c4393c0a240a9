"""The official documents and verdicts of networks, outside of the project (EINVOICE_NETWORKS)."""

from __future__ import annotations

import csv
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks"))
Fired = set[tuple[str, str]]  # (rule id, flag)

needed = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no documents of networks at {FOLDER} (set EINVOICE_NETWORKS)"
)


@dataclass(frozen=True)
class Official:
    """The documents of one rule set: its name, a country's folder, its verdicts and mutants."""

    rule_set: str
    country: str
    verdicts: tuple[str, ...]
    mutants: str

    @property
    def folder(self) -> Path:
        return FOLDER / self.country

    def samples(self) -> Iterator[tuple[str, bytes, Fired]]:
        """(name, content, findings) of the published examples, valid by the schema or not."""
        for name in self.verdicts:
            with (self.folder / name).open(encoding="utf-8") as lines:
                for row in csv.DictReader(lines):
                    rules = row["ids"] if "ids" in row else row["rules"]
                    fired = {_pair(each) for each in rules.split()}
                    yield row["file"], (self.folder / row["file"]).read_bytes(), fired

    def damaged(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """(row, content) of the damaged examples."""
        lines = (self.folder / f"{self.mutants}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = {row["file"]: row for row in map(json.loads, lines)}
        with tarfile.open(self.folder / f"{self.mutants}.tar.xz") as archive:
            for member in archive:
                row, content = rows.get(Path(member.name).name), archive.extractfile(member)
                if row and content is not None:
                    yield row, content.read()


def _pair(text: str) -> tuple[str, str]:
    rule, _, flag = text.rpartition(":")
    return rule, flag


def fired_in(row: dict[str, Any]) -> Fired:
    """The findings of a damaged example."""
    return {(each["id"], each["flag"]) for each in row["fired"]}
