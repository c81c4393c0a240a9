"""PINT-UBL: the rules and code lists that all countries share, in UBL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from einvoice.rules import check_digits
from einvoice.rules.book import BROKEN, Book, Chapter, Check, Context, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl.codes import media_type_is_allowed, party_id_scheme_in
from einvoice.rules.en16931.ubl.totals import (
    allowances_add_up,
    charges_add_up,
    line_nets_add_up,
    total_without_vat_adds_up,
)
from einvoice.rules.en16931.ubl.vat import taxes_add_up
from einvoice.rules.evaluation_errors import MoreThanOneItem, either
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl.document import (
    accounting_currency_differs,
    date_is_a_day,
    vat_totals_have_the_same_sign,
)
from einvoice.rules.pint import contexts
from einvoice.rules.pint.conditions import (
    Test,
    at_most,
    given,
    given_any,
    in_line,
    one_number,
    require,
    text_at,
    where,
)
from einvoice.rules.tables import Row, at_most_one, coded, filled, present, two_decimals
from einvoice.rules.values import (
    XML_SPACE,
    boolean_of,
    decimal_of,
    double_of,
    is_number,
    moment_of,
    normalized,
    not_below,
    to_cents,
)
from einvoice.rules.view import View

SELLER, BUYER = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
_LEGAL = "cac:PartyLegalEntity"
_COUNTRY = "cac:Country/cbc:IdentificationCode"
_LINE_3 = "cac:AddressLine/cbc:Line"
_REASONS = ("cbc:AllowanceChargeReason", "cbc:AllowanceChargeReasonCode")

base = Chapter(
    Layer.PINT_UBL,
    gathers=(
        "cac:InvoiceLine",
        "cac:CreditNoteLine",
        "cac:TaxTotal",
        "cac:AdditionalDocumentReference",
        "cac:DespatchDocumentReference",
        "cbc:DocumentCurrencyCode",
    ),
)

# -- identifiers -----------------------------------------------------------------------------------


_IDENTIFIED = "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49 BT-60 BT-61"
_TEN_CHARACTERS = 10


def _written(node: Node) -> str:
    return normalized(node.text)


def _is_danish(node: Node, view: View) -> bool:
    return (text := view.text_node(node)).startswith("DK") and check_digits.digits(text[2:], 8)


def _is_italian_tax_code(node: Node, _: View) -> bool:
    return check_digits.italian_tax_code(_written(node))


for _scheme, _rule, _test, _requires in (
    ("0088", "ibr-068", lambda node, _: check_digits.gln(_written(node)),
     "A GLN is digits with a correct check digit"),
    ("0007", "ibr-127", lambda node, _: (
        len(_written(node)) == _TEN_CHARACTERS and is_number(_written(node))),
     "A Swedish organisation number is ten digits"),
    ("0192", "ibr-069", lambda node, _: check_digits.norwegian(_written(node)),
     "A Norwegian organisation number is nine digits with a correct check digit"),
    ("0184", "ibr-070", _is_danish, "A Danish CVR number is DK and eight digits"),
    ("0208", "ibr-113", lambda node, _: check_digits.belgian(_written(node)),
     "A Belgian enterprise number is ten digits with correct check digits"),
    ("0201", "ibr-114", lambda node, _: check_digits.italian_office(_written(node)),
     "An IPA code is six letters or digits"),
    ("0210", "ibr-115", _is_italian_tax_code,
     "A codice fiscale has 11 digits, or 16 characters in the pattern of a person"),
    ("0211", "ibr-116", lambda node, _: check_digits.italian_vat(_written(node)),
     "A partita IVA that begins with IT has eleven digits, the last a check digit"),
    ("0151", "ibr-120", lambda node, _: (
        check_digits.digits(_written(node), 11) and check_digits.australian(_written(node))),
     "An Australian business number is eleven digits with correct check digits"),
):  # fmt: skip
    require(base, contexts.SCHEMES[_scheme], [(_rule, _IDENTIFIED, _test, _requires)], Kind.FORMAT)


# -- allowances and charges ------------------------------------------------------------------------


def _indicator(node: Node, view: View) -> str:
    return normalized(view.text_node(node, "cbc:ChargeIndicator"))


def _of_document(test: Test) -> Test:
    """Whether the adjustment is in a line, or else the test is true."""
    return lambda node, view: in_line(node) or test(node, view)


def _of_line(test: Test) -> Test:
    """Whether the adjustment is in no line, or else the test is true."""
    return lambda node, view: not in_line(node) or test(node, view)


_amount, _reason = given("cbc:Amount"), given_any(*_REASONS)
require(base, contexts.PRICE_ALLOWANCE, [
    ("ibr-083", "BT-147", lambda node, view: _indicator(node, view) == "false",
     "A price (BT-147) has a discount, no charge"),
])  # fmt: skip
at_most_one(base, contexts.ALLOWANCE_USE, [("ibr-sr-30", "BT-97 BT-139", _REASONS[0])])
require(base, contexts.ALLOWANCE_USE, [
    ("ibr-031", "BG-20 BT-92", _of_document(_amount),
     "An allowance of the document has an amount (BT-92)"),
    ("ibr-033", "BG-20 BT-97 BT-98", _of_document(_reason),
     "An allowance of the document has a reason (BT-97) or a reason code (BT-98)"),
    ("ibr-041", "BG-27 BT-136", _of_line(_amount), "An allowance of a line has an amount (BT-136)"),
    ("ibr-042", "BG-27 BT-139 BT-140", _of_line(_reason),
     "An allowance of a line has a reason (BT-139) or a reason code (BT-140)"),
], Kind.PRESENCE)  # fmt: skip
at_most_one(base, contexts.CHARGE_USE, [("ibr-sr-31", "BT-104 BT-144", _REASONS[0])])
require(base, contexts.CHARGE_USE, [
    ("ibr-036", "BG-21 BT-99", _of_document(_amount),
     "A charge of the document has an amount (BT-99)"),
    ("ibr-038", "BG-21 BT-104 BT-105", _of_document(_reason),
     "A charge of the document has a reason (BT-104) or a reason code (BT-105)"),
    ("ibr-043", "BG-28 BT-141", _of_line(_amount), "A charge of a line has an amount (BT-141)"),
    ("ibr-044", "BG-28 BT-144 BT-145", _reason,
     "A charge has a reason (BT-144) or a reason code (BT-145)"),
], Kind.PRESENCE)  # fmt: skip
require(base, contexts.ADJUSTMENT, [
    ("ibr-082", "BG-20 BG-21", lambda node, view: _indicator(node, view) in ("true", "false"),
     "An allowance or charge says which of them it is with false or true"),
], Kind.FORMAT)  # fmt: skip
at_most_one(base, contexts.ADJUSTMENT_CATEGORY, [("ibr-sr-61", "", "cbc:TaxExemptionReason")])


# -- parties, addresses and documents --------------------------------------------------------------

filled(base, contexts.SUPPORTING_DOCUMENT, [("ibr-052", "BG-24 BT-122", "cbc:ID")])
at_most_one(base, contexts.SUPPORTING_DOCUMENT, [
    ("ibr-sr-33", "BT-123", "cbc:DocumentDescription"),
])  # fmt: skip
present(base, contexts.BUYER, [("ibr-080", "BT-49", "cbc:EndpointID")])
present(base, contexts.BUYER_ENDPOINT, [("ibr-063", "BT-49", "@schemeID")])
filled(base, contexts.BUYER_ADDRESS, [("ibr-011", "BG-8 BT-55", _COUNTRY)])
at_most_one(base, contexts.BUYER_ADDRESS, [("ibr-sr-54", "BT-163", _LINE_3)])
present(base, contexts.DELIVERY_ADDRESS, [("ibr-057", "BG-15 BT-80", _COUNTRY)])
at_most_one(base, contexts.DELIVERY_ADDRESS, [("ibr-sr-56", "BT-165", _LINE_3)])
present(base, contexts.SELLER, [("ibr-081", "BT-34", "cbc:EndpointID")])
require(base, contexts.SELLER, [
    ("ibr-co-26", "BT-29 BT-30 BT-31", given_any(
        "cac:PartyTaxScheme/cbc:CompanyID", "cac:PartyIdentification/cbc:ID",
        f"{_LEGAL}/cbc:CompanyID"),
     "The seller has an identifier, a legal registration or a tax number"),
    ("ibr-sr-42", "BT-31 BT-32", at_most("cac:PartyTaxScheme", 2),
     "The seller has at most two tax registrations"),
])  # fmt: skip
present(base, contexts.SELLER_ENDPOINT, [("ibr-062", "BT-34", "@schemeID")])
filled(base, contexts.SELLER_ADDRESS, [("ibr-009", "BG-5 BT-40", _COUNTRY)])
at_most_one(base, contexts.SELLER_ADDRESS, [("ibr-sr-53", "BT-162", _LINE_3)])
filled(base, contexts.REPRESENTATIVE, [("ibr-018", "BG-11 BT-62", "cac:PartyName/cbc:Name")])
present(base, contexts.REPRESENTATIVE, [
    ("ibr-019", "BG-12", "cac:PostalAddress"),
    ("ibr-056", "BG-11 BT-63", "cac:PartyTaxScheme/cbc:CompanyID"),
])  # fmt: skip
at_most_one(base, contexts.REPRESENTATIVE, [
    ("ibr-sr-22", "BT-62", "cac:PartyName/cbc:Name"),
    ("ibr-sr-23", "BT-63", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID"),
])  # fmt: skip
filled(base, contexts.REPRESENTATIVE_ADDRESS, [("ibr-020", "BG-12 BT-69", _COUNTRY)])
at_most_one(base, contexts.REPRESENTATIVE_ADDRESS, [("ibr-sr-55", "BT-164", _LINE_3)])
present(base, contexts.REGISTRATION, [("ibr-sr-57", "BT-31 BT-48 BT-63", "cbc:CompanyID")])


def _is_the_seller(payee: Node) -> bool:
    """Whether a name of the payee is a registered name of the seller."""
    names = payee.up(1).texts(f"{SELLER}/{_LEGAL}/cbc:RegistrationName")
    return any(name in names for name in payee.texts("cac:PartyName/cbc:Name"))


def _differs_from_the_seller(payee: Node, _: View) -> bool:
    shared = ("cac:PartyName/cbc:Name", "cac:PartyIdentification/cbc:ID")
    seller = {path: payee.up(1).texts(f"{SELLER}/{path}") for path in shared}
    same = any(text in seller[path] for path in shared for text in payee.texts(path))
    return payee.has(shared[0]) and not same


def _one_identifier(payee: Node, _: View) -> bool:
    others = [
        each
        for each in payee.all("cac:PartyIdentification/cbc:ID")
        if each.attributes.get("schemeID", "").upper() != "SEPA"
    ]
    return len(others) <= 1 or _is_the_seller(payee)


def _once_unless_the_seller(path: str) -> Test:
    return lambda payee, _: len(payee.all(path)) <= 1 or _is_the_seller(payee)


require(base, contexts.PAYEE, [
    ("ibr-017", "BG-10 BT-59", _differs_from_the_seller,
     "A payee has a name, and name and identifier of another one than the seller"),
    ("ibr-105", "BT-60", _one_identifier, "A payee has at most one identifier"),
    ("ibr-106", "BT-61", _once_unless_the_seller(f"{_LEGAL}/cbc:CompanyID"),
     "A payee has at most one legal registration"),
    ("ibr-sr-19", "BT-59", _once_unless_the_seller("cac:PartyName/cbc:Name"),
     "A payee has at most one name"),
])  # fmt: skip
at_most_one(base, contexts.BRANCH_ADDRESS, [("ibr-sr-59", "", _LINE_3)])
present(base, contexts.PAYMENT_MEANS, [("ibr-049", "BG-16 BT-81", "cbc:PaymentMeansCode")])
at_most_one(base, contexts.PAYMENT_MEANS, [
    ("ibr-sr-27", "BT-81", "cbc:PaymentMeansCode"),
    ("ibr-sr-28", "BT-89", "cac:PaymentMandate/cbc:ID"),
])  # fmt: skip
require(base, contexts.PAYMENT_MEANS, [
    ("ibr-sr-46", "BT-82",
     lambda means, _: len(means.attributes_at("cbc:PaymentMeansCode", "name")) <= 1,
     "A payment means has at most one text (BT-82)"),
])  # fmt: skip
at_most_one(base, contexts.PAYMENT_TERMS, [
    ("ibr-sr-05", "BT-20", "cbc:Note"), ("ibr-sr-60", "", "cbc:PaymentMeansID"),
])  # fmt: skip
_PRECEDING = "cac:InvoiceDocumentReference"
present(base, contexts.PRECEDING_INVOICE, [
    ("ibr-055", "BG-3 BT-25", f"{_PRECEDING}/cbc:ID"),
    ("ibr-sr-07", "BG-3 BT-25", f"{_PRECEDING}/cbc:ID"),
])  # fmt: skip
at_most_one(base, contexts.PRECEDING_INVOICE, [("ibr-sr-06", "BG-3", _PRECEDING)])
at_most_one(base, contexts.DELIVERY, [
    ("ibr-108", "BT-70", "cac:DeliveryParty/cac:PartyName/cbc:Name"),
])  # fmt: skip


# -- totals ----------------------------------------------------------------------------------------

present(base, contexts.TOTALS, [
    ("ibr-012", "BG-22 BT-106", "cbc:LineExtensionAmount"),
    ("ibr-013", "BG-22 BT-109", "cbc:TaxExclusiveAmount"),
    ("ibr-014", "BG-22 BT-112", "cbc:TaxInclusiveAmount"),
    ("ibr-015", "BG-22 BT-115", "cbc:PayableAmount"),
])  # fmt: skip
two_decimals(base, contexts.TOTALS, [
    ("ibr-091", "BT-115", "cbc:PayableAmount"),
    ("ibr-121", "BT-107", "cbc:AllowanceTotalAmount"),
    ("ibr-122", "BT-108", "cbc:ChargeTotalAmount"),
    ("ibr-123", "BT-109", "cbc:TaxExclusiveAmount"),
    ("ibr-125", "BT-112", "cbc:TaxInclusiveAmount"),
])  # fmt: skip
two_decimals(base, contexts.TAX_TOTAL, [("ibr-124", "BT-110", "cbc:TaxAmount")])
for _rule, _terms, _context, _check in (
    ("ibr-co-10", "BT-106 BT-131", contexts.TOTALS, line_nets_add_up),
    ("ibr-co-11", "BT-107 BT-92", contexts.TOTALS, allowances_add_up),
    ("ibr-co-12", "BT-108 BT-99", contexts.TOTALS, charges_add_up),
    ("ibr-co-14", "BT-110 BT-117", contexts.TAX_TOTAL, taxes_add_up),
):
    base.add(_rule, _terms, _context, _check, None, kind=Kind.SUM)


def _includes_tax(totals: Sequence[Node]) -> bool:
    """Whether a tax total says that prices include the tax."""
    indicators = [each for total in totals for each in total.all("cbc:TaxIncludedIndicator")]
    return any(boolean_of(each) for each in indicators)


@base.rule("ibr-co-13", "BT-109 BT-106 BT-107 BT-108", at=contexts.TOTALS, kind=Kind.SUM)
def total_without_tax_adds_up(totals: Node, view: View) -> Values | None:
    """The total without tax is lines less allowances plus charges, unless prices include tax.

    BT-109 = BT-106 - BT-107 + BT-108.
    """
    taxes = totals.up(1).all("cac:TaxTotal")
    broken = total_without_vat_adds_up(totals, view)
    return None if broken is None or _includes_tax(taxes) else broken


@base.rule("ibr-co-15", "BT-112 BT-109 BT-110", at=contexts.DOCUMENT, kind=Kind.SUM)
def total_with_tax_adds_up(invoice: Node, _: View) -> Values | None:
    """The total with tax is the total without it plus the tax, unless prices include tax.

    BT-112 = BT-109 + BT-110, the first tax total in the invoice currency.
    """
    totals = invoice.all("cac:TaxTotal")
    sums = invoice.all("cac:LegalMonetaryTotal")
    net = one_number(sums, "cbc:TaxExclusiveAmount")
    tax = _in_invoice_currency(totals[:1], invoice.texts("cbc:DocumentCurrencyCode"))
    expected = None if net is None or tax is None else to_cents(net + tax)
    declared = [each.number("cbc:TaxInclusiveAmount") for each in sums]
    if (expected is not None and expected in declared) or _includes_tax(totals):
        return None
    return {"declared": declared[0] if declared else None, "expected": expected}


def _in_invoice_currency(totals: Sequence[Node], currencies: Sequence[str]) -> Decimal | None:
    """The tax in one of the currencies. Raises MoreThanOneItem, InvalidNumber."""
    taxes = [
        tax
        for total in totals
        for tax in total.all("cbc:TaxAmount")
        if tax.attributes.get("currencyID") in currencies
    ]
    if len(taxes) > 1:
        raise MoreThanOneItem(taxes[0], "cbc:TaxAmount", len(taxes))
    return decimal_of(taxes[0]) if taxes else None


@base.rule("ibr-co-16", "BT-115 BT-112 BT-113 BT-114", at=contexts.TOTALS, kind=Kind.SUM)
def amount_due_adds_up(totals: Node, _: View) -> Values | None:
    """The amount due is the total with tax less the prepaid amount plus the rounding.

    BT-115 = BT-112 - BT-113 + BT-114. A prepaid amount or rounding of 0 counts as none.
    """
    due, gross = totals.number("cbc:PayableAmount"), totals.number("cbc:TaxInclusiveAmount")
    prepaid = totals.number("cbc:PrepaidAmount")
    rounding = totals.number("cbc:PayableRoundingAmount")
    if due is None or gross is None:
        return {"declared": due, "expected": None}
    left = to_cents(gross - prepaid) if prepaid else gross
    unrounded = to_cents(due - rounding) if rounding else due
    if unrounded == left:
        return None
    return {"declared": due, "expected": left + rounding if rounding else left}


# -- the document ----------------------------------------------------------------------------------

filled(base, contexts.DOCUMENT, [
    ("ibr-001", "BT-24", "cbc:CustomizationID"),
    ("ibr-002", "BT-1", "cbc:ID"),
    ("ibr-003", "BT-2", "cbc:IssueDate"),
    ("ibr-005", "BT-5", "cbc:DocumentCurrencyCode"),
    ("ibr-006", "BT-27", f"{SELLER}/{_LEGAL}/cbc:RegistrationName"),
    ("ibr-007", "BT-44", f"{BUYER}/{_LEGAL}/cbc:RegistrationName"),
])  # fmt: skip
present(base, contexts.DOCUMENT, [
    ("ibr-008", "BG-5", f"{SELLER}/cac:PostalAddress"),
    ("ibr-010", "BG-8", f"{BUYER}/cac:PostalAddress"),
    ("ibr-076", "BT-23", "cbc:ProfileID"),
])  # fmt: skip
_ONCE: tuple[Row, ...] = (
    ("ibr-066", "BG-18", "cac:PaymentMeans/cac:CardAccount"),
    ("ibr-067", "BG-19", "cac:PaymentMeans/cac:PaymentMandate"),
    ("ibr-094", "BT-12", "cac:ContractDocumentReference/cbc:ID"),
    ("ibr-095", "BT-15", "cac:ReceiptDocumentReference/cbc:ID"),
    ("ibr-096", "BT-16", "cac:DespatchDocumentReference/cbc:ID"),
    ("ibr-097", "BG-14", "cac:InvoicePeriod"),
    ("ibr-098", "BT-27", f"{SELLER}/{_LEGAL}/cbc:RegistrationName"),
    ("ibr-099", "BT-28", f"{SELLER}/cac:PartyName/cbc:Name"),
    ("ibr-100", "BT-30", f"{SELLER}/{_LEGAL}/cbc:CompanyID"),
    ("ibr-101", "BT-33", f"{SELLER}/{_LEGAL}/cbc:CompanyLegalForm"),
    ("ibr-102", "BT-44", f"{BUYER}/{_LEGAL}/cbc:RegistrationName"),
    ("ibr-103", "BT-47", f"{BUYER}/{_LEGAL}/cbc:CompanyID"),
    ("ibr-104", "BT-48", f"{BUYER}/cac:PartyTaxScheme/cbc:CompanyID"),
    ("ibr-107", "BG-13", "cac:Delivery"),
    ("ibr-112", "BT-45", f"{BUYER}/cac:PartyName/cbc:Name"),
    ("ibr-sr-16", "BT-46", f"{BUYER}/cac:PartyIdentification/cbc:ID"),
    ("ibr-sr-39", "BT-11", "cac:ProjectReference/cbc:ID"),
    ("ibr-sr-49", "BT-8", "cac:InvoicePeriod/cbc:DescriptionCode"),
    ("ibr-sr-51", "BT-22", "cbc:Note"),
    ("ibr-sr-52", "BT-17", "cac:OriginatorDocumentReference/cbc:ID"),
)
at_most_one(base, contexts.DOCUMENT, _ONCE)


def _references(view: View, code: str) -> Iterator[Node]:
    """The supporting documents, anywhere, of this type."""
    for reference in view.everywhere("cac:AdditionalDocumentReference"):
        if code in reference.texts("cbc:DocumentTypeCode"):
            yield reference


def _not_of_the_object(path: str) -> Test:
    return lambda _, view: not any(each.has(path) for each in _references(view, "130"))


def _count_of_type(invoice: Node, code: str) -> int:
    references = invoice.all("cac:AdditionalDocumentReference")
    return sum(code in each.texts("cbc:DocumentTypeCode") for each in references)


def _has_type(invoice: Node, _: View) -> bool:
    return either(
        lambda: bool(text_at(invoice, "cbc:InvoiceTypeCode")),
        lambda: bool(text_at(invoice, "cbc:CreditNoteTypeCode")),
    )


def _has_tax_in_accounting_currency(invoice: Node, view: View) -> bool:
    amounts = {
        currency
        for total in view.everywhere("cac:TaxTotal")
        for currency in total.attributes_at("cbc:TaxAmount", "currencyID")
    }
    return all(code in amounts for code in invoice.texts("cbc:TaxCurrencyCode"))


require(base, contexts.DOCUMENT, [
    ("ibr-sr-63", "BT-24", lambda invoice, _: "*" not in text_at(invoice, "cbc:CustomizationID"),
     "The specification identifier (BT-24) has no asterisk"),
    ("ibr-004", "BT-3", _has_type, "A document has a type (BT-3)"),
    ("ibr-016", "BG-25", given_any("cac:InvoiceLine", "cac:CreditNoteLine"),
     "A document has a line (BG-25)"),
    ("ibr-053", "BT-6 BT-111", _has_tax_in_accounting_currency,
     "Where a tax accounting currency (BT-6) is given, so is the tax total in it (BT-111)"),
    ("ibr-071", "BT-18 BT-125", _not_of_the_object("cac:Attachment"),
     "The invoiced object (BT-18) has no attachment (BT-125)"),
    ("ibr-072", "BT-18 BT-123", _not_of_the_object("cbc:DocumentDescription"),
     "The invoiced object (BT-18) has no description (BT-123)"),
    ("ibr-078", "BT-18", lambda invoice, _: _count_of_type(invoice, "130") <= 1,
     "A document has at most one invoiced object (BT-18)"),
    ("ibr-090", "BT-11", lambda invoice, _: (
        len(invoice.all("cac:ProjectReference")) <= 1 and _count_of_type(invoice, "50") <= 1),
     "A document refers to at most one project (BT-11)"),
])  # fmt: skip
base.add("ibr-084", "BT-110 BT-111", contexts.DOCUMENT, vat_totals_have_the_same_sign, None,
         present=("cbc:TaxCurrencyCode",))  # fmt: skip
base.add("ibr-077", "BT-5 BT-6", contexts.TAX_CURRENCY, accounting_currency_differs, None)


# -- lines -----------------------------------------------------------------------------------------

filled(base, contexts.LINE, [
    ("ibr-021", "BG-25 BT-126", "cbc:ID"), ("ibr-025", "BG-25 BT-153", "cac:Item/cbc:Name"),
])  # fmt: skip
present(base, contexts.LINE, [
    ("ibr-024", "BG-25 BT-131", "cbc:LineExtensionAmount"),
    ("ibr-026", "BG-25 BT-146", "cac:Price/cbc:PriceAmount"),
])  # fmt: skip
_QUANTITIES = ("cbc:InvoicedQuantity", "cbc:CreditedQuantity")
_DISCOUNTED = "cac:Price/cac:AllowanceCharge/cbc:BaseAmount"


def _has_unit(line: Node, _: View) -> bool:
    return any(line.attributes_at(path, "unitCode") for path in _QUANTITIES)


def _not_negative(path: str) -> Test:
    return lambda line, _: any(not_below(each, 0) for each in line.all(path))


def _quantity_is_positive(line: Node, _: View) -> bool:
    number = line.number("cac:Price/cbc:BaseQuantity")
    return number is None or number > 0


def _one_object(line: Node, _: View) -> bool:
    """Whether at most one reference has type 130, compared as a number. Raises InvalidNumber."""
    return (
        sum(
            any(double_of(code) == 130 for code in reference.all("cbc:DocumentTypeCode"))
            for reference in line.all("cac:DocumentReference")
        )
        <= 1
    )


require(base, contexts.LINE, [
    ("ibr-022", "BG-25 BT-129", given_any(*_QUANTITIES), "A line has a quantity (BT-129)"),
    ("ibr-023", "BG-25 BT-130", _has_unit, "The quantity of a line has a unit (BT-130)"),
    ("ibr-027", "BT-146", _not_negative("cac:Price/cbc:PriceAmount"),
     "The net price (BT-146) is not negative"),
    ("ibr-028", "BT-148", where(given(_DISCOUNTED), _not_negative(_DISCOUNTED)),
     "The gross price (BT-148) is not negative"),
    ("ibr-087", "BT-149", _quantity_is_positive, "The base quantity (BT-149) is more than 0"),
    ("ibr-089", "BT-128", _one_object, "A line has at most one invoiced object (BT-128)"),
])  # fmt: skip
at_most_one(base, contexts.LINE, [
    ("ibr-109", "BT-132", "cac:OrderLineReference/cbc:LineID"),
    ("ibr-110", "BG-26", "cac:InvoicePeriod"),
    ("ibr-111", "BT-147", "cac:Price/cac:AllowanceCharge/cbc:Amount"),
    ("ibr-sr-34", "BT-127", "cbc:Note"),
    ("ibr-sr-38", "", "cac:Item/cac:ClassifiedTaxCategory/cbc:TaxExemptionReason"),
    ("ibr-sr-50", "BT-154", "cac:Item/cbc:Description"),
])  # fmt: skip

_START, _END = "cbc:StartDate", "cbc:EndDate"


def _moment(found: Sequence[Node], path: str) -> int | None:
    """The moment of one date. Raises MoreThanOneItem, InvalidDate."""
    if len(found) > 1:
        raise MoreThanOneItem(found[0], path, len(found))
    return moment_of(found[0]) if found else None


def _within_the_period(path: str, sign: int) -> Test:
    """Whether a date of a line is not before (1) or after (-1) that of the document."""

    def test(period: Node, _: View) -> bool:
        own = period.all(path)
        document = period.up(2).all(f"cac:InvoicePeriod/{path}")
        if not own or not document:
            return True
        bound = _moment(document, path)
        return bound is not None and any((moment_of(each) - bound) * sign >= 0 for each in own)

    return test


def _in_order(period: Node, _: View) -> bool:
    start, end = period.all(_START), period.all(_END)
    if not start or not end:
        return True
    last, first = _moment(end, _END), _moment(start, _START)
    return last is not None and first is not None and last >= first


require(base, contexts.LINE_PERIOD, [
    ("ibr-085", "BT-134 BT-73", _within_the_period(_START, 1),
     "The period of a line (BT-134) does not begin before that of the document (BT-73)"),
    ("ibr-086", "BT-135 BT-74", _within_the_period(_END, -1),
     "The period of a line (BT-135) does not end after that of the document (BT-74)"),
    ("ibr-030", "BT-134 BT-135", _in_order, "The period of a line ends after it begins"),
    ("ibr-co-20", "BG-26 BT-134 BT-135", given_any(_START, _END),
     "The period of a line has a beginning or an end"),
])  # fmt: skip
require(base, contexts.PERIOD, [
    ("ibr-029", "BT-73 BT-74", _in_order, "The period of the document ends after it begins"),
    ("ibr-co-19", "BG-14 BT-73 BT-74", given_any(_START, _END, "cbc:DescriptionCode"),
     "The period of the document has a beginning, an end or a code"),
])  # fmt: skip
require(base, contexts.PROPERTY, [
    ("ibr-054", "BG-32 BT-160 BT-161", given("cbc:Name", "cbc:Value"),
     "An item attribute (BG-32) has a name and a value"),
], Kind.PRESENCE)  # fmt: skip
present(base, contexts.CLASSIFICATION, [("ibr-065", "BT-158", "@listID")])
present(base, contexts.STANDARD_ID, [("ibr-064", "BT-157", "@schemeID")])
present(base, contexts.LINE_CATEGORY, [("ibr-sr-58", "BG-30 BT-151", "cbc:ID")])
at_most_one(base, contexts.SUBTOTAL, [
    ("ibr-sr-32", "BT-120", "cac:TaxCategory/cbc:TaxExemptionReason"),
])  # fmt: skip


def _same_unit(quantity: Node, _: View) -> bool:
    line = quantity.up(2)
    units = [unit for path in _QUANTITIES for unit in line.attributes_at(path, "unitCode")]
    return not any(map(line.has, _QUANTITIES)) or quantity.attributes["unitCode"] in units


require(base, contexts.PRICE_QUANTITY, [
    ("ibr-088", "BT-150 BT-130", _same_unit,
     "The unit of the base quantity (BT-150) is that of the quantity (BT-130)"),
])  # fmt: skip
require(base, contexts.DESPATCH_OF_LINE, [
    ("ibr-092", "BT-16", lambda _, view: not view.everywhere("cac:DespatchDocumentReference"),
     "A despatch advice is named by the lines or by the document (BT-16), not by both"),
])  # fmt: skip
at_most_one(base, contexts.DESPATCH_LINE, [("ibr-sr-62", "", "cac:DocumentReference")])
require(base, contexts.FIRST_PREPAYMENT, [
    ("ibr-093", "BT-113", lambda payment, _: payment.up(1).has(
        "cac:LegalMonetaryTotal/cbc:PrepaidAmount"),
     "Where a prepayment is given, so is the prepaid amount (BT-113)"),
], Kind.PRESENCE)  # fmt: skip


# -- amounts, dates and empty elements -------------------------------------------------------------


def _is_in_the_currency(amount: Node, view: View) -> bool:
    if amount.within("cac:ItemPriceExtension"):
        return True
    codes = [code.text for code in view.everywhere("cbc:DocumentCurrencyCode")]
    return amount.attributes.get("currencyID") in codes


_TIME = re.compile(
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
    r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
)
require(base, contexts.AMOUNT, [
    ("ibr-126", "BT-5", _is_in_the_currency, "Amounts are in the invoice currency (BT-5)"),
])  # fmt: skip
base.add(
    "ibr-073", "BT-2 BT-7 BT-9 BT-26 BT-72 BT-73 BT-74 BT-134 BT-135", contexts.DATE,
    date_is_a_day, None, kind=Kind.FORMAT,
)  # fmt: skip
require(base, contexts.TIME, [
    ("ibr-119", "", lambda time, _: _TIME.fullmatch(time.text.strip(XML_SPACE)) is not None,
     "A time is written as 13 hours 30 would be, with seconds, and with a time zone if needed"),
], Kind.FORMAT)  # fmt: skip
present(base, contexts.BINARY_OBJECT, [
    ("ibr-074", "BT-125", "@mimeCode"), ("ibr-075", "BT-125", "@filename"),
])  # fmt: skip


@base.rule("ibr-079", "", at=contexts.EMPTY, kind=Kind.PRESENCE)
def nothing_is_empty(element: Node, view: View) -> Values | None:
    """No element is empty; an element without a value is left out."""
    return None if contexts.is_judged_before(element, view) else BROKEN


# -- code lists ------------------------------------------------------------------------------------

_ICD, _CURRENCIES, _COUNTRIES = "icd_iso6523_cen", "iso4217_peppol", "iso3166_cen"
_CODED: tuple[tuple[Context, str, str, str, str], ...] = (
    (contexts.CODED_AMOUNT, "ibr-cl-03", "BT-5", _CURRENCIES, "currencyID"),
    (contexts.CURRENCY, "ibr-cl-04", "BT-5", _CURRENCIES, ""),
    (contexts.ACCOUNTING_CURRENCY, "ibr-cl-05", "BT-6", _CURRENCIES, ""),
    (contexts.INVOICED_OBJECT, "ibr-cl-07", "BT-18 BT-128", "uncl1153", "schemeID"),
    (contexts.LEGAL_ID, "ibr-cl-11", "BT-30 BT-47 BT-61", _ICD, "schemeID"),
    (contexts.CLASS_CODE, "ibr-cl-13", "BT-158", "uncl7143", "listID"),
    (contexts.COUNTRY, "ibr-cl-14", "BT-40 BT-55 BT-69 BT-80", _COUNTRIES, ""),
    (contexts.ORIGIN_COUNTRY, "ibr-cl-15", "BT-159", _COUNTRIES, ""),
    (contexts.MEANS_CODE, "ibr-cl-16", "BT-81", "uncl4461_pint", ""),
    (contexts.ALLOWANCE_REASON, "ibr-cl-19", "BT-98 BT-140", "uncl5189", ""),
    (contexts.CHARGE_REASON, "ibr-cl-20", "BT-105 BT-145", "uncl7161", ""),
    (contexts.STANDARD_SCHEME, "ibr-cl-21", "BT-157", _ICD, "schemeID"),
    (contexts.QUANTITY, "ibr-cl-23", "BT-130 BT-150", "unece_rec20_21", "unitCode"),
    (contexts.ENDPOINT, "ibr-cl-25", "BT-34 BT-49", "eas_pint", "schemeID"),
    (contexts.DELIVERY_LOCATION, "ibr-cl-26", "BT-71", _ICD, "schemeID"),
)
for _context, _rule, _terms, _list, _attribute in _CODED:
    coded(base, _context, _rule, _terms, _list, _attribute, required=_attribute == "currencyID")
base.add("ibr-cl-24", "BT-125", contexts.ATTACHMENT, media_type_is_allowed, None,
         kind=Kind.CODE_LIST, parameters={"list": "mime"})  # fmt: skip


@base.rule("ibr-cl-10", "BT-29 BT-46 BT-60", at=contexts.PARTY_ID, kind=Kind.CODE_LIST)
def party_id_scheme_is_a_code(identifier: Node, _: View) -> Values | None:
    """The scheme of a party identifier is an ISO 6523 code; of a seller or payee, also SEPA."""
    return party_id_scheme_in(identifier, code_list(_ICD))


def pint_with_types(
    invoices: tuple[str, ...],
    credit_notes: tuple[str, ...],
    release: str,
    *,
    types: str = "ibr-cl-01",
) -> Book:
    """The shared rules, with the types (BT-3) that a specification allows.

    types  the id of the rule on types
    """
    own = Chapter(Layer.PINT_UBL)
    own.add(types, "BT-3", contexts.TYPE_CODE, _type_in(invoices, credit_notes),
            "The type of a document (BT-3) is one that the specification allows",
            kind=Kind.CODE_LIST)  # fmt: skip
    return Book.of(Layer.PINT_UBL, release, [base, own])


def _type_in(invoices: tuple[str, ...], credit_notes: tuple[str, ...]) -> Check:
    def check(code: Node, _: View) -> Values | None:
        allowed = invoices if code.name == "cbc:InvoiceTypeCode" else credit_notes
        if code.text.strip(XML_SPACE) in allowed:
            return None
        return {"code": code.text, "codes": list(allowed)}

    return check
