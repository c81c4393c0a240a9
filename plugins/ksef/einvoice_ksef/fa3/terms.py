"""Terms of EN 16931 that have no element in FA(3), as its further descriptions (DodatkowyOpis).

Each has a key in Polish, by which it is read again. A text of more than 256 characters is divided:
the further pieces have the key with a number, such as `Opis (2)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import (
    AllowanceCharge,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    PaymentMeans,
    Period,
    SupportingDocument,
)
from einvoice.domain.money import plain
from einvoice_ksef.fa3 import codes, rates
from einvoice_ksef.fa3.elements import collapsed

MAX_TEXT: Final = 256
_FURTHER: Final = re.compile(r"(?P<key>.+) \((?P<number>\d{1,4})\)")

# Attribute of Invoice → key, and the field of the request.
DOCUMENT: Final[Mapping[str, tuple[str, str]]] = {
    "buyer_reference": ("Numer referencyjny nabywcy", "buyerReference"),
    "project": ("Numer projektu", "projectReference"),
    "sales_order": ("Numer zamówienia sprzedawcy", "salesOrderReference"),
    "receiving_advice": ("Numer potwierdzenia odbioru", ""),
    "tender": ("Numer przetargu", ""),
    "accounting_cost": ("Konto księgowe nabywcy", "accountingCost"),
    "payment_terms": ("Warunki płatności", "paymentTerms"),
}
OBJECT: Final = "Fakturowany obiekt"
# Attribute of the means of payment → key.
PAYMENT: Final[Mapping[str, str]] = {
    "remittance": "Tytuł płatności",
    "mandate": "Numer mandatu",
    "creditor": "Identyfikator wierzyciela",
    "debited_account": "Rachunek obciążany",
}
_PAYMENT_FIELDS: Final = {"remittance": "paymentReference", "mandate": "mandateReference"}
SELLER, BUYER = "sprzedawcy", "nabywcy"
# Attribute of a party → key, to which its role is added, and the field of the request.
PARTY: Final[Mapping[str, tuple[str, str]]] = {
    "trading_name": ("Nazwa handlowa", "tradingName"),
    "contact": ("Osoba kontaktowa", "contact/name"),
    "legal_id": ("Numer rejestrowy", "companyId"),
    "tax_registration": ("Rejestracja podatkowa", "taxRegistration"),
    "identifiers": ("Identyfikator", ""),
    "country": ("Kraj", "address/countryCode"),
}
DELIVERY_PLACE: Final = "Identyfikator miejsca dostawy"
DELIVERY_COUNTRY: Final = "Kraj dostawy"
SUPPORTING: Final = "Dokument powiązany"
NOTE: Final = "Uwagi"
# Attribute of Line → key, and the field of the request.
LINE: Final[Mapping[str, tuple[str, str]]] = {
    "note": (NOTE, "note"),
    "order_line": ("Pozycja zamówienia", "orderLineReference"),
    "accounting_cost": ("Konto księgowe nabywcy", "accountingCost"),
}
ITEM: Final[Mapping[str, tuple[str, str]]] = {
    "description": ("Opis", "description"),
    "buyer_id": ("Kod towaru nabywcy", "buyerItemId"),
    "origin_country": ("Kraj pochodzenia", "originCountry"),
}
PERIOD: Final = "Okres"
STANDARD_ID: Final = "Kod standardowy"
CLASSIFICATION: Final = "Klasyfikacja"
GROSS_PRICE: Final = "Cena przed rabatem"
ALLOWANCE: Final = "Powód opustu"
UNIT: Final = "Jednostka"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the invoice, or of the line of this number.

    field  where in the request it comes from, below /invoice/
    """

    key: str
    text: str
    field: str
    line: int | None = None


def of_invoice(invoice: Invoice) -> Iterator[Term]:
    """The terms of the invoice without a place, those of its lines after its own."""
    for name, (key, field) in DOCUMENT.items():
        text = getattr(invoice, name)
        if text and not (name == "buyer_reference" and text == invoice.number):
            yield Term(key, text, field)
    if invoice.invoiced_object:
        yield Term(OBJECT, scheme_and_value(invoice.invoiced_object), "")
    yield from _of_party(invoice.seller, SELLER, "supplier/")
    yield from _of_party(invoice.buyer, BUYER, "buyer/")
    if invoice.delivery:
        if invoice.delivery.location:
            yield Term(DELIVERY_PLACE, scheme_and_value(invoice.delivery.location), "")
        address = invoice.delivery.address
        if address and address.country and not (address.line1 or address.city):
            yield Term(DELIVERY_COUNTRY, address.country, "deliveryAddress/countryCode")
    for means in invoice.payment[:1]:
        yield from _of_payment(means)
    for document in invoice.supporting:
        yield Term(SUPPORTING, _supporting(document), "attachments")
    for number, line in enumerate(invoice.lines, 1):
        yield from _of_line(line, number)


