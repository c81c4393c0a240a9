"""Rates of VAT: the codes of FA(3) beside the categories of EN 16931.

A rate stands on lines (P_12), and with its base and tax in the sums (P_13_n, P_14_n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import TaxCategory
from einvoice_ksef.fa3 import codes


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of FA(3).

    code  of lines; None: lines of this rate have none (margin schemes)
    base  the number of its sum, P_13_<base>
    tax   whether P_14_<base> has its tax
    """

    code: str | None
    base: str
    tax: bool = False


_STANDARD: Final = {
    23: Rate("23", "1", True),
    22: Rate("22", "1", True),
    8: Rate("8", "2", True),
    7: Rate("7", "2", True),
    5: Rate("5", "3", True),
    4: Rate("4", "4", True),
    3: Rate("3", "4", True),
}
ZERO_RATED: Final = Rate("0 KR", "6_1")
INTRA_COMMUNITY: Final = Rate("0 WDT", "6_2")
EXPORT: Final = Rate("0 EX", "6_3")
EXEMPT: Final = Rate("zw", "7")
OUTSIDE: Final = Rate("np I", "8")
SERVICE_IN_EU: Final = Rate("np II", "9")
REVERSE_CHARGE: Final = Rate("oo", "10")
MARGIN: Final = Rate(None, "11")
OTHER_COUNTRY: Final = Rate(None, "5", True)  # the one stop shop; its lines have P_12_XII
# The sums in the order of the document.
SUMS: Final = ("1", "2", "3", "4", "5", "6_1", "6_2", "6_3", "7", "8", "9", "10", "11")

# The margin schemes: the code of the exemption (VATEX), and the element that names the scheme.
MARGIN_SCHEMES: Final = {
    "VATEX-EU-D": "P_PMarzy_2",
    "VATEX-EU-F": "P_PMarzy_3_1",
    "VATEX-EU-I": "P_PMarzy_3_2",
    "VATEX-EU-J": "P_PMarzy_3_3",
}
_BY_CATEGORY: Final = {
    "Z": ZERO_RATED,
    "K": INTRA_COMMUNITY,
    "G": EXPORT,
    "E": EXEMPT,
    "O": OUTSIDE,
}
_CATEGORIES: Final[Mapping[str, TaxCategory]] = {
    **{rate.code: TaxCategory("S", Decimal(percent)) for percent, rate in _STANDARD.items()
       if rate.code},
    **{rate.code: TaxCategory(code, Decimal(0)) for code, rate in _BY_CATEGORY.items()
       if rate.code},
    "np I": TaxCategory("O"),
    "np II": TaxCategory("AE", Decimal(0)),
    "oo": TaxCategory("AE", Decimal(0)),
}  # fmt: skip
_FIRST: Final = {"1": "23", "2": "8", "3": "5", "4": "4", "6_1": "0 KR", "6_2": "0 WDT",
                 "6_3": "0 EX", "7": "zw", "8": "np I", "9": "np II", "10": "oo"}  # fmt: skip
EU: Final = frozenset({*codes.EU_COUNTRIES, "GR"}) - {"PL"}


def rate_of(category: TaxCategory, buyer_country: str | None, scheme: str | None) -> Rate | None:
    """The rate of a VAT category; None if FA(3) has none.

    scheme  the element of the margin scheme that the document names, if any
    """
    if category.code == "S":
        percent = category.rate
        whole = percent is not None and percent == int(percent)
        return _STANDARD.get(int(percent)) if percent is not None and whole else None
    if category.code == "AE":
        if buyer_country in ("PL", None):
            return REVERSE_CHARGE
        return SERVICE_IN_EU if buyer_country in EU else None
    if category.code == "E" and scheme:
        return MARGIN
    return _BY_CATEGORY.get(category.code)


def category_of(code: str) -> TaxCategory | None:
    """The category of a code of lines; None if there is none."""
    return _CATEGORIES.get(code)


def category_of_sum(base: str) -> TaxCategory:
    """The category of a sum whose rate no line names: the higher one of the two."""
    if base == "11":
        return TaxCategory("E", Decimal(0))
    return _CATEGORIES[_FIRST[base]] if base in _FIRST else TaxCategory("S", Decimal(23))
