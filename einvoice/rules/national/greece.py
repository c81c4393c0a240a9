"""Greek sellers, in UBL: the composed invoice number, tax numbers, and the marks of myDATA.

An invoice number is six parts with bars between: tax number, day, branch, type, series, number.
"""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Kind, Layer, Pattern, Values
from einvoice.rules.evaluation_errors import InvalidNumber, either
from einvoice.rules.national.countries import (
    buyer_country,
    representative_vat_numbers,
    seller_country,
    seller_country_itself,
    seller_vat_numbers,
)
from einvoice.rules.national.identifiers import is_greek, is_integer, is_number
from einvoice.rules.national.registrations import registrations
from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View

greece = Chapter(Layer.PEPPOL_UBL)

MARK = "##M.AR.K##"
INVOICE_URL = "##INVOICE|URL##"
DOCUMENT_TYPES = ("1.1", "1.6", "2.1", "2.4", "5.1", "5.2")
GREEK_ADDRESS = "9933"  # the scheme of Greek VAT numbers as electronic addresses
_GREECE = ("GR", "EL")
_DAY = re.compile(r"(0?[1-9]|[12][0-9]|3[01])[-\\/ ]?(0?[1-9]|1[0-2])[-\\/ ]?(19|20)[0-9]{2}")
_MARK_NUMBER = re.compile(r"[1-9]")
_REFERENCE = "cac:AdditionalDocumentReference"
_SELLER = "cac:AccountingSupplierParty"
_BUYER = "cac:AccountingCustomerParty"


def _greek(view: View) -> bool:
    return view.once(seller_country) in _GREECE


def _greek_itself(view: View) -> bool:
    return view.once(seller_country_itself) in _GREECE


def _greek_in_any_way(view: View) -> bool:
    return either(lambda: view.once(_greek), lambda: view.once(_greek_itself))


def greek_seller(_: Node, view: View) -> bool:
    return view.once(_greek)


def _greek_seller_itself(_: Node, view: View) -> bool:
    return view.once(_greek_itself)


def _greek_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_country) in _GREECE


def _at_home(view: View) -> bool:
    path = f"{_SELLER}/cac:Party/cac:PostalAddress/cac:Country/cbc:IdentificationCode"
    return "GR" in view.root.texts(path)


def _greek_seller_at_home(_: Node, view: View) -> bool:
    return view.once(_greek) and view.once(_at_home)


def _described(reference: Node, description: str) -> bool:
    return description in reference.texts("cbc:DocumentDescription")


def _mark(number: Node, view: View) -> bool:
    return _described(number.up(1), MARK) and _greek_seller_at_home(number, view)


def _invoice_url(reference: Node, view: View) -> bool:
    return _described(reference, INVOICE_URL) and greek_seller(reference, view)


def _vat(number: Node, view: View) -> bool:
    scheme = number.up(1).text_of("cac:TaxScheme/cbc:ID")
    return normalized(scheme) == "VAT" and greek_seller(number, view)


_pattern = Pattern(_greek_in_any_way)
NUMBER = _pattern.context("/ubl:Invoice/cbc:ID", "/cn:CreditNote/cbc:ID", when=greek_seller)
SELLER = _pattern.context(f"{_SELLER}/cac:Party", when=greek_seller)
SELLER_VAT = _pattern.context(f"{_SELLER}/cac:Party/cac:PartyTaxScheme/cbc:CompanyID", when=_vat)
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote", when=_greek_seller_at_home)
MARK_NUMBER = _pattern.context(f"{_REFERENCE}/cbc:ID", when=_mark)
URL_REFERENCE = _pattern.context(_REFERENCE, when=_invoice_url)
BUYER = _pattern.context(f"{_BUYER}/cac:Party", when=greek_seller)
SELLER_ENDPOINT = _pattern.context(f"{_SELLER}/cac:Party/cbc:EndpointID", when=_greek_seller_itself)

