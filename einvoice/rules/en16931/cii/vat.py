"""The VAT categories (BR-S, BR-Z, BR-E, BR-AE, BR-IC, BR-G, BR-O, BR-AF, BR-AG).

Ten requirements are the same for each category, with values of its own: a category is a row of
`VAT_CATEGORIES`. The taxable amount of S is compared by rate, and exactly (in doubles); that of
other categories with a tolerance below 1, except O, which is exact. The official rules for the
taxable amount and tax of L and M look for the rate in the wrong place and so never fire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from einvoice.rules.book import BROKEN, Chapter, Check, Condition, Context, Kind, Values, never
from einvoice.rules.cii_paths import REPRESENTATIVE, SELLER
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.doubles import above, equals, rounded
from einvoice.rules.en16931.cii.paths import registered
from einvoice.rules.en16931.cii.taxable_amounts import taxable_amounts
from einvoice.rules.en16931.lacking import lacking
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import decimal_of, double_of
from einvoice.rules.view import View

vat = Chapter(
    Layer.CEN_CII,
    gathers=(
        "ram:SellerTradeParty",
        "ram:SellerTaxRepresentativeTradeParty",
        "ram:BuyerTradeParty",
        "ram:ApplicableTradeTax",
        "ram:CategoryTradeTax",
    ),
)

Parties = Callable[[View], bool]


# --- the tax numbers that a category requires


def _seller_has_tax_number(view: View) -> bool:
    """Whether the seller has a VAT or local tax number, or a representative a VAT number."""
    return registered(view.root.all(SELLER), "VA", "FC") or registered(
        view.root.all(REPRESENTATIVE), "VA"
    )


def _seller_has_vat_number(view: View) -> bool:
    """Whether the seller or a representative has a VAT number."""
    sellers = view.everywhere("ram:SellerTradeParty")
    return registered(sellers, "VA") or _representative_has_vat_number(view)


def _representative_has_vat_number(view: View) -> bool:
    return registered(view.everywhere("ram:SellerTaxRepresentativeTradeParty"), "VA")


def _buyer_has_vat_number(view: View) -> bool:
    return registered(view.everywhere("ram:BuyerTradeParty"), "VA")


def _seller_is_registered(view: View) -> bool:
    """As `_seller_has_tax_number`, for sellers anywhere in the document."""
    sellers = view.everywhere("ram:SellerTradeParty")
    return registered(sellers, "VA", "FC") or _representative_has_vat_number(view)


def _buyer_is_registered(view: View) -> bool:
    """Whether the buyer has a VAT number or a legal registration."""
    buyers = view.everywhere("ram:BuyerTradeParty")
    return _buyer_has_vat_number(view) or any(
        buyer.has("ram:SpecifiedLegalOrganization/ram:ID") for buyer in buyers
    )


def _seller_and_buyer_registered(view: View) -> bool:
    return _seller_is_registered(view) and _buyer_is_registered(view)


def _seller_and_buyer_have_vat_numbers(view: View) -> bool:
    return _seller_has_vat_number(view) and _buyer_has_vat_number(view)


# What a category that needs numbers of both parties needs of the seller, and of the buyer.
_SIDES: Mapping[Parties, tuple[Parties, Parties]] = {
    _seller_and_buyer_registered: (_seller_is_registered, _buyer_is_registered),
    _seller_and_buyer_have_vat_numbers: (_seller_has_vat_number, _buyer_has_vat_number),
}


def _no_vat_numbers(view: View) -> bool:
    return not (
        registered(view.root.all(SELLER), "VA")
        or registered(view.root.all(REPRESENTATIVE), "VA")
        or _buyer_has_vat_number(view)
    )


# --- the rate of a category


def _zero(rates: Sequence[Node]) -> bool:
    return equals(rates, 0)


def _positive(rates: Sequence[Node]) -> bool:
    return above(rates, 0)


def _not_negative(rates: Sequence[Node]) -> bool:
    return above(rates, 0) or equals(rates, 0)


# --- the number of breakdown groups, given the uses of a category on lines and on allowances


def _exactly_one(lines: int, allowances: int, breakdowns: int) -> bool:
    return breakdowns == (1 if lines or allowances else 0)


def _at_least_one(lines: int, allowances: int, breakdowns: int) -> bool:
    """The official rule counts uses and breakdowns together: two uses without a breakdown pass."""
    return all(uses == 0 or uses + breakdowns >= 2 for uses in (lines, allowances))


def _used_if_any(lines: int, allowances: int, breakdowns: int) -> bool:
    """A use without a breakdown passes."""
    return breakdowns == 0 or (breakdowns == 1 and bool(lines or allowances))


@dataclass(frozen=True, slots=True)
class VatCategory:
    """One VAT category: its code, the letters of its rule ids, and its requirements."""

    code: str
    letters: str
    name: str
    parties: Parties
    registration: str  # what `parties` tests, in words
    rate: Callable[[Sequence[Node]], bool] | None  # None: there must be no rate
    rate_words: str
    exempt: bool  # whether an exemption reason is required, or else not allowed
    count_fits: Callable[[int, int, int], bool]
    base: Check
    tax: Check
    breakdown: Context


def _group(node: Node) -> Node:
    """The breakdown group; the context is the group or its category code."""
    return node.up(1) if node.name == "ram:CategoryCode" else node


def _within_one(category: str) -> Check:
    """A check: the taxable amount differs by less than 1 from the expected sum."""

    def check(node: Node, view: View) -> Values | None:
        base = _group(node).only("ram:BasisAmount")
        expected = view.once(taxable_amounts).taxable(category)
        if base is None:
            return BROKEN
        declared = double_of(base)
        if declared - 1 < float(expected) < declared + 1:
            return None
        return {"declared": base.text, "expected": expected, "category": category}

    return check


def _exact(category: str) -> Check:
    """A check: the taxable amount is the expected sum."""

    def check(node: Node, view: View) -> Values | None:
        bases = _group(node).all("ram:BasisAmount")
        expected = view.once(taxable_amounts).taxable(category)
        if equals(bases, float(expected)):
            return None
        declared = bases[0].text if bases else ""
        return {"declared": declared, "expected": expected, "category": category}

    return check


def _exact_at_rate(category: str) -> Check:
    """A check: the taxable amount is the expected sum of each rate."""

    def check(node: Node, view: View) -> Values | None:
        group = _group(node)
        bases = group.all("ram:BasisAmount")
        for rate in map(decimal_of, group.all("ram:RateApplicablePercent")):
            expected = view.once(taxable_amounts).at_rate(category, rate)
            if not equals(bases, float(expected)):
                declared = bases[0].text if bases else ""
                return {
                    "declared": declared,
                    "expected": expected,
                    "rate": rate,
                    "category": category,
                }
        return None

    return check


def _no_tax(node: Node, _: View) -> Values | None:
    amounts = _group(node).all("ram:CalculatedAmount")
    if equals(amounts, 0):
        return None
    return {"declared": amounts[0].text if amounts else "", "expected": 0}


def _tax_at_rate(node: Node, _: View) -> Values | None:
    """Taxable amount times rate, rounded to cents in doubles, with a tolerance below 1."""
    group = _group(node)
    tax = group.number("ram:CalculatedAmount")
    if tax is None or (base := group.number("ram:BasisAmount")) is None:
        return BROKEN
    percent = group.only("ram:RateApplicablePercent")
    if percent is None:
        return BROKEN
    expected = rounded(float(abs(base)) * double_of(percent)) / 100
    if float(abs(tax) - 1) < expected < float(abs(tax) + 1):
        return None
    return {"declared": tax, "expected": expected, "base": base, "rate": percent.text}


_GROUP, _CODE, _RATED = contexts.BREAKDOWN_GROUP, contexts.BREAKDOWN_CODE, contexts.RATED_CODE
_TAXABLE = "the seller or a tax representative has a tax number"
_VAT = "the seller or a tax representative has a VAT number"
_SELLER = (_seller_has_tax_number, _TAXABLE)

VAT_CATEGORIES = (
    VatCategory("S", "S", "standard rate", *_SELLER, _positive, "above 0",
                False, _at_least_one, _exact_at_rate("S"), _tax_at_rate, _RATED.case("S")),
    VatCategory("Z", "Z", "zero rate", *_SELLER, _zero, "0",
                False, _exactly_one, _within_one("Z"), _no_tax, _RATED.case("Z")),
    VatCategory("E", "E", "exempt", *_SELLER, _zero, "0",
                True, _exactly_one, _within_one("E"), _no_tax, _CODE.case("E")),
    VatCategory("AE", "AE", "reverse charge", _seller_and_buyer_registered,
                f"{_TAXABLE}, the buyer a VAT number or a registration", _zero, "0",
                True, _exactly_one, _within_one("AE"), _no_tax, _CODE.case("AE")),
    VatCategory("K", "IC", "intra-community supply", _seller_and_buyer_have_vat_numbers,
                f"{_VAT}, and so has the buyer", _zero, "0",
                True, _exactly_one, _within_one("K"), _no_tax, _CODE.case("K")),
    VatCategory("G", "G", "export", _seller_has_vat_number, _VAT, _zero, "0",
                True, _exactly_one, _within_one("G"), _no_tax, _CODE.case("G")),
    VatCategory("O", "O", "not subject to VAT", _no_vat_numbers,
                "no VAT number of seller, representative or buyer is given", None, "absent",
                True, _used_if_any, _exact("O"), _no_tax, _GROUP.case("O")),
    VatCategory("L", "AF", "IGIC of the Canary Islands", *_SELLER, _positive, "above 0",
                False, _at_least_one, never, never, _GROUP.case("L")),
    VatCategory("M", "AG", "IPSI of Ceuta and Melilla", *_SELLER, _not_negative, "0 or above",
                False, _at_least_one, never, never, _GROUP.case("M")),
)  # fmt: skip


def _add_rules(category: VatCategory) -> None:
    """Add the ten rules of one category."""
    code, letters = category.code, category.letters

    def add(
        number: str, terms: str, at: Context, check: Check, requires: str,
        fast_path: Condition | None = None,
    ) -> None:  # fmt: skip
        vat.add(
            f"BR-{letters}-{number}", terms, at, check,
            f"{category.name.capitalize()} ({code}): {requires}.", kind=Kind.CATEGORY,
            parameters={"category": code}, fast_path=fast_path,
        )  # fmt: skip

    add("01", "BG-23 BT-118", contexts.DOCUMENT, _breakdown_count(category),
        "where it is used, there is a breakdown of it", _all_counts_fit)  # fmt: skip
    for where, at, party_rule, rate_rule, terms in (
        ("on a line", contexts.LINE_TAX, "02", "05", "BT-151 BT-152"),
        ("on an allowance", contexts.ALLOWANCE_TAX, "03", "06", "BT-95 BT-96"),
        ("on a charge", contexts.CHARGE_TAX, "04", "07", "BT-102 BT-103"),
    ):
        term, rate_term = terms.split()
        case = at.case(code)
        add(party_rule, f"{term} BT-31 BT-32 BT-63 BT-48", case, _parties(category),
            f"{where}, {category.registration}")  # fmt: skip
        add(rate_rule, f"{term} {rate_term}", case, _rate(category),
            f"{where}, the rate is {category.rate_words}")  # fmt: skip
    add("08", "BT-116", category.breakdown, category.base,
        "the base is the lines minus allowances plus charges")  # fmt: skip
    add("09", "BT-117", category.breakdown, category.tax, "the tax fits base and rate")
    reason = "a reason for the exemption is given" if category.exempt else "no reason is given"
    add("10", "BT-120 BT-121", category.breakdown, _reason(category), reason)


def _parties(category: VatCategory) -> Check:
    parties = category.parties

    def check(_: Node, view: View) -> Values | None:
        if view.once(parties):
            return None
        sides = _SIDES.get(parties)
        return {"category": category.code, **(lacking(*sides, view) if sides else {})}

    return check


def _rate(category: VatCategory) -> Check:
    fits = category.rate

    def check(tax: Node, _: View) -> Values | None:
        rates = tax.all("ram:RateApplicablePercent")
        if fits is None:
            return {"rate": rates[0].text} if rates else None
        if fits(rates):
            return None
        return {"rate": rates[0].text if rates else ""}

    return check


def _reason(category: VatCategory) -> Check:
    required = category.exempt

    def check(node: Node, _: View) -> Values | None:
        group = _group(node)
        given = group.has("ram:ExemptionReason") or group.has("ram:ExemptionReasonCode")
        return None if given is required else BROKEN

    return check


def _breakdown_count(category: VatCategory) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if _count_fits(category, view):
            return None
        return {"category": category.code, "rows": view.once(_breakdowns).get(category.code, 0)}

    return check


def _count_fits(category: VatCategory, view: View) -> bool:
    """Whether the number of breakdown groups fits the uses on lines, allowances and charges."""
    counts = (*view.once(_uses), view.once(_breakdowns))
    return category.count_fits(*(count.get(category.code, 0) for count in counts))


def _all_counts_fit(_: Node, view: View) -> bool:
    """Is each category that is there counted? One that is nowhere needs no breakdown."""
    present = set().union(*view.once(_uses), view.once(_breakdowns))
    return all(_count_fits(each, view) for each in VAT_CATEGORIES if each.code in present)


def _tax_groups(view: View) -> Counter[Node]:
    """Tax groups of lines and breakdown, with their number; repeated lines share one node."""
    return Counter(view.everywhere("ram:ApplicableTradeTax"))


def _codes(taxes: Mapping[Node, int], group: str = "") -> dict[str, int]:
    """How often each category occurs in tax groups below this name, or below any."""
    counted: dict[str, int] = {}
    for tax, times in taxes.items():
        if not group or tax.up(1).name == group:
            for code in set(tax.texts("ram:CategoryCode")):
                counted[code] = counted.get(code, 0) + times
    return counted


def _uses(view: View) -> tuple[dict[str, int], dict[str, int]]:
    """How often each category is used on lines, and on allowances and charges."""
    lines = _codes(view.once(_tax_groups), "ram:SpecifiedLineTradeSettlement")
    return lines, _codes(Counter(view.everywhere("ram:CategoryTradeTax")))


def _breakdowns(view: View) -> dict[str, int]:
    """How often each category has a breakdown."""
    return _codes(view.once(_tax_groups), "ram:ApplicableHeaderTradeSettlement")


for _category in VAT_CATEGORIES:
    _add_rules(_category)


# --- rules of one category only


@vat.rule("BR-IC-11", "BT-72 BG-14", at=_CODE.case("K"), kind=Kind.CATEGORY)
def intra_community_supply_has_a_date(code: Node, view: View) -> Values | None:
    """An intra-community supply has a delivery date (BT-72) or an invoicing period (BG-14)."""
    delivered = (
        "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeDelivery"
        "/ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/udt:DateTimeString"
    )
    settlement = code.up(2)
    given = (
        view.root.has(delivered)
        or settlement.has("ram:BillingSpecifiedPeriod/ram:StartDateTime")
        or settlement.has("ram:BillingSpecifiedPeriod/ram:EndDateTime")
    )
    return None if given else BROKEN


@vat.rule("BR-IC-12", "BT-80", at=_CODE.case("K"), kind=Kind.CATEGORY)
def intra_community_supply_has_a_country(_: Node, view: View) -> Values | None:
    """An intra-community supply has a country of delivery (BT-80)."""
    country = (
        "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeDelivery"
        "/ram:ShipToTradeParty/ram:PostalTradeAddress/ram:CountryID"
    )
    return None if view.root.has(country) else BROKEN


def _only_outside_vat(name: str) -> Check:
    """A check: all VAT categories below elements of this name are O."""

    def check(_: Node, view: View) -> Values | None:
        codes = [code for tax in view.everywhere(name) for code in tax.texts("ram:CategoryCode")]
        others = [code for code in codes if code != "O"]
        return {"others": others} if others else None

    return check


for _id, _name, _terms, _words in (
    ("BR-O-11", "ram:ApplicableTradeTax", "BT-118", "there is no other breakdown"),
    ("BR-O-12", "ram:ApplicableTradeTax", "BT-151", "no line has another category"),
    ("BR-O-13", "ram:CategoryTradeTax", "BT-95", "no allowance has another category"),
    ("BR-O-14", "ram:CategoryTradeTax", "BT-102", "no charge has another category"),
):
    vat.add(
        _id, _terms, _GROUP.case("O"), _only_outside_vat(_name),
        f"Not subject to VAT (O): {_words}.", kind=Kind.CATEGORY, parameters={"category": "O"},
    )  # fmt: skip
