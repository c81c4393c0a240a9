"""The rules of EN 16931 that the profiles write otherwise than CEN does.

Most are about presence: a text that is not empty, in any of several elements. Blanks are enough,
and several elements are no evaluation error.
"""

from __future__ import annotations

from collections.abc import Iterable

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Kind, Pattern, Values
from einvoice.rules.cii_paths import (
    AGREEMENT,
    BUYER,
    DELIVERY,
    INDICATOR,
    INVOICE,
    ITEM,
    ITEM_DOCUMENT,
    MEANS,
    SELLER,
    SETTLEMENT,
)
from einvoice.rules.en16931.cii.doubles import above, cents, total
from einvoice.rules.en16931.cii.paths import ALLOWANCES, SUMMATION
from einvoice.rules.en16931.cii.taxable_amounts import taxable_amounts
from einvoice.rules.en16931.cii.totals import total_with_vat_adds_up
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import at_most_one, unfired
from einvoice.rules.values import double_of, normalized
from einvoice.rules.view import View

_BREAKDOWN = "ram:ApplicableHeaderTradeSettlement/ram:ApplicableTradeTax"
_ACCOUNT = "ram:PayeePartyCreditorFinancialAccount"
_CONTEXT = "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter"
_CREDIT_TRANSFERS = ("30", "58")
_ALLOWANCE_TOTAL = "ram:AllowanceTotalAmount"
_CHARGE_TOTAL = "ram:ChargeTotalAmount"


def _at(*paths: str) -> Context:
    """A context of a pattern of its own."""
    return Pattern().context(*paths)


# rule, business terms, context, path, what it requires
_FILLED = (
    ("BR-01", "BT-24", INVOICE, f"{_CONTEXT}/ram:ID", "The specification identifier is given"),
    ("BR-02", "BT-1", INVOICE, "rsm:ExchangedDocument/ram:ID", "The invoice number is given"),
    ("BR-04", "BT-3", INVOICE, "rsm:ExchangedDocument/ram:TypeCode", "The type code is given"),
    ("BR-05", "BT-5", INVOICE, f"{SETTLEMENT}/ram:InvoiceCurrencyCode", "The currency is given"),
    ("BR-06", "BT-27", INVOICE, f"{SELLER}/ram:Name", "The name of the seller is given"),
    ("BR-07", "BT-44", INVOICE, f"{BUYER}/ram:Name", "The name of the buyer is given"),
    ("BR-21", "BT-126", ITEM, f"{ITEM_DOCUMENT}/ram:LineID", "A line has an identifier"),
    ("BR-25", "BT-153", ITEM, "ram:SpecifiedTradeProduct/ram:Name", "A line has an item name"),
    ("BR-52", "BT-122", "ram:AdditionalReferencedDocument", "ram:IssuerAssignedID",
     "A supporting document has a reference"),
    ("BR-55", "BT-25", f"{INVOICE}/{SETTLEMENT}/ram:InvoiceReferencedDocument",
     "ram:IssuerAssignedID", "A preceding invoice has a number"),
)  # fmt: skip


def _filled(path: str) -> Check:
    return lambda node, _: None if any(node.texts(path)) else BROKEN


def _party_has(party: str, path: str) -> Check:
    """A check that such a party, anywhere in the document, has the address or its country."""

    def check(_: Node, view: View) -> Values | None:
        found = [each for one in view.everywhere(party) for each in one.all(path)]
        given = found if path == _ADDRESS else [each for each in found if each.text]
        return None if given else BROKEN

    return check


_ADDRESS = "ram:PostalTradeAddress"
_ADDRESSES = (
    ("BR-08", "BG-5", "ram:SellerTradeParty", _ADDRESS, "The address of the seller is given"),
    ("BR-09", "BT-40", "ram:SellerTradeParty", f"{_ADDRESS}/ram:CountryID",
     "The country of the seller is given"),
    ("BR-10", "BG-8", "ram:BuyerTradeParty", _ADDRESS, "The address of the buyer is given"),
    ("BR-11", "BT-55", "ram:BuyerTradeParty", f"{_ADDRESS}/ram:CountryID",
     "The country of the buyer is given"),
)  # fmt: skip


def _has_an_issue_date(invoice: Node, _: View) -> Values | None:
    """The issue date (BT-2) is given, in format 102."""
    days = invoice.all("rsm:ExchangedDocument/ram:IssueDateTime/udt:DateTimeString")
    given = any(day.text and day.attributes.get("format") == "102" for day in days)
    return None if given else BROKEN


