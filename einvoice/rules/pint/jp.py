"""PINT-JP-UBL: the rules of Japan, releases 1.1.2 and 1.1.3, in UBL.

One text for billing, self-billing and invoices of businesses without tax registration, but for what
`_Kind` says. The releases differ by the shared rules only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from einvoice.rules.book import Book, Chapter, Context, Kind, Pattern, Switch
from einvoice.rules.en16931.ubl.conditions import ALLOWANCE, CHARGE, credit_transfer, kind
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint import Specification, billing, non_tax, self_billing
from einvoice.rules.pint.base import SELLER, pint_with_types
from einvoice.rules.pint.conditions import (
    LINES,
    Test,
    at_most,
    begins,
    coded_in,
    given,
    not_given,
    require,
    text_at,
)
from einvoice.rules.pint.release_1_1_2 import CREDIT_NOTES, INVOICES, pint_1_1_2
from einvoice.rules.pint.taxes import GATHERED, LINE_CATEGORY, VAT, no_tax, rate_is
from einvoice.rules.tables import present, unfired
from einvoice.rules.values import ZERO, double_of, normalized, share, to_integer
from einvoice.rules.view import View

RELEASE = "1.1.3"
_BIS_OF_2022 = "urn:fdc:peppol:jp:billing:3.0"
_PROCESS_OF_2022 = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
_TAX_ID = "cac:PartyTaxScheme/cbc:CompanyID"
_NUMBER = re.compile(r"T[0-9]{13}")
_NUMBERS_SINCE = "2023-10-01"
_DIGITS = range(4, 7)

# -- contexts --------------------------------------------------------------------------------------


def _in_invoice_currency(row: Node, view: View) -> bool:
    if view.root.name != "ubl:Invoice":
        return False
    codes = [piece for code in view.root.all("cbc:DocumentCurrencyCode")
             for piece in view.text_nodes(code)]  # fmt: skip
    return any(each in codes for each in row.attributes_at("cbc:TaxAmount", "currencyID"))


def _is_vat(registration: Node, _: View) -> bool:
    return VAT.levied(registration)


_model = Pattern()
ADJUSTMENT: Switch = _model.switch(
    "/ubl:Invoice/cac:AllowanceCharge", "/cn:CreditNote/cac:AllowanceCharge", key=kind
)
ADJUSTMENTS: Mapping[str, Context] = {each: ADJUSTMENT.case(each) for each in (ALLOWANCE, CHARGE)}
LINE: Context = _model.context("/ubl:InvoiceLine", "/cn:CreditNoteLine")  # as published: none
DOCUMENT: Context = _model.context("/ubl:Invoice", "/cn:CreditNote")
OWN_SUBTOTAL: Context = _model.context("cac:TaxSubtotal", when=_in_invoice_currency)
SUBTOTAL: Context = _model.context("cac:TaxSubtotal")
REPRESENTATIVE: Context = _model.context("cac:TaxRepresentativeParty")
ACCOUNT: Context = _model.context(
    "cac:PaymentMeans/cac:PayeeFinancialAccount", when=credit_transfer
)
CARD: Context = _model.context("cac:PaymentMeans/cac:CardAccount")
MEANS: Context = _model.context("cac:PaymentMeans")
LINE_TAX: Switch = _model.switch(*(f"{line}/{LINE_CATEGORY}" for line in LINES), key=VAT.category)
ADJUSTMENT_TAX: Switch = _model.switch(
    "cac:AllowanceCharge/cac:TaxCategory", key=VAT.kind_and_category
)
TAX_AMOUNT: Context = Pattern().context("cbc:TaxAmount")
EXEMPT_ROW: Context = _model.switch(
    "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=VAT.category
).case("E")
ROW_TAX: Switch = _model.switch("/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=VAT.category)
REGISTRATION: Context = _model.context(f"/ubl:Invoice/{SELLER}/cac:PartyTaxScheme", when=_is_vat)
SCHEME: Context = _model.context(
    "cac:TaxCategory/cac:TaxScheme/cbc:ID", "cac:ClassifiedTaxCategory/cac:TaxScheme/cbc:ID"
)
_codes = Pattern()
CATEGORY: Context = _codes.context("cac:TaxCategory/cbc:ID", "cac:ClassifiedTaxCategory/cbc:ID")
TYPE: Context = _codes.context("cbc:InvoiceTypeCode")

chapter = Chapter(
    Layer.PINT_JP_UBL,
    gathers=(*GATHERED, "cac:InvoicePeriod", "cbc:PaymentID", "cbc:StartDate", "cbc:EndDate"),
)

# -- the document ----------------------------------------------------------------------------------


def _category_with_rate(adjustment: Node, _: View) -> bool:
    """Whether the category is given where a rate is, as the published rule comes to."""
    found = VAT.of(adjustment, "cac:TaxCategory")
    rated = any(each.has("cbc:Percent") for each in found)
    return not rated or any(each.has("cbc:ID") for each in found)


for _kind, _rule, _what in (
    (ALLOWANCE, "032", "An allowance"), (CHARGE, "037", "A charge"),
):  # fmt: skip
    require(chapter, ADJUSTMENTS[_kind], [
        (f"aligned-ibrp-{_rule}-jp", "BT-95 BT-102", _category_with_rate,
         f"{_what} of the document with a tax rate has a tax category"),
    ])  # fmt: skip
unfired(chapter, LINE, [
    ("aligned-ibrp-050-jp", "BT-151 BT-152", "A line has a tax category and a rate"),
])  # fmt: skip


def _one_payment_id(_: Node, view: View) -> bool:
    return len({each.text for each in view.everywhere("cbc:PaymentID")}) <= 1


def _one_total(invoice: Node, _: View) -> bool:
    codes = invoice.texts("cbc:DocumentCurrencyCode")
    found = invoice.attributes_at("cac:TaxTotal/cbc:TaxAmount", "currencyID")
    return sum(each in codes for each in found) <= 1


require(chapter, DOCUMENT, [
    ("aligned-ibrp-009", "BT-31", VAT.one_number(SELLER),
     "The seller has at most one tax number (BT-31)"),
    ("aligned-ibrp-014", "BT-83", _one_payment_id,
     "All payment means have the same payment reference (BT-83)"),
    ("aligned-ibrp-052", "BG-14", lambda _, view: bool(view.everywhere("cac:InvoicePeriod")),
     "A document or a line has a period (BG-14)"),
    ("aligned-ibrp-sr-12", "BT-31", VAT.one_number(SELLER),
     "The seller has at most one tax number (BT-31)"),
    ("aligned-ibrp-sr-13", "BT-32", VAT.one_number(SELLER, other=True),
     "The seller has at most one number of another tax (BT-32)"),
    ("aligned-ibr-jp-05", "BT-6", lambda invoice, _: (
        not invoice.has("cbc:TaxCurrencyCode") or "JPY" in invoice.texts("cbc:TaxCurrencyCode")),
     "The tax accounting currency (BT-6) is JPY"),
    ("aligned-ibrp-053-jp", "BT-110", _one_total,
     "One tax total is in the currency of the document"),
])  # fmt: skip
for _code in "EGO":
    chapter.add(
        f"aligned-ibrp-{_code.lower()}-01", "BG-23 BT-118", DOCUMENT, VAT.once_in_breakdown(_code),
        f"A category {_code} that is used is in the breakdown exactly once", kind=Kind.CATEGORY,
    )  # fmt: skip

# -- the breakdown ---------------------------------------------------------------------------------


def _has_a_rate(row: Node, view: View) -> bool:
    if VAT.has("cac:TaxCategory", "cbc:Percent")(row, view):
        return True
    return any(text_at(each, "cbc:ID") == "O" for each in VAT.of(row, "cac:TaxCategory"))


def _yen_are_whole(row: Node, _: View) -> bool:
    found = [x for x in row.all("cbc:TaxAmount") if x.attributes.get("currencyID") == "JPY"]
    if len(found) > 1:
        raise MoreThanOneItem(found[0], "cbc:TaxAmount", len(found))
    return not any("." in each.text for each in found)


def _is_rounded_share(row: Node, tax: Decimal | None) -> bool:
    """Whether the tax is the rate of the taxable amount, rounded up or down to a whole unit."""
    categories = row.all("cac:TaxCategory")
    rates = [rate for each in categories if (rate := each.number("cbc:Percent")) is not None]
    if len(rates) > 1:
        raise MoreThanOneItem(categories[0], "cbc:Percent", len(rates))
    if not rates or tax is None:
        return False
    if not to_integer(rates[0]):
        return tax == ZERO
    amount = row.number("cbc:TaxableAmount")
    if amount is None:
        return False
    exact = share(amount, rates[0])
    low, high = (exact.to_integral_value(each) for each in (ROUND_FLOOR, ROUND_CEILING))
    return low <= tax <= high


def _codes_of(row: Node) -> list[str]:
    return [normalized(each.text_of("cbc:ID").upper()) for each in row.all("cac:TaxCategory")]


def _tax_of_rate(row: Node, _: View) -> bool:
    """Whether the tax is that of the rate; of the category O none. Codes are read last."""
    tax = row.number("cbc:TaxAmount")
    if _is_rounded_share(row, tax) and any(code != "O" for code in _codes_of(row)):
        return True
    return tax == ZERO and not row.has("cac:TaxCategory/cbc:Percent") and "O" in _codes_of(row)


present(chapter, OWN_SUBTOTAL, [("aligned-ibrp-045", "BG-23 BT-116", "cbc:TaxableAmount")])
present(chapter, SUBTOTAL, [("aligned-ibrp-046", "BG-23 BT-117", "cbc:TaxAmount")])
require(chapter, SUBTOTAL, [
    ("aligned-ibrp-047", "BT-118", VAT.has("cac:TaxCategory", "cbc:ID"),
     "Each row of the tax breakdown has a tax category (BT-118)"),
    ("aligned-ibrp-048", "BT-119", _has_a_rate,
     "Each row of the tax breakdown has a rate (BT-119), unless it is of the category O"),
    ("aligned-ibr-jp-06", "BT-117", _yen_are_whole, "An amount of tax in yen has no decimals"),
])  # fmt: skip
require(chapter, REPRESENTATIVE, [
    ("aligned-ibrp-010", "BT-63", at_most(_TAX_ID),
     "A tax representative has at most one tax number (BT-63)"),
])  # fmt: skip
require(chapter, ACCOUNT, [
    ("aligned-ibrp-016", "BT-84", lambda account, _: any(account.texts("cbc:ID")),
     "The account of a credit transfer (BT-84) is not empty"),
])  # fmt: skip
require(chapter, CARD, [
    ("aligned-ibrp-017", "BT-87",
     lambda card, _: len(card.text_of("cbc:PrimaryAccountNumberID")) in _DIGITS,
     "Of a card number (BT-87) four to six digits are given"),
])  # fmt: skip
present(chapter, MEANS, [("aligned-ibrp-049", "BT-81", "cbc:PaymentMeansCode")])
unfired(chapter, MEANS, [
    ("aligned-ibrp-019", "BT-89", "A direct debit names its mandate (BT-89)"),
])  # fmt: skip

# -- categories ------------------------------------------------------------------------------------

_RATES: Mapping[str, tuple[Test, str]] = {
    "E": (rate_is(ZERO), "0"),
    "G": (rate_is(ZERO), "0"),
    "O": (not_given("cbc:Percent"), "left out"),
}
for _code, (_test, _text) in _RATES.items():
    _prefix = f"aligned-ibrp-{_code.lower()}"
    require(chapter, LINE_TAX.case(_code), [
        (f"{_prefix}-05", "BT-152", _test,
         f"The rate of a line of the category {_code} is {_text}"),
    ])  # fmt: skip
    for _kind, _rule, _what in ((ALLOWANCE, "06", "an allowance"), (CHARGE, "07", "a charge")):
        require(chapter, ADJUSTMENT_TAX.case((_kind, _code)), [
            (f"{_prefix}-{_rule}", "BT-96 BT-103", _test,
             f"The rate of {_what} of the category {_code} is {_text}"),
        ])  # fmt: skip
    chapter.add(
        f"{_prefix}-09", "BT-117", EXEMPT_ROW if _code == "E" else ROW_TAX.case(_code), no_tax,
        f"The tax of the category {_code} is 0", kind=Kind.SUM,
    )  # fmt: skip
require(chapter, SCHEME, [
    ("aligned-ibr-jp-03", "", lambda scheme, _: "VAT" in normalized(scheme.text),
     "The tax scheme is VAT"),
])  # fmt: skip
chapter.add("aligned-ibrp-cl-01-jp", "BT-118 BT-151", CATEGORY,
            coded_in(("AA", "S", "E", "G", "O")), "The tax category is S, AA, E, G or O",
            kind=Kind.CODE_LIST)  # fmt: skip

# -- what differs ----------------------------------------------------------------------------------

taxed = Chapter(Layer.PINT_JP_UBL, gathers=("cbc:StartDate", "cbc:EndDate"))


def _has_its_number(registration: Node, view: View) -> bool:
    """Whether a seller has the number of a qualified issuer, where a period ends since 2023."""
    days = (*view.everywhere("cbc:StartDate"), *view.everywhere("cbc:EndDate"))
    if not any(day.text >= _NUMBERS_SINCE for day in days):
        return True
    return _NUMBER.fullmatch(text_at(registration, "cbc:CompanyID")) is not None


require(taxed, DOCUMENT, [
    ("aligned-ibr-jp-04", "BT-31", given(f"{SELLER}/{_TAX_ID}"),
     "The seller has a tax number (BT-31)"),
])  # fmt: skip
taxed.add("aligned-ibrp-051-jp", "BT-117", OWN_SUBTOTAL,
          lambda row, view: None if _tax_of_rate(row, view) else {},
          "The tax of a row is its rate of the taxable amount, rounded to a whole unit",
          kind=Kind.SUM)  # fmt: skip
require(taxed, REGISTRATION, [
    ("aligned-ibr-jp-01", "BT-31", _has_its_number,
     "The tax number of the seller (BT-31) is T and 13 digits"),
])  # fmt: skip

untaxed = Chapter(Layer.PINT_JP_UBL)
require(untaxed, DOCUMENT, [
    ("aligned-ibr-jp-04-ntr", "BT-31", not_given(f"{SELLER}/{_TAX_ID}"),
     "A seller without tax registration has no tax number (BT-31)"),
])  # fmt: skip
require(untaxed, TAX_AMOUNT, [
    ("aligned-ibr-jp-07-ntr", "BT-110 BT-117", lambda amount, _: double_of(amount) == 0,
     "A seller without tax registration charges no tax"),
])  # fmt: skip

billed = Chapter(Layer.PINT_JP_UBL)
billed.add("aligned-ibrp-cl-02-jp", "BT-3", TYPE, coded_in(("380",)),
           "The type of the document (BT-3) is 380", kind=Kind.CODE_LIST)  # fmt: skip


def _specified(ids: tuple[str, str], specification: Specification, *former: str) -> Chapter:
    """The rules that say which specification a document is of."""
    own = Chapter(Layer.PINT_JP_UBL)

    def process(invoice: Node, _: View) -> bool:
        text = text_at(invoice, "cbc:ProfileID")
        return any(each in text for each in (specification.process, *former[1:]))

    require(own, DOCUMENT, [
        (ids[0], "BT-24",
         begins("cbc:CustomizationID", specification.customization, *former[:1]),
         "The specification identifier (BT-24) is that of PINT JP"),
        (ids[1], "BT-23", process, "The process (BT-23) is that of the specification"),
    ])  # fmt: skip
    return own


_BILLING = _specified(("aligned-ibrp-001-jp", "aligned-ibrp-002-jp"), billing("jp"),
                      _BIS_OF_2022, _PROCESS_OF_2022)  # fmt: skip
_SELF_BILLING = _specified(("aligned-ibrp-001-jp-sb", "aligned-ibrp-002-jp-sb"), self_billing("jp"))
_NON_TAX = _specified(("aligned-ibrp-001-jp-ntr", "aligned-ibrp-002-jp"), non_tax("jp"))
PINT_JP = Book.of(Layer.PINT_JP_UBL, RELEASE, [_BILLING, chapter, taxed, billed])
PINT_JP_SELF_BILLING = Book.of(Layer.PINT_JP_UBL, RELEASE, [_SELF_BILLING, chapter, taxed])
PINT_JP_NON_TAX = Book.of(Layer.PINT_JP_UBL, RELEASE, [_NON_TAX, chapter, untaxed])
PINT_UBL_1_1_2 = pint_1_1_2()
PINT_UBL_1_1_2_SELF_BILLING = pint_1_1_2(("389",), (), types="ibr-cl-01-jp-sb")
PINT_UBL_1_1_2_NON_TAX = pint_1_1_2(("480",), (), types="ibr-cl-01-jp-ntr")
PINT_UBL_OF_JP = pint_with_types(INVOICES, CREDIT_NOTES, RELEASE)
PINT_UBL_OF_JP_SELF_BILLING = pint_with_types(("389",), (), RELEASE, types="ibr-cl-01-jp-sb")
PINT_UBL_OF_JP_NON_TAX = pint_with_types(("480",), (), RELEASE, types="ibr-cl-01-jp-ntr")
