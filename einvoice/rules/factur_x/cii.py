"""The layers of the profiles: the structure of the profile, and its copy of EN 16931."""

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
from einvoice.rules.cii_paths import INDICATOR
from einvoice.rules.en16931.cii import CEN_CII, conditions
from einvoice.rules.factur_x.copies import copies_of
from einvoice.rules.factur_x.extended import chapters_of
from einvoice.rules.factur_x.structure import structure_of
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View

RELEASE = "1.09.2"

# CEN's rules on codes and types, and nearly all on structure, are not part of the copies.
_NOT_COPIED = ("BR-CL-", "CII-DT-", "CII-SR-")
_COPIED = frozenset(f"CII-SR-{number}" for number in range(463, 477))
_NOT_IN_BASIC = frozenset({"BR-51", "BR-52", "CII-SR-474", "CII-SR-475", "CII-SR-476"})
_OF_CATEGORIES = frozenset({"AE", "AF", "AG", "E", "G", "IC", "O", "S", "Z"})
# BASIC WL has no lines, and so none of the rules about them.
_NOT_IN_BASIC_WL = (
    _NOT_IN_BASIC
    | {
        f"BR-{category}-{number}"
        for category in _OF_CATEGORIES
        for number in ("01", "02", "05", "08")
    }
    | {f"BR-{number}" for number in (16, *range(21, 29), 30, *range(41, 45), 54, 64, 65)}
    | {f"BR-CO-{number}" for number in ("04", "07", "08", "10", "20", "23", "24")}
    | {f"BR-DEC-{number}" for number in (23, 24, 25, 27, 28)}
    | {"BR-O-12", "BR-B-01", "BR-B-02"}
)
_IN_MINIMUM = frozenset(
    {f"BR-{number:02}" for number in (*range(1, 10), 13, 14, 15)}
    | {f"BR-DEC-{number}" for number in (12, 13, 14, 18)}
    | {"BR-CO-09", "BR-CO-26"}
)
# EXTENDED has a rule of its own in place of each of these, or none.
_NOT_IN_EXTENDED = (
    {f"BR-{category}-{number}" for category in _OF_CATEGORIES for number in ("01", "08")}
    | {f"BR-{number}" for number in (22, 23, 24, 26, 27, 28, 38, 44, 54)}
    | {f"BR-CO-{number}" for number in ("04", "06", "08", *range(10, 14), 15, 16, 17, 22, 24)}
    | {f"BR-O-{number}" for number in ("02", "03", "04", *range(11, 15))}
    | {"BR-AF-10", "BR-AG-10", "BR-S-09", "BR-S-10", "BR-Z-10", "CII-SR-470", "CII-SR-474"}
)
_FATAL_HERE = dict.fromkeys(("CII-SR-464", "CII-SR-465", "CII-SR-466"), Flag.FATAL)

_EMPTY = Pattern().context(BLANK)


def _category(tax: Node) -> str:
    """The VAT category of a tax group, whatever the tax."""
    codes = tax.texts("ram:CategoryCode")
    return codes[0] if codes else ""


def _indicator_is(text: str) -> Condition:
    """The condition that the indicator of the group above is written so; 1 and 0 do not count."""
    return lambda tax, _: text in tax.up(1).texts(INDICATOR)


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


_COPIES = frozenset(
    rule.id for rule in CEN_CII.rules if not rule.id.startswith(_NOT_COPIED) or rule.id in _COPIED
)


def _book(layer: Layer, letter: str, ids: frozenset[str], *chapters: Chapter) -> Book:
    """The book of a profile: the copies with these ids, its structure, and other chapters."""
    copied = CEN_CII.selected(layer, RELEASE, ids=ids, flags=_FATAL_HERE)
    alone = replace(copied, rules=tuple(_each_alone(copied.rules)))
    differing = copies_of(layer)
    differing.rules = [rule for rule in differing.rules if rule.id in ids]
    return alone.revised(RELEASE, chapters=[*chapters, differing, structure_of(layer, letter)])


def _no_empty_elements(layer: Layer) -> Chapter:
    own = Chapter(layer)
    own.add(
        "PEPPOL-EN16931-R008", "", _EMPTY, _nothing_is_empty,
        "No element is empty; an element without a value is left out.", Flag.WARNING,
        Kind.PRESENCE,
    )  # fmt: skip
    return own


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


FACTURX_EN16931 = _book(
    Layer.FACTURX_EN16931, "E", _COPIES, _no_empty_elements(Layer.FACTURX_EN16931)
)
FACTURX_BASIC = _book(
    Layer.FACTURX_BASIC, "B", _COPIES - _NOT_IN_BASIC, _no_empty_elements(Layer.FACTURX_BASIC)
)
FACTURX_BASIC_WL = _book(Layer.FACTURX_BASIC_WL, "W", _COPIES - _NOT_IN_BASIC_WL)
FACTURX_MINIMUM = _book(Layer.FACTURX_MINIMUM, "M", _IN_MINIMUM)
FACTURX_EXTENDED = _book(
    Layer.FACTURX_EXTENDED, "X", (_COPIES - _NOT_IN_EXTENDED) | {"CII-DT-097"},
    _no_empty_elements(Layer.FACTURX_EXTENDED), *chapters_of(Layer.FACTURX_EXTENDED),
)  # fmt: skip
