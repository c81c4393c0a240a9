"""Which rule set judges a document: what it says, what is asked for, and its network."""

from __future__ import annotations

from functools import partial

import pytest

from einvoice.rules import PEPPOL_BIS_BILLING, Choice, ChosenBy, Declared, RuleSet, RuleSets, Syntax
from einvoice.rules.packs import Pack

BIS = Declared(
    next(iter(Syntax.UBL.roots)),
    "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
)
OTHER = Declared(BIS.root, "urn:other")


def is_bis(declared: Declared) -> bool:
    return declared.specification == BIS.specification


@pytest.fixture
def stricter():
    """A set of a network that takes BIS Billing; it recognises nothing by itself."""
    [pack, *_] = PEPPOL_BIS_BILLING.packs
    return RuleSet("stricter", (Pack("stricter", "1", pack.valid_from, None, pack.books),),
                   takes=is_bis)  # fmt: skip


@pytest.fixture
def rule_sets(stricter):
    return RuleSets([PEPPOL_BIS_BILLING, stricter], PEPPOL_BIS_BILLING.name, partial(RuleSets))


def test_the_set_of_the_network_judges_what_it_takes(rule_sets, stricter):
    found = rule_sets.choose(BIS, network="stricter")

    assert found == Choice(stricter, ChosenBy.NETWORK)


def test_a_set_takes_nothing_where_it_is_not_that_of_the_network(rule_sets):
    assert rule_sets.choose(BIS) == Choice(PEPPOL_BIS_BILLING, ChosenBy.DOCUMENT)
    by_network = rule_sets.choose(BIS, network=PEPPOL_BIS_BILLING.name)
    assert by_network == Choice(PEPPOL_BIS_BILLING, ChosenBy.DOCUMENT)


def test_a_wish_comes_before_what_a_set_takes(rule_sets):
    found = rule_sets.choose(BIS, asked=PEPPOL_BIS_BILLING.name, network="stricter")

    assert found == Choice(PEPPOL_BIS_BILLING, ChosenBy.REQUEST)


def test_the_set_of_the_network_judges_what_no_set_recognises(rule_sets, stricter):
    assert rule_sets.choose(OTHER, network="stricter") == Choice(stricter, ChosenBy.NETWORK)
