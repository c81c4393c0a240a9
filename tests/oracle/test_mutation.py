"""Mutants are reproducible by seed, and break rules that no published test does."""

import pytest
from lxml import etree

from tests.oracle import mutation, official, sources
from tests.oracle.damage_structure import Target, build, targets

SAMPLES = sources.ROOT / "tests" / "samples"
NAMES = {"UBL": "good_ubl.xml", "CII": "good_cii.xml"}


def rules_of(layer):
    """The targets of a layer's structure rules; skips if they are not available."""
    try:
        return targets(sources.stylesheet(layer))
    except sources.Unavailable as reason:
        pytest.skip(f"{layer}: {reason}")


@pytest.mark.parametrize("family", mutation.FAMILIES)
@pytest.mark.parametrize("syntax", NAMES)
def test_a_seed_makes_the_same_mutant_again(syntax, family):
    """A failure names its seed, by which it can be reproduced."""
    good = (SAMPLES / NAMES[syntax]).read_bytes()
    found, paths = rules_of(f"CEN-{syntax}") if family == "directed" else ((), None)

    first = mutation.mutate(good, 7, family, found, paths)
    assert first == mutation.mutate(good, 7, family, found, paths)
    assert first.content != mutation.mutate(good, 8, family, found, paths).content


@pytest.mark.parametrize(
    ("layer", "rule", "path", "times"),
    [
        ("CEN-CII", "CII-SR-036", "ram:ParentLineID", 1),
        ("CEN-CII", "CII-SR-183", "udt:IndicatorString", 1),
        ("CEN-CII", "CII-SR-471", "ram:RateApplicablePercent", 2),
        ("CEN-UBL", "UBL-CR-629", "cbc:ValidityPeriod", 1),
        ("CEN-UBL", "UBL-CR-630", "cbc:PriceList", 1),
    ],
)
def test_directed_damage_breaks_rules_that_the_corpus_does_not(layer, rule, path, times):
    """The directed family exists for these."""
    found, paths = rules_of(layer)
    wanted = [each for each in found if each.path.endswith(path) and each.times == times]
    root = etree.parse(SAMPLES / NAMES[layer[-3:]]).getroot()
    for target in wanted:
        build(root, target, paths)

    assert rule in {each.id for each in official.verdict(etree.tostring(root), (layer,)).fired}


def test_a_target_without_its_context_changes_nothing():
    """The description says so."""
    root = etree.fromstring("<a/>")

    assert build(root, Target("//b", "c", 1), {}) == "no place for c"
    assert etree.tostring(root) == b"<a/>"