def divided(terms: Iterable[Term]) -> Iterator[Term]:
    """The terms with texts that fit."""
    for term in terms:
        for number, piece in enumerate(pieces(collapsed(term.text)), 1):
            key = term.key if number == 1 else f"{term.key} ({number})"
            yield Term(key, piece, term.field, term.line)


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most MAX_TEXT characters, divided at spaces.

    >>> [len(piece) for piece in pieces("word " * 60)]
    [254, 44]
    """
    text = text.strip()
    while len(text) > MAX_TEXT:
        cut = text.rfind(" ", 1, MAX_TEXT + 1)
        cut = MAX_TEXT if cut < 0 else cut
        yield text[:cut]
        text = text[cut:].lstrip()
    if text:
        yield text


def joined(entries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(key, text) of divided terms as they were.

    >>> list(joined([("Opis", "a"), ("Opis (2)", "b"), ("Opis", "c")]))
    [('Opis', 'a b'), ('Opis', 'c')]
    """
    last: tuple[str, str] | None = None
    for key, text in entries:
        match = _FURTHER.fullmatch(key)
        if last is not None and match and match["key"] == last[0] and int(match["number"]) > 1:
            last = last[0], f"{last[1]} {text}"
            continue
        if last is not None:
            yield last
        last = key, text
    if last is not None:
        yield last


def scheme_and_value(identifier: Identifier) -> str:
    """An identifier as `scheme:value`; the value where it has no scheme."""
    return f"{identifier.scheme}:{identifier.value}" if identifier.scheme else identifier.value


def identifier_of(text: str) -> Identifier:
    """The identifier that `scheme_and_value` wrote."""
    scheme, colon, value = text.partition(":")
    return Identifier(value, scheme) if colon and scheme and value else Identifier(text)


def _of_party(party: Party, role: str, field: str) -> Iterator[Term]:
    if party.trading_name and party.trading_name != party.name:
        yield _party_term("trading_name", party.trading_name, role, field)
    if party.contact and party.contact.name:
        yield _party_term("contact", party.contact.name, role, field)
    if role == BUYER and country_without_place(party):
        yield _party_term("country", country_without_place(party) or "", role, field)
    if party.legal_id and not is_registered(party, role):
        yield _party_term("legal_id", scheme_and_value(party.legal_id), role, field)
    registration = party.tax_registration
    if registration and registration.value != nip_of(party):
        yield _party_term("tax_registration", registration.value, role, field)
    for identifier in party.identifiers[0 if role == SELLER else 1 :]:
        if identifier.scheme != "0088":
            yield _party_term("identifiers", scheme_and_value(identifier), role, field)


def _party_term(name: str, text: str, role: str, field: str) -> Term:
    key, below = PARTY[name]
    return Term(f"{key} {role}", text, field + below)


def nip_of(party: Party) -> str | None:
    """The NIP in the VAT number of a party, else in its tax registration or register number."""
    if party.vat_id:
        return party.vat_id[2:] if party.vat_id.startswith("PL") else None
    for identifier in (party.tax_registration, party.legal_id):
        if identifier and _NIP.fullmatch(identifier.value.removeprefix("PL")):
            return identifier.value.removeprefix("PL")
    return None


def country_of(party: Party) -> str | None:
    """The country of a party: of its VAT number, else of its address."""
    prefix = (party.vat_id or "")[:2]
    if prefix in rates.EU:
        return prefix
    return party.address.country if party.address else None


def other_number(party: Party) -> str | None:
    """The number of a party abroad that is no VAT number of the EU: another tax id, else, outside
    of the EU, that of a register."""
    prefix = (party.vat_id or "")[:2]
    if prefix == "PL" or prefix in codes.EU_COUNTRIES:
        return None
    if party.vat_id:
        return party.vat_id
    if party.omitted_tax_id and country_of(party) not in ("PL", None):
        return party.omitted_tax_id
    outside = country_of(party) not in rates.EU | {"PL", None}
    return party.legal_id.value if party.legal_id and outside else None


