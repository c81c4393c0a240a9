"""The official material of KSeF, which lies outside of the project (EINVOICE_NETWORKS)."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks")) / "pl"
_SCHEMAS = FOLDER / "xsd-invoice" / "schemy" / "FA"

needed = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no documents of KSeF at {FOLDER} (set EINVOICE_NETWORKS)"
)


def samples() -> dict[str, bytes]:
    """The published FA(3) by name of file."""
    files = sorted((FOLDER / "fa3-samples" / "fa3").glob("*.xml"))
    return {file.name: file.read_bytes() for file in files}


def mutants() -> Iterator[tuple[str, bytes, bool]]:
    """(name, content, whether the official schema accepts it) of the damaged samples."""
    text = (FOLDER / "mutants-fa3.jsonl").read_text(encoding="utf-8")
    verdicts = {row["file"]: row["schema_valid"] for row in map(json.loads, text.splitlines())}
    with tarfile.open(FOLDER / "mutants-fa3.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if member.name in verdicts and content is not None:
                yield member.name, content.read(), verdicts[member.name]


class _Local(etree.Resolver):
    """Answers the government's addresses with the files of the same name."""

    def resolve(self, url, _, context):
        file = _SCHEMAS / "bazowe" / url.rpartition("/")[2]
        return self.resolve_filename(str(file), context) if file.exists() else None


@cache
def schema() -> etree.XMLSchema:
    """The official schema of FA(3)."""
    parser = etree.XMLParser()
    parser.resolvers.add(_Local())
    return etree.XMLSchema(etree.parse(str(_SCHEMAS / "schemat_FA(3)_v1-0E.xsd"), parser))


def errors(document: bytes) -> list[str]:
    """What the official schema refuses in a document."""
    schema().validate(etree.fromstring(document))
    return [entry.message for entry in schema().error_log]
