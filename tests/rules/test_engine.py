"""The engine: which rules are run on a node, on which trigger, and what an error means."""

from __future__ import annotations

import gc

import pytest
from lxml import etree

from einvoice.rules.book import BROKEN, Book, Chapter, Context, Pattern
from einvoice.rules.engine import Engine
from einvoice.rules.evaluation import RulesVerdict
from einvoice.rules.evaluation_errors import InvalidBoolean
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.optimisations import NONE
from einvoice.rules.tables import absent, at_most_one, filled
from einvoice.rules.values import boolean_of

_NAMESPACES = (
    'xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" '
    'xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" '
    'xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'
)


def invoice(content: str) -> etree._Element:
    return etree.fromstring(f"<Invoice {_NAMESPACES}>{content}</Invoice>")


def line(content: str) -> str:
    return f"<cac:InvoiceLine>{content}</cac:InvoiceLine>"


@pytest.fixture
def rules() -> Chapter:
    return Chapter(Layer.CEN_UBL, gathers=("cbc:ID",))


def judge(rules: Chapter, content: str) -> RulesVerdict:
    """The verdict of the engine, which is that of an engine without optimisations."""
    books = [Book.of(rules.layer, "test", [rules])]
    verdict = Engine(books).check(invoice(content))
    plain = Engine(books, NONE).check(invoice(content))
    assert sorted(plain.findings, key=repr) == sorted(verdict.findings, key=repr)
    assert plain.failed_layers == verdict.failed_layers
    return verdict


def fired(rules: Chapter, content: str) -> list[tuple[str, str]]:
    return [(finding.id, finding.place) for finding in judge(rules, content).findings]


def always(rules: Chapter, name: str, at: Context) -> None:
    """A rule that is broken wherever it is run, which shows where that is."""
    rules.add(name, "", at, lambda node, view: BROKEN, "never satisfied")


def test_an_earlier_context_shadows_a_later_one(rules):
    """In one pattern only the first context that matches a node applies."""
    pattern = Pattern()
    always(rules, "LINE", pattern.context("cac:InvoiceLine/cac:InvoicePeriod"))
    always(rules, "ANY", pattern.context("cac:InvoicePeriod"))

    found = fired(rules, "<cac:InvoicePeriod/>" + line("<cac:InvoicePeriod/>"))

    assert found == [
        ("ANY", "/Invoice[1]/InvoicePeriod[1]"),
        ("LINE", "/Invoice[1]/InvoiceLine[1]/InvoicePeriod[1]"),
    ]


def test_a_context_without_rules_shadows_too(rules):
    """An exception is written as a context without rules."""
    pattern = Pattern()
    pattern.context("*PriceAmount")
    always(rules, "AMOUNT", pattern.context("*Amount"))

    found = fired(rules, "<cbc:TaxAmount/><cbc:PriceAmount/>")

    assert found == [("AMOUNT", "/Invoice[1]/TaxAmount[1]")]


def test_patterns_do_not_shadow_each_other(rules):
    """Rules of two patterns, or two layers, are run on the same node."""
    always(rules, "ONE", Pattern().context("cbc:ID"))
    always(rules, "TWO", Pattern().context("/ubl:Invoice/cbc:ID"))

    assert [name for name, _ in fired(rules, "<cbc:ID/>")] == ["ONE", "TWO"]


def test_a_condition_that_raises_does_not_match(rules):
    """An error in a context is not an error of the document: the next context is tried."""
    pattern = Pattern()
    indicated = pattern.context("cac:AllowanceCharge", when=lambda node, view: _first_is_true(node))
    always(rules, "CHARGE", indicated)
    always(rules, "REST", pattern.context("cac:AllowanceCharge"))
    charge = (
        "<cac:AllowanceCharge><cbc:ChargeIndicator>{}</cbc:ChargeIndicator></cac:AllowanceCharge>"
    )

    verdict = judge(rules, "".join(charge.format(text) for text in ("true", "false", "maybe")))

    assert [finding.id for finding in verdict.findings] == ["CHARGE", "REST", "REST"]
    assert not verdict.failed_layers


def _first_is_true(node: Node) -> bool:
    return boolean_of(node.all("cbc:ChargeIndicator")[0])


