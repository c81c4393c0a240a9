"""Locations in an invoice: the part of it, the line, and the item within.

>>> location_of("/Invoice[1]/InvoiceLine[3]/Item[1]/Name[1]")
Location(part='line', line=2, item=None, path='/Invoice/InvoiceLine/Item/Name')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from lxml import etree

from einvoice.xml import line_of

Steps = Sequence[tuple[str, int]]  # names with positions from 1

_STEP = re.compile(r"/([^/\[]+)(?:\[(\d+)\])?")

# The outermost element of each part, UBL and CII; lines and allowances are below.
_PARTS = {
    "AccountingSupplierParty": "seller",
    "SellerTradeParty": "seller",
    "AccountingCustomerParty": "buyer",
    "BuyerTradeParty": "buyer",
    "PayeeParty": "payee",
    "PayeeTradeParty": "payee",
    "TaxRepresentativeParty": "representative",
    "SellerTaxRepresentativeTradeParty": "representative",
    "Delivery": "delivery",
    "ApplicableHeaderTradeDelivery": "delivery",
    "InvoicePeriod": "period",
    "BillingSpecifiedPeriod": "period",
    "PaymentMeans": "payment",
    "SpecifiedTradeSettlementPaymentMeans": "payment",
    "TaxTotal": "breakdown",
    "ApplicableTradeTax": "breakdown",
    "LegalMonetaryTotal": "totals",
    "SpecifiedTradeSettlementHeaderMonetarySummation": "totals",
    "BillingReference": "preceding",
    "InvoiceReferencedDocument": "preceding",
    "AdditionalDocumentReference": "attachment",
    "AdditionalReferencedDocument": "attachment",
}
_LINES = {"InvoiceLine", "CreditNoteLine", "IncludedSupplyChainTradeLineItem"}
_ADJUSTMENTS = {"AllowanceCharge", "SpecifiedTradeAllowanceCharge"}
_ATTACHED = ("Attachment", "AttachmentBinaryObject")


@dataclass(frozen=True, slots=True)
class Location:
    """`part` as in terms/terms.csv; `line` and `item` are indices from 0, None if there is none."""

    part: str
    line: int | None
    item: int | None
    path: str  # local names without positions


def location_of(place: str, below: str = "", index: ElementIndex | None = None) -> Location:
    """The location of a place, such as `/Invoice[1]/cac:Party[2]`, or of a path below it.

    `item` is filled only with an index of the document's elements.
    """
    steps = _steps(place)
    names = [name for name, _ in steps]
    path = "/" + "/".join([*names, *_local_names(below)])
    line = next((position - 1 for name, position in steps if name in _LINES), None)
    depth = _adjustment(names)
    if depth is not None:
        charge, item = _charge_and_item(steps[: depth + 1], index)
        word = "charge" if charge else "allowance"
        return Location(word if line is None else f"line {word}", line, item, path)
    if line is not None:
        return Location("line", line, _index_of(steps, "CommodityClassification"), path)
    part = next((_PARTS[name] for name in names[1:] if name in _PARTS), None)
    part = part or next((_PARTS[name] for name in _local_names(below) if name in _PARTS), None)
    item = _attachment_item(steps, index) if part == "attachment" else None
    return Location(part or "document", None, item, path)


def _local_names(path: str) -> list[str]:
    steps = [step for step in path.split("/") if step and not step.startswith("@")]
    return [step.rpartition(":")[2] for step in steps]


def _adjustment(names: Sequence[str]) -> int | None:
    """The depth of the allowance or charge in the path, other than the discount of a price."""
    for depth, name in enumerate(names):
        if name in _ADJUSTMENTS and names[depth - 1] != "Price":
            return depth
    return None


def _index_of(steps: Steps, name: str) -> int | None:
    return next((position - 1 for step, position in steps if step == name), None)


def _charge_and_item(steps: Steps, index: ElementIndex | None) -> tuple[bool, int | None]:
    """Whether it is a charge, and its index among the charges (or allowances) here."""
    adjustments = index.numbered(steps, _is_charge) if index else ()
    own = steps[-1][1] - 1
    return adjustments[own] if own < len(adjustments) else (False, None)


def _is_charge(adjustment: etree._Element) -> bool:
    return any(
        (text or "").strip() in ("true", "1")
        for child in adjustment
        if local_name(child) == "ChargeIndicator"
        for text in (child.text, *(below.text for below in child))
    )


def _attachment_item(steps: Steps, index: ElementIndex | None) -> int | None:
    """The index among the supporting documents that have an attachment."""
    references = index.numbered(steps[:2], _has_attachment) if index and len(steps) > 1 else ()
    own = steps[1][1] - 1 if len(steps) > 1 else 0
    has_one, item = references[own] if own < len(references) else (False, None)
    return item if has_one else None


def _has_attachment(reference: etree._Element) -> bool:
    return any(local_name(child) in _ATTACHED for child in reference)


class ElementIndex:
    """The elements of a document by place. Children are indexed when first needed."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._children_by_name: dict[etree._Element, dict[str, list[etree._Element]]] = {}
        self._numbered: dict[tuple[etree._Element, object], list[tuple[bool, int]]] = {}

    def at(self, place: str) -> etree._Element | None:
        """The element at a place; None if there is none."""
        return self._at(_steps(place))

    def line(self, place: str) -> int | None:
        """The source line of the element's start tag, or of its nearest existing ancestor's."""
        steps = _steps(place)
        while steps:
            element = self._at(steps)
            if element is not None:
                return line_of(element) or None
            steps = steps[:-1]
        return None

    def _at(self, steps: Steps) -> etree._Element | None:
        siblings = self.siblings(steps)
        return siblings[steps[-1][1] - 1] if steps and steps[-1][1] <= len(siblings) else None

    def siblings(self, steps: Steps) -> Sequence[etree._Element]:
        """The element that the steps lead to, and its siblings of the same name, in order."""
        if not steps or steps[0][0] != local_name(self._root):
            return ()
        found: Sequence[etree._Element] = (self._root,)
        position = 1
        for name, following in steps[1:]:
            if position > len(found):
                return ()
            found, position = self._children(found[position - 1]).get(name, ()), following
        return found

    def numbered(
        self, steps: Steps, quality: Callable[[etree._Element], bool]
    ) -> Sequence[tuple[bool, int]]:
        """For each of the siblings, whether it has a quality, and its index among those like it.

        Computed once for all siblings: thousands of them may have a finding each.
        """
        siblings = self.siblings(steps)
        if not siblings:
            return ()
        known = self._numbered.get((siblings[0], quality))
        if known is None:
            known = self._numbered[siblings[0], quality] = []
            counts = {True: count(), False: count()}
            for sibling in siblings:
                has_it = quality(sibling)
                known.append((has_it, next(counts[has_it])))
        return known

    def _children(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        known = self._children_by_name.get(element)
        if known is None:
            known = self._children_by_name[element] = {}
            for child in element:
                known.setdefault(local_name(child), []).append(child)
        return known


def local_name(element: etree._Element) -> str:
    """The name without its namespace; "" for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


@lru_cache(maxsize=256)
def _steps(place: str) -> Steps:
    return tuple((name, int(position or 1)) for name, position in _STEP.findall(place))
