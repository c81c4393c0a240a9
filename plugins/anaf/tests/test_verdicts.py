"""The rules of CIUS-RO and of the EN 16931 in it agree with the official ones (release 1.0.9).

By id and flag. Daily a sample; the whole is marked long.
"""

from __future__ import annotations

import os
import random

import pytest

from einvoice.validation import Light, judge
from plugins.anaf.tests import official
from plugins.anaf.tests.official import DAY

SEED = int(os.environ.get("EINVOICE_SEED", random.randrange(10**6)))
SAMPLE = 100  # of the damaged examples of a pack


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