_domestic = Pattern(_greek)
DOMESTIC_BUYER = _domestic.context(f"{_BUYER}/cac:Party", when=_greek_buyer)
DOMESTIC_BUYER_ENDPOINT = _domestic.context(f"{_BUYER}/cac:Party/cbc:EndpointID", when=_greek_buyer)


def _part(number: Node, place: int) -> str:
    """One of the parts between the bars, counted from 1; "" if there are not so many."""
    parts = number.text.split("|")
    return parts[place - 1] if place <= len(parts) else ""


@greece.rule("GR-R-001-1", "BT-1", at=NUMBER, kind=Kind.FORMAT)
def number_has_six_parts(number: Node, _: View) -> Values | None:
    """A Greek invoice number has six parts with bars between them."""
    count = number.text.count("|") + 1 if number.text else 0
    return None if count == 6 else {"text": number.text, "count": count}


@greece.rule("GR-R-001-2", "BT-1 BT-31 BT-63", at=NUMBER, kind=Kind.FORMAT)
def number_begins_with_the_tax_number(number: Node, view: View) -> Values | None:
    """Its first part is the tax number of the seller, or of the tax representative."""
    first = _part(number, 1)
    if len(normalized(first)) != 9 or not is_greek(first):
        return {"text": first}
    known = either(
        lambda: any(first == vat[2:11] for vat in seller_vat_numbers(view)),
        lambda: any(first == vat[2:11] for vat in representative_vat_numbers(view)),
    )
    return None if known else {"text": first}


@greece.rule("GR-R-001-3", "BT-1 BT-2", at=NUMBER, kind=Kind.FORMAT)
def number_names_the_day(number: Node, view: View) -> Values | None:
    """Its second part is the day of issue, DD/MM/YYYY."""
    second = _part(number, 2)
    written = second.split("/")[:3]
    if not _DAY.match(second) or len(written) != 3:
        return {"text": second}
    issued = view.root.text_of("cbc:IssueDate").split("-")[:3]
    return None if written == issued[::-1] else {"text": second, "expected": "/".join(issued[::-1])}


@greece.rule("GR-R-001-4", "BT-1", at=NUMBER, kind=Kind.FORMAT)
def number_names_the_branch(number: Node, _: View) -> Values | None:
    """Its third part is the number of the branch, zero for the head office."""
    third = _part(number, 3)
    if not normalized(third) or not is_number(third):
        return {"text": third}
    if not is_integer(third):
        raise InvalidNumber(number)
    negative = third.strip(XML_SPACE).startswith("-") and third.strip(f"{XML_SPACE}-0")
    return {"text": third} if negative else None


@greece.rule("GR-R-001-5", "BT-1", at=NUMBER, kind=Kind.CODE_LIST)
def number_names_the_type(number: Node, _: View) -> Values | None:
    """Its fourth part is one of the Greek document types."""
    fourth = _part(number, 4)
    return None if fourth in DOCUMENT_TYPES else {"code": fourth, "codes": list(DOCUMENT_TYPES)}


def _part_is_filled(place: int) -> Check:
    return lambda number, _: None if _part(number, place) else BROKEN


greece.add("GR-R-001-6", "BT-1", NUMBER, _part_is_filled(5), "Its fifth part, the series, is given",
           kind=Kind.FORMAT)  # fmt: skip
greece.add("GR-R-001-7", "BT-1", NUMBER, _part_is_filled(6), "Its sixth part, the number, is given",
           kind=Kind.FORMAT)  # fmt: skip


def _named(party: Node, _: View) -> Values | None:
    return None if party.text_of("cac:PartyName/cbc:Name") else BROKEN


for _rule, _terms, _context, _who in (
    ("GR-R-002", "BT-28", SELLER, "seller"),
    ("GR-R-005", "BT-45", BUYER, "buyer"),
):
    greece.add(
        _rule, _terms, _context, _named, f"A Greek seller gives the trade name of the {_who}",
        kind=Kind.PRESENCE, parameters={"path": "cac:PartyName/cbc:Name"},
    )  # fmt: skip


