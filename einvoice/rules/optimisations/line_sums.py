"""The terms in which lines of a syntax differ, and the arithmetic of their amounts.

`LineTerms` names the terms as paths below a line. `Sums` is the arithmetic of one line, checked in
others that are written alike: net amount = quantity times price, plus charges, less allowances;
an allowance = its percentage of its base; net price = gross price less discount. It is stricter
than the rules: a line that does not satisfy it is not wrong, but the rules are run on it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from einvoice.rules.book import COMPARED_LINES
from einvoice.rules.layers import Syntax
from einvoice.rules.values import HUNDRED

_TOLERANCE = Decimal("0.01")  # half of that of BIS Billing, so that rounding has no effect
_PLAIN = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")  # products are exact in any decimal context


class AdjustmentTerms(NamedTuple):
    """An allowance or charge of a line: its path, and paths below it."""

    group: str
    charge: str
    amount: str
    base: str
    percent: str


@dataclass(frozen=True, slots=True)
class LineTerms:
    """The terms in which lines of a syntax differ, as paths below the line."""

    words: frozenset[str]  # rules accept any text that is not blank
    quantity: str
    price: str
    net: str
    per: tuple[str, ...]  # what prices are for; unless it is 1, amounts may not differ
    gross: str
    discount: str
    adjustment: AdjustmentTerms

    @property
    def amounts(self) -> tuple[str, ...]:
        return self.quantity, self.price, self.net, *self.per, self.gross, self.discount


def _ubl(quantity: str) -> LineTerms:
    return LineTerms(
        words=frozenset({
            "cbc:ID", "cbc:Note", "cbc:AccountingCost", "cac:OrderLineReference/cbc:LineID",
            "cac:Item/cbc:Name", "cac:Item/cbc:Description",
            "cac:Item/cac:BuyersItemIdentification/cbc:ID",
            "cac:Item/cac:SellersItemIdentification/cbc:ID",
        }),
        quantity=quantity,
        price="cac:Price/cbc:PriceAmount",
        net="cbc:LineExtensionAmount",
        per=("cac:Price/cbc:BaseQuantity",),
        gross="cac:Price/cac:AllowanceCharge/cbc:BaseAmount",
        discount="cac:Price/cac:AllowanceCharge/cbc:Amount",
        adjustment=AdjustmentTerms(
            "cac:AllowanceCharge", "cbc:ChargeIndicator", "cbc:Amount",
            "cbc:BaseAmount", "cbc:MultiplierFactorNumeric",
        ),
    )  # fmt: skip


_AGREEMENT = "ram:SpecifiedLineTradeAgreement"
_SETTLEMENT = "ram:SpecifiedLineTradeSettlement"
_PRODUCT = "ram:SpecifiedTradeProduct"
_PRICE = f"{_AGREEMENT}/ram:NetPriceProductTradePrice"
_GROSS = f"{_AGREEMENT}/ram:GrossPriceProductTradePrice"
_CII = LineTerms(
    words=frozenset({
        "ram:AssociatedDocumentLineDocument/ram:LineID",
        "ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content",
        f"{_PRODUCT}/ram:SellerAssignedID", f"{_PRODUCT}/ram:BuyerAssignedID",
        f"{_PRODUCT}/ram:Name", f"{_PRODUCT}/ram:Description",
        f"{_AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:LineID",
    }),
    quantity="ram:SpecifiedLineTradeDelivery/ram:BilledQuantity",
    price=f"{_PRICE}/ram:ChargeAmount",
    net=f"{_SETTLEMENT}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount",
    per=(f"{_PRICE}/ram:BasisQuantity", f"{_GROSS}/ram:BasisQuantity"),
    gross=f"{_GROSS}/ram:ChargeAmount",
    discount=f"{_GROSS}/ram:AppliedTradeAllowanceCharge/ram:ActualAmount",
    adjustment=AdjustmentTerms(
        f"{_SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge", "ram:ChargeIndicator/udt:Indicator",
        "ram:ActualAmount", "ram:BasisAmount", "ram:CalculationPercent",
    ),
)  # fmt: skip

LINE_TERMS: Mapping[Syntax, Mapping[str, LineTerms]] = {
    Syntax.UBL: {
        "cac:InvoiceLine": _ubl("cbc:InvoicedQuantity"),
        "cac:CreditNoteLine": _ubl("cbc:CreditedQuantity"),
    },
    Syntax.CII: {"ram:IncludedSupplyChainTradeLineItem": _CII},
}


# What the books gather that judge lines which were read, not copies: they compare lines with each
# other, also the words of these terms, or have an arithmetic that `Sums` does not know.
REFERENCES = frozenset({COMPARED_LINES, "cac:ItemPriceExtension"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A term of a line with its text."""

    path: str
    text: str
    place: int  # its index among the texts of the line
    adjustment: object | None  # the allowance or charge of the line around it


