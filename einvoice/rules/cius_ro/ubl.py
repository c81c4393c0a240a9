"""CIUS-RO-UBL: the rules of CIUS-RO 1.0.9 beside those of EN 16931."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from einvoice.rules.book import BROKEN, Book, Chapter, Check, Context, Kind, Values
from einvoice.rules.cius_ro import BUCHAREST, COUNTIES, SECTORS, SPECIFICATION, contexts
from einvoice.rules.evaluation_errors import both
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import BUYER_PARTY, REPRESENTATIVE_PARTY, SELLER_PARTY
from einvoice.rules.node import Node
from einvoice.rules.tables import absent, at_most_one, two_decimals, unfired
from einvoice.rules.values import double_of, normalized, not_below, parse_date
from einvoice.rules.view import View

cius_ro = Chapter(Layer.CIUS_RO_UBL, gathers=("cbc:DueDate", "cac:PaymentTerms"))

_MAX_NOTES = 20
_MAX_PRECEDING = 500
_INVOICE_TYPES = ("380", "384", "389", "751")
_CREDIT_NOTE_TYPES = ("381",)
_TAX_POINTS = ("3", "35", "432")
_TAXED = frozenset({"S", "Z", "E", "AE", "K", "G", "L", "M"})
_RON = "RON"


# -- lengths ---------------------------------------------------------------------------------------

_PLACES: dict[str, Context] = {
    "document": contexts.DOCUMENT,
    "payment means": contexts.PAYMENT_MEANS,
    "line": contexts.LINE,
    "property": contexts.PROPERTY,
    "allowance": contexts.ALLOWANCE,
    "charge": contexts.CHARGE,
    "line allowance": contexts.LINE_ALLOWANCE,
    "line charge": contexts.LINE_CHARGE,
    "note": contexts.NOTE,
    "supporting document": contexts.SUPPORTING_DOCUMENT,
    "preceding invoice": contexts.PRECEDING_INVOICE,
}


def _rows() -> Iterator[tuple[str, str, Context, str, int]]:
    table = Path(__file__).with_name("lengths.csv").read_text(encoding="utf-8").splitlines()
    for line in [line for line in table if not line.startswith("#")][1:]:
        rule, terms, place, path, characters = line.split(";")
        yield rule, terms, _PLACES[place], path, int(characters)


def _at_most(path: str, characters: int) -> Check:
    element, _, attribute = path.partition("/@")

    def check(node: Node, _: View) -> Values | None:
        if element == ".":
            text = node.text
        elif attribute:
            text = node.attribute_of(element, attribute)
        else:
            text = node.text_of(element)
        if len(text) <= characters:  # normalized it is no longer
            return None
        length = len(normalized(text))
        return None if length <= characters else {"length": length}

    return check


for _rule, _terms, _place, _path, _characters in _rows():
    cius_ro.add(
        _rule,
        _terms,
        _place,
        _at_most(_path, _characters),
        f"{_path} has at most {_characters} characters",
        kind=Kind.FORMAT,
        parameters={"path": "" if _path == "." else _path, "characters": _characters},
    )


# -- dates, codes and numbers ----------------------------------------------------------------------


def _is_a_day(date: Node, view: View) -> Values | None:
    holds = both(lambda: len(view.text_node(date)) == 10, lambda: parse_date(date.text) is not None)
    return None if holds else {"text": date.text[:80]}


for _rule, _terms, _name in (
    ("BR-RO-DT001", "BT-2 BT-26", "IssueDate"),
    ("BR-RO-DT002", "BT-7", "TaxPointDate"),
    ("BR-RO-DT003", "BT-9", "DueDate"),
    ("BR-RO-DT003_CN", "BT-9", "PaymentDueDate"),
    ("BR-RO-DT004", "BT-72", "ActualDeliveryDate"),
    ("BR-RO-DT005", "BT-73 BT-134", "StartDate"),
    ("BR-RO-DT006", "BT-74 BT-135", "EndDate"),
):
    cius_ro.add(
        _rule, _terms, contexts.DATES[_name], _is_a_day,
        "A date is a calendar day, written YYYY-MM-DD, without a time zone", kind=Kind.FORMAT,
    )  # fmt: skip


@cius_ro.rule("BR-27", "BT-146", at=contexts.PRICE, kind=Kind.OTHER)
def price_is_not_negative(price: Node, _: View) -> Values | None:
    """The net price (BT-146) is not negative."""
    return None if not_below(price, 0) else {"price": price.text}


def _one_of(codes: tuple[str, ...]) -> Check:
    def check(code: Node, _: View) -> Values | None:
        found = normalized(code.text)
        return None if found in codes else {"code": found, "codes": list(codes)}

    return check


for _rule, _terms, _place, _codes, _requires in (
    ("BR-RO-020_1", "BT-3", contexts.INVOICE_TYPE, _INVOICE_TYPES,
     "The type of an invoice (BT-3) is 380, 384, 389 or 751"),
    ("BR-RO-020_2", "BT-3", contexts.CREDIT_NOTE_TYPE, _CREDIT_NOTE_TYPES,
     "The type of a credit note (BT-3) is 381"),
    ("BR-RO-040", "BT-8", contexts.TAX_POINT_CODE, _TAX_POINTS,
     "The VAT point date code (BT-8) is 3, 35 or 432"),
):  # fmt: skip
    cius_ro.add(_rule, _terms, _place, _one_of(_codes), _requires, kind=Kind.CODE_LIST)


# -- the document ----------------------------------------------------------------------------------


@cius_ro.rule("BR-RO-001", "BT-24", at=contexts.DOCUMENT, kind=Kind.FORMAT,
              path="cbc:CustomizationID")  # fmt: skip
def specification_is_cius_ro(invoice: Node, _: View) -> Values | None:
    """The specification identifier (BT-24) is that of CIUS-RO 1.0.1."""
    found = invoice.texts("cbc:CustomizationID")
    return None if SPECIFICATION in found else {"text": found[:1], "expected": SPECIFICATION}


@cius_ro.rule("BR-RO-A020", "BG-1", at=contexts.DOCUMENT, kind=Kind.CARDINALITY,
              path="cbc:Note")  # fmt: skip
def has_at_most_twenty_notes(invoice: Node, _: View) -> Values | None:
    """A document has at most 20 notes (BT-22)."""
    count = len(invoice.all("cbc:Note"))
    return None if count <= _MAX_NOTES else {"count": count, "most": _MAX_NOTES}


@cius_ro.rule("BR-RO-A500", "BG-3", at=contexts.PRECEDING_INVOICE, kind=Kind.CARDINALITY,
              path="cac:InvoiceDocumentReference")  # fmt: skip
def refers_to_at_most_500_invoices(reference: Node, _: View) -> Values | None:
    """A document refers to at most 500 preceding invoices (BG-3)."""
    count = len(reference.all("cac:InvoiceDocumentReference"))
    return None if count <= _MAX_PRECEDING else {"count": count, "most": _MAX_PRECEDING}


@cius_ro.rule("BR-RO-010", "BT-1", at=contexts.DOCUMENT, kind=Kind.FORMAT, path="cbc:ID")
def number_has_a_digit(invoice: Node, _: View) -> Values | None:
    """The invoice number (BT-1) contains a digit."""
    number = invoice.text_of("cbc:ID")
    return None if any("0" <= sign <= "9" for sign in number) else {"text": number[:80]}


@cius_ro.rule("BR-RO-030", "BT-6 BT-5", at=contexts.DOCUMENT, path="cbc:TaxCurrencyCode")
def one_currency_is_ron(invoice: Node, _: View) -> Values | None:
    """The invoice currency (BT-5) or the VAT accounting currency (BT-6) is RON."""
    accounting = normalized(invoice.text_of("cbc:TaxCurrencyCode"))
    currency = normalized(invoice.text_of("cbc:DocumentCurrencyCode"))
    return None if _RON in (accounting, currency) else {"currency": currency}


def _is_taxed(invoice: Node) -> bool:
    """Whether an allowance, charge or invoice line has a VAT category other than O."""
    adjusted = any(
        category.text in _TAXED and _counts(adjustment, group)
        for adjustment in invoice.all("cac:AllowanceCharge")
        for group in adjustment.all("cac:TaxCategory")
        for category in group.all("cbc:ID")
    )
    lines = invoice.texts("cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory/cbc:ID")
    return adjusted or any(code in _TAXED for code in lines)


def _counts(adjustment: Node, category: Node) -> bool:
    """Whether it is a charge, or an allowance whose category is one of VAT."""
    indicators = adjustment.texts("cbc:ChargeIndicator")
    vat = "VAT" in category.texts("cac:TaxScheme/cbc:ID")
    return "true" in indicators or ("false" in indicators and vat)


def _has_number(invoice: Node, any_path: str, filled_path: str) -> bool:
    """Whether there is an element on the first path, or a text on the second."""
    return invoice.has(any_path) or any(map(normalized, invoice.texts(filled_path)))


@cius_ro.rule("BR-RO-065", "BT-31 BT-32 BT-63", at=contexts.DOCUMENT, kind=Kind.PRESENCE,
              path=f"{SELLER_PARTY}/cac:PartyTaxScheme/cbc:CompanyID")  # fmt: skip
def seller_has_a_tax_number(invoice: Node, _: View) -> Values | None:
    """The seller (BT-31, BT-32) or the tax representative (BT-63) has a tax number."""
    number = "cac:PartyTaxScheme/cbc:CompanyID"
    given = _has_number(invoice, f"{REPRESENTATIVE_PARTY}/{number}", f"{SELLER_PARTY}/{number}")
    return BROKEN if _is_taxed(invoice) and not given else None


@cius_ro.rule("BR-RO-120", "BT-47 BT-48", at=contexts.DOCUMENT, kind=Kind.PRESENCE,
              path=f"{BUYER_PARTY}/cac:PartyLegalEntity/cbc:CompanyID")  # fmt: skip
def buyer_has_a_number(invoice: Node, _: View) -> Values | None:
    """The buyer has a legal registration (BT-47) or a VAT number (BT-48)."""
    legal, vat = "cac:PartyLegalEntity/cbc:CompanyID", "cac:PartyTaxScheme/cbc:CompanyID"
    given = _has_number(invoice, f"{BUYER_PARTY}/{legal}", f"{BUYER_PARTY}/{vat}")
    return BROKEN if _is_taxed(invoice) and not given else None


# -- addresses -------------------------------------------------------------------------------------


_STREET, _CITY, _REGION = "cbc:StreetName", "cbc:CityName", "cbc:CountrySubentity"
_COUNTRY = "cac:Country/cbc:IdentificationCode"


def _not_blank(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        return None if any(map(normalized, node.texts(path))) else BROKEN

    return check


def _text(node: Node, path: str) -> str:
    return normalized(node.text_of(path))


def _has_county(address: str) -> Check:
    """A check that a Romanian address has a county as its region (BT-39, BT-54, BT-68, BT-79)."""
    country, region = f"{address}{_COUNTRY}", f"{address}{_REGION}"

    def check(node: Node, _: View) -> Values | None:
        broken = both(
            lambda: _text(node, country) == "RO", lambda: _text(node, region) not in COUNTIES
        )
        return {"code": _text(node, region)} if broken else None

    return check


def _has_sector(address: str) -> Check:
    """A check that the city of an address in Bucharest is one of its sectors."""
    country, region, city = (f"{address}{path}" for path in (_COUNTRY, _REGION, _CITY))

    def check(node: Node, _: View) -> Values | None:
        broken = both(
            lambda: _text(node, country) == "RO",
            lambda: _text(node, region) == BUCHAREST,
            lambda: _text(node, city) not in SECTORS,
        )
        return {"code": _text(node, city)} if broken else None

    return check


_SELLER, _BUYER = (f"{party}/cac:PostalAddress/" for party in (SELLER_PARTY, BUYER_PARTY))

for _rule, _terms, _place, _path, _requires in (
    ("BR-RO-081", "BT-35", contexts.DOCUMENT, _SELLER + _STREET, "The seller has a street"),
    ("BR-RO-082", "BT-50", contexts.DOCUMENT, _BUYER + _STREET, "The buyer has a street"),
    ("BR-RO-091", "BT-37", contexts.DOCUMENT, _SELLER + _CITY, "The seller has a city"),
    ("BR-RO-092", "BT-52", contexts.DOCUMENT, _BUYER + _CITY, "The buyer has a city"),
    ("BR-RO-140", "BT-64", contexts.REPRESENTATIVE_ADDRESS, _STREET,
     "The tax representative has a street"),
    ("BR-RO-150", "BT-66", contexts.REPRESENTATIVE_ADDRESS, _CITY,
     "The tax representative has a city"),
    ("BR-RO-180", "BT-75", contexts.DELIVERY_ADDRESS, _STREET, "A delivery address has a street"),
    ("BR-RO-201", "BT-77", contexts.DELIVERY_ADDRESS, _CITY, "A delivery address has a city"),
    ("BR-RO-211", "BT-79", contexts.DELIVERY_ADDRESS, _REGION, "A delivery address has a region"),
):  # fmt: skip
    cius_ro.add(
        _rule, _terms, _place, _not_blank(_path), f"{_requires} ({_terms})",
        kind=Kind.PRESENCE, parameters={"path": _path},
    )  # fmt: skip

for _county, _sector, _region, _city, _place, _address, _whose in (
    ("BR-RO-110", "BR-RO-100", "BT-39", "BT-37", contexts.DOCUMENT, _SELLER, "of the seller"),
    ("BR-RO-111", "BR-RO-101", "BT-54", "BT-52", contexts.DOCUMENT, _BUYER, "of the buyer"),
    ("BR-RO-170", "BR-RO-160", "BT-68", "BT-66", contexts.REPRESENTATIVE_ADDRESS, "",
     "of the tax representative"),
    ("BR-RO-212", "BR-RO-202", "BT-79", "BT-77", contexts.DELIVERY_ADDRESS, "", "of the delivery"),
):  # fmt: skip
    cius_ro.add(
        _county, _region, _place, _has_county(_address),
        f"A Romanian address {_whose} has a county ({_region}) of ISO 3166-2:RO",
        kind=Kind.CODE_LIST, parameters={"path": f"{_address}cbc:CountrySubentity"},
    )  # fmt: skip
    cius_ro.add(
        _sector, _city, _place, _has_sector(_address),
        f"The city {_whose} ({_city}) is SECTOR1 to SECTOR6 in Bucharest",
        kind=Kind.CODE_LIST, parameters={"path": f"{_address}cbc:CityName"},
    )  # fmt: skip


# -- decimals --------------------------------------------------------------------------------------

_AMOUNT, _BASE = "cbc:Amount", "cbc:BaseAmount"
for _place, _decimals in (
    (contexts.ALLOWANCE, [("01", "BT-92", _AMOUNT), ("02", "BT-93", _BASE)]),
    (contexts.CHARGE, [("05", "BT-99", _AMOUNT), ("06", "BT-100", _BASE)]),
    (contexts.LINE_ALLOWANCE, [("24", "BT-136", _AMOUNT), ("25", "BT-137", _BASE)]),
    (contexts.LINE_CHARGE, [("27", "BT-141", _AMOUNT), ("28", "BT-142", _BASE)]),
    (contexts.BREAKDOWN, [("1009", "BT-116", "cbc:TaxableAmount"),
                          ("1010", "BT-117", "cbc:TaxAmount")]),
    (contexts.TOTALS, [
        ("09", "BT-106", "cbc:LineExtensionAmount"),
        ("10", "BT-107", "cbc:AllowanceTotalAmount"),
        ("11", "BT-108", "cbc:ChargeTotalAmount"),
        ("12", "BT-109", "cbc:TaxExclusiveAmount"),
        ("14", "BT-112", "cbc:TaxInclusiveAmount"),
        ("16", "BT-113", "cbc:PrepaidAmount"),
        ("17", "BT-114", "cbc:PayableRoundingAmount"),
        ("18", "BT-115", "cbc:PayableAmount"),
    ]),
):  # fmt: skip
    two_decimals(
        cius_ro, _place, [(f"BR-DEC-RO-{rule}", terms, path) for rule, terms, path in _decimals]
    )


# -- rules of EN 16931 that CEN has withdrawn, and CIUS-RO still has -------------------------------


@cius_ro.rule("BR-CO-25", "BT-9 BT-20 BT-115", at=contexts.AMOUNT_DUE, kind=Kind.PRESENCE,
              path="cbc:DueDate")  # fmt: skip
def says_when_to_pay(due: Node, view: View) -> Values | None:
    """Where an amount is due (BT-115), a due date (BT-9) or payment terms (BT-20) are given."""
    if not double_of(due) > 0 or view.everywhere("cbc:DueDate"):
        return None
    terms = view.everywhere("cac:PaymentTerms")
    return None if any(each.has("cbc:Note") for each in terms) else {"amount": due.text}


at_most_one(cius_ro, contexts.WHOLE, [
    ("BR-66", "BG-18", "cac:PaymentMeans/cac:CardAccount"),
    ("BR-67", "BG-19", "cac:PaymentMeans/cac:PaymentMandate"),
])  # fmt: skip
_FACTOR = "cac:Price/cbc:OrderableUnitFactorRate"
absent(
    cius_ro,
    contexts.WHOLE,
    [("UBL-CR-631", "", f"cac:InvoiceLine/{_FACTOR} | cac:CreditNoteLine/{_FACTOR}")],
)

unfired(cius_ro, contexts.DOCUMENT, [
    ("BR-DEC-RO-13", "BT-110", "The VAT total (BT-110) has at most two decimals"),
    ("BR-DEC-RO-15", "BT-111", "The VAT total in accounting currency (BT-111) has two decimals"),
    ("BR-DEC-RO-23", "BT-131", "A line net amount (BT-131) has at most two decimals"),
    ("BR-RO-L1019", "BT-120", "The reason for an exemption (BT-120) has at most 100 characters"),
    ("BR-RO-A051", "BG-24", "A document has at most 50 supporting documents (BG-24)"),
    ("BR-RO-A052", "BG-32", "An item has at most 50 attributes (BG-32)"),
])  # fmt: skip

CIUS_RO_UBL = Book.of(Layer.CIUS_RO_UBL, "1.0.9", [cius_ro])
