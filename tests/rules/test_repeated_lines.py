"""Copied lines: the verdict is the same as when every line is read in full."""

import gc
import re
from collections import defaultdict
from contextlib import suppress
from datetime import date

import pytest

from bench.rules import grown
from einvoice.rules import PACKS, Syntax, built_in
from einvoice.rules import reading as pass_over
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.optimisations.compiled_evaluation import rules_at
from einvoice.rules.optimisations.line_sums import LINE_TERMS, LineTerms
from einvoice.rules.optimisations.repeated_lines import LineTexts, RepeatedLines, serialised
from einvoice.rules.view import View
from einvoice.xml import parse
from tests.oracle import mutation
from tests.tables import each_row

CAC = b"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
LINE = {
    Syntax.UBL: "cac:InvoiceLine",
    Syntax.CII: "ram:IncludedSupplyChainTradeLineItem",
}
COUNTRIES = ("BE", "DE", "DK", "GR", "IS", "IT", "NL", "NO", "SE")


FORMS = pytest.mark.parametrize("cut", [True, False], ids=["cut", "serialised"])


def read(content: bytes, syntax: Syntax, *, cut: bool = True) -> tuple[View, RepeatedLines]:
    """The view, with the text of lines cut out of the content or written by lxml."""
    lines = RepeatedLines(LINE_TERMS[syntax], content if cut else None)
    engine = PACKS[0].engine(syntax)
    return pass_over.read(parse(content), engine.matcher, lines), lines


def nets(view: View, syntax: Syntax) -> list[str]:
    """The net amounts of the lines, as sums find them."""
    trade = "rsm:SupplyChainTradeTransaction/" if syntax is Syntax.CII else ""
    line = LINE[syntax]
    return view.root.texts(f"{trade}{line}/{LINE_TERMS[syntax][line].net}")


def with_last_line(content: bytes, syntax: Syntax, old: str, new: str) -> bytes:
    """The document with a text of its last line changed."""
    before, line, after = content.decode().rpartition(f"<{LINE[syntax]}>")
    assert re.search(old, after), old
    return (before + line + re.sub(old, new, after, count=1)).encode()


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_lines_that_differ_in_words_and_numbers_repeat_the_first_of_them(syntax):
    """Five lines are read before the first comparison; one in ten is rich, the others are plain."""
    view, lines = read(grown(syntax, 20), syntax)

    assert len(lines.template_places()) == 2
    assert (
        len(view.candidates)
        < len(PACKS[0].engine(syntax).read(parse(grown(syntax, 20))).candidates) * 0.8
    )


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_sums_find_the_amounts_of_repeated_lines(syntax):
    """A copy has its own net amount and its own tax group in every count."""
    whole = PACKS[0].engine(syntax).read(parse(grown(syntax, 20)))
    view, _ = read(grown(syntax, 20), syntax)

    assert nets(view, syntax) == nets(whole, syntax)
    for name in {node.state.name for node in whole.candidates if node.state.gathered}:
        assert len(view.everywhere(name)) == len(whole.everywhere(name)), name


LAST = {Syntax.UBL: "InvoicedQuantity", Syntax.CII: "BilledQuantity"}


