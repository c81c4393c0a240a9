"""The contract of profiles: pure functions, samples that become documents, findings with places.

class TestMyProfile(ProfileContract):
    @pytest.fixture
    def profile(self):
        return my_plugin.PROFILE

    @pytest.fixture
    def rule_set(self):
        return my_plugin.RULES
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

import pytest
from lxml import etree

from einvoice import clock, rules
from einvoice.domain.additions import Additions, Handout
from einvoice.domain.invoice import Invoice
from einvoice.domain.profiles import Profile
from einvoice.network import samples
from einvoice.rules import RuleSet, Syntax
from einvoice.rules.reading import Element
from einvoice.xml import parse

# How many elements are taken out of a document, one at a time, to see what the rules say of it.
MAX_DAMAGES = 60
_STEP = re.compile(r"/(@?)(?:[^/\[:]+:)?([^/\[]+)(?:\[(\d+)\])?")


class ProfileContract:
    """The tests of a profile; supply the fixtures `profile` and, with rules of its own, `rule_set`.

    Further ones are optional: `invoices` (by default the sample invoice), and `evidence`, which the
    network returns for each of them, by type of artefact.
    """

    @pytest.fixture
    def profile(self) -> Profile:
        raise NotImplementedError("supply the fixture profile")

    @pytest.fixture
    def rule_set(self, profile: Profile) -> RuleSet:
        """The rule set that the profile names."""
        known = rules.built_in()
        if profile.rule_set not in known:
            raise NotImplementedError("supply the fixture rule_set")
        return known[profile.rule_set]

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        """Invoices that the profile takes."""
        return [samples.invoice()]

    @pytest.fixture
    def evidence(self) -> dict[str, bytes]:
        """The outcome of the network once it has cleared or delivered an invoice."""
        return {}

    def test_its_functions_can_be_sent_to_another_process(self, profile: Profile) -> None:
        """Large invoices are computed there: a lambda or a method cannot be sent."""
        for function in (profile.adapt, profile.write, profile.additions):
            sent = pickle.loads(pickle.dumps(function))  # noqa: S301 - our own bytes
            assert sent is function or _parts(sent) == _parts(function) != ()

    def test_the_same_invoice_gives_the_same_bytes(
        self, profile: Profile, invoices: Sequence[Invoice]
    ) -> None:
        """A document is written again where it was not kept."""
        for invoice in invoices:
            before = copy.deepcopy(invoice)
            first, second = (profile.write(profile.adapt(invoice).invoice) for _ in range(2))

            assert first == second, f"{invoice.number}: written differently the second time"
            assert invoice == before, f"{invoice.number}: the invoice was changed"

    def test_samples_become_documents_of_the_network(
        self, profile: Profile, invoices: Sequence[Invoice], rule_set: RuleSet
    ) -> None:
        """Of a kind that it takes, judged by its rule set, with the number of the invoice; where
        the profile reads them, with its total too."""
        for invoice in invoices:
            document = profile.write(profile.adapt(invoice).invoice)
            texts = {text.strip() for text in parse(document).itertext()}

            assert profile.type_of(invoice.document_kind), f"{invoice.kind} is not taken"
            assert _syntax(rule_set, parse(document)) in rule_set.syntaxes
            assert invoice.number in texts, f"{invoice.number} is not in the document"
            if profile.read is not None:
                found = profile.read(document)
                assert found.number == invoice.number
                assert found.totals.payable == invoice.totals.payable

    def test_samples_keep_the_rules(
        self, profile: Profile, invoices: Sequence[Invoice], rule_set: RuleSet
    ) -> None:
        for invoice in invoices:
            root = parse(profile.write(profile.adapt(invoice).invoice))

            broken = [f"{found[0]} at {found[1]}" for found in _fatal(rule_set, root)]
            assert not broken, f"{invoice.number}: {', '.join(broken)}"

    def test_findings_have_places_that_exist(
        self, profile: Profile, invoices: Sequence[Invoice], rule_set: RuleSet
    ) -> None:
        """In documents from which an element is missing; at least one of them breaks a rule."""
        count = 0
        for invoice in invoices:
            document = profile.write(profile.adapt(invoice).invoice)
            for damaged in _damaged(document):
                for rule, place in _found(rule_set, damaged):
                    count += 1
                    assert _exists(damaged, place), f"{rule}: there is no {place}"
        assert count, "the rules find nothing in any damaged document"

    def test_additions_depend_on_the_handout_alone(
        self, profile: Profile, invoices: Sequence[Invoice], evidence: dict[str, bytes]
    ) -> None:
        """Their bounds are checked by their types; before the clearance nothing is known."""
        for invoice in invoices:
            document = profile.write(profile.adapt(invoice).invoice)
            before = Handout(invoice, document, delivered=False)
            after = Handout(invoice, document, True, evidence, "REF-1" if evidence else None)
            for handout in (before, after):
                first, second = profile.additions(handout), profile.additions(handout)

                assert isinstance(first, Additions), f"added {first!r}"
                assert first == second, "added something else the second time"


def _syntax(rule_set: RuleSet, root: etree._Element) -> Syntax:
    """The syntax of a document, among those that the rule set judges."""
    found = next((each for each in rule_set.syntaxes if root.tag in each.roots), None)
    assert found is not None, f"the rule set judges no {root.tag}"
    return found


def _found(rule_set: RuleSet, root: etree._Element) -> Iterator[tuple[str, str]]:
    """(rule, place) of the findings on a document."""
    yield from ((one.id, one.place) for one in _verdict(rule_set, root).findings)


def _fatal(rule_set: RuleSet, root: etree._Element) -> Iterator[tuple[str, str]]:
    for one in _verdict(rule_set, root).findings:
        if one.severity is rules.Flag.FATAL:
            yield one.id, one.place


def _verdict(rule_set: RuleSet, root: etree._Element) -> rules.RulesVerdict:
    engine = rule_set.on(clock.today()).engine(_syntax(rule_set, root))
    return engine.check(cast("Element", root))


def _damaged(document: bytes) -> Iterator[etree._Element]:
    """The document without one element, for its first MAX_DAMAGES elements."""
    count = sum(1 for _ in parse(document).iterdescendants())
    for number in range(min(count, MAX_DAMAGES)):
        root = parse(document)
        element = list(root.iterdescendants())[number]
        above = element.getparent()
        assert above is not None
        above.remove(element)
        yield root


def _exists(root: etree._Element, place: str) -> bool:
    """Whether a place of a finding (`/Invoice[1]/cac:Party[1]`) is in the document."""
    found = [root]
    steps = list(_STEP.finditer(place))
    if not steps or steps[0][2] != etree.QName(root).localname:
        return False
    for step in steps[1:]:
        if step[1]:
            return all(any(etree.QName(k).localname == step[2] for k in e.attrib) for e in found)
        position = int(step[3] or 1) - 1
        below = [e for e in found[0] if isinstance(e.tag, str)]
        named = [e for e in below if etree.QName(e).localname == step[2]]
        if len(named) <= position:
            return False
        found = [named[position]]
    return True


def _parts(function: object) -> tuple[object, ...]:
    """The function of a module and its arguments, of a partial; empty for anything else."""
    if not isinstance(function, partial):
        return ()
    return function.func, function.args, function.keywords
