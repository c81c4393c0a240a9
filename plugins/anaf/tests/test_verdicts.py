"""The rules of CIUS-RO agree with the official ones (release 1.0.9), by id and flag."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from einvoice.validation import Light, judge
from plugins.anaf.tests import official
from plugins.anaf.tests.official import DAY


def of_romania(findings: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {each for each in findings if each[0].startswith(("BR-RO-", "BR-DEC-RO-"))}


def found(document: bytes) -> set[tuple[str, str]]:
    judged = judge(document, on=DAY, schema=False, asked="cius-ro")
    assert judged.verdict is not None
    return of_romania((each.id, each.flag.value) for each in judged.verdict.findings)


@official.needed
def test_published_examples_have_the_official_findings():
    for name, content, fired in official.documents():
        assert found(content) == of_romania(fired), name


@official.needed
@pytest.mark.parametrize("name", ["mutants-ro", "mutants-ro-directed"])
def test_damaged_examples_have_the_official_findings(name):
    different = {
        file: found(content) ^ of_romania(fired)
        for file, content, fired in official.mutants(name)
        if found(content) != of_romania(fired)
    }

    assert not different


@official.needed
def test_an_example_without_an_official_verdict_is_never_green():
    for name, content in official.unjudged("mutants-ro"):
        assert judge(content, on=DAY, asked="cius-ro").light is not Light.GREEN, name
