"""PINT-AUNZ-UBL: the rules of Australia and New Zealand, releases 1.1.2 and 1.1.3, in UBL.

Billing and self-billing are one text but for the specification and the ids of four rules. The
releases differ by the shared rules only.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from einvoice.rules.book import Book, Chapter, Context, Kind, Pattern, Switch, Values
from einvoice.rules.en16931.ubl import facts
from einvoice.rules.en16931.ubl.conditions import ALLOWANCE, CHARGE, credit_transfer, kind
from einvoice.rules.evaluation_errors import InvalidNumber, MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint import Specification, billing, self_billing
from einvoice.rules.pint.base import BUYER, SELLER, pint_with_types
from einvoice.rules.pint.conditions import (
    LINES,
    Test,
    at_most,
    begins,
    coded_in,
    given_any,
    not_given,
    payment_is_agreed,
    require,
    text_at,
    unless,
)
from einvoice.rules.pint.release_1_1_2 import CREDIT_NOTES, INVOICES, pint_1_1_2
from einvoice.rules.pint.taxes import (
    BREAKDOWN,
    GATHERED,
    GST,
    LINE_CATEGORY,
    breakdown_tax,
    is_its_percentage,
    is_share,
    no_tax,
    of_document,
    only_if_both,
    rate_is,
    rate_is_positive,
    taxable,
    taxable_of_rate,
)
from einvoice.rules.tables import present
from einvoice.rules.values import ZERO, decimals, double_of, normalized
from einvoice.rules.view import View

RELEASE = "1.1.3"
_CENTS, _ONE = Decimal("0.02"), Decimal(1)
_CODES = ("S", "Z", "E", "G", "O")
_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"
_COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
_ABN, _NZBN = "0151", "0088"

# -- contexts --------------------------------------------------------------------------------------


def _is_counted(amount: Node, _: View) -> bool:
    """Whether an amount is none of a price with a discount. PriceAmount has no limit either."""
    if amount.name.endswith("PriceAmount"):
        return False
    above_it = amount.parent
    while above_it is not None:
        if above_it.name == "cac:Price" and above_it.has("cac:AllowanceCharge"):
            return False
        above_it = above_it.parent
    return True


def _is_of(party: str, country: str) -> Test:
    def test(_: Node, view: View) -> bool:
        return normalized(view.root.text_of(f"{party}/{_COUNTRY}")).upper() == country

    return test


def _has_media_type(content: Node, _: View) -> bool:
    return "mimeCode" in content.attributes


_model = Pattern()
REFERENCE: Context = _model.context("cac:AdditionalDocumentReference")
PRICE_ALLOWANCE: Context = _model.context("cac:Price/cac:AllowanceCharge")
ADJUSTMENT: Switch = _model.switch("cac:AllowanceCharge", key=kind)
ADJUSTMENTS: Mapping[str, Context] = {each: ADJUSTMENT.case(each) for each in (ALLOWANCE, CHARGE)}
LINE: Context = _model.context(*LINES)
DOCUMENT: Context = _model.context("/ubl:Invoice", "/cn:CreditNote")
AMOUNT: Context = _model.context("*Amount", when=_is_counted)
SUBTOTAL: Context = _model.context("cac:TaxSubtotal")
ACCOUNT: Context = _model.context(
    "cac:PaymentMeans/cac:PayeeFinancialAccount", when=credit_transfer
)
TOTALS: Context = _model.context("/ubl:Invoice/cac:LegalMonetaryTotal")
MEANS: Context = _model.context("cac:PaymentMeans")
LINE_TAX: Switch = _model.switch(*(f"{line}/{LINE_CATEGORY}" for line in LINES), key=GST.category)
ADJUSTMENT_TAX: Switch = _model.switch(
    "cac:AllowanceCharge/cac:TaxCategory", key=GST.kind_and_category
)
ROW_TAX: Switch = _model.switch(f"/*/{BREAKDOWN}", key=GST.category)
_codes = Pattern()
CATEGORY: Context = _codes.context("cac:TaxCategory/cbc:ID", "cac:ClassifiedTaxCategory/cbc:ID")
TAX_POINT: Context = _codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
CONTENT: Context = _codes.context("cbc:EmbeddedDocumentBinaryObject", when=_has_media_type)
AU_SELLER: Context = _codes.context(SELLER, when=_is_of(SELLER, "AU"))
AU_BUYER: Context = _codes.context(BUYER, when=_is_of(BUYER, "AU"))
NZ_SELLER: Context = _codes.context(SELLER, when=_is_of(SELLER, "NZ"))
NZ_BUYER: Context = _codes.context(BUYER, when=_is_of(BUYER, "NZ"))

chapter = Chapter(Layer.PINT_AUNZ_UBL, gathers=(*GATHERED, "cbc:DueDate", "cac:PaymentTerms"))

# -- allowances, charges and lines -----------------------------------------------------------------


def _refers(reference: Node, view: View) -> bool:
    """Whether a reference is the object, a project of a credit note, or of no kind at all."""
    kinds = reference.texts("cbc:DocumentTypeCode")
    if "130" in kinds or ("50" in kinds and view.root.name == "cn:CreditNote"):
        return True
    return not kinds and not reference.attributes_at("cbc:ID", "schemeID")


def _net_price_adds_up(allowance: Node, _: View) -> bool:
    gross = allowance.number("cbc:BaseAmount")
    if gross is None:
        return True
    net, discount = allowance.up(1).number("cbc:PriceAmount"), allowance.number("cbc:Amount")
    return net is not None and discount is not None and net == gross - discount


require(chapter, REFERENCE, [
    ("aligned-ibrp-sr-43", "BT-18", _refers,
     "A scheme and a type are of the invoiced object (BT-18, 130) only"),
])  # fmt: skip
require(chapter, PRICE_ALLOWANCE, [
    ("aligned-ibrp-004", "BT-146 BT-147 BT-148", _net_price_adds_up,
     "The net price (BT-146) is the gross price (BT-148) less the discount (BT-147)"),
])  # fmt: skip
for _kind, _what, _ids, _amounts in (
    (ALLOWANCE, "An allowance", ("054", "032-aunz", "057"), "BT-92 BT-136"),
    (CHARGE, "A charge", ("055", "037-aunz", "058"), "BT-99 BT-141"),
):
    require(chapter, ADJUSTMENTS[_kind], [
        (f"aligned-ibrp-{_ids[0]}", _amounts, is_its_percentage(_CENTS),
         f"{_what} with a percentage is this percentage of its base amount"),
        (f"aligned-ibrp-{_ids[1]}", "BT-95 BT-102", unless(
            lambda node, _: not of_document(node), GST.has("cac:TaxCategory", "cbc:ID")),
         f"{_what} of the document has a GST category"),
        (f"aligned-ibrp-{_ids[2]}", "BT-93 BT-94 BT-100 BT-101", only_if_both,
         f"{_what} has both a base amount and a percentage, or neither"),
    ])  # fmt: skip


def _one_double(nodes: list[Node], line: Node) -> float:
    if len(nodes) > 1:
        raise MoreThanOneItem(nodes[0], nodes[0].name, len(nodes))
    if not nodes:
        raise InvalidNumber(line)  # officially an error, too
    return double_of(nodes[0])


def _line_adds_up(line: Node, _: View) -> Values | None:
    """The net amount of a line is quantity by price, plus charges, less allowances.

    In doubles, as officially. Raises InvalidNumber where a part of it is missing.
    """
    quantities = [*line.all("cbc:InvoicedQuantity"), *line.all("cbc:CreditedQuantity")]
    price = _one_double([*line.all("cac:Price/cbc:PriceAmount")], line)
    if per := line.all("cac:Price/cbc:BaseQuantity"):
        base = _one_double([*per], line)
        if not base:
            raise InvalidNumber(per[0])
        price /= base
    expected = _one_double(quantities, line) * price
    for charge, sign in ((True, 1), (False, -1)):
        found = (
            x
            for x in line.all("cac:AllowanceCharge")
            if kind(x) == (CHARGE if charge else ALLOWANCE)
        )
        expected += sign * sum(double_of(amount) for x in found for amount in x.all("cbc:Amount"))
    declared = line.number("cbc:LineExtensionAmount")
    if declared is None or expected != expected or abs(expected) == float("inf"):
        raise InvalidNumber(line)
    computed = Decimal(expected)
    if abs(declared - computed) <= _CENTS:
        return None
    return {"declared": declared, "expected": computed}


def _has_a_category(line: Node, _: View) -> bool:
    return any(GST.levied_alone(each) and each.has("cbc:ID") for each in line.all(LINE_CATEGORY))


require(chapter, LINE, [
    ("aligned-ibrp-050-aunz", "BT-151", _has_a_category,
     "A line has a GST category (BT-151)"),
])  # fmt: skip
chapter.add("aligned-ibrp-053", "BT-131", LINE, _line_adds_up, None, kind=Kind.SUM)
require(chapter, LINE, [
    ("aligned-ibrp-059", "BT-151", lambda line, _: len(line.all(LINE_CATEGORY)) == 1,
     "A line has exactly one tax category (BT-151)"),
    ("aligned-ibrp-060", "BT-128", unless(
        not_given("cac:DocumentReference"),
        lambda line, _: "130" in line.texts("cac:DocumentReference/cbc:DocumentTypeCode")),
     "A line refers to the invoiced object (BT-128) only"),
])  # fmt: skip

# -- the document ----------------------------------------------------------------------------------


def _one_tax_point(invoice: Node, _: View) -> bool:
    return not (
        invoice.has("cbc:TaxPointDate") and invoice.has("cac:InvoicePeriod/cbc:DescriptionCode")
    )


def _one_breakdown(invoice: Node, _: View) -> bool:
    return sum(each.has("cac:TaxSubtotal") for each in invoice.all("cac:TaxTotal")) == 1


def _total_in_tax_currency(invoice: Node, _: View) -> bool:
    totals = sum(not each.has("cac:TaxSubtotal") for each in invoice.all("cac:TaxTotal"))
    return totals == (1 if invoice.has("cbc:TaxCurrencyCode") else 0)


require(chapter, DOCUMENT, [
    ("aligned-ibrp-003", "BT-10 BT-13", given_any(
        "cbc:BuyerReference", "cac:OrderReference/cbc:ID"),
     "A document names a buyer reference (BT-10) or a purchase order (BT-13)"),
    ("aligned-ibrp-006", "BT-7 BT-8", _one_tax_point,
     "A document has a tax point date (BT-7) or its code (BT-8), not both"),
    ("aligned-ibrp-008", "BT-20", at_most("cac:PaymentTerms"),
     "A document has its payment terms (BT-20) once"),
    ("aligned-ibrp-021", "BG-23", _one_breakdown, "One tax total has the breakdown (BG-23)"),
    ("aligned-ibrp-022", "BT-6 BT-111", _total_in_tax_currency,
     "A second tax total (BT-111) is given exactly if the tax has a currency of its own (BT-6)"),
])  # fmt: skip
for _code in ("E", "G", "O", "Z"):
    chapter.add(
        f"aligned-ibrp-{_code.lower()}-01-aunz", "BG-23 BT-118", DOCUMENT,
        GST.once_in_breakdown(_code),
        f"A category {_code} that is used is in the breakdown exactly once", kind=Kind.CATEGORY,
    )  # fmt: skip


def _standard_in_breakdown(invoice: Node, view: View) -> bool:
    """Whether S is in the breakdown exactly if it is used; of any tax."""
    adjusted = [x for each in view.everywhere("cac:AllowanceCharge")
                for x in each.all("cac:TaxCategory")]  # fmt: skip
    used = "S" in view.once(facts.line_codes_of_any_tax) or any(map(_is_standard, adjusted))
    return used is any(map(_is_standard, invoice.all(BREAKDOWN)))


def _is_standard(category: Node) -> bool:
    return text_at(category, "cbc:ID") == "S"


require(chapter, DOCUMENT, [
    ("aligned-ibrp-s-01-aunz", "BG-23 BT-118", _standard_in_breakdown,
     "The category S is in the breakdown exactly if it is used"),
    *(
        (f"aligned-ibrp-o-1{number}-aunz", "BT-118", test,
         f"Where the category O is in the breakdown, {part} have no other")
        for number, (test, part) in enumerate(
            zip(GST.alone("O"), ("rows", "lines", "allowances", "charges"), strict=True), 1)
    ),
    ("aligned-ibrp-sr-12-aunz", "BT-31", GST.one_number(SELLER),
     "The seller has at most one number of GST (BT-31)"),
    ("aligned-ibrp-sr-13-aunz", "BT-32", GST.one_number(SELLER, other=True),
     "The seller has at most one number of another tax (BT-32)"),
])  # fmt: skip
require(chapter, AMOUNT, [
    ("aligned-ibrp-005", "", lambda amount, _: decimals(amount.text) <= 2,
     "An amount has at most two decimals"),
], Kind.FORMAT)  # fmt: skip


def _payment_is_agreed(totals: Node, view: View) -> bool:
    return any(payment_is_agreed(each, view) for each in totals.all("cbc:PayableAmount"))


def _transfer_names_account(means: Node, _: View) -> bool:
    transfer = text_at(means, "cbc:PaymentMeansCode") in ("30", "58")
    return not transfer or means.has("cac:PayeeFinancialAccount/cbc:ID")


require(chapter, ACCOUNT, [
    ("aligned-ibrp-016", "BT-84", lambda account, _: text_at(account, "cbc:ID") != "",
     "The account of a credit transfer (BT-84) is not empty"),
])  # fmt: skip
require(chapter, TOTALS, [
    ("aligned-ibrp-061", "BT-9 BT-20 BT-115", _payment_is_agreed,
     "An amount that is due has a due date (BT-9) or payment terms (BT-20)"),
])  # fmt: skip
require(chapter, MEANS, [
    ("aligned-ibrp-018", "BT-84", _transfer_names_account,
     "A credit transfer names the account (BT-84)"),
    ("aligned-ibrp-065", "BT-83", at_most("cbc:PaymentID"),
     "A payment means has at most one payment reference (BT-83)"),
])  # fmt: skip

# -- categories ------------------------------------------------------------------------------------

present(chapter, SUBTOTAL, [
    ("aligned-ibrp-045", "BG-23 BT-116", "cbc:TaxableAmount"),
    ("aligned-ibrp-046", "BG-23 BT-117", "cbc:TaxAmount"),
])  # fmt: skip


def _has_a_rate(row: Node, view: View) -> bool:
    if GST.has("cac:TaxCategory", "cbc:Percent")(row, view):
        return True
    return any(text_at(each, "cbc:ID") == "O" for each in GST.of(row, "cac:TaxCategory"))


require(chapter, SUBTOTAL, [
    ("aligned-ibrp-047-aunz", "BT-118", GST.has("cac:TaxCategory", "cbc:ID"),
     "Each row of the tax breakdown has a GST category (BT-118)"),
    ("aligned-ibrp-048-aunz", "BT-119", _has_a_rate,
     "Each row of the tax breakdown has a rate (BT-119), unless it is of the category O"),
])  # fmt: skip
chapter.add("aligned-ibrp-051-aunz", "BT-117", SUBTOTAL, breakdown_tax(GST, _ONE),
            "The tax of a row is its rate of the taxable amount", kind=Kind.SUM)  # fmt: skip

_RATES: Mapping[str, tuple[Test, str]] = {
    "S": (rate_is_positive, "more than 0"),
    "O": (not_given("cbc:Percent"), "left out"),
    **dict.fromkeys("ZEG", (rate_is(ZERO), "0")),
}
for _code, (_test, _text) in _RATES.items():
    _prefix = f"aligned-ibrp-{_code.lower()}"
    require(chapter, LINE_TAX.case(_code), [
        (f"{_prefix}-05-aunz", "BT-152", _test,
         f"The GST rate of a line of the category {_code} is {_text}"),
    ])  # fmt: skip
    for _kind, _number, _what in ((ALLOWANCE, "06", "an allowance"), (CHARGE, "07", "a charge")):
        require(chapter, ADJUSTMENT_TAX.case((_kind, _code)), [
            (f"{_prefix}-{_number}-aunz", "BT-96 BT-103", _test,
             f"The GST rate of {_what} of the category {_code} is {_text}"),
        ])  # fmt: skip
for _code in "ZEGO":
    _prefix, _row = f"aligned-ibrp-{_code.lower()}", ROW_TAX.case(_code)
    chapter.add(
        f"{_prefix}-08-aunz", "BT-116", _row, taxable(_code),
        f"The taxable amount of the category {_code} is that of lines, charges and allowances",
        kind=Kind.SUM,
    )  # fmt: skip
    chapter.add(f"{_prefix}-09-aunz", "BT-117", _row, no_tax,
                f"The GST of the category {_code} is 0", kind=Kind.SUM)  # fmt: skip
for _code in "SZ":
    require(chapter, ROW_TAX.case(_code), [
        (f"aligned-ibrp-{_code.lower()}-10-aunz", "BT-120 BT-121",
         not_given("cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode"),
         f"The category {_code} has no exemption reason"),
    ])  # fmt: skip


def _taxable_of_rate(category: Node, view: View) -> Values | None:
    """The taxable amount of a rate is that of its lines, charges and allowances."""
    rate = category.number("cbc:Percent")
    return None if rate is None else taxable_of_rate(category, view, rate, _ONE)


def _tax_of_rate(category: Node, _: View) -> Values | None:
    """The GST of a rate is this percentage of the taxable amount."""
    row, rate = category.up(1), category.number("cbc:Percent")
    tax, amount = row.number("cbc:TaxAmount"), row.number("cbc:TaxableAmount")
    if tax is None or amount is None or rate is None:
        raise InvalidNumber(row)  # officially an error, too
    return is_share(tax, amount, rate, _ONE)


chapter.add("aligned-ibrp-s-08-aunz", "BT-116", ROW_TAX.case("S"), _taxable_of_rate, None,
            kind=Kind.SUM)  # fmt: skip
chapter.add("aligned-ibrp-s-09-aunz", "BT-117", ROW_TAX.case("S"), _tax_of_rate, None,
            kind=Kind.SUM)  # fmt: skip

# -- codes and parties -----------------------------------------------------------------------------

_MEDIA = (
    *("application/pdf", "image/png", "image/jpeg", "text/csv"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.spreadsheet",
)
chapter.add("aligned-ibrp-cl-01-aunz", "BT-118 BT-151", CATEGORY, coded_in(_CODES),
            "The GST category is S, Z, E, G or O", kind=Kind.CODE_LIST)  # fmt: skip
chapter.add("aligned-ibrp-cl-02", "BT-8", TAX_POINT, coded_in(("3", "35", "432")),
            "The code of the tax point (BT-8) is 3, 35 or 432", kind=Kind.CODE_LIST)  # fmt: skip
require(chapter, CONTENT, [
    ("aligned-ibrp-cl-04", "BT-125", lambda node, _: node.attributes["mimeCode"] in _MEDIA,
     "An attached document is PDF, PNG, JPEG, CSV, XLSX or ODS"),
], Kind.CODE_LIST)  # fmt: skip


def _registered(scheme: str) -> Test:
    def test(party: Node, _: View) -> bool:
        known = party.text_of(_LEGAL_ID) != ""
        return known and scheme in party.attributes_at(_LEGAL_ID, "schemeID")

    return test


for _context, _rule, _terms, _scheme, _text in (
    (AU_SELLER, "aligned-ibr-001-aunz", "BT-30", _ABN, "A seller in Australia has an ABN"),
    (AU_BUYER, "aligned-ibr-004-aunz", "BT-47", _ABN, "A buyer in Australia has an ABN"),
    (NZ_SELLER, "aligned-ibr-002-aunz", "BT-30", _NZBN, "A seller in New Zealand has an NZBN"),
    (NZ_BUYER, "aligned-ibr-005-aunz", "BT-47", _NZBN, "A buyer in New Zealand has an NZBN"),
):
    require(chapter, _context, [
        (_rule, _terms, _registered(_scheme),
         f"{_text} ({_terms}, scheme {_scheme})"),
    ])  # fmt: skip


def _specified(specification: Specification, suffix: str) -> Chapter:
    """The rules that say which specification a document is of."""
    own = Chapter(Layer.PINT_AUNZ_UBL)
    require(own, DOCUMENT, [
        (f"aligned-ibrp-001-aunz{suffix}", "BT-24",
         begins("cbc:CustomizationID", specification.customization),
         "The specification identifier (BT-24) is that of PINT A-NZ"),
        (f"aligned-ibrp-002{suffix and '-aunz-sb'}", "BT-23",
         lambda invoice, _: specification.process in text_at(invoice, "cbc:ProfileID"),
         "The process (BT-23) is that of the specification"),
    ])  # fmt: skip
    return own


PINT_AUNZ = Book.of(Layer.PINT_AUNZ_UBL, RELEASE, [_specified(billing("aunz"), ""), chapter])
PINT_AUNZ_SELF_BILLING = Book.of(
    Layer.PINT_AUNZ_UBL, RELEASE, [_specified(self_billing("aunz"), "-sb"), chapter]
)
_SELF_BILLED, _TYPES = (("389",), ("261",)), "ibr-cl-01-aunz-sb"
PINT_UBL_1_1_2 = pint_1_1_2()
PINT_UBL_1_1_2_SELF_BILLING = pint_1_1_2(*_SELF_BILLED, types=_TYPES)
PINT_UBL_OF_AUNZ = pint_with_types(INVOICES, CREDIT_NOTES, "1.1.3")
PINT_UBL_OF_AUNZ_SELF_BILLING = pint_with_types(*_SELF_BILLED, "1.1.3", types=_TYPES)
