"""Greek rules for UBL."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Kind, Pattern, Values
from einvoice.rules.check_digits import greek_tax_number
from einvoice.rules.evaluation_errors import InvalidNumber, either
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import (
    BUYER_PARTY,
    COUNTRY,
    SELLER_PARTY,
    buyer_country,
    registrations,
    representative_vat_numbers,
    seller_country,
    seller_country_without_representative,
    seller_vat_numbers,
)
from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, is_integer, is_number, normalized
from einvoice.rules.view import View

greece = Chapter(Layer.PEPPOL_UBL)

MARK = "##M.AR.K##"
INVOICE_URL = "##INVOICE|URL##"
DOCUMENT_TYPES = ("1.1", "1.6", "2.1", "2.4", "5.1", "5.2")
GREEK_ENDPOINT = "9933"  # the scheme of Greek VAT numbers as electronic addresses (EAS)
_GREECE = ("GR", "EL")  # EL in VAT numbers
_DATE = re.compile(r"(0?[1-9]|[12][0-9]|3[01])[-\\/ ]?(0?[1-9]|1[0-2])[-\\/ ]?(19|20)[0-9]{2}")
_MARK_NUMBER = re.compile(r"[1-9]")
_REFERENCE = "cac:AdditionalDocumentReference"


def _greek_seller(view: View) -> bool:
    return view.once(seller_country) in _GREECE


def _greek_itself(view: View) -> bool:
    return view.once(seller_country_without_representative) in _GREECE


def _greek_seller_either_way(view: View) -> bool:
    return either(lambda: view.once(_greek_seller), lambda: view.once(_greek_itself))


def _when_greek_seller(_: Node, view: View) -> bool:
    return view.once(_greek_seller)


def _when_greek_itself(_: Node, view: View) -> bool:
    return view.once(_greek_itself)


def _when_greek_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_country) in _GREECE


def _greek_address(view: View) -> bool:
    return "GR" in view.root.texts(f"{SELLER_PARTY}/{COUNTRY}")


def _when_greek_address(_: Node, view: View) -> bool:
    return view.once(_greek_seller) and view.once(_greek_address)


def _described(reference: Node, description: str) -> bool:
    return description in reference.texts("cbc:DocumentDescription")


def _mark_number(number: Node, view: View) -> bool:
    return _described(number.up(1), MARK) and _when_greek_address(number, view)


def _invoice_url(reference: Node, view: View) -> bool:
    return _described(reference, INVOICE_URL) and _when_greek_seller(reference, view)


def _vat_number(number: Node, view: View) -> bool:
    scheme = number.up(1).text_of("cac:TaxScheme/cbc:ID")
    return normalized(scheme) == "VAT" and _when_greek_seller(number, view)


_pattern = Pattern(_greek_seller_either_way)
NUMBER = _pattern.context("/ubl:Invoice/cbc:ID", "/cn:CreditNote/cbc:ID", when=_when_greek_seller)
SELLER = _pattern.context(SELLER_PARTY, when=_when_greek_seller)
SELLER_VAT = _pattern.context(f"{SELLER_PARTY}/cac:PartyTaxScheme/cbc:CompanyID", when=_vat_number)
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote", when=_when_greek_address)
MARK_NUMBER = _pattern.context(f"{_REFERENCE}/cbc:ID", when=_mark_number)
URL_REFERENCE = _pattern.context(_REFERENCE, when=_invoice_url)
BUYER = _pattern.context(BUYER_PARTY, when=_when_greek_seller)
SELLER_ENDPOINT = _pattern.context(f"{SELLER_PARTY}/cbc:EndpointID", when=_when_greek_itself)

_domestic = Pattern(_greek_seller)
DOMESTIC_BUYER = _domestic.context(BUYER_PARTY, when=_when_greek_buyer)
DOMESTIC_BUYER_ENDPOINT = _domestic.context(f"{BUYER_PARTY}/cbc:EndpointID", when=_when_greek_buyer)


def _part(number: Node, position: int) -> str:
    """One of the parts separated by "|", counted from 1; "" if there are fewer."""
    parts = number.text.split("|")
    return parts[position - 1] if position <= len(parts) else ""


def _wrong_part(number: Node, position: int, **more: object) -> Values:
    """The part, the number, and the `count` of its parts where it has fewer."""
    count = number.text.count("|") + 1
    few = {"count": count} if count < position else {}
    return {"number": number.text, "part": _part(number, position), **few, **more}


@greece.rule("GR-R-001-1", "BT-1", at=NUMBER, kind=Kind.FORMAT)
def number_has_six_parts(number: Node, _: View) -> Values | None:
    """A Greek invoice number (BT-1) has six parts separated by "|"."""
    count = number.text.count("|") + 1 if number.text else 0
    return None if count == 6 else {"number": number.text, "count": count}


@greece.rule("GR-R-001-2", "BT-1 BT-31 BT-63", at=NUMBER, kind=Kind.FORMAT)
def number_begins_with_the_tax_number(number: Node, view: View) -> Values | None:
    """Part 1 of the invoice number (BT-1) is the tax number of the seller or representative."""
    first = _part(number, 1)
    if len(normalized(first)) != 9 or not greek_tax_number(first):
        return _wrong_part(number, 1)
    known = either(
        lambda: any(first == vat[2:11] for vat in seller_vat_numbers(view)),
        lambda: any(first == vat[2:11] for vat in representative_vat_numbers(view)),
    )
    return None if known else _wrong_part(number, 1)


@greece.rule("GR-R-001-3", "BT-1 BT-2", at=NUMBER, kind=Kind.FORMAT)
def number_contains_the_date(number: Node, view: View) -> Values | None:
    """Part 2 of the invoice number (BT-1) is the issue date (BT-2), DD/MM/YYYY."""
    second = _part(number, 2)
    written = second.split("/")[:3]
    if not _DATE.match(second) or len(written) != 3:
        return _wrong_part(number, 2)
    issued = "/".join(view.root.text_of("cbc:IssueDate").split("-")[2::-1])
    return None if "/".join(written) == issued else _wrong_part(number, 2, expected=issued)


@greece.rule("GR-R-001-4", "BT-1", at=NUMBER, kind=Kind.FORMAT)
def number_contains_the_branch(number: Node, _: View) -> Values | None:
    """Part 3 of the invoice number (BT-1) is the number of the branch, 0 for the head office."""
    third = _part(number, 3)
    if not normalized(third) or not is_number(third):
        return _wrong_part(number, 3)
    if not is_integer(third):
        raise InvalidNumber(number)
    negative = third.strip(XML_SPACE).startswith("-") and third.strip(f"{XML_SPACE}-0")
    return _wrong_part(number, 3) if negative else None


@greece.rule("GR-R-001-5", "BT-1", at=NUMBER, kind=Kind.CODE_LIST)
def number_contains_the_type(number: Node, _: View) -> Values | None:
    """Part 4 of the invoice number (BT-1) is a Greek document type."""
    fourth = _part(number, 4)
    return None if fourth in DOCUMENT_TYPES else _wrong_part(number, 4)


def _part_is_filled(position: int) -> Check:
    return lambda number, _: None if _part(number, position) else _wrong_part(number, position)


for _rule, _position, _requires in (
    ("GR-R-001-6", 5, "Part 5 of the invoice number (BT-1), the series, is given"),
    ("GR-R-001-7", 6, "Part 6 of the invoice number (BT-1), the number, is given"),
):
    greece.add(_rule, "BT-1", NUMBER, _part_is_filled(_position), _requires, kind=Kind.FORMAT)


def _has_trade_name(party: Node, _: View) -> Values | None:
    return None if party.text_of("cac:PartyName/cbc:Name") else BROKEN


for _rule, _term, _context, _party in (
    ("GR-R-002", "BT-28", SELLER, "seller"),
    ("GR-R-005", "BT-45", BUYER, "buyer"),
):
    greece.add(
        _rule, _term, _context, _has_trade_name,
        f"A Greek seller states the trade name of the {_party} ({_term})",
        kind=Kind.PRESENCE, parameters={"path": "cac:PartyName/cbc:Name"},
    )  # fmt: skip


def _is_greek_vat(number: str) -> bool:
    return number[:2] == "EL" and greek_tax_number(number[2:])


def _one_greek_vat_number(party: Node, _: View) -> Values | None:
    """Check that the party has exactly one VAT number, a Greek one."""
    numbers = [
        number.text
        for registration in registrations(party, "VAT")
        for number in registration.all("cbc:CompanyID")
    ]
    holds = len(numbers) == 1 and _is_greek_vat(numbers[0])
    return None if holds else {"numbers": numbers}


greece.add("GR-S-011", "BT-31", SELLER, _one_greek_vat_number,
           "A Greek seller has one VAT number (BT-31): EL and nine digits with a check digit",
           Flag.WARNING, Kind.FORMAT)  # fmt: skip
greece.add("GR-R-006", "BT-48", DOMESTIC_BUYER, _one_greek_vat_number,
           "A Greek buyer has one VAT number (BT-48): EL and nine digits with a check digit",
           kind=Kind.FORMAT)  # fmt: skip


@greece.rule("GR-R-003", "BT-31", at=SELLER_VAT, kind=Kind.FORMAT)
def vat_number_has_its_form(number: Node, _: View) -> Values | None:
    """The VAT number of a Greek seller (BT-31) is EL and nine digits with a check digit."""
    return None if _is_greek_vat(number.text) else {"identifier": number.text}


def _greek_endpoint(endpoint: Node, _: View) -> Values | None:
    scheme = endpoint.attributes.get("schemeID")
    holds = scheme == GREEK_ENDPOINT and greek_tax_number(endpoint.text)
    return None if holds else {"identifier": endpoint.text, "code": scheme}


greece.add("GR-R-009", "BT-34", SELLER_ENDPOINT, _greek_endpoint,
           "The electronic address of a Greek seller (BT-34) is its tax number, scheme 9933",
           kind=Kind.FORMAT)  # fmt: skip
greece.add("GR-R-010", "BT-49", DOMESTIC_BUYER_ENDPOINT, _greek_endpoint,
           "The electronic address of a Greek buyer (BT-49) is its tax number, scheme 9933",
           kind=Kind.FORMAT)  # fmt: skip


def _count(invoice: Node, description: str) -> int:
    return sum(_described(reference, description) for reference in invoice.all(_REFERENCE))


@greece.rule("GR-R-004-1", "BT-122", at=DOCUMENT, kind=Kind.CARDINALITY)
def has_one_mark(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has exactly one document reference (BT-122) with the MARK of myDATA."""
    count = _count(invoice, MARK)
    return None if count == 1 else {"count": count, "description": MARK}