def country_without_place(party: Party) -> str | None:
    """The country of a party that has no number with a country, and no line of an address."""
    address = party.address
    if party.vat_id or address is None or any((address.line1, address.city, address.postal_code)):
        return None
    return None if nip_of(party) or other_number(party) else address.country


_NIP: Final = re.compile(r"[1-9]\d{9}", re.ASCII)
_REGISTERS: Final = re.compile(r"\d{9}|\d{10}|\d{14}", re.ASCII)  # REGON, KRS


def is_registered(party: Party, role: str) -> bool:
    """Whether the register number of a party has a place: KRS and REGON of the seller, and that of
    a buyer outside of the EU."""
    value = party.legal_id.value if party.legal_id else ""
    if value == nip_of(party) or (role == BUYER and value == other_number(party)):
        return True
    return role == SELLER and _REGISTERS.fullmatch(value) is not None


def _of_payment(means: PaymentMeans) -> Iterator[Term]:
    for name, key in PAYMENT.items():
        text = getattr(means, name)
        if text:
            yield Term(key, text, f"paymentMeans/{_PAYMENT_FIELDS.get(name, '')}")


def _texts(
    owner: Item | Line, names: Mapping[str, tuple[str, str]], at: str, number: int
) -> Iterator[Term]:
    for name, (key, field) in names.items():
        text = getattr(owner, name)
        if text:
            yield Term(key, text, at + field, number)


def _supporting(document: SupportingDocument) -> str:
    parts = (document.reference, document.description, document.url)
    return " | ".join(part for part in parts if part)


def _of_line(line: Line, number: int) -> Iterator[Term]:
    item, at = line.item, f"lineItems/{number - 1}/"
    yield from _texts(item, ITEM, at, number)
    yield from _texts(line, LINE, at, number)
    if line.object_id:
        yield Term(OBJECT, scheme_and_value(line.object_id), at, number)
    if line.period and line.period.start != line.period.end:
        yield Term(PERIOD, _period(line.period), f"{at}period", number)
    if item.standard_id and item.standard_id.scheme != "0160":
        yield Term(STANDARD_ID, scheme_and_value(item.standard_id), f"{at}standardItemId", number)
    for code in item.classifications:
        if not own_classification(code):
            text = scheme_and_value(code)
            yield Term(CLASSIFICATION, text, f"{at}classifications", number)
    if line.price.gross is not None:
        yield Term(GROSS_PRICE, plain(line.price.gross), at, number)
    yield from _reasons(line.adjustments, at, number)
    for attribute in item.attributes:
        if attribute.name not in OWN_ATTRIBUTES:
            yield Term(collapsed(attribute.name)[:MAX_TEXT], attribute.value, at, number)


# Attributes of items that have an element of lines.
OWN_ATTRIBUTES: Final = {"GTU": "GTU", "Procedura": "Procedura", UNIT: "P_8A"}
# Classifications that have an element: scheme and version → the element. PKWiU and PKOB, which
# UNTDID 7143 does not list, are of the scheme for own ones.
OWN_CLASSIFICATIONS: Final = {
    ("ZZZ", "PKWiU"): "PKWiU",
    ("HS", None): "CN",
    ("ZZZ", "PKOB"): "PKOB",
}


def own_classification(code: Identifier) -> str | None:
    """The element of a classification; None if it has none."""
    return OWN_CLASSIFICATIONS.get((code.scheme or "", code.version))


def _reasons(adjustments: Iterable[AllowanceCharge], at: str, number: int) -> Iterator[Term]:
    for each in adjustments:
        if each.reason or each.reason_code:
            text = each.reason or each.reason_code or ""
            yield Term(ALLOWANCE, text, f"{at}allowances", number)


def _period(period: Period) -> str:
    days = (period.start, period.end)
    return "/".join("" if day is None else day.isoformat() for day in days)


def period_of(text: str) -> Period | None:
    """The period that was written as `start/end`; None if the text is none."""
    start, slash, end = text.partition("/")
    try:
        days = [date.fromisoformat(day) if day else None for day in (start, end)]
    except ValueError:
        return None
    return Period(days[0], days[1]) if slash and any(days) else None


def price_of(text: str) -> Decimal | None:
    """The price that was written; None if the text is none."""
    return Decimal(text) if re.fullmatch(r"-?\d{1,16}(\.\d{1,8})?", text, re.ASCII) else None
