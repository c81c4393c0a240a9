"""The structure of the profiles: elements that occur once, attributes, codes, and what is not used.

The rules are those of structure.csv. All are of one pattern, but only one context matches a node,
because the conditions of contexts with one path exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from einvoice.rules.book import BROKEN, Chapter, Check, Condition, Context, Kind, Pattern, Values
from einvoice.rules.cii_paths import INDICATOR, SETTLEMENT
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import NO_NODES, Node
from einvoice.rules.view import View

Predicate = Callable[[Node], bool]
Steps = tuple[tuple[str, str], ...]  # names, each with its condition; "" for none

_RSM = frozenset({"ExchangedDocumentContext", "ExchangedDocument", "SupplyChainTradeTransaction"})
_UDT = frozenset({"DateTimeString", "Indicator"})
_REFERENCE_TYPES = frozenset({"916", "50", "130"})
_TAX_SCHEMES = frozenset({"VA", "FC"})


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; `profiles` are the letters of those that have the rule."""

    profiles: str
    rule: str
    kind: str
    steps: Steps
    argument: str

    @property
    def path(self) -> str:
        return "/".join(("/rsm:CrossIndustryInvoice", *(name for name, _ in self.steps)))

    @property
    def last(self) -> str:
        """The name of the element at the place, without prefix."""
        return self.steps[-1][0].partition(":")[2]


def rows() -> Iterator[Row]:
    """The rows of structure.csv."""
    table = Path(__file__).with_name("structure.csv").read_text(encoding="utf-8").splitlines()
    for line in [line for line in table if not line.startswith("#")][1:]:
        profiles, rule, kind, place, argument = line.split(";")
        yield Row(profiles, rule, kind, tuple(_steps(place)), argument)


def _steps(place: str) -> Iterator[tuple[str, str]]:
    first, *others = place.split("/")
    name, condition = _named(first.replace("LINE", "IncludedSupplyChainTradeLineItem"))
    if name.startswith("ram:"):
        yield "rsm:SupplyChainTradeTransaction", ""
        name = name.replace("ram:Header", "ram:ApplicableHeaderTrade")
    yield name, condition
    yield from map(_named, others)


def _named(step: str) -> tuple[str, str]:
    """A step as a name with prefix, and its condition."""
    name, _, condition = step.removesuffix("]").partition("[")
    if ":" in name:
        return name, condition
    prefix = "rsm" if name in _RSM else "udt" if name in _UDT else "ram"
    return f"{prefix}:{name}", condition


def _indicates(text: str) -> Predicate:
    return lambda node: text in node.texts(INDICATOR)


def _has_type(code: str) -> Predicate:
    return lambda node: code in node.texts("ram:TypeCode")


def _has_scheme(scheme: str) -> Predicate:
    return lambda node: scheme in node.attributes_at("ram:ID", "schemeID")


def _in_currency(*names: str) -> Predicate:
    """Whether an amount is in one of the currencies of the settlement."""

    def holds(amount: Node) -> bool:
        settlement = amount.up(2)
        codes = [code for name in names for code in settlement.texts(f"ram:{name}CurrencyCode")]
        return amount.attributes.get("currencyID") in codes

    return holds


def _in_document_currency(*names: str) -> Predicate:
    """Whether an amount of a line is in one of the currencies of the document."""
    paths = [f"{SETTLEMENT}/ram:{name}CurrencyCode" for name in names]

    def holds(amount: Node) -> bool:
        root = amount
        while root.parent is not None:
            root = root.parent
        return any(amount.attributes.get("currencyID") in root.texts(path) for path in paths)

    return holds


_in_known_currency = _in_currency("Invoice", "Tax")
_in_known_document_currency = _in_document_currency("Invoice", "Tax")

_PREDICATES: Mapping[str, Predicate] = {
    "allowance": _indicates("false"),
    "charge": _indicates("true"),
    "neither": lambda node: not {"true", "false"} & set(node.texts(INDICATOR)),
    "916": _has_type("916"),
    "130": _has_type("130"),
    "50": _has_type("50"),
    "other type": lambda node: not _REFERENCE_TYPES & set(node.texts("ram:TypeCode")),
    "FC": _has_scheme("FC"),
    "VA": _has_scheme("VA"),
    "other scheme": lambda node: not _TAX_SCHEMES & set(node.attributes_at("ram:ID", "schemeID")),
    "no list": lambda node: "listID" not in node.attributes,
    "5153 list": lambda node: node.attributes.get("listID") == "5153",
    "other list": lambda node: node.attributes.get("listID", "5153") != "5153",
    "invoice currency": _in_currency("Invoice"),
    "tax currency": _in_currency("Tax"),
    "other currency": lambda node: not _in_known_currency(node),
    "document invoice currency": _in_document_currency("Invoice"),
    "document tax currency": _in_document_currency("Tax"),
    "document other currency": lambda node: not _in_known_document_currency(node),
}


def _condition(steps: Steps) -> Condition | None:
    """The condition that the conditions of all steps hold at the node and those above it."""
    depth = len(steps) - 1
    needed = [
        (depth - number, _PREDICATES[condition])
        for number, (_, condition) in enumerate(steps)
        if condition
    ]
    if not needed:
        return None
    return lambda node, _: all(holds(node.up(distance)) for distance, holds in needed)


# -- checks ----------------------------------------------------------------------------------------


