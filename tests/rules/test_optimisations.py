"""An engine finds the same with and without each of its optimisations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings

from bench.rules import grown
from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION
from einvoice.rules import PACKS, XRECHNUNG, RulesVerdict, Syntax
from einvoice.rules import engine as engine_module
from einvoice.rules.book import BROKEN, Book, Chapter, Pattern
from einvoice.rules.engine import Engine
from einvoice.rules.layers import Layer
from einvoice.rules.optimisations import ALL, NONE, Optimisations, repeated_lines
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EXTENSION
from einvoice.xml import parse
from tests.conformance import corpus
from tests.oracle import mutation
from tests.rules.changes import SAMPLES, changed, good, twice
from tests.rules.viewed_invoices import INVOICES

FAMILIES = ("random", "vat", "national")
EACH_OFF = [replace(ALL, **{field.name: False}) for field in fields(Optimisations)]
MANY = 25  # mutants of each family
FEW = 4  # the same without the automaton, which takes a hundred times as long


def off(optimisations: Optimisations) -> str:
    """The switches that are off, for the name of a test."""
    return ",".join(
        field.name for field in fields(Optimisations) if not getattr(optimisations, field.name)
    )


SWITCHES = pytest.mark.parametrize("optimisations", [NONE, *EACH_OFF], ids=off)
SYNTAXES = pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])


# A repeated element for which several rules raise: the last of them is named in the finding.
REPEATED = {
    Syntax.UBL: "TaxSubtotal/TaxCategory/ID",
    Syntax.CII: "ApplicableHeaderTradeSettlement/ApplicableTradeTax/CategoryCode",
}


def documents(syntax: Syntax, mutants: int) -> Iterator[tuple[str, bytes]]:
    """Good invoices of two and twelve lines, and mutants of each."""
    sample = (SAMPLES / f"good_{syntax.lower()}.xml").read_bytes()
    repeated = changed(good(f"good_{syntax.lower()}.xml"), twice(REPEATED[syntax]))
    yield "repeated code", repeated
    for name, content in (("sample", sample), ("grown", grown(syntax, 12))):
        yield name, content
        for family in FAMILIES:
            for seed in range(mutants):
                mutant = mutation.mutate(content, seed, family)
                yield f"{name}, {family} {seed}: {mutant.done}", mutant.content


def everything(verdict: RulesVerdict) -> tuple[object, ...]:
    """Layer, id, flag, place and values of every finding, sorted, and the failed layers."""
    found = [(f.layer, f.id, f.flag, f.place, dict(f.values)) for f in verdict.findings]
    return sorted(found, key=repr), verdict.failed_layers


@SYNTAXES
@SWITCHES
def test_findings_are_the_same_without_an_optimisation(optimisations, syntax):
    plain = PACKS[0].engine(syntax, optimisations)
    fast = PACKS[0].engine(syntax)

    for name, content in documents(syntax, MANY if optimisations.pattern_automaton else FEW):
        root = parse(content)
        assert everything(plain.check(root)) == everything(fast.check(root)), name


@SYNTAXES
@pytest.mark.parametrize("identifier", [CIUS, EXTENSION, CVD])
@pytest.mark.parametrize("optimisations", [NONE, replace(ALL, repeated_lines=False)], ids=off)
def test_findings_of_an_xrechnung_are_the_same(optimisations, identifier, syntax):
    """Its rules read other terms of a line, and sums over sub lines."""
    pack = XRECHNUNG.packs[-1]
    plain, fast = pack.engine(syntax, optimisations), pack.engine(syntax)

    for name, content in documents(syntax, FEW):
        root = parse(content.replace(BIS_BILLING_CUSTOMIZATION.encode(), identifier.encode()))
        assert everything(plain.check(root)) == everything(fast.check(root)), name


@settings(max_examples=15)
@given(INVOICES)
def test_findings_on_an_invoice_without_xml_are_the_same_without_optimisations(invoice):
    """A send is judged on a view that was never XML."""
    pack = PACKS[0]
    plain, fast = pack.engine(Syntax.UBL, NONE), pack.engine(Syntax.UBL)

    assert everything(plain.check_invoice(invoice)) == everything(fast.check_invoice(invoice))


@pytest.mark.long
@pytest.mark.skipif(not corpus.present(), reason="no corpus: set EINVOICE_CORPUS")
@SYNTAXES
def test_findings_on_the_corpus_are_the_same_without_optimisations(syntax):
    """Every fifth document."""
    plain, fast = PACKS[0].engine(syntax, NONE), PACKS[0].engine(syntax)

    for document in list(corpus.documents(syntax=syntax))[::5]:
        root = parse(document.content)
        assert everything(plain.check(root)) == everything(fast.check(root)), document.file


@SYNTAXES
def test_damage_breaks_many_rules(syntax):
    """Equality on documents without findings would show nothing."""
    engine = PACKS[0].engine(syntax)
    broken = {
        finding.id
        for _, content in documents(syntax, 40)
        for finding in engine.check(parse(content)).findings
    }

    assert len(broken) > 100


def test_all_and_none_are_opposites():
    """A new switch is part of both."""
    for field in fields(Optimisations):
        assert getattr(ALL, field.name)
        assert not getattr(NONE, field.name)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("switch", "module", "name"),
    [
        ("pattern_automaton", engine_module, "Automaton"),
        ("repeated_lines", engine_module, "RepeatedLines"),
        ("line_sums", repeated_lines.Sums, "of"),
    ],
)
def test_a_switch_turns_its_optimisation_off(monkeypatch, switch, module, name):
    """What the switch is for is called with it, and never without."""
    calls = []
    replaced = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args, **kw: calls.append(1) or replaced(*args, **kw))
    root = parse(grown(Syntax.UBL, 12))
    books = [book for book in PACKS[0].books if book.layer.syntax == Syntax.UBL]

    Engine(books, replace(ALL, **{switch: False})).check(root)
    assert not calls

    Engine(books).check(root)
    assert calls


@pytest.mark.parametrize("matcher", [{}, {"pattern_automaton": False}], ids=str)
def test_a_fast_path_decides_only_if_fast_paths_are_on(matcher):
    """A wrong fast path: it applies although the rule is broken."""
    rules = Chapter(Layer.CEN_UBL)
    everywhere = Pattern().context("*", fast_path=lambda node, view: True)
    rules.add("BROKEN", "", everywhere, lambda node, view: BROKEN, "never so")
    book = Book.of(rules.layer, "test", [rules])
    root = parse(b"<a/>")

    def findings(*, fast_paths: bool) -> int:
        optimisations = replace(ALL, fast_paths=fast_paths, **matcher)
        return len(Engine([book], optimisations).check(root).findings)

    assert findings(fast_paths=True) == 0
    assert findings(fast_paths=False) == 1


@pytest.mark.plain
@pytest.mark.parametrize(("old", "reads"), [(b">380<", 1), (b'Quantity unitCode="C62"', 2)])
def test_a_document_is_read_again_only_if_a_repeated_line_is_wrong(monkeypatch, old, reads):
    """A wrong type code is not in a line, a wrong unit is."""
    calls = []
    read = engine_module.read
    monkeypatch.setattr(engine_module, "read", lambda *args: calls.append(1) or read(*args))
    content = grown(Syntax.UBL, 20).replace(old, old.replace(b"380", b"X").replace(b"C62", b"X"))

    assert PACKS[0].engine(Syntax.UBL).check(parse(content)).findings
    assert len(calls) == reads