@FORMS
@each_row("syntax", [Syntax.UBL, Syntax.CII])
@each_row(
    ("old", "new", "repeats"),
    [
        (r"Garden table \d+", "Lamp &amp; shade", True),
        (r"Garden table \d+", "", False),
        (r"Garden table \d+", " ", False),
        (r"Garden table \d+", "&#13;", False),
        (r"Garden table \d+", "Lamp<!-- blue -->", False),
        (r"Garden table", "Gartentisch", True),
        (r'unitCode="C62"', 'unitCode="KGM"', False),
        (r">1</(\w+:\w+Quantity)", r">1.0</\1", False),
        (r">1</(\w+:\w+Quantity)", r">2</\1", False),
        (r">1</(\w+:\w+Quantity)", r"> 1</\1", False),
        (r">1</(\w+:\w+Quantity)", r">1E0</\1", False),
        (r">S</", ">Z</", False),
        (r">21</", ">21.0</", False),
        (r"(LineExtensionAmount|LineTotalAmount)([^>]*)>60.00<", r"\1\2>60.01<", True),
        (r"(LineExtensionAmount|LineTotalAmount)([^>]*)>60.00<", r"\1\2>60.02<", False),
        (r"(LineExtensionAmount|LineTotalAmount)([^>]*)>60.00<", r"\1\2>60.0<", True),
        (r"(LineExtensionAmount|LineTotalAmount)([^>]*)>60.00<", r"\1\2>60.000<", False),
        (r"(LineExtensionAmount|LineTotalAmount)([^>]*)>60.00<", r"\1\2>-60.00<", False),
    ],
)
def test_a_line_repeats_another_only_if_no_rule_distinguishes_them(syntax, old, new, repeats, cut):
    """Another name or a cent of difference; not a blank, another unit or more decimals."""
    content = grown(syntax, 20)
    _, usual = read(content, syntax, cut=cut)
    _, lines = read(with_last_line(content, syntax, old, new), syntax, cut=cut)

    assert (lines._copied == usual._copied) is repeats


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
@pytest.mark.parametrize(
    ("old", "new", "repeats"),
    [
        (">6.55<", ">6.56<", True),
        (">6.55<", ">6.57<", False),
        (">6.55<", ">-6.55<", False),
        (">6.55<", ">6.550<", False),
        (">131.00<", ">131.10<", True),
        (">131.00<", ">132.00<", False),
        (">15.72<", ">15.73<", False),
        (">5<", ">6<", False),
        (">false<", ">true<", False),
        (">127.07<", ">127.09<", False),
        (">METER-4<", ">METER-5<", False),
    ],
)
def test_amounts_of_a_repeated_line_satisfy_its_arithmetic(syntax, old, new, repeats):
    """Line 31 has an allowance of 5 % (6.55 of 131.00), a charge, and a discount on its price."""
    content = grown(syntax, 31)
    _, usual = read(content, syntax)
    _, lines = read(with_last_line(content, syntax, old, new), syntax)

    assert (lines._copied == usual._copied) is repeats


def test_lines_that_never_repeat_are_no_longer_compared():
    """A document whose lines all differ is not slowed down by comparisons."""
    content = grown(Syntax.UBL, 200).replace(b"</cbc:ID>", b"</cbc:ID><!-- x -->")

    _, lines = read(content, Syntax.UBL)

    assert not lines.template_places()
    assert not lines._templates


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
@pytest.mark.parametrize("family", ["random", "vat", "national"])
def test_the_verdict_is_that_of_the_document_read_in_full(syntax, family):
    """On damaged invoices of a dozen lines: every finding, its place and its values."""
    engine = PACKS[0].engine(syntax)
    for seed in range(60):
        mutant = mutation.mutate(grown(syntax, 12), seed, family)
        root = parse(mutant.content)
        whole = engine.judge(engine.read(root))
        assert engine.check(root) == whole, f"seed {seed}: {mutant.done}"
        assert engine.check(root, mutant.content) == whole, f"seed {seed}: {mutant.done}"


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_an_error_of_a_repeated_line_is_found_in_each_line(syntax):
    """An unknown unit in all lines: as many findings as lines, each at its place."""
    engine = PACKS[0].engine(syntax)
    root = parse(grown(syntax, 12).replace(b'Quantity unitCode="C62"', b'Quantity unitCode="?"'))

    verdict = engine.check(root)

    assert verdict == engine.judge(engine.read(root))
    lines = {one.place for one in verdict.findings if one.place.endswith(f"{LAST[syntax]}[1]")}
    assert len(lines) == 12


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_repeated_lines_are_freed_without_the_collector(syntax):
    """Copies share nodes of their template, and none is referenced after the verdict."""
    engine, root = PACKS[0].engine(syntax), parse(grown(syntax, 40))
    engine.check(root)
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(thing, Node) for thing in gc.get_objects())
        engine.check(root)
        assert sum(isinstance(thing, Node) for thing in gc.get_objects()) == before
    finally:
        gc.enable()