def _representative_has_a_vat_number(party: Node, _: View) -> Values | None:
    """A tax representative has a VAT number (BT-63)."""
    numbers = party.all("ram:SpecifiedTaxRegistration/ram:ID")
    given = any(each.text and each.attributes.get("schemeID") == "VA" for each in numbers)
    return None if given else BROKEN


def _delivery_has_a_country(delivery: Node, _: View) -> Values | None:
    """A delivery address has a country (BT-80)."""
    address = "ram:ShipToTradeParty/ram:PostalTradeAddress"
    country = any(delivery.texts(f"{address}/ram:CountryID"))
    return BROKEN if delivery.has(address) and not country else None


def _scheme_is_given(group: str, path: str, attribute: str) -> Check:
    """A check that the attribute of the path is not empty, where the group is there."""

    def check(line: Node, _: View) -> Values | None:
        given = any(line.attributes_at(path, attribute))
        return BROKEN if line.has(group) and not given else None

    return check


def _has_a_category(tax: Node, _: View) -> Values | None:
    """A VAT breakdown has a category (BT-118)."""
    return None if tax.has("ram:CategoryCode") else BROKEN


def _has_a_rate(tax: Node, _: View) -> Values | None:
    """A VAT breakdown has a rate (BT-119), unless it is not subject to VAT (O)."""
    rated = tax.has("ram:RateApplicablePercent") or "O" in tax.texts("ram:CategoryCode")
    return None if rated else BROKEN


def _has_one_vat_point(tax: Node, _: View) -> Values | None:
    """A VAT breakdown gives the VAT point as a date (BT-7) or as a code (BT-8), not as both."""
    return BROKEN if tax.has("ram:TaxPointDate") and tax.has("ram:DueDateTypeCode") else None


def _has_a_breakdown(settlement: Node, _: View) -> Values | None:
    """An invoice has a VAT breakdown (BG-23)."""
    return None if settlement.has("ram:ApplicableTradeTax") else BROKEN


def _transfer_has_one_account(means: Node, _: View) -> Values | None:
    """A credit transfer (BT-81: 30 or 58) has one account (BT-84): an IBAN or another number."""
    if not any(normalized(code) in _CREDIT_TRANSFERS for code in means.texts("ram:TypeCode")):
        return None
    iban, other = (means.has(f"{_ACCOUNT}/{name}") for name in ("ram:IBANID", "ram:ProprietaryID"))
    return None if iban != other else BROKEN


def _charge_has_a_rate(tax: Node, _: View) -> Values | None:
    """The standard rate of a charge (BT-103) is above 0."""
    charge = "true" in tax.up(1).texts(INDICATOR)
    if not charge or "S" not in tax.texts("ram:CategoryCode"):
        return None
    rates = tax.all("ram:RateApplicablePercent")
    return None if above(rates, 0) else {"rate": [rate.text for rate in rates]}


def _total_with_vat_adds_up(_: Node, view: View) -> Values | None:
    """The total with VAT (BT-112) is the total without VAT plus the VAT total in the currency."""
    return total_with_vat_adds_up(view.root, view)


def _allowances_add_up(totals: Node, view: View) -> Values | None:
    """The sum of allowances (BT-107) is the sum of the allowances of the document (BT-92)."""
    allowances = indicated(view.root.all(ALLOWANCES), "false")
    declared = totals.all(_ALLOWANCE_TOTAL)
    if not allowances and not declared:
        return None
    amounts = [amount for each in allowances for amount in each.all("ram:ActualAmount")]
    expected = cents(total(amounts))
    if any(double_of(each) == expected for each in declared):
        return None
    return {"declared": declared[0].text if declared else "", "expected": expected}


def indicated(groups: Iterable[Node], indicator: str) -> list[Node]:
    """The allowances (false) or charges (true) among these; 1 and 0 are neither."""
    return [each for each in groups if indicator in each.texts(INDICATOR)]


def _charges_add_up(totals: Node, view: View) -> Values | None:
    """The sum of charges (BT-108) is the sum of the charges of the document (BT-99)."""
    charges = indicated(view.root.all(ALLOWANCES), "true")
    declared = totals.all(_CHARGE_TOTAL)
    if not charges and not declared:
        return None
    services = view.root.all(f"{SETTLEMENT}/ram:SpecifiedLogisticsServiceCharge/ram:AppliedAmount")
    amounts = [amount for charge in charges for amount in charge.all("ram:ActualAmount")]
    expected = cents(cents(total(amounts)) + cents(total(services)))
    if any(cents(double_of(each)) == expected for each in declared):
        return None
    return {"declared": declared[0].text if declared else "", "expected": expected}


