"""The rules of CIUS-RO and of the EN 16931 in it agree with the official ones (release 1.0.9).

By id and flag. Daily a sample; the whole is marked long.
"""

from __future__ import annotations

import random

import pytest

from einvoice.validation import Light, judge
from plugins.anaf.tests import official
from plugins.anaf.tests.official import DAY
from tests.oracle import damage_structure, mutation
from tests.seed import SEED

SAMPLE = 100  # of the damaged examples of a pack
# Officially of an attribute anywhere, here of the elements to which the schema allows it.
OF_ATTRIBUTES = {("BR-CL-03", "fatal"), ("BR-CL-23", "fatal")}
FRESH = 20  # newly damaged examples, and fifty times as many in the long test


def found(document: bytes) -> set[tuple[str, str]]:
    """(rule, flag) of what our rules find, of both layers."""
    judged = judge(document, on=DAY, schema=False, asked="cius-ro")
    assert judged.verdict is not None
    return {(each.id, each.flag.value) for each in judged.verdict.findings}


def differing(documents) -> dict[str, set[tuple[str, str]]]:
    """Of each document whose findings differ: those that only one side has."""
    both = {name: found(content) ^ fired for name, content, fired in documents}
    return {name: rules for name, rules in both.items() if rules}


@official.needed
def test_published_examples_have_the_official_findings():
    assert not differing(official.documents())


@official.needed
@pytest.mark.parametrize("name", ["mutants-ro", "mutants-ro-directed"])
def test_a_sample_of_the_damaged_examples_has_the_official_findings(name):
    documents = list(official.mutants(name))

    assert not differing(random.Random(SEED).sample(documents, SAMPLE)), f"EINVOICE_SEED={SEED}"


@official.needed
@pytest.mark.long
@pytest.mark.parametrize("name", ["mutants-ro", "mutants-ro-directed"])
def test_damaged_examples_have_the_official_findings(name):
    assert not differing(official.mutants(name))


@official.needed
def test_an_example_without_an_official_verdict_is_never_green():
    for name, content in official.unjudged("mutants-ro"):
        assert judge(content, on=DAY, asked="cius-ro").light is not Light.GREEN, name


def differing_fresh(count: int) -> dict[str, set[tuple[str, str]]]:
    """Of newly damaged examples: the findings that only we or the official rules, run here, have.

    Nothing is compared where the official rules fail or a rule of ours cannot be evaluated.
    """
    saxonche = pytest.importorskip("saxonche")
    targets, paths = damage_structure.targets(official.COMBINED.read_bytes())
    bases, different = [content for _, content, _ in official.documents()], {}
    for number in range(SEED, SEED + count):
        family = mutation.FAMILIES[number % len(mutation.FAMILIES)]
        mutant = mutation.mutate(bases[number % len(bases)], number, family, targets, paths)
        ours = found(mutant.content)
        if any(rule.startswith("STOPPED") for rule, _ in ours):
            continue
        try:
            theirs = official.verdict(mutant.content)
        except saxonche.PySaxonApiError:
            continue
        if (ours ^ theirs) - OF_ATTRIBUTES:
            different[f"{number} {family}: {'; '.join(mutant.done)}"] = ours ^ theirs
    return different


@official.needed
def test_newly_damaged_examples_have_the_findings_of_the_official_rules():
    assert not differing_fresh(FRESH), f"EINVOICE_SEED={SEED}"


@official.needed
@pytest.mark.long
def test_many_newly_damaged_examples_have_the_findings_of_the_official_rules():
    assert not differing_fresh(50 * FRESH), f"EINVOICE_SEED={SEED}"
