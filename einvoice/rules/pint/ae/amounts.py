"""Prices, payment, allowances and charges."""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Kind
from einvoice.rules.en16931.ubl.conditions import (
    ALLOWANCE,
    CHARGE,
    is_vat,
)
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import (
    COUNTRY,
    GATHERED,
)
from einvoice.rules.pint.conditions import (
    among,
    castable,
    given,
    not_given,
    require,
    rounded,
    unless,
    where,
)
from einvoice.rules.values import (
    parse_double,
)
from einvoice.rules.view import View

_EMIRATES = ("AUH", "DXB", "SHJ", "UAQ", "FUJ", "AJM", "RAK")
_RATE = re.compile(r"[0-9]+(?:\.[0-9]{1,6})?")

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def _net_price_adds_up(allowance: Node, _: View) -> bool:
    if not allowance.has("cbc:BaseAmount"):
        return True
    net = castable(allowance.up(1), "cbc:PriceAmount")
    gross, discount = castable(allowance, "cbc:BaseAmount"), castable(allowance, "cbc:Amount")
    return None not in (net, gross, discount) and net == gross - discount  # type: ignore[operator]


def _emirate_is_known(address: Node, _: View) -> bool:
    if "AE" not in address.texts(COUNTRY):
        return True
    return any(text in _EMIRATES for text in address.texts("cbc:CountrySubentity"))


require(chapter, contexts.PRICE_ALLOWANCE, [
    ("aligned-ibrp-004", "BT-146 BT-147 BT-148", _net_price_adds_up,
     "The net price (BT-146) is the gross price (BT-148) less the discount (BT-147)"),
])  # fmt: skip
require(chapter, contexts.PRICE, [
    ("ibr-126-ae", "BT-148 BT-149", given("cbc:BaseQuantity", "cac:AllowanceCharge/cbc:BaseAmount"),
     "A price has a base quantity (BT-149) and a gross price (BT-148)"),
], Kind.PRESENCE)  # fmt: skip
require(chapter, contexts.PAYMENT_MEANS, [
    ("ibr-192-ae", "BT-84", where(
        among("cbc:PaymentMeansCode", "30"), given("cac:PayeeFinancialAccount/cbc:ID")),
     "A credit transfer (30) names the account (BT-84)"),
])  # fmt: skip
require(chapter, contexts.OTHER_ADDRESS, [
    ("ibr-128-ae", "", _emirate_is_known,
     "An address in the Emirates names the emirate by its code, such as DXB"),
], Kind.CODE_LIST)  # fmt: skip


def _has_vat_category(adjustment: Node, _: View) -> bool:
    if adjustment.up(1).name not in ("ubl:Invoice", "cn:CreditNote"):
        return True
    return any(is_vat(each) and each.has("cbc:ID") for each in adjustment.all("cac:TaxCategory"))


_base_and_percentage = ("cbc:BaseAmount", "cbc:MultiplierFactorNumeric")


def _number(node: Node, path: str) -> float | None:
    """number(path): None for what is no number. Raises MoreThanOneItem."""
    found = parse_double(node.text_of(path))
    return None if found is None or found != found else found


def _is_its_percentage(adjustment: Node, _: View) -> bool:
    """Whether the amount is its percentage of its base, exact or rounded; in doubles."""
    if not all(map(adjustment.has, _base_and_percentage)):
        return True
    amount = _number(adjustment, "cbc:Amount")
    base, factor = (_number(adjustment, path) for path in _base_and_percentage)
    if amount is None or base is None or factor is None:
        return False
    share = base * factor / 100
    return amount in (share, rounded(share * 100) / 100)


def _exempt_has_a_reason_code(adjustment: Node, _: View) -> bool:
    exempt = "E" in adjustment.texts("cac:TaxCategory/cbc:ID")
    return not exempt or adjustment.has("cbc:AllowanceChargeReasonCode")


for _kind, _what, _ids in (
    (ALLOWANCE, "An allowance", ("032", "057", "131", "115", "168")),
    (CHARGE, "A charge", ("037", "058", "146", "114", "169")),
):
    require(chapter, contexts.ADJUSTMENTS[_kind], [
        (f"aligned-ibrp-{_ids[0]}", "BT-95 BT-102", _has_vat_category,
         f"{_what} of the document has a VAT category"),
        (f"aligned-ibrp-{_ids[1]}", "BT-93 BT-94 BT-100 BT-101", unless(
            not_given(*_base_and_percentage), given(*_base_and_percentage)),
         f"{_what} has both a base amount and a percentage, or neither"),
        (f"ibr-{_ids[2]}-ae", "BT-92 BT-99", _is_its_percentage,
         f"{_what} with a percentage is this percentage of its base amount"),
        (f"ibr-{_ids[3]}-ae", "BT-95 BT-102",
         lambda node, _: "N" not in node.texts("cac:TaxCategory/cbc:ID"),
         f"{_what} is not of the category N (margin scheme)"),
        (f"ibr-{_ids[4]}-ae", "BT-98 BT-105", _exempt_has_a_reason_code,
         f"{_what} of the category E has a reason code"),
    ])  # fmt: skip
require(chapter, contexts.EXCHANGE_RATE, [
    ("ibr-002-ae", "", lambda rate, _: _RATE.fullmatch(rate.text) is not None,
     "An exchange rate has at most six decimals"),
], Kind.FORMAT)  # fmt: skip