class Adjustment(NamedTuple):
    """An allowance (-1) or charge (1), with the indices of its amount and its base."""

    sign: int
    amount: int
    base: int | None
    share: Decimal  # of the base


_SIGNS = {"true": 1, "false": -1}


@dataclass(frozen=True, slots=True)
class Sums:
    """The arithmetic of a line, on the list of its amounts: quantity, price, net, then others."""

    places: tuple[int, ...]  # the index of each amount among the texts of the line
    discounted: bool  # the amounts at 3 and 4 are the gross price and the discount
    adjustments: tuple[Adjustment, ...]

    @classmethod
    def of(cls, leaves: Sequence[Leaf], terms: LineTerms) -> Sums | None:
        """The arithmetic of this line; None if it is written in an unusual way."""
        parts = _parts(leaves, terms)
        if parts is None:
            return None
        line, groups = parts
        if any(per in line and line[per].text != "1" for per in terms.per):
            return None
        found = [line.get(path) for path in (terms.quantity, terms.price, terms.net)]
        discounted = terms.gross in line and terms.discount in line
        if discounted:
            found += [line[terms.gross], line[terms.discount]]
        adjustments = []
        for group in groups:
            adjustment = _adjustment(group, terms.adjustment, len(found))
            if adjustment is None:
                return None
            adjustments.append(adjustment)
            found.append(group.get(terms.adjustment.amount))
            if adjustment.base is not None:
                found.append(group.get(terms.adjustment.base))
        places = tuple(leaf.place for leaf in found if leaf is not None and _is_plain(leaf.text))
        return cls(places, discounted, tuple(adjustments)) if len(places) == len(found) else None

    def hold(self, texts: Sequence[str]) -> bool:
        """Whether these amounts satisfy the arithmetic."""
        amounts = [Decimal(text) for text in texts]
        quantity, price, net = amounts[:3]
        if self.discounted and price != amounts[3] - amounts[4]:
            return False
        expected = quantity * price
        for sign, amount, base, share in self.adjustments:
            expected += sign * amounts[amount]
            if base is not None and abs(amounts[amount] - amounts[base] * share) > _TOLERANCE:
                return False
        return abs(net - expected) <= _TOLERANCE


_Parts = dict[str, Leaf]  # by path


def _parts(leaves: Iterable[Leaf], terms: LineTerms) -> tuple[_Parts, list[_Parts]] | None:
    """The terms of the line, and of each allowance or charge; None if an amount is repeated."""
    line: _Parts = {}
    groups: dict[object, _Parts] = defaultdict(dict)
    for leaf in leaves:
        if leaf.adjustment is None:
            parts, path, once = line, leaf.path, leaf.path in terms.amounts
        else:
            parts, once = groups[leaf.adjustment], True
            path = leaf.path.removeprefix(f"{terms.adjustment.group}/")
        if once and path in parts:
            return None
        parts[path] = leaf
    return line, list(groups.values())


def _adjustment(group: _Parts, terms: AdjustmentTerms, index: int) -> Adjustment | None:
    """The allowance or charge whose amount has this index, and its base the next."""
    sign = _SIGNS.get(group[terms.charge].text) if terms.charge in group else None
    if sign is None:
        return None
    if terms.base not in group and terms.percent not in group:
        return Adjustment(sign, index, None, HUNDRED)
    percent = group[terms.percent].text if terms.percent in group else ""
    if not _is_plain(percent):
        return None
    return Adjustment(sign, index, index + 1, Decimal(percent) / HUNDRED)


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None