# The rules that may read what differs in a copy: a copy satisfies them, or they sum its net amount.
READERS = {
    "words": {"BR-21", "BR-25"},  # not blank
    "amounts": {
        "BR-27", "BR-28",  # not negative: a copy has no signs
        "BR-DEC-23", "BR-DEC-24", "BR-DEC-25", "BR-DEC-27", "BR-DEC-28", "UBL-DT-01",  # decimals
        "PEPPOL-EN16931-R040", "PEPPOL-EN16931-R046", "PEPPOL-EN16931-R120",  # what fits together
    },
    "net": {"BR-CO-10", "BR-S-08"},
}  # fmt: skip
UBL_ONLY = {"UBL-DT-01", "PEPPOL-EN16931-R046"}


def _watched(seen: list[Node]) -> type[Node]:
    """A class of nodes that adds itself to `seen` when its text is read."""

    class Watched(Node):
        __slots__ = ("_text",)

        @property
        def text(self) -> str:
            seen.append(self)
            return self._text

        @text.setter
        def text(self, text: str) -> None:
            self._text = text

    return Watched


def _path_below(node: Node, line: str) -> str | None:
    names: list[str] = []
    current: Node | None = node
    while current is not None and current.name != line:
        names.append(current.name)
        current = current.parent
    return "/".join(reversed(names)) if current is not None else None


@pytest.mark.plain
@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_rules_read_no_more_of_a_line_than_is_checked_for_a_copy(syntax, monkeypatch):
    """A copy would hide what they find. A new rule that reads more makes this test fail.

    Every rule that applies to an invoice of any country is run, without fast paths, and what it
    reads is recorded.
    """
    seen: list[Node] = []
    monkeypatch.setattr(pass_over, "Node", _watched(seen))
    monkeypatch.setattr(View, "once", lambda view, fact: fact(view))
    engine, line = PACKS[0].engine(syntax), LINE[syntax]
    terms = LINE_TERMS[syntax][line]
    readers: dict[str, set[str]] = defaultdict(set)
    for country in COUNTRIES:
        content = grown(syntax, 5).replace(b">BE<", f">{country}<".encode())
        view = engine.read(parse(content.replace(b">BE0", f">{country}0".encode())))
        for rule, node in _met(view):
            seen.clear()
            with suppress(EvaluationError):
                rule.check(node, view)
            inside = _path_below(node, line) is not None
            for path in {_path_below(one, line) for one in seen}:
                if path in terms.words:
                    readers["words"].add(rule.id)
                elif path in _amounts(terms):
                    readers["net" if path == terms.net and not inside else "amounts"].add(rule.id)

    allowed = dict(READERS)
    if syntax is Syntax.CII:
        allowed["amounts"] = allowed["amounts"] - UBL_ONLY
    assert readers == allowed


def _amounts(terms: LineTerms) -> set[str]:
    """The paths of all amounts that may differ in a copy."""
    group, _, amount, base, _ = terms.adjustment
    return {*terms.amounts, f"{group}/{amount}", f"{group}/{base}"} - {*terms.per}


def _met(view: View):
    """Every rule that is run on the document, with its node."""
    yield from view.triggered
    held = view.root.state.matcher.held_conditions(view)
    for node in view.candidates:
        for _, rules in rules_at(node, view, held):
            yield from ((rule, node) for rule in rules)


def texts(content: bytes) -> tuple[list[str], list[str]]:
    """The text of each line, cut out of the content, and as lxml writes it."""
    lines = list(parse(content).iter("{*}InvoiceLine"))
    cut = LineTexts(content, lines[0])
    return [cut.of(line) for line in lines], [serialised(line) for line in lines]


