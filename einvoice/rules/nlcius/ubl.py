"""NLCIUS-UBL: the rules of SI-UBL 2.0.3.13 beside those of EN 16931."""

from __future__ import annotations

from einvoice.rules.book import BLANK, BROKEN, Book, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.netherlands import KVK, OIN, PAYMENT_MEANS_CODES
from einvoice.rules.national.parties_ubl import (
    BUYER_PARTY,
    REPRESENTATIVE_PARTY,
    SELLER_PARTY,
    buyer_address_as_written,
    seller_address,
)
from einvoice.rules.nlcius import PART_OF_SPECIFICATION, SPECIFICATION
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.values import ZERO, normalized
from einvoice.rules.view import View

nlcius = Chapter(Layer.NLCIUS_UBL)

_TYPES = ("380", "381", "384", "389")
_CREDIT_NOTE, _CORRECTION = "381", "384"
_ORDER_LINE = ("cac:OrderLineReference", "cbc:LineID")  # of BR-NL-13, which comes before SI-UBL-2
_SEPA = ("58", "59")
_DOCUMENTS = ("ubl:Invoice", "cn:CreditNote")
_DELIVERY = "cac:Delivery/cac:DeliveryLocation/cac:Address"


def _dutch_seller(view: View) -> bool:
    """Whether the seller's address is Dutch, and the document says that it follows NLCIUS."""
    specification = view.root.text_of("cbc:CustomizationID")
    return view.once(seller_address) == "NL" and PART_OF_SPECIFICATION in specification


def _dutch_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address_as_written) == "NL"


def _dutch_representative(address: Node, _: View) -> bool:
    """Whether no country of the address is another one; officially "nl" is another one."""
    codes = address.texts("cac:Country/cbc:IdentificationCode")
    return all(code == "NL" for code in codes)


def _other_registration(registration: Node, _: View) -> bool:
    return normalized(registration.text_of("cac:TaxScheme/cbc:ID")) != "VAT"


def _with_name(code: Node, _: View) -> bool:
    return "name" in code.attributes


_empty = Pattern()
EMPTY = _empty.context(BLANK)

_document = Pattern()
DOCUMENT = _document.context(*_DOCUMENTS)
IDENTIFIER = _document.context("cbc:CustomizationID")
ORDER_LINE = _document.context("/".join(_ORDER_LINE))

_dutch = Pattern(_dutch_seller)
SELLER = _dutch.context(SELLER_PARTY)
SELLER_ADDRESS = _dutch.context(f"{SELLER_PARTY}/cac:PostalAddress")
DUTCH_DOCUMENT = _dutch.context(*_DOCUMENTS)
BUYER_ADDRESS = _dutch.context(f"{BUYER_PARTY}/cac:PostalAddress", when=_dutch_buyer)
BUYER_ENTITY = _dutch.context(f"{BUYER_PARTY}/cac:PartyLegalEntity")
REPRESENTATIVE_ADDRESS = _dutch.context(
    f"{REPRESENTATIVE_PARTY}/cac:PostalAddress", when=_dutch_representative
)
TYPE = _dutch.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
TOTALS = _dutch.context("cac:LegalMonetaryTotal")
PAYMENT_MEANS = _dutch.context("cac:PaymentMeans")

present(nlcius, DOCUMENT, [("BII2-T10-R001", "BT-24", "cbc:CustomizationID")])


@nlcius.rule("SI-UBL-2", "", at=EMPTY, flag=Flag.WARNING, kind=Kind.PRESENCE)
def nothing_is_empty(element: Node, _: View) -> Values | None:
    """No element is empty; an element without a value is left out."""
    above = element.parent
    judged_by_13 = above is not None and (above.name, element.name) == _ORDER_LINE
    return None if judged_by_13 else BROKEN


@nlcius.rule("SI-V20-INV-R000", "BT-24", at=IDENTIFIER, kind=Kind.FORMAT)
def specification_is_nlcius(identifier: Node, _: View) -> Values | None:
    """The specification identifier (BT-24) begins with that of NLCIUS."""
    text = normalized(identifier.text)
    return None if text.startswith(SPECIFICATION) else {"text": text, "expected": SPECIFICATION}


@nlcius.rule("BR-NL-13", "BT-132 BT-13", at=ORDER_LINE, kind=Kind.PRESENCE,
             path="cac:OrderReference/cbc:ID")  # fmt: skip
def order_line_has_an_order(_: Node, view: View) -> Values | None:
    """Where a line names an order line (BT-132), the invoice names the order (BT-13)."""
    return None if view.root.has("cac:OrderReference/cbc:ID") else BROKEN


@nlcius.rule("BR-NL-2", "BT-10 BT-13", at=DUTCH_DOCUMENT, kind=Kind.PRESENCE,
             path="cbc:BuyerReference")  # fmt: skip
