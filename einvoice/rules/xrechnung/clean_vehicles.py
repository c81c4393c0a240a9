"""BR-DE-CVD in both syntaxes: purchases of vehicles under the Clean Vehicles Directive.

An item is a vehicle by its category (BT-158, list CVD) and its emission class (BT-160 cva, BT-161).
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.rules.book import BROKEN, Chapter, Context, Kind, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.extended_codes import CLASSIFICATIONS, scheme_listed

_LIST = "CVD"  # the list of BT-158
_EMISSION_CLASS = "cva"
_CATEGORIES = ("M1", "M2", "M3", "N1", "N2", "N3")
_EMISSIONS = ("clean", "zero-emission", "other")


@dataclass(frozen=True, slots=True)
class VehiclePaths:
    """Where a syntax has the terms of a vehicle."""

    items: tuple[str, ...]  # of all lines, below the context of the document
    code: str  # BT-158, below an item
    attribute: str  # BG-32, below an item
    name: str  # BT-160, below an attribute
    value: str  # BT-161, below an attribute

    def is_emission(self, attribute: Node, _: View) -> bool:
        """Whether an item attribute is an emission class."""
        return _EMISSION_CLASS in attribute.texts(self.name)

    def _emissions(self, item: Node) -> int:
        return sum(_EMISSION_CLASS in each.texts(self.name) for each in item.all(self.attribute))

    def _categories(self, item: Node) -> int:
        return item.attributes_at(self.code, "listID").count(_LIST)

    def a_line_is_a_vehicle(self, document: Node, _: View) -> Values | None:
        """BR-DE-CVD-03."""
        items = (item for path in self.items for item in document.all(path))
        found = any(self._categories(item) and self._emissions(item) for item in items)
        return None if found else BROKEN

    def has_one_emission_class(self, item: Node, _: View) -> Values | None:
        """BR-DE-CVD-06-a."""
        count = self._emissions(item)
        return None if not self._categories(item) or count == 1 else {"count": count}

    def has_one_category(self, item: Node, _: View) -> Values | None:
        """BR-DE-CVD-06-b."""
        count = self._categories(item)
        return None if not self._emissions(item) or count == 1 else {"count": count}

    def emission_class_is_known(self, emission: Node, _: View) -> Values | None:
        """BR-DE-CVD-05."""
        value = normalized(emission.text_of(self.value))
        return None if value in _EMISSIONS else {"code": value}


def category_is_known(code: Node, _: View) -> Values | None:
    """BR-DE-CVD-04."""
    if normalized(code.attributes.get("listID", "")) != _LIST:
        return None
    return None if normalized(code.text) in _CATEGORIES else {"code": code.text}


def add_vehicle_rules(
    chapter: Chapter,
    pattern: Pattern,
    paths: VehiclePaths,
    *,
    document: Context,
    items: tuple[str, ...],
) -> None:
    """Declare the rules on vehicles, in the contexts of a pattern.

    document  the context below which `paths.items` are
    items     the paths of the items from the root
    """
    item = pattern.context(*items)
    code = pattern.context(*(f"{path}/{paths.code}" for path in items))
    emission = pattern.context(
        *(f"{path}/{paths.attribute}" for path in items), when=paths.is_emission
    )
    chapter.add(
        "BR-DE-CVD-03", "BT-158 BT-160", document, paths.a_line_is_a_vehicle,
        "A line has a vehicle category (BT-158, list CVD) and an emission class (BT-160 cva).",
        kind=Kind.PRESENCE,
    )  # fmt: skip
    chapter.add(
        "BR-DE-CVD-06-a", "BT-158 BT-160", item, paths.has_one_emission_class,
        "An item with a vehicle category (BT-158) has exactly one emission class (BT-160 cva).",
        kind=Kind.CARDINALITY, present=(paths.code,),
    )  # fmt: skip
    chapter.add(
        "BR-DE-CVD-06-b", "BT-158 BT-160", item, paths.has_one_category,
        "An item with an emission class (BT-160 cva) has exactly one vehicle category (BT-158).",
        kind=Kind.CARDINALITY, present=(paths.attribute,),
    )  # fmt: skip
    chapter.add(
        "BR-TMP-CVD-01", "BT-158-1", code, scheme_listed(CLASSIFICATIONS, "listID"),
        "The list of an item classification (BT-158-1) is a code of UNTDID 7143, or CVD.",
        kind=Kind.CODE_LIST, parameters={"list": "uncl7143", "path": "@listID"},
    )  # fmt: skip
    chapter.add(
        "BR-DE-CVD-04", "BT-158", code, category_is_known,
        "A vehicle category (BT-158, list CVD) is M1, M2, M3, N1, N2 or N3.", kind=Kind.CODE_LIST,
    )  # fmt: skip
    chapter.add(
        "BR-DE-CVD-05", "BT-161", emission, paths.emission_class_is_known,
        "An emission class (BT-161) is clean, zero-emission or other.",
        kind=Kind.CODE_LIST, parameters={"path": paths.value},
    )  # fmt: skip
