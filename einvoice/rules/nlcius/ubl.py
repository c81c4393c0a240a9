"""NLCIUS-UBL: the rules of SI-UBL 2.0.3.13 beside those of EN 16931."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from einvoice.rules.book import (
    BLANK,
    BROKEN,
    Book,
    Chapter,
    Check,
    Context,
    Flag,
    Kind,
    Pattern,
    Values,
)
from einvoice.rules.evaluation import holds
from einvoice.rules.layers import Layer
from einvoice.rules.matching import leads_to
from einvoice.rules.national.netherlands import KVK, OIN, PAYMENT_MEANS_CODES
from einvoice.rules.national.parties_ubl import (
    BUYER_PARTY,
    REPRESENTATIVE_PARTY,
    SELLER_PARTY,
    seller_address,
)
from einvoice.rules.nlcius import PARTS_OF_SPECIFICATION, SPECIFICATION
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.values import ZERO, normalized
from einvoice.rules.view import View

nlcius = Chapter(Layer.NLCIUS_UBL)

_TYPES = ("380", "381", "384", "389")
_CREDIT_NOTE, _CORRECTION = "381", "384"
_SEPA = ("58", "59")
_DOCUMENTS = ("ubl:Invoice", "cn:CreditNote")
_DELIVERY = "cac:Delivery/cac:DeliveryLocation/cac:Address"
_COUNTRY = "cac:Country/cbc:IdentificationCode"


def _follows_nlcius(view: View) -> bool:
    """Whether the document says that it follows NLCIUS, or its extension for G accounts."""
    specification = normalized(view.root.text_of("cbc:CustomizationID"))
    return any(part in specification for part in PARTS_OF_SPECIFICATION)


def _dutch_seller(view: View) -> bool:
    """Whether the seller's address is Dutch, and the document says that it follows NLCIUS."""
    return view.once(seller_address) == "NL" and view.once(_follows_nlcius)


# Officially all contexts from here on are of one pattern, and that of SI-UBL-2 is the last of it
# (`_is_judged_before`). Those of the two patterns here have no element in common.
_empty = Pattern()
EMPTY = _empty.context(BLANK)

_document = Pattern()
DOCUMENT = _document.context(*_DOCUMENTS)
IDENTIFIER = _document.context("cbc:CustomizationID")

_any_seller = Pattern(_follows_nlcius)
ORDER_LINE = _any_seller.context("cac:OrderLineReference/cbc:LineID")

_dutch = Pattern(_dutch_seller)
SELLER = _dutch.context(SELLER_PARTY)
DUTCH_DOCUMENT = _dutch.context(*_DOCUMENTS)
SELLER_ADDRESS = _dutch.context(f"{SELLER_PARTY}/cac:PostalAddress")
BUYER_ADDRESS = _dutch.context(f"{BUYER_PARTY}/cac:PostalAddress")
REPRESENTATIVE_ADDRESS = _dutch.context(f"{REPRESENTATIVE_PARTY}/cac:PostalAddress")
TYPE = _dutch.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
BUYER_ENTITY = _dutch.context(f"{BUYER_PARTY}/cac:PartyLegalEntity")
TOTALS = _dutch.context("/ubl:Invoice/cac:LegalMonetaryTotal")
PAYMENT_MEANS = _dutch.context("cac:PaymentMeans")

present(nlcius, DOCUMENT, [("BII2-T10-R001", "BT-24", "cbc:CustomizationID")])


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


def _schemes(numbers: Iterable[Node]) -> str:
    return " ".join(number.attributes.get("schemeID", "") for number in numbers)


def _is_known(schemes: str) -> bool:
    """Whether one of the schemes, with blanks between them, is that of KVK numbers or of OINs."""
    return any(f" {code} " in f" {schemes} " for code in (KVK, OIN))


@nlcius.rule("BR-NL-1", "BT-30", at=SELLER, kind=Kind.CODE_LIST,
             path="cac:PartyLegalEntity/cbc:CompanyID")  # fmt: skip
