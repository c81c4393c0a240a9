"""Findings of every rule, with values that its texts have to do with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from lxml import etree

from einvoice import validation
from einvoice.rules import RuleFinding, built_in
from einvoice.rules.book import Rule
from einvoice.validation import wording
from einvoice.validation.locations import ElementIndex

ROOT = etree.fromstring("<Invoice/>")
# Values of rules: texts must be complete with any of them.
VALUES: list[Mapping[str, object]] = [
    {},
    {"declared": None, "expected": None},
    {"code": "?", "text": "?"},
    {"count": 2, "rate": [], "codes": ["S"]},
]


def rules() -> Iterator[Rule]:
    for rule_set in built_in():
        for pack in rule_set.packs:
            for book in pack.books:
                yield from book.rules


@cache
def distinct() -> list[Rule]:
    """All rules, each id once for each kind and folder of words: rule sets share most of them."""
    return list({(rule.id, rule.kind, rule.layer.words): rule for rule in rules()}.values())


def finding_of(rule: Rule, values: Mapping[str, object], language: str) -> validation.Finding:
    """A finding of the rule at a place of its context."""
    steps = [step.rpartition(":")[2] for step in rule.context.paths[0].split("/") if step]
    place = "/" + "/".join(f"{step.replace('*', 'Invoice')}[1]" for step in steps)
    fired = RuleFinding(rule.layer, rule.id, rule.flag, place, values, rule)
    return wording.finding_of(fired, ElementIndex(ROOT), language)