@greece.rule("GR-S-008-1", "BT-124", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.CARDINALITY)
def has_one_url(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has one document reference with the URL of the invoice (BT-124)."""
    count = _count(invoice, INVOICE_URL)
    return None if count == 1 else {"count": count, "description": INVOICE_URL}


@greece.rule("GR-R-008-2", "BT-124", at=DOCUMENT, kind=Kind.CARDINALITY)
def has_at_most_one_url(invoice: Node, _: View) -> Values | None:
    """A Greek invoice has at most one document reference with the URL of the invoice (BT-124)."""
    count = _count(invoice, INVOICE_URL)
    return None if count <= 1 else {"count": count, "description": INVOICE_URL}


@greece.rule("GR-R-004-2", "BT-122", at=MARK_NUMBER, kind=Kind.FORMAT)
def mark_is_a_number(number: Node, _: View) -> Values | None:
    """The MARK (BT-122) is a number greater than zero."""
    return None if _MARK_NUMBER.match(number.text) else {"text": number.text}


@greece.rule("GR-R-008-3", "BT-124", at=URL_REFERENCE, kind=Kind.PRESENCE,
             path="cac:Attachment/cac:ExternalReference/cbc:URI")  # fmt: skip
def url_is_given(reference: Node, _: View) -> Values | None:
    """The document reference for the URL of the invoice contains the URL (BT-124)."""
    uri = reference.text_of("cac:Attachment/cac:ExternalReference/cbc:URI")
    return None if normalized(uri) else BROKEN
