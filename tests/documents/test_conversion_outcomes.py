"""Every document is converted without an error of the target's rules, or what stands in the way is
named: the place and what to do.

All samples of Factur-X, and documents of every corpus drawn by a seed, the damaged ones too; to the
other syntax and to the body of a send. The table of outcomes is printed by reason.
"""

from __future__ import annotations

import random
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from einvoice.domain.errors import InvalidField, UnreadableDocument
from einvoice.services import forms
from einvoice.services.send.conversion import JSON, Conversion, convert_document
from einvoice.services.send.submission import Submission
from einvoice.validation import Finding, judge, report_of
from tests.conformance import corpus
from tests.seed import SEED

DRAWN = 200
DAY = date(2026, 11, 23)
FOLDERS = corpus.folder().parent
# What a profile leaves out, said of the whole document.
OF_THE_WHOLE = "of Factur-X has no lines"

pytestmark = pytest.mark.skipif(
    not corpus.present(), reason="the corpus is not here: set EINVOICE_CORPUS"
)


def in_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith(".xml"):
                yield f"{path.parent.name}/{member.name}", file.read()


def kinds() -> dict[str, list[tuple[str, bytes]]]:
    """The documents by the folder or archive of a corpus that they are in."""
    found = {
        f"{path.parent.name}/{path.name}": list(in_archive(path))
        for path in sorted(FOLDERS.glob("corpus*/*.tar.*z"))
    }
    for part in ("valid", "examples", "unit"):
        files = sorted((corpus.folder() / part).rglob("*.xml"))
        found[part] = [(f"{part}/{file.name}", file.read_bytes()) for file in files]
    return {kind: documents for kind, documents in found.items() if documents}


def drawn(count: int) -> list[tuple[str, bytes]]:
    """As many of each kind; the samples of Factur-X are tested apart."""
    chance, chosen = random.Random(SEED), []
    by_kind = kinds()
    by_kind.pop("corpus-facturx/examples.tar.xz", None)
    for number in range(count):
        documents = by_kind[sorted(by_kind)[number % len(by_kind)]]
        chosen.append(documents.pop(chance.randrange(len(documents))))
    return chosen


def errors(found: Conversion) -> list[Finding]:
    return found.verdict.report.errors


def says_what_to_do(finding: Finding) -> bool:
    """With its place and what to change."""
    return bool(finding.location and finding.explanation and finding.suggestion)


def outcome(content: bytes, to: str | None) -> str:
    """The reason of the table; a text that begins with FAULT is none that may be."""
    network = forms.installed().of("peppol")
    source = report_of(judge(content, on=DAY, rule_sets=network.rule_sets))
    sort = "a document with errors" if source.errors else "a document without errors"
    try:
        found = convert_document(Submission(content), to, DAY, network)
    except UnreadableDocument as refused:
        named = refused.path != "/" or OF_THE_WHOLE in refused.reason
        return f"{sort}: refused, with the element" if named else f"FAULT {refused}"
    except InvalidField as refused:
        named = all(each.pointer and each.message for each in refused.errors)
        return f"{sort}: refused, with the field" if named else f"FAULT {refused}"
    if faults := [each for each in errors(found) if not says_what_to_do(each)]:
        return f"FAULT {faults[0].rule_id} says no place or nothing to do"
    if not errors(found):
        return f"{sort}: converted without errors"
    known = {each.rule_id for each in source.errors}
    own = {each.rule_id for each in errors(found)} - known
    return f"{sort}: converted, errors {'of the target' if own else 'of the source'}"


def table(documents: list[tuple[str, bytes]]) -> tuple[Counter[str], list[str]]:
    """How many documents have each outcome, by target; and the faults."""
    rows, faults = Counter[str](), []
    for name, content in documents:
        for to in (None, JSON):
            reason = outcome(content, to)
            rows[f"{to or 'other syntax'}: {reason}"] += 1
            if reason.startswith("FAULT"):
                faults.append(f"{name}: {reason}")
    return rows, faults


def printed(rows: Counter[str], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print()
        for reason, count in sorted(rows.items()):
            print(f"{count:5} {reason}")


def test_every_sample_of_factur_x_becomes_ubl_without_errors(capsys):
    """And the body of a send, which the network finds no addresses in."""
    archive = FOLDERS / "corpus-facturx" / "examples.tar.xz"
    if not archive.exists():
        pytest.skip(f"no samples at {archive}")
    samples = list(in_archive(archive))

    rows, faults = table(samples)

    printed(rows, capsys)
    assert not faults
    assert rows["other syntax: a document without errors: converted without errors"] == len(samples)


def test_documents_of_every_corpus_are_converted_or_say_what_stands_in_the_way(capsys):
    rows, faults = table(drawn(DRAWN))

    printed(rows, capsys)
    assert not faults, f"EINVOICE_SEED={SEED}"
    assert sum(rows.values()) == 2 * DRAWN