def test_lines_are_cut_out_of_the_document():
    """Unlike what lxml writes, the text has no namespaces; comments between lines do not count."""
    content = grown(Syntax.UBL, 6).replace(b"<cac:InvoiceLine>", b"<!-- x --><cac:InvoiceLine>")

    cut, written = texts(content)

    assert all(line.startswith("<cac:InvoiceLine>") and "xmlns" not in line for line in cut)
    assert [line.split(">", 1)[1].removesuffix("</>") for line in cut] == [
        line.split(">", 1)[1].removesuffix("</cac:InvoiceLine>") for line in written
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<cac:InvoiceLine>", b"<!-- <cac:InvoiceLine> --><cac:InvoiceLine>"),
        (b"<cac:AccountingSupplierParty>", b"<cac:AccountingSupplierParty><cac:InvoiceLine/>"),
        (b"<cac:Item>", b"<cac:Item><cac:InvoiceLine/>"),
        (b"<cbc:ID>3<", b"<cbc:ID><![CDATA[<cac:InvoiceLine>]]><"),
    ],
)
def test_lines_are_not_cut_out_where_other_places_look_like_one(old, new):
    """In a comment, in another group, in another line or in a marked section."""
    content = grown(Syntax.UBL, 6).replace(old, new)
    line = parse(content).findall("{*}InvoiceLine")[-1]

    assert LineTexts(content, line).of(line) == serialised(line)


def test_lines_with_another_prefix_or_an_empty_tag_are_not_cut_out():
    """The first has no text of this name, the second no end."""
    renamed = re.sub(rb"cac:InvoiceLine\b(.*?)cac:InvoiceLine\b", rb"a:InvoiceLine\1a:InvoiceLine",
                     grown(Syntax.UBL, 3), count=1, flags=re.DOTALL)  # fmt: skip
    content = renamed.replace(b"<Invoice ", b'<Invoice xmlns:a="' + CAC + b'" ', 1)
    empty = grown(Syntax.UBL, 3).replace(
        b"</cac:InvoiceLine>", b"</cac:InvoiceLine><cac:InvoiceLine/>"
    )

    for document in (content, empty):
        lines = list(parse(document).iter("{*}InvoiceLine"))
        found = LineTexts(document, lines[0])
        assert found.of(lines[-1]) == serialised(lines[-1])


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'unitCode="C62"', b'unitCode="C62" x="a>b"'),
        (b"><", b"><?x y?><"),
        (b"><", b"><!-- x --><"),
    ],
)
def test_a_line_with_a_sign_that_looks_like_a_tag_is_no_template(syntax, old, new):
    """A bracket in an attribute, an instruction or a comment in a line."""
    before, line, rest = grown(syntax, 20).partition(f"<{LINE[syntax]}>".encode())

    _, lines = read(before + line + rest.replace(old, new), syntax)

    assert not lines.template_places()


def test_the_verdict_is_the_same_whether_lines_are_cut_out_or_not():
    """Of a long document with an error in a line, an empty element and a line break of Windows."""
    engine = PACKS[0].engine(Syntax.UBL)
    for old, new in [
        (b">C62<", b">?<"), (b"<cbc:Name>", b"<cbc:Description></cbc:Description><cbc:Name>"),
        (b"\n", b"\r\n"), (b"Garden", b"G > \xc3\xa4"),
        (b"<cac:Item>", b"<cac:Item><cbc:Keyword/>"),
    ]:  # fmt: skip
        content = grown(Syntax.UBL, 30).replace(old, new)
        root = parse(content)

        assert engine.check(root, content) == engine.judge(engine.read(root)), old


def test_lines_are_copied_wherever_no_rule_compares_them():
    """EXTENDED of Factur-X and BR-FR have groups of lines, PINT of the Gulf sums of its own."""
    compared = {
        f"{rule_set.name} {syntax}"
        for rule_set in built_in()
        for syntax in (Syntax.UBL, Syntax.CII)
        for pack in [rule_set.on(date(2026, 11, 24))]
        if pack.judges(syntax) and pack.engine(syntax)._compares_lines
    }

    assert {each for each in compared if "pint" not in each} == {
        "factur-x CII", "br-fr CII", "br-fr UBL", "br-fr-extended CII", "br-fr-extended UBL"
    }  # fmt: skip
