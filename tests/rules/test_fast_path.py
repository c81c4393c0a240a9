"""Rules that are not run would not be broken: those with a fast path, those of other countries."""

from collections import Counter, defaultdict

import pytest

from einvoice.rules import PACKS, Syntax
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.optimisations.compiled_evaluation import rules_at
from einvoice.xml import parse
from tests.oracle import mutation
from tests.rules.changes import SAMPLES, changed, drop, good, put

FILES = {Syntax.UBL: "good_ubl.xml", Syntax.CII: "good_cii.xml"}
LINE = "IncludedSupplyChainTradeLineItem"


def fast_paths(syntax):
    """The fast paths of a syntax, each with the rules that share it."""
    shared = defaultdict(list)
    for book in PACKS[0].books:
        for rule in book.rules:
            triggered = rule.present or rule.repeated
            if book.layer.syntax is syntax and rule.fast_path is not None and not triggered:
                shared[rule.fast_path].append(rule)
    return shared


FAST_PATHS = [
    pytest.param(syntax, fast_path, id=f"{syntax}-{fast_path.__name__}")
    for syntax in (Syntax.UBL, Syntax.CII)
    for fast_path in fast_paths(syntax)
]


def applied(content, syntax):
    """For each node that a fast path applies to: the fast path, and which rules are broken."""
    engine = PACKS[0].engine(syntax)
    view = engine.read(parse(content))
    held = engine.matcher.held_conditions(view)
    for node in view.candidates:
        for fast_path, rules in rules_at(node, view, held):
            if fast_path is not None and fast_path(node, view):
                yield fast_path, [rule.id for rule in rules if broken(rule, node, view)]


def broken(rule, node, view):
    try:
        return rule.check(node, view) is not None
    except EvaluationError:
        return True


@pytest.mark.parametrize(("syntax", "fast_path"), FAST_PATHS)
def test_each_fast_path_applies_to_a_good_invoice(syntax, fast_path):
    content = (SAMPLES / FILES[syntax]).read_bytes()

    assert (fast_path, []) in list(applied(content, syntax))


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 300), marks=pytest.mark.more)], ids=len
)
@pytest.mark.parametrize("family", ["random", "vat"])
@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_where_a_fast_path_applies_no_rule_is_broken(syntax, family, seeds):
    """On three hundred damaged invoices."""
    content = (SAMPLES / FILES[syntax]).read_bytes()
    for seed in seeds:
        mutant = mutation.mutate(content, seed, family)
        wrong = [rules for _, rules in applied(mutant.content, syntax) if rules]
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
            "_all_counts_fit",
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
def test_on_unusual_content_the_rules_are_run(sample, name, change):
    """Wrong sums, other spellings, missing elements: the fast path applies to one node less.

    The first line of the CII sample is not plain, so it is removed for the fast paths of lines.
    """
    syntax = Syntax.CII if sample == "good_cii.xml" else Syntax.UBL
    lines = name in ("plain_line", "quantity_times_price") and syntax is Syntax.CII
    alone = [drop(LINE)] if lines else []
    before, after = (
        Counter(
            fast_path.__name__
            for fast_path, _ in applied(changed(good(sample), *alone, *changes), syntax)
        )
        for changes in ([], [change])
    )

    assert after[name] == before[name] - 1


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_a_pattern_with_a_document_condition_matches_only_if_it_holds(syntax):
    """On invoices of all countries: if it does not hold, no context of the pattern matches."""
    engine = PACKS[0].engine(syntax)
    content, ever = (SAMPLES / FILES[syntax]).read_bytes(), set()
    for seed in range(400):
        mutant = mutation.mutate(content, seed, "national")
        view = engine.read(parse(mutant.content))
        held = engine.matcher.held_conditions(view)
        ever |= held
        for node in view.candidates:
            for pattern in node.state.conditional.patterns:
                foreign = pattern not in node.state.conditional[held]
                assert not (foreign and pattern.match(node, view)), f"seed {seed}: {mutant.done}"

    assert ever == set(engine.matcher.document_conditions)
