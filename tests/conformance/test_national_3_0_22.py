"""The national rules of BIS Billing 3.0.22 have the verdicts of the release candidate's text.

The documents lie beside the corpus (corpus.py). Their verdicts count for nine rules only; of all
others they are those of 3.0.21.
"""

from __future__ import annotations

import json
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from einvoice.rules.peppol.ubl.release_3_0_22 import TEXT_READ
from tests.conformance import corpus, ours
from tests.seed import SEED

PLACE = corpus.folder().parent / "corpus-peppol-3.0.22-national"
DOCS = Path(__file__).parents[2] / "docs" / "validation.md"
COMPARED = {"PEPPOL-EN16931-P0100", "PEPPOL-EN16931-P0112"} | {
    f"SK-R-00{number}" for number in range(1, 8)
}
SAMPLE = 40

needs_corpus = pytest.mark.skipif(
    not PLACE.exists(), reason=f"no corpus at {PLACE} (set EINVOICE_CORPUS)"
)


def documents() -> Iterator[tuple[str, bytes, set[tuple[str, str]]]]:
    """(name, content, findings of the compared rules)."""
    rows = map(json.loads, (PLACE / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())
    with tarfile.open(PLACE / "documents.tar.xz") as archive:
        content = {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}
    for row in rows:
        yield row["file"], content[row["file"]], compared(
            (each["id"], each["flag"]) for each in row["fired"]
        )  # fmt: skip


def compared(findings) -> set[tuple[str, str]]:
    return {(rule, str(flag)) for rule, flag in findings if rule in COMPARED}


def differing(chosen) -> dict[str, set[tuple[str, str]]]:
    """Of each document whose findings differ: those that only one side has."""
    day, found = corpus.DAYS["peppol-3.0.22"], {}
    for name, content, official in chosen:
        verdict = ours.check(content, "peppol-bis-billing", day)
        found[name] = official ^ compared((each.id, each.flag) for each in verdict.fired)
    return {name: rules for name, rules in found.items() if rules}


@needs_corpus
def test_a_sample_of_the_national_documents_has_the_verdicts_of_the_candidate():
    assert not differing(random.Random(SEED).sample(list(documents()), SAMPLE)), f"seed {SEED}"


@needs_corpus
@pytest.mark.long
def test_all_national_documents_have_the_verdicts_of_the_candidate():
    assert not differing(documents())


def test_the_documentation_says_which_text_was_read():
    """The constant and the documentation change together when the release itself is compared."""
    assert TEXT_READ in DOCS.read_text(encoding="utf-8")