def _taxable_amount_adds_up(category: str) -> Check:
    """A check that a taxable amount is the sum of its category, within 1 or 1 above."""

    def check(code: Node, view: View) -> Values | None:
        if code.text != category:
            return None
        base = code.up(1).only("ram:BasisAmount")
        expected = view.once(taxable_amounts).taxable(category)
        if base is None:
            return BROKEN
        declared = double_of(base)
        if declared - 1 <= float(expected) < declared + 1:
            return None
        return {"declared": base.text, "expected": expected, "category": category}

    return check


def copies_of(layer: Layer) -> Chapter:
    """The rules of a profile that differ from those of CEN."""
    chapter = Chapter(layer)
    for rule, terms, place, path, requires in _FILLED:
        chapter.add(
            rule, terms, _at(place), _filled(path), requires, kind=Kind.PRESENCE,
            parameters={"path": path},
        )  # fmt: skip
    for rule, terms, party, path, requires in _ADDRESSES:
        chapter.add(
            rule, terms, _at(INVOICE), _party_has(party, path), requires, kind=Kind.PRESENCE,
            parameters={"path": f"{AGREEMENT}/{party}/{path}"},
        )  # fmt: skip
    product, classes = "ram:SpecifiedTradeProduct", "ram:DesignatedProductClassification"
    for rule, terms, place, check, kind in (
        ("BR-03", "BT-2", INVOICE, _has_an_issue_date, Kind.PRESENCE),
        ("BR-56", "BT-63", "ram:SellerTaxRepresentativeTradeParty",
         _representative_has_a_vat_number, Kind.PRESENCE),
        ("BR-57", "BT-80", f"{INVOICE}/{DELIVERY}", _delivery_has_a_country, Kind.PRESENCE),
        ("BR-47", "BT-118", _BREAKDOWN, _has_a_category, Kind.PRESENCE),
        ("BR-48", "BT-119", _BREAKDOWN, _has_a_rate, Kind.PRESENCE),
        ("BR-CO-18", "BG-23", f"rsm:SupplyChainTradeTransaction/{_BREAKDOWN.partition('/')[0]}",
         _has_a_breakdown, Kind.PRESENCE),
        ("BR-CO-03", "BT-7 BT-8", _BREAKDOWN, _has_one_vat_point, Kind.OTHER),
        ("CII-SR-470", "BT-84", MEANS, _transfer_has_one_account, Kind.OTHER),
        ("BR-S-07", "BT-102 BT-103", "ram:SpecifiedTradeAllowanceCharge/ram:CategoryTradeTax",
         _charge_has_a_rate, Kind.CATEGORY),
        ("BR-CO-15", "BT-112 BT-109 BT-110", SUMMATION, _total_with_vat_adds_up, Kind.SUM),
        ("BR-CO-11", "BT-107 BT-92", SUMMATION, _allowances_add_up, Kind.SUM),
        ("BR-CO-12", "BT-108 BT-99", SUMMATION, _charges_add_up, Kind.SUM),
    ):  # fmt: skip
        chapter.add(rule, terms, _at(place), check, None, kind=kind)
    for rule, terms, group, path, attribute in (
        ("BR-64", "BT-157 BT-157-1", f"{product}/ram:GlobalID", f"{product}/ram:GlobalID",
         "schemeID"),
        ("BR-65", "BT-158 BT-158-1", f"{product}/{classes}", f"{product}/{classes}/ram:ClassCode",
         "listID"),
    ):  # fmt: skip
        chapter.add(
            rule, terms, _at(ITEM), _scheme_is_given(group, path, attribute),
            "An item identifier or classification has a scheme", kind=Kind.PRESENCE,
            parameters={"path": f"{path}/@{attribute}"},
        )  # fmt: skip
    for rule, category in (("AE", "AE"), ("E", "E"), ("G", "G"), ("IC", "K"), ("Z", "Z")):
        chapter.add(
            f"BR-{rule}-08", "BT-116 BT-131 BT-92 BT-99", _at(f"{_BREAKDOWN}/ram:CategoryCode"),
            _taxable_amount_adds_up(category),
            "The taxable amount (BT-116) is the sum of the amounts of its category", kind=Kind.SUM,
        )  # fmt: skip
    unfired(
        chapter,
        _at(MEANS),
        [("CII-SR-464", "BT-86", "A payment means names the bank of the payee or of the payer")],
    )
    at_most_one(chapter, _at("ram:SpecifiedTradeAllowanceCharge"), [
        ("CII-SR-471", "BG-20 BG-21", "ram:CategoryTradeTax"),
        ("CII-SR-472", "BG-20 BG-21", "ram:RateApplicablePercent"),
    ])  # fmt: skip
    return chapter