def seller_is_registered(party: Node, _: View) -> Values | None:
    """The legal registration of a Dutch seller (BT-30) is a KVK number (0106) or an OIN (0190)."""
    numbers = party.all("cac:PartyLegalEntity/cbc:CompanyID")
    schemes = _schemes(numbers)
    if _is_known(schemes) and any(normalized(number.text) for number in numbers):
        return None
    return {"code": schemes, "codes": [KVK, OIN]}


@nlcius.rule("BR-NL-10", "BT-47", at=BUYER_ENTITY, kind=Kind.CODE_LIST, path="cbc:CompanyID")
def buyer_is_registered(entity: Node, view: View) -> Values | None:
    """The legal registration of a Dutch buyer (BT-47) is a KVK number (0106) or an OIN (0190).

    That of any buyer is not blank.
    """
    dutch = "NL" in view.root.texts(f"{BUYER_PARTY}/cac:PostalAddress/{_COUNTRY}")
    schemes = _schemes(view.root.all(f"{BUYER_PARTY}/cac:PartyLegalEntity/cbc:CompanyID"))
    numbers = entity.all("cbc:CompanyID")
    blank = bool(numbers) and not any(normalized(number.text) for number in numbers)
    if not blank and (not dutch or _is_known(schemes)):
        return None
    return {"code": schemes, "codes": [KVK, OIN]}


def _address_is_complete(address: Node, _: View) -> Values | None:
    """Whether a Dutch address has all parts; one without a country is Dutch, "nl" is not."""
    if any(code != "NL" for code in address.texts(_COUNTRY)):
        return None
    return _seller_address_is_complete(address, _)


def _seller_address_is_complete(address: Node, _: View) -> Values | None:
    for path in ("cbc:StreetName", "cbc:CityName", "cbc:PostalZone"):
        if not address.has(path):
            return {"path": path}
    return None


_ADDRESSES: tuple[tuple[str, str, Context, Check, str], ...] = (
    ("BR-NL-3", "BT-35 BT-37 BT-38", SELLER_ADDRESS, _seller_address_is_complete,
     "The address of a Dutch seller (BG-5) has street, city and post code"),
    ("BR-NL-4", "BT-50 BT-52 BT-53", BUYER_ADDRESS, _address_is_complete,
     "The address of a Dutch buyer (BG-8) has street, city and post code"),
    ("BR-NL-5", "BT-64 BT-66 BT-67", REPRESENTATIVE_ADDRESS, _address_is_complete,
     "The address of a Dutch tax representative (BG-12) has street, city and post code"),
)  # fmt: skip
for _rule, _terms, _context, _check, _requires in _ADDRESSES:
    nlcius.add(_rule, _terms, _context, _check, _requires, kind=Kind.PRESENCE)


# -- type, amount due and payment ------------------------------------------------------------------


@nlcius.rule("BR-NL-7", "BT-3", at=TYPE, kind=Kind.CODE_LIST)
def type_is_allowed(code: Node, _: View) -> Values | None:
    """The type (BT-3) is 380, 381, 384 or 389."""
    return None if code.text in _TYPES else {"code": code.text, "codes": list(_TYPES)}


@nlcius.rule("BR-NL-8", "BT-3", at=TYPE, kind=Kind.CODE_LIST)
def type_is_of_the_document(code: Node, view: View) -> Values | None:
    """A credit note has the type 381 (BT-3), an invoice another one."""
    is_credit_note = view.root.name == "cn:CreditNote"
    return None if (code.text == _CREDIT_NOTE) is is_credit_note else {"code": code.text}


@nlcius.rule("BR-NL-9", "BT-3 BT-25", at=TYPE, kind=Kind.PRESENCE,
             path="cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")  # fmt: skip
def correction_names_the_invoice(code: Node, view: View) -> Values | None:
    """A corrected invoice (type 384) names the invoice it corrects (BT-25)."""
    path = "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID"
    return BROKEN if code.text == _CORRECTION and not view.root.has(path) else None


@nlcius.rule("BR-NL-11", "BG-16 BT-115", at=TOTALS, kind=Kind.PRESENCE, path="cac:PaymentMeans")
def payment_means_are_given(totals: Node, view: View) -> Values | None:
    """Where an amount is due to a Dutch seller (BT-115), a payment means (BG-16) is given."""
    if view.root.has("cac:PaymentMeans"):
        return None
    due = totals.number("cbc:PayableAmount")
    return None if due is not None and due <= ZERO else {"amount": due}


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