def has_a_buyer_or_order_reference(invoice: Node, _: View) -> Values | None:
    """A buyer reference (BT-10) or a purchase order reference (BT-13) is given."""
    given = invoice.has("cbc:BuyerReference") or invoice.has("cac:OrderReference/cbc:ID")
    return None if given else BROKEN


# -- parties ---------------------------------------------------------------------------------------


def _is_registered(party: Node) -> Values | None:
    """Whether a legal registration of the party is a KVK number or an OIN, and one is not blank."""
    numbers = party.all("cac:PartyLegalEntity/cbc:CompanyID")
    schemes = " ".join(number.attributes.get("schemeID", "") for number in numbers)
    known = any(f" {code} " in f" {schemes} " for code in (KVK, OIN))
    if known and any(normalized(number.text) for number in numbers):
        return None
    return {"code": schemes, "codes": [KVK, OIN], "known": known}


@nlcius.rule("BR-NL-1", "BT-30", at=SELLER, kind=Kind.CODE_LIST,
             path="cac:PartyLegalEntity/cbc:CompanyID")  # fmt: skip
def seller_is_registered(party: Node, _: View) -> Values | None:
    """The legal registration of a Dutch seller (BT-30) is a KVK number (0106) or an OIN (0190)."""
    return _is_registered(party)


@nlcius.rule("BR-NL-10", "BT-47", at=BUYER_ENTITY, kind=Kind.CODE_LIST, path="cbc:CompanyID")
def buyer_is_registered(entity: Node, view: View) -> Values | None:
    """The legal registration of a Dutch buyer (BT-47) is a KVK number (0106) or an OIN (0190).

    A KVK number or OIN of any buyer is not blank.
    """
    found = _is_registered(entity.up(1))
    if found is None or _dutch_buyer(entity, view) or found["known"]:
        return found
    return None


def _address_is_complete(address: Node, _: View) -> Values | None:
    for path in ("cbc:StreetName", "cbc:CityName", "cbc:PostalZone"):
        if not address.has(path):
            return {"path": path}
    return None


for _rule, _terms, _context, _requires in (
    ("BR-NL-3", "BT-35 BT-37 BT-38", SELLER_ADDRESS,
     "The address of a Dutch seller (BG-5) has street, city and post code"),
    ("BR-NL-4", "BT-50 BT-52 BT-53", BUYER_ADDRESS,
     "The address of a Dutch buyer (BG-8) has street, city and post code"),
    ("BR-NL-5", "BT-64 BT-66 BT-67", REPRESENTATIVE_ADDRESS,
     "The address of a Dutch tax representative (BG-12) has street, city and post code"),
):  # fmt: skip
    nlcius.add(_rule, _terms, _context, _address_is_complete, _requires, kind=Kind.PRESENCE)


# -- type, amount due and payment ------------------------------------------------------------------


@nlcius.rule("BR-NL-7", "BT-3", at=TYPE, kind=Kind.CODE_LIST)
def type_is_allowed(code: Node, _: View) -> Values | None:
    """The type (BT-3) is 380, 381, 384 or 389."""
    return None if code.text in _TYPES else {"code": code.text, "codes": list(_TYPES)}


@nlcius.rule("BR-NL-8", "BT-3", at=TYPE, kind=Kind.CODE_LIST)
def type_is_of_the_document(code: Node, view: View) -> Values | None:
    """A credit note has the type 381 (BT-3), an invoice another one."""
    is_credit_note = view.root.name == "cn:CreditNote"
    return (
        None if (normalized(code.text) == _CREDIT_NOTE) is is_credit_note else {"code": code.text}
    )


@nlcius.rule("BR-NL-9", "BT-3 BT-25", at=TYPE, kind=Kind.PRESENCE,
             path="cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")  # fmt: skip
def correction_names_the_invoice(code: Node, view: View) -> Values | None:
    """A corrected invoice (type 384) names the invoice it corrects (BT-25)."""
    path = "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID"
    return BROKEN if normalized(code.text) == _CORRECTION and not view.root.has(path) else None


@nlcius.rule("BR-NL-11", "BG-16 BT-115", at=TOTALS, kind=Kind.PRESENCE, path="cac:PaymentMeans")
def payment_means_are_given(totals: Node, view: View) -> Values | None:
    """Where an amount is due to a Dutch seller (BT-115), a payment means (BG-16) is given."""
    if view.root.has("cac:PaymentMeans"):
        return None
    due = totals.number("cbc:PayableAmount")
    if due is not None and (due <= ZERO if view.root.name == "ubl:Invoice" else due >= ZERO):
        return None
    return {"amount": due}


@nlcius.rule("BR-NL-12", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST,
             path="cbc:PaymentMeansCode")  # fmt: skip