def _is_greek_vat(number: str) -> bool:
    return number[:2] == "EL" and is_greek(number[2:])


def _one_greek_vat_number(party: Node, _: View) -> Values | None:
    """The party has one VAT number, a Greek one."""
    numbers = [
        number.text
        for registration in registrations(party, "VAT")
        for number in registration.all("cbc:CompanyID")
    ]
    good = len(numbers) == 1 and _is_greek_vat(numbers[0])
    return None if good else {"numbers": numbers}


greece.add("GR-S-011", "BT-31", SELLER, _one_greek_vat_number,
           "A Greek seller has one VAT number: EL and nine digits with the right check digit",
           Flag.WARNING, Kind.FORMAT)  # fmt: skip
greece.add("GR-R-006", "BT-48", DOMESTIC_BUYER, _one_greek_vat_number,
           "A Greek buyer has one VAT number: EL and nine digits with the right check digit",
           kind=Kind.FORMAT)  # fmt: skip


@greece.rule("GR-R-003", "BT-31", at=SELLER_VAT, kind=Kind.FORMAT)
def vat_number_is_formed(number: Node, _: View) -> Values | None:
    """A Greek VAT number is EL and nine digits with the right check digit."""
    return None if _is_greek_vat(number.text) else {"identifier": number.text}


def _greek_endpoint(endpoint: Node, _: View) -> Values | None:
    scheme = endpoint.attributes.get("schemeID")
    good = scheme == GREEK_ADDRESS and is_greek(endpoint.text)
    return None if good else {"identifier": endpoint.text, "code": scheme}


greece.add("GR-R-009", "BT-34", SELLER_ENDPOINT, _greek_endpoint,
           "The address of a Greek seller is its tax number, scheme 9933",
           kind=Kind.FORMAT)  # fmt: skip
greece.add("GR-R-010", "BT-49", DOMESTIC_BUYER_ENDPOINT, _greek_endpoint,
           "The address of a Greek buyer is its tax number, scheme 9933",
           kind=Kind.FORMAT)  # fmt: skip


def _count(invoice: Node, description: str) -> int:
    return sum(_described(reference, description) for reference in invoice.all(_REFERENCE))


@greece.rule("GR-R-004-1", "BT-122", at=DOCUMENT, kind=Kind.CARDINALITY)
def has_one_mark(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has one document reference with the MARK of myDATA."""
    count = _count(invoice, MARK)
    return None if count == 1 else {"count": count, "description": MARK}


@greece.rule("GR-S-008-1", "BT-124", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.CARDINALITY)
def has_one_url(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has one document reference with the URL of the invoice."""
    count = _count(invoice, INVOICE_URL)
    return None if count == 1 else {"count": count, "description": INVOICE_URL}


@greece.rule("GR-R-008-2", "BT-124", at=DOCUMENT, kind=Kind.CARDINALITY)
def has_no_second_url(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has no second URL of the invoice."""
    count = _count(invoice, INVOICE_URL)
    return None if count <= 1 else {"count": count, "description": INVOICE_URL}


@greece.rule("GR-R-004-2", "BT-122", at=MARK_NUMBER, kind=Kind.FORMAT)
def mark_is_a_number(number: Node, _: View) -> Values | None:
    """The MARK is a number greater than zero."""
    return None if _MARK_NUMBER.match(number.text) else {"text": number.text}


@greece.rule("GR-R-008-3", "BT-124", at=URL_REFERENCE, kind=Kind.PRESENCE,
             path="cac:Attachment/cac:ExternalReference/cbc:URI")  # fmt: skip
def url_is_given(reference: Node, _: View) -> Values | None:
    """The reference to the URL of the invoice holds the URL."""
    uri = reference.text_of("cac:Attachment/cac:ExternalReference/cbc:URI")
    return None if normalized(uri) else BROKEN
