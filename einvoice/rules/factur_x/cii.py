"""FACTURX-EN16931 and FACTURX-BASIC: the structure of the profile, and its copy of EN 16931."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from einvoice.rules.book import (
    BLANK,
    BROKEN,
    Book,
    Chapter,
    Condition,
    Context,
    Flag,
    Key,
    Kind,
    Pattern,
    Rule,
    Values,
)
from einvoice.rules.en16931.cii import CEN_CII, conditions
from einvoice.rules.factur_x.copies import copies_of
from einvoice.rules.factur_x.structure import structure_of
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View

RELEASE = "1.09.2"

# CEN's rules on codes and types, and nearly all on structure, are not part of the copies.
_NOT_COPIED = ("BR-CL-", "CII-DT-", "CII-SR-")
_COPIED = frozenset(f"CII-SR-{number}" for number in range(463, 477))
_NOT_IN_BASIC = frozenset({"BR-51", "BR-52", "CII-SR-474", "CII-SR-475", "CII-SR-476"})
_FATAL_HERE = dict.fromkeys(("CII-SR-464", "CII-SR-465", "CII-SR-466"), Flag.FATAL)

_EMPTY = Pattern().context(BLANK)


def _category(tax: Node) -> str:
    """The VAT category of a tax group, whatever the tax."""
    codes = tax.texts("ram:CategoryCode")
    return codes[0] if codes else ""


def _indicator_is(text: str) -> Condition:
    """The condition that the indicator of the group above is written so; 1 and 0 do not count."""
    return lambda tax, _: text in tax.up(1).texts("ram:ChargeIndicator/udt:Indicator")


# What a profile compares otherwise than CEN does, in the contexts of its rules.
_CONDITIONS: Mapping[Condition, Condition] = {
    conditions.on_allowance: _indicator_is("false"),
    conditions.on_charge: _indicator_is("true"),
}
_KEYS: Mapping[Key, Key] = {
    conditions.category: _category,
    conditions.group_category: _category,
    conditions.vat_code: conditions.rated_code,
}


def _nothing_is_empty(_: Node, __: View) -> Values | None:
    return BROKEN


def _book(layer: Layer, letter: str, without: frozenset[str]) -> Book:
    ids = frozenset(
        rule.id
        for rule in CEN_CII.rules
        if (not rule.id.startswith(_NOT_COPIED) or rule.id in _COPIED) and rule.id not in without
    )
    own = Chapter(layer)
    own.add(
        "PEPPOL-EN16931-R008", "", _EMPTY, _nothing_is_empty,
        "No element is empty; an element without a value is left out.", Flag.WARNING,
        Kind.PRESENCE,
    )  # fmt: skip
    copied = CEN_CII.selected(layer, RELEASE, ids=ids, flags=_FATAL_HERE)
    alone = replace(copied, rules=tuple(_each_alone(copied.rules)))
    differing = copies_of(layer)
    differing.rules = [rule for rule in differing.rules if rule.id in ids]
    return alone.revised(RELEASE, chapters=[own, differing, structure_of(layer, letter)])


def _each_alone(rules: Iterable[Rule]) -> Iterator[Rule]:
    """The rules with each context in a pattern of its own: in a profile none shadows another."""
    alone: dict[Context, Context] = {}
    for rule in rules:
        if rule.context not in alone:
            alone[rule.context] = _alone(rule.context)
        yield replace(rule, context=alone[rule.context])


def _alone(context: Context) -> Context:
    pattern = Pattern(context.pattern.document_condition)
    condition = context.condition and _CONDITIONS.get(context.condition, context.condition)
    key = context.key and _KEYS.get(context.key, context.key)
    made = replace(context, pattern=pattern, condition=condition, key=key)
    pattern.contexts.append(made)
    return made


FACTURX_EN16931 = _book(Layer.FACTURX_EN16931, "E", frozenset())
FACTURX_BASIC = _book(Layer.FACTURX_BASIC, "B", _NOT_IN_BASIC)