def _is_absent(_: Node, __: View) -> Values | None:
    return BROKEN


def _is_of_vat(registration: Node, _: View) -> Values | None:
    """Whether a registration has no number, or is exactly of VAT: " VAT" is another tax."""
    other = "VAT" not in registration.texts("cac:TaxScheme/cbc:ID")
    return BROKEN if other and registration.has("cbc:CompanyID") else None


def _has_no_name(code: Node, _: View) -> Values | None:
    return BROKEN if "name" in code.attributes else None


def _is_in_the_currency(amount: Node, view: View) -> Values | None:
    currencies = view.root.texts("cbc:DocumentCurrencyCode")
    return None if amount.attributes.get("currencyID") in currencies else BROKEN


# rule, business terms, path of the element, check (None: it is absent), what it is
_NOT_RECOMMENDED: tuple[tuple[str, str, str, Check | None, str], ...] = (
    ("BR-NL-19", "BT-6", "cbc:TaxCurrencyCode", None, "A VAT accounting currency"),
    ("BR-NL-20", "BT-7", "cbc:TaxPointDate", None, "A VAT point date"),
    ("BR-NL-21", "BT-8", "cac:InvoicePeriod/cbc:DescriptionCode", None, "A VAT point date code"),
    ("BR-NL-24", "BT-26", "cac:BillingReference/cac:InvoiceDocumentReference/cbc:IssueDate", None,
     "The date of a preceding invoice"),
    ("BR-NL-25", "BT-32", f"{SELLER_PARTY}/cac:PartyTaxScheme", _is_of_vat,
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
    ("BR-NL-29", "BT-82", "cac:PaymentMeans/cbc:PaymentMeansCode", _has_no_name,
     "A text for the payment means"),
    ("BR-NL-30", "BT-85", "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:Name", None,
     "The name of the account"),
    ("BR-NL-32-1", "BT-98 BT-105 BT-140 BT-145",
     "cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", None,
     "A reason code of an allowance or charge"),
    ("BR-NL-33", "BT-111", "cac:TaxTotal/cbc:TaxAmount", _is_in_the_currency,
     "A VAT total in another currency"),
    ("BR-NL-35", "BT-121",
     "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cbc:TaxExemptionReasonCode", None,
     "A code for the reason of an exemption"),
)  # fmt: skip
for _rule, _terms, _path, _own_check, _what in _NOT_RECOMMENDED:
    nlcius.add(
        _rule,
        _terms,
        _dutch.context(_path),
        _own_check or _is_absent,
        f"{_what} is not used",
        Flag.WARNING,
        Kind.ABSENCE,
    )


# -- empty elements --------------------------------------------------------------------------------


def _paths_by_name() -> Mapping[str, tuple[tuple[Pattern, str], ...]]:
    """The contexts before that of SI-UBL-2: pattern and path, by the name of the element."""
    found: dict[str, list[tuple[Pattern, str]]] = {}
    for pattern in (_any_seller, _dutch):
        for context in pattern.contexts:
            for path in context.paths:
                found.setdefault(path.rpartition("/")[2], []).append((pattern, path))
    return {name: tuple(paths) for name, paths in found.items()}


_BEFORE = _paths_by_name()


def _is_judged_before(element: Node, view: View) -> bool:
    """Whether an earlier context of the official pattern takes the element."""
    return any(
        holds(pattern.document_condition, view) and leads_to(path, element)
        for pattern, path in _BEFORE.get(element.name, ())
    )


@nlcius.rule("SI-UBL-2", "", at=EMPTY, flag=Flag.WARNING, kind=Kind.PRESENCE)
def nothing_is_empty(element: Node, view: View) -> Values | None:
    """No element is empty that no other rule judges; an element without a value is left out."""
    return None if _is_judged_before(element, view) else BROKEN


NLCIUS_UBL = Book.of(Layer.NLCIUS_UBL, "SI-UBL 2.0.3.13", [nlcius])
