"""FACTURX-EN16931 and FACTURX-BASIC: the structure of the profile, and its copy of EN 16931."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from einvoice.rules.book import (
    BLANK,
    BROKEN,
    Book,
    Chapter,
    Context,
    Flag,
    Kind,
    Pattern,
    Rule,
    Values,
)
from einvoice.rules.en16931.cii import CEN_CII
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
            pattern = Pattern(rule.context.pattern.document_condition)
            alone[rule.context] = replace(rule.context, pattern=pattern)
            pattern.contexts.append(alone[rule.context])
        yield replace(rule, context=alone[rule.context])


FACTURX_EN16931 = _book(Layer.FACTURX_EN16931, "E", frozenset())
FACTURX_BASIC = _book(Layer.FACTURX_BASIC, "B", _NOT_IN_BASIC)
