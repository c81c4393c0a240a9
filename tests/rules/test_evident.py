"""What is spared in judging would not have spoken: rules behind a quick look, foreign countries."""

from collections import Counter, defaultdict

import pytest

from einvoice.rules import PACKS, Syntax
from einvoice.rules.engine import due
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.xml import parse
from tests.oracle import mutation
from tests.rules.changes import SAMPLES, changed, drop, good, put

FILES = {Syntax.UBL: "good_ubl.xml", Syntax.CII: "good_cii.xml"}
LINE = "IncludedSupplyChainTradeLineItem"


def looks(syntax):
    """The quick looks of a syntax, each with the rules that share it."""
    shared = defaultdict(list)
    for book in PACKS[0].books:
        for rule in book.rules:
            waits = rule.present or rule.repeated
            if book.layer.syntax is syntax and rule.evident is not None and not waits:
                shared[rule.evident].append(rule)
    return shared


LOOKS = [
    pytest.param(syntax, look, id=f"{syntax}-{look.__name__}")
    for syntax in Syntax
    for look in looks(syntax)
]


def settled(content, syntax):
    """For each place that a quick look settles: the look, and which of its rules are broken."""
    engine = PACKS[0].engine(syntax)
    view = engine.read(parse(content))
    held = engine.automaton.held(view)
    for node in view.hits:
        for look, rules in due(node, view, held):
            if look is not None and look(node, view):
                yield look, [rule.id for rule in rules if broken(rule, node, view)]


def broken(rule, node, view):
    try:
        return rule.check(node, view) is not None
    except EvaluationError:
        return True


@pytest.mark.parametrize(("syntax", "look"), LOOKS)
def test_what_invoices_are_full_of_is_settled_at_one_look(syntax, look):
    content = (SAMPLES / FILES[syntax]).read_bytes()

    assert (look, []) in list(settled(content, syntax))


@pytest.mark.parametrize("family", ["random", "vat"])
@pytest.mark.parametrize("syntax", Syntax)
def test_what_is_settled_at_one_look_breaks_no_rule(syntax, family):
    """On three hundred damaged invoices."""
    content = (SAMPLES / FILES[syntax]).read_bytes()
    for seed in range(300):
        mutant = mutation.mutate(content, seed, family)
        wrong = [rules for _, rules in settled(mutant.content, syntax) if rules]
        assert not wrong, f"seed {seed}: {mutant.done}"


CHARGE = "SpecifiedTradeAllowanceCharge"
UNUSUAL = {
    "good_cii.xml": [
        ("quantity_times_price", put("BilledQuantity", "1.03")),
        ("quantity_times_price", put("BilledQuantity", "1E0")),
        ("plain_line", drop("BilledQuantity")),
        ("plain_line", put("SpecifiedTradeProduct/Name", " ")),
        ("plain_adjustment", put(f"SpecifiedLineTradeSettlement/{CHARGE}/ActualAmount", "1.001")),
        ("plain_adjustment", drop(f"SpecifiedLineTradeSettlement/{CHARGE}/ActualAmount")),
        ("plain_adjustment", put(f"SpecifiedLineTradeSettlement/{CHARGE}/BasisAmount", "10.001")),
        ("plain_taxed_adjustment", put("CategoryTradeTax/TypeCode", "vat")),
        ("plain_taxed_adjustment", drop("CategoryTradeTax/CategoryCode")),
        ("plain_taxed_adjustment", drop("CategoryTradeTax")),
        (
            "_all_counted",
            put("ApplicableHeaderTradeSettlement/ApplicableTradeTax/CategoryCode", "Z"),
        ),
    ],
    "good_ubl.xml": [
        ("plain_line", put("Item/Name", " ")),
        ("all_standard", put("TaxSubtotal/TaxCategory/ID", "Z")),
        ("all_standard", put("AllowanceCharge/TaxCategory/ID", " S")),
        ("all_standard", put("ClassifiedTaxCategory/TaxScheme/ID", "vat")),
        ("all_standard", drop("ClassifiedTaxCategory/TaxScheme")),
        ("all_standard", put("AllowanceCharge/ChargeIndicator", "1")),
        ("all_standard", drop("InvoiceLine/AllowanceCharge/ChargeIndicator")),
    ],
}


@pytest.mark.parametrize(
    ("sample", "name", "change"),
    [(sample, *row) for sample, rows in UNUSUAL.items() for row in rows],
)
def test_what_is_unusual_is_left_to_the_rules(sample, name, change):
    """Wrong sums, other spellings, what is absent: the look settles one place less, even if right.

    The rich first line of CII is not plain at all, so its lines are told without it.
    """
    syntax = Syntax.CII if sample == "good_cii.xml" else Syntax.UBL
    lines = name in ("plain_line", "quantity_times_price") and syntax is Syntax.CII
    alone = [drop(LINE)] if lines else []
    before, after = (
        Counter(
            look.__name__ for look, _ in settled(changed(good(sample), *alone, *changes), syntax)
        )
        for changes in ([], [change])
    )

    assert after[name] == before[name] - 1


@pytest.mark.parametrize("syntax", Syntax)
def test_a_pattern_matches_only_where_what_it_is_given_holds(syntax):
    """On invoices of all countries: where it does not hold, no context of the pattern matches."""
    engine = PACKS[0].engine(syntax)
    content, ever = (SAMPLES / FILES[syntax]).read_bytes(), set()
    for seed in range(400):
        mutant = mutation.mutate(content, seed, "national")
        view = engine.read(parse(mutant.content))
        held = engine.automaton.held(view)
        ever |= held
        for node in view.hits:
            for choice in node.state.asked.choices:
                foreign = choice not in node.state.asked[held]
                assert not (foreign and choice.made(node, view)), f"seed {seed}: {mutant.done}"

    assert ever == set(engine.automaton.givens)