def test_a_switch_matches_the_case_of_the_value(rules):
    """Of the contexts of a switch, at most the one for the value of the node matches."""
    switch = Pattern().switch("cac:TaxCategory", key=lambda node: node.text_of("cbc:ID"))
    for code in ("S", "Z"):
        always(rules, f"IS-{code}", switch.case(code))
    category = "<cac:TaxCategory><cbc:ID>{}</cbc:ID></cac:TaxCategory>"

    found = fired(rules, "".join(category.format(code) for code in "ZXS"))

    assert [name for name, _ in found] == ["IS-Z", "IS-S"]


@pytest.mark.parametrize(
    ("path", "content", "places"),
    [
        ("cbc:UUID", line("<cbc:UUID/><cbc:UUID/>") + line(""), ["/Invoice[1]/InvoiceLine[1]"]),
        ("cbc:UUID", "<cbc:UUID/>", []),
        ("cac:Item/cbc:Keyword", line("<cac:Item><cbc:Keyword/></cac:Item>"),
         ["/Invoice[1]/InvoiceLine[1]"]),
        ("cbc:ID/@schemeID", line("<cbc:ID schemeID=''/>"), ["/Invoice[1]/InvoiceLine[1]"]),
        ("cbc:ID/@schemeID", line("<cbc:ID/>") + "<cbc:ID schemeID='x'/>", []),
        ("cbc:A | cbc:B", line("<cbc:B/>"), ["/Invoice[1]/InvoiceLine[1]"]),
    ],
)  # fmt: skip
def test_a_forbidden_element_is_reported_at_its_context(rules, path, content, places):
    """Once for each context node, for any forbidden element below it."""
    absent(rules, Pattern().context("cac:InvoiceLine"), [("ABSENT", "", path)])

    assert fired(rules, content) == [("ABSENT", place) for place in places]


def test_the_place_of_the_forbidden_element_is_among_the_values(rules):
    """The official place is the document, where the element could not be found."""
    absent(rules, Pattern().context("/ubl:Invoice"), [("ABSENT", "", "cac:InvoiceLine/cbc:UUID")])

    (finding,) = judge(rules, line("") + line("<cbc:UUID/>") + line("<cbc:UUID/>")).findings

    assert finding.place == "/Invoice[1]"
    assert finding.values["found"] == "/Invoice[1]/InvoiceLine[2]/UUID[1]"


@pytest.mark.parametrize(("content", "broken"), [("<cbc:ID uri='x'/>", True), ("<cbc:ID/>", False)])
def test_an_attribute_may_be_forbidden_everywhere(rules, content, broken):
    """A path that begins with // means anywhere in the document."""
    absent(rules, Pattern().context("/ubl:Invoice"), [("URI", "", "//@uri")])

    assert fired(rules, line(content)) == ([("URI", "/Invoice[1]")] if broken else [])


@pytest.mark.parametrize(
    ("content", "broken"),
    [
        ("<cac:Party><cbc:ID/></cac:Party>", False),
        ("<cac:Party><cbc:ID/><cbc:ID/></cac:Party>", True),
        ("<cac:Party><cbc:ID/></cac:Party><cac:Party><cbc:ID/></cac:Party>", True),
        ("<cac:Party><cbc:ID/></cac:Party><cac:Party/>", False),
    ],
)
def test_at_most_one_counts_over_all_groups_of_the_path(rules, content, broken):
    """Two groups with one element each are two elements."""
    at_most_one(rules, Pattern().context("/ubl:Invoice"), [("ONE", "", "cac:Party/cbc:ID")])

    assert fired(rules, content) == ([("ONE", "/Invoice[1]")] if broken else [])


def test_a_triggered_rule_respects_shadowing(rules):
    """A triggered rule is not run on a node that an earlier context matches."""
    pattern = Pattern()
    always(
        rules, "FIRST", pattern.context("cac:InvoiceLine", when=lambda node, _: node.has("cbc:ID"))
    )
    absent(rules, pattern.context("cac:InvoiceLine"), [("ABSENT", "", "cbc:UUID")])

    found = fired(rules, line("<cbc:ID/><cbc:UUID/>") + line("<cbc:UUID/>"))

    assert found == [
        ("ABSENT", "/Invoice[1]/InvoiceLine[2]"),
        ("FIRST", "/Invoice[1]/InvoiceLine[1]"),
    ]