def _count(argument: str) -> Callable[[Node], int]:
    """The number of elements of a name below a node, of those that meet its condition."""
    name, condition = _named(argument)
    if not condition:
        return lambda node: len(node.children.get(name, NO_NODES))
    holds = _PREDICATES[condition]
    return lambda node: sum(map(holds, node.children.get(name, NO_NODES)))


def _counted(argument: str, least: int, most: int | None) -> Check:
    count = _count(argument)

    def check(node: Node, _: View) -> Values | None:
        found = count(node)
        return None if found >= least and (most is None or found <= most) else {"count": found}

    return check


def _given(argument: str) -> Check:
    return lambda node, _: None if argument in node.attributes else BROKEN


def _coded(codes: frozenset[str], attribute: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        found = node.attributes.get(attribute, "") if attribute else node.text
        return None if not found or found in codes else {"code": found}

    return check


def _codes(listed: str) -> frozenset[str]:
    return frozenset(listed[1:].split("|")) if listed[0] == "=" else code_list(listed).codes


# -- chapters --------------------------------------------------------------------------------------


class _Profile:
    """The chapter of one profile, while its rules are added."""

    def __init__(self, layer: Layer, letter: str) -> None:
        self.chapter = Chapter(layer)
        self.rows = [row for row in rows() if letter in row.profiles]
        self.pattern = Pattern()
        self.contexts: dict[Steps, Context] = {}

    def context(self, steps: Steps, path: str) -> Context:
        if steps not in self.contexts:
            self.contexts[steps] = self.pattern.context(path, when=_condition(steps))
        return self.contexts[steps]

    def add(self, row: Row) -> None:
        check, kind, requires, parameters = _rule_of(row)
        self.chapter.add(
            row.rule, "", self.context(row.steps, row.path), check, requires, kind=kind,
            parameters=parameters,
        )  # fmt: skip

    def add_unused(self, rule: str, unused: list[Row], check: Check, parameters: Values) -> None:
        """Add one rule for several places: those where something is not used."""
        conditions: dict[str, list[Condition | None]] = {}
        for row in unused:
            conditions.setdefault(row.path, []).append(_condition(row.steps))
        context = Pattern().context(*conditions, when=_at_any(conditions))
        requires = "What the profile does not use is left out"
        self.chapter.add(
            rule, "", context, check, requires, kind=Kind.ABSENCE, parameters=parameters
        )


def _at_any(conditions: Mapping[str, list[Condition | None]]) -> Condition:
    """The condition that one of those for the path of the node holds."""

    def matches(node: Node, view: View) -> bool:
        names = [node.name]
        above = node.parent
        while above is not None:
            names.append(above.name)
            above = above.parent
        found = conditions.get("/" + "/".join(reversed(names)), ())
        return any(condition is None or condition(node, view) for condition in found)

    return matches


def _rule_of(row: Row) -> tuple[Check, Kind, str, Values]:
    """The check of a row with an id, its kind, what it requires, and its parameters."""
    element = row.argument.partition("[")[0]
    below = {"path": _named(element)[0]}
    if row.kind == "one":
        requirement = f"{row.last} has exactly one {element}"
        return (
            _counted(row.argument, 1, 1),
            Kind.CARDINALITY,
            requirement,
            below | {"times": "once"},
        )
    if row.kind == "most":
        requirement = f"{row.last} has at most one {element}"
        return _counted(row.argument, 0, 1), Kind.CARDINALITY, requirement, below
    if row.kind == "two":
        requirement = f"{row.last} has at most two {element}"
        return _counted(row.argument, 0, 2), Kind.CARDINALITY, requirement, below
    if row.kind == "some":
        requirement = f"{row.last} has at least one {element}"
        return _counted(row.argument, 1, None), Kind.PRESENCE, requirement, below
    if row.kind == "attribute":
        requirement = f"{row.last} has the attribute {row.argument}"
        return _given(row.argument), Kind.PRESENCE, requirement, {"path": f"@{row.argument}"}
    return _code_rule(row)


def _code_rule(row: Row) -> tuple[Check, Kind, str, Values]:
    listed, _, attribute = row.argument.partition("@")
    codes = _codes(listed)
    parameters: dict[str, object] = {"path": f"@{attribute}"} if attribute else {}
    if listed[0] == "=":
        requirement = f"{row.last} is {' or '.join(sorted(codes))}"
        return _coded(codes, attribute), Kind.FORMAT, requirement, parameters
    requirement = f"{row.last} is a code of its list"
    return _coded(codes, attribute), Kind.CODE_LIST, requirement, parameters | {"list": listed}


def _not_used(_: Node, __: View) -> Values | None:
    return BROKEN


def _has(attribute: str) -> Check:
    return lambda node, _: BROKEN if attribute in node.attributes else None


def structure_of(layer: Layer, letter: str) -> Chapter:
    """The structural rules of a profile; `letter` is that of structure.csv."""
    profile = _Profile(layer, letter)
    unused: dict[str, list[Row]] = {}
    for row in profile.rows:
        if row.rule:
            profile.add(row)
        else:
            unused.setdefault(row.argument, []).append(row)
    for attribute, places in unused.items():
        if attribute:
            parameters = {"path": f"@{attribute}"}
            profile.add_unused(f"not-used: @{attribute}", places, _has(attribute), parameters)
        else:
            profile.add_unused("not-used: true()", places, _not_used, {})
    return profile.chapter
