"""The quick look at a CII line never says "in order" where a rule of that line is broken."""

import pytest
from lxml import etree

from einvoice.rules import PACKS, Syntax
from einvoice.rules.en16931.cii import contexts as cen
from einvoice.rules.peppol.cii import contexts as peppol
from tests.oracle import mutation, sources
from tests.rules.changes import changed, drop, good, put

SAMPLE = sources.ROOT / "tests" / "samples" / "good_cii.xml"
LINE = "ram:IncludedSupplyChainTradeLineItem"
CONTEXTS = {"CEN-CII": cen.LINE, "PEPPOL-CII": peppol.LINE}


def looked_at(content, context):
    """For each line: what the quick look says, and whether a rule that waits for nothing fires."""
    engine = PACKS[0].engine(Syntax.CII)
    view = engine.read(etree.fromstring(content))
    rules = [
        rule
        for book in PACKS[0].books
        for rule in book.rules
        if rule.context is context and not rule.present and not rule.repeated
    ]
    for line in view.root.all(f"rsm:SupplyChainTradeTransaction/{LINE}"):
        if context.evident(line, view):
            yield [rule.id for rule in rules if rule.check(line, view) is not None]


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_a_plain_line_is_settled_at_one_look(context):
    """The second line of the sample is plain: it is what the quick look is for."""
    assert [] in list(looked_at(SAMPLE.read_bytes(), context))


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize("family", ["random", "vat"])
def test_what_is_settled_at_one_look_breaks_no_rule(context, family):
    """On three hundred damaged invoices, no line that is evidently in order breaks a rule."""
    for seed in range(300):
        mutant = mutation.mutate(SAMPLE.read_bytes(), seed, family)
        wrong = [rules for rules in looked_at(mutant.content, context) if rules]
        assert not wrong, f"seed {seed}: {mutant.done}"


@pytest.mark.parametrize(
    "change",
    [
        put("BilledQuantity", "1.03"),
        put("BilledQuantity", "1E0"),
        drop("BilledQuantity"),
        put("SpecifiedTradeProduct/Name", " "),
    ],
)
def test_an_unusual_line_is_left_to_the_rules(change):
    """Wrong sums, other spellings of numbers, blanks: the quick look says nothing about them."""
    lines = [drop(LINE.partition(":")[2]), change]  # leaves the plain line
    content = changed(good("good_cii.xml"), *lines)

    assert not (list(looked_at(content, cen.LINE)) and list(looked_at(content, peppol.LINE)))
