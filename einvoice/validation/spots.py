"""Where in an invoice a finding is: the part of the invoice, which line, which item of it.

>>> spot_of("/Invoice[1]/InvoiceLine[3]/Item[1]/Name[1]")
Spot(part='line', line=2, item=None, path='/Invoice/InvoiceLine/Item/Name')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from einvoice.xml import line_of

Steps = Sequence[tuple[str, int]]  # names with positions from 1

_STEP = re.compile(r"/([^/\[]+)(?:\[(\d+)\])?")

# The element that opens a part, UBL and CII. Names of lines and allowances stand below.
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
class Spot:
    """`part` as in terms/terms.csv; `line` and `item` count from 0, None where there is none."""

    part: str
    line: int | None
    item: int | None
    path: str  # local names without positions


def spot_of(place: str, below: str = "", places: Places | None = None) -> Spot:
    """The spot of a place, or of what a rule asks for below it; items need the places."""
    steps = _steps(place)
    names = [name for name, _ in steps]
    path = "/" + "/".join([*names, *_local_names(below)])
    line = next((position - 1 for name, position in steps if name in _LINES), None)
    depth = _adjustment(names)
    if depth is not None:
        charge, item = _charge_and_item(steps[: depth + 1], places)
        word = "charge" if charge else "allowance"
        return Spot(word if line is None else f"line {word}", line, item, path)
    if line is not None:
        return Spot("line", line, _nth(steps, "CommodityClassification"), path)
    part = next((_PARTS[name] for name in names[1:] if name in _PARTS), None)
    part = part or next((_PARTS[name] for name in _local_names(below) if name in _PARTS), None)
    item = _attachment_number(steps, places) if part == "attachment" else None
    return Spot(part or "document", None, item, path)


def _local_names(path: str) -> list[str]:
    steps = [step for step in path.split("/") if step and not step.startswith("@")]
    return [step.rpartition(":")[2] for step in steps]


def _adjustment(names: Sequence[str]) -> int | None:
    """The depth of the allowance or charge; a price's discount is none."""
    for depth, name in enumerate(names):
        if name in _ADJUSTMENTS and names[depth - 1] != "Price":
            return depth
    return None


def _nth(steps: Steps, name: str) -> int | None:
    return next((position - 1 for step, position in steps if step == name), None)


def _charge_and_item(steps: Steps, places: Places | None) -> tuple[bool, int | None]:
    """Is it a charge, and the how manieth of its sort?"""
    siblings = places.alike(steps) if places else ()
    own = steps[-1][1] - 1
    if own >= len(siblings):
        return False, None
    sorts = [_is_charge(sibling) for sibling in siblings[: own + 1]]
    return sorts[own], sorts[:own].count(sorts[own])


def _is_charge(adjustment: etree._Element) -> bool:
    return any(
        (text or "").strip() in ("true", "1")
        for child in adjustment
        if local_name(child) == "ChargeIndicator"
        for text in (child.text, *(below.text for below in child))
    )


def _attachment_number(steps: Steps, places: Places | None) -> int | None:
    siblings = places.alike(steps[:2]) if places and len(steps) > 1 else ()
    own = steps[1][1] - 1 if len(steps) > 1 else 0
    if own >= len(siblings) or not _is_attached(siblings[own]):
        return None
    return sum(_is_attached(sibling) for sibling in siblings[:own])


def _is_attached(reference: etree._Element) -> bool:
    return any(local_name(child) in _ATTACHED for child in reference)


class Places:
    """The elements of a document by the places that findings name; what was found is kept."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._below: dict[etree._Element, dict[str, list[etree._Element]]] = {}

    def at(self, place: str) -> etree._Element | None:
        """The element at a place, None if there is none."""
        return self._at(_steps(place))

    def line(self, place: str) -> int | None:
        """The line of the element's start tag, or of the nearest one above that is there."""
        steps = _steps(place)
        while steps:
            element = self._at(steps)
            if element is not None:
                return line_of(element) or None
            steps = steps[:-1]
        return None

    def _at(self, steps: Steps) -> etree._Element | None:
        alike = self.alike(steps)
        return alike[steps[-1][1] - 1] if steps and steps[-1][1] <= len(alike) else None

    def alike(self, steps: Steps) -> Sequence[etree._Element]:
        """The element that the steps lead to, and its siblings of the same name."""
        if not steps or steps[0][0] != local_name(self._root):
            return ()
        alike: Sequence[etree._Element] = (self._root,)
        position = 1
        for name, following in steps[1:]:
            if position > len(alike):
                return ()
            alike, position = self._children(alike[position - 1]).get(name, ()), following
        return alike

    def _children(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        known = self._below.get(element)
        if known is None:
            known = self._below[element] = {}
            for child in element:
                known.setdefault(local_name(child), []).append(child)
        return known


def local_name(element: etree._Element) -> str:
    """The name without its namespace; empty for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


@lru_cache(maxsize=256)
def _steps(place: str) -> Steps:
    return tuple((name, int(position or 1)) for name, position in _STEP.findall(place))
