"""The official material of KSeF, which lies outside of the project (EINVOICE_NETWORKS)."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from einvoice import clock
from tests.networks.ksef import samples as papers

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks")) / "pl"
_SCHEMAS = FOLDER / "xsd-invoice" / "schemy" / "FA"
UBL = ROOT / "einvoice" / "documents" / "schemas" / "ubl-2.1"

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


def filled(name: str) -> bytes:
    """An official template with values in its places."""
    text = (FOLDER / "client-templates" / "Templates" / name).read_text(encoding="utf-8")
    day = (clock.now().date() - timedelta(days=1)).isoformat()
    values = {
        "invoice_number": "F/1", "issue_date": day, "due_date": day, "buyer_reference": "4711",
        "supplier_nip": papers.SELLER, "buyer_nip": papers.BUYER, "ksef_number": "n",
        "iban": "PL61109010140000071219812874",
    }  # fmt: skip
    for place, value in values.items():
        text = text.replace(f"#{place}#", value)
    return text.encode()


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


def different_parts(system_code: str) -> set[str]:
    """The types and elements of the schema of PEF that differ from those of UBL 2.1.

    Without annotations, elements of the Polish extension, and defaults that are written out.
    """
    kind, file = {
        "PEF (3)": ("Invoice", "Schemat_PEF(3)_v2-1.xsd"),
        "PEF_KOR (3)": ("CreditNote", "Schemat_PEF_KOR(3)_v2-1.xsd"),
    }[system_code]
    theirs = _parts(_SCHEMAS.parent / "PEF" / file)
    ours = _parts(UBL / "maindoc" / f"UBL-{kind}-2.1.xsd")
    polish = {name for name in theirs if name.startswith("urn:pl:extended:")}
    return {name for name in theirs | ours if theirs.get(name) != ours.get(name)} - polish


def _parts(start: Path) -> dict[str, object]:
    """The global parts of a schema and of those that it imports, by namespace, tag and name."""
    found: dict[str, object] = {}
    left, seen = [start], set()
    while left:
        file = left.pop().resolve()
        if file in seen:
            continue
        seen.add(file)
        root = etree.parse(str(file)).getroot()
        for part in root.iterchildren(etree.Element):
            tag = etree.QName(part).localname
            if tag in ("import", "include"):
                left.append(file.parent / str(part.get("schemaLocation")))
            elif tag != "annotation":
                name = f"{root.get('targetNamespace')} {tag} {part.get('name')}"
                found[name] = _shape(part)
    return found


def _shape(part: etree._Element) -> tuple[object, ...]:
    """A part with its parts: tag, attributes without defaults, text, children."""
    once = {"minOccurs": "1", "maxOccurs": "1"}
    given = {name: value for name, value in part.attrib.items() if once.get(name) != value}
    below = (each for each in part.iterchildren(etree.Element))
    shapes = [_shape(each) for each in below if etree.QName(each).localname != "annotation"]
    return etree.QName(part).localname, tuple(sorted(given.items())), tuple(shapes)