def test_an_evaluation_error_fails_its_layer_and_is_a_finding(rules):
    """The official rules give no verdict then; ours is red and names the repeated element."""
    filled(rules, Pattern().context("cac:InvoiceLine"), [("FILLED", "", "cbc:ID")])

    verdict = judge(rules, line("<cbc:ID>1</cbc:ID><cbc:ID>2</cbc:ID>") + line(""))

    assert verdict.failed_layers == {Layer.CEN_UBL}
    assert verdict.fatal
    assert [(f.id, f.place, dict(f.values)) for f in verdict.findings] == [
        ("FILLED", "/Invoice[1]/InvoiceLine[2]", {}),
        (
            "STOPPED-CARDINALITY",
            "/Invoice[1]/InvoiceLine[1]/ID[1]",
            {"rule": "FILLED", "path": "cbc:ID", "count": 2},
        ),
    ]


def test_the_same_error_of_several_rules_is_reported_once(rules):
    """Twenty rules may read the same wrong number; it is corrected once."""

    def fail(node, view):
        raise InvalidBoolean(node)

    for name in ("ONE", "TWO"):
        rules.add(name, "", Pattern().context("cbc:ID"), fail, "")

    assert fired(rules, "<cbc:ID>x</cbc:ID>") == [("STOPPED-BOOLEAN", "/Invoice[1]/ID[1]")]


@pytest.mark.parametrize(
    ("written", "value", "pieces"),
    [
        ("ab", "ab", ("ab",)),
        ("a<!-- c -->b", "ab", ("a", "b")),
        ("<!-- c -->", "", ()),
        ("", "", ()),
        ("a<?pi?>", "a", ("a",)),
        ("a<x>b</x>c", "abc", ("a", "c")),
    ],
)
def test_comments_split_text_nodes_but_not_the_string_value(rules, written, value, pieces):
    """Rules read the string value, or text nodes if the official rule does."""
    rules.add("SEE", "", Pattern().context("cbc:ID"),
              lambda node, view: {"value": node.text, "pieces": view.text_nodes(node)},
              "")  # fmt: skip

    (finding,) = judge(rules, f"<cbc:ID>{written}</cbc:ID>").findings

    assert finding.values == {"value": value, "pieces": pieces}


@pytest.mark.parametrize("count", [999, 1_000])
def test_every_child_of_a_long_element_has_its_place(rules, count):
    """From 1,000 children on they are not listed at once."""
    always(rules, "NOTE", Pattern().context("cbc:Note"))

    found = fired(rules, "<cbc:Note>n</cbc:Note>" * count)

    assert [place for _, place in found] == [
        f"/Invoice[1]/Note[{number}]" for number in range(1, count + 1)
    ]


def test_unknown_names_do_not_fill_the_automaton(rules):
    """Hostile documents with new names each time do not use memory for ever."""
    always(rules, "ID", Pattern().context("cbc:ID"))
    engine = Engine([Book.of(rules.layer, "test", [rules])])
    for number in range(30):
        names = "".join(f"<n{number}-{i}/>" for i in range(1000))
        assert not engine.check(invoice(names)).findings

    assert len(engine.matcher._states) <= 20_000
    assert [f.id for f in engine.check(invoice("<cbc:ID/>")).findings] == ["ID"]


def test_no_rule_matches_a_document_of_another_kind(rules):
    """The syntax is checked before; the engine accepts any root."""
    filled(rules, Pattern().context("/ubl:Invoice"), [("FILLED", "", "cbc:ID")])
    engine = Engine([Book.of(rules.layer, "test", [rules])])

    assert engine.check(etree.fromstring("<Invoice/>")) == RulesVerdict((), frozenset())


def test_views_are_freed_without_the_collector(rules):
    """Nodes form reference cycles, which are broken, so that memory does not grow under load."""
    always(rules, "ID", Pattern().context("cbc:ID"))
    engine = Engine([Book.of(rules.layer, "test", [rules])])
    root = invoice(line("<cbc:ID/>") * 50)
    engine.check(root)
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(thing, Node) for thing in gc.get_objects())
        engine.check(root)
        assert sum(isinstance(thing, Node) for thing in gc.get_objects()) == before
    finally:
        gc.enable()


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_enabled_again_only_if_it_was(rules, running):
    """It is paused for one document."""
    always(rules, "ID", Pattern().context("cbc:ID"))
    (gc.enable if running else gc.disable)()
    try:
        judge(rules, "<cbc:ID/>")
        assert gc.isenabled() is running
    finally:
        gc.enable()


def test_an_id_is_declared_once(rules):
    """A rule's key is (layer, id)."""
    always(rules, "ID", Pattern().context("cbc:ID"))
    always(rules, "ID", Pattern().context("cbc:ID"))

    with pytest.raises(ValueError, match="declared twice: ID"):
        Book.of(rules.layer, "test", [rules])