def payment_means_is_dutch(means: Node, _: View) -> Values | None:
    """The payment means (BT-81) is 30, 48, 49, 57, 58 or 59."""
    code = normalized(means.text_of("cbc:PaymentMeansCode"))
    if code in PAYMENT_MEANS_CODES:
        return None
    return {"code": code, "codes": list(PAYMENT_MEANS_CODES)}


@nlcius.rule("BR-NL-31", "BT-86", at=PAYMENT_MEANS, flag=Flag.WARNING, kind=Kind.ABSENCE)
def bank_is_not_identified(means: Node, _: View) -> Values | None:
    """A SEPA payment (means 58 or 59) does not identify the bank (BT-86)."""
    branch = "cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID"
    sepa = normalized(means.text_of("cbc:PaymentMeansCode")) in _SEPA
    return {"code": means.text_of("cbc:PaymentMeansCode")} if sepa and means.has(branch) else None


# -- what is not recommended -----------------------------------------------------------------------


def _always(_: Node, __: View) -> Values | None:
    return BROKEN


def _in_another_currency(amount: Node, view: View) -> bool:
    currencies = view.root.texts("cbc:DocumentCurrencyCode")
    return amount.attributes.get("currencyID") not in currencies


# rule, business terms, path of the element, condition, what it is
_NOT_RECOMMENDED = (
    ("BR-NL-19", "BT-6", "cbc:TaxCurrencyCode", None, "A VAT accounting currency"),
    ("BR-NL-20", "BT-7", "cbc:TaxPointDate", None, "A VAT point date"),
    ("BR-NL-21", "BT-8", "cac:InvoicePeriod/cbc:DescriptionCode", None, "A VAT point date code"),
    ("BR-NL-24", "BT-26", "cac:InvoiceDocumentReference/cbc:IssueDate", None,
     "The date of a preceding invoice"),
    ("BR-NL-25", "BT-32", f"{SELLER_PARTY}/cac:PartyTaxScheme", _other_registration,
     "A tax registration of the seller other than VAT"),
    ("BR-NL-26", "BT-33", f"{SELLER_PARTY}/cac:PartyLegalEntity/cbc:CompanyLegalForm", None,
     "Legal information on the seller"),
    ("BR-NL-27-1", "BT-162", f"{SELLER_PARTY}/cac:PostalAddress/cac:AddressLine/cbc:Line", None,
     "A third address line of the seller"),
    ("BR-NL-27-2", "BT-163", f"{BUYER_PARTY}/cac:PostalAddress/cac:AddressLine/cbc:Line", None,
     "A third address line of the buyer"),
    ("BR-NL-27-3", "BT-164", f"{REPRESENTATIVE_PARTY}/cac:PostalAddress/cac:AddressLine/cbc:Line",
     None, "A third address line of the tax representative"),
    ("BR-NL-27-4", "BT-165", f"{_DELIVERY}/cac:AddressLine/cbc:Line", None,
     "A third address line of the delivery"),
    ("BR-NL-28-1", "BT-39", f"{SELLER_PARTY}/cac:PostalAddress/cbc:CountrySubentity", None,
     "A region of the seller"),
    ("BR-NL-28-2", "BT-54", f"{BUYER_PARTY}/cac:PostalAddress/cbc:CountrySubentity", None,
     "A region of the buyer"),
    ("BR-NL-28-3", "BT-68", f"{REPRESENTATIVE_PARTY}/cac:PostalAddress/cbc:CountrySubentity", None,
     "A region of the tax representative"),
    ("BR-NL-28-4", "BT-79", f"{_DELIVERY}/cbc:CountrySubentity", None, "A region of the delivery"),
    ("BR-NL-29", "BT-82", "cac:PaymentMeans/cbc:PaymentMeansCode", _with_name,
     "A text for the payment means"),
    ("BR-NL-30", "BT-85", "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:Name", None,
     "The name of the account"),
    ("BR-NL-32-1", "BT-98 BT-105 BT-140 BT-145",
     "cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", None,
     "A reason code of an allowance or charge"),
    ("BR-NL-33", "BT-111", "cac:TaxTotal/cbc:TaxAmount", _in_another_currency,
     "A VAT total in another currency"),
    ("BR-NL-35", "BT-121", "cac:TaxCategory/cbc:TaxExemptionReasonCode", None,
     "A code for the reason of an exemption"),
)  # fmt: skip
_not_recommended = Pattern(_dutch_seller)
for _rule, _terms, _path, _condition, _what in _NOT_RECOMMENDED:
    nlcius.add(
        _rule,
        _terms,
        _not_recommended.context(_path, when=_condition),
        _always,
        f"{_what} is not used",
        Flag.WARNING,
        Kind.ABSENCE,
    )

NLCIUS_UBL = Book.of(Layer.NLCIUS_UBL, "SI-UBL 2.0.3.13", [nlcius])
