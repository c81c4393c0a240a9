"""The parties of FA(3) as those of EN 16931."""

from __future__ import annotations

import re
from typing import Final

from einvoice.documents.tree import Node
from einvoice.domain.invoice import (
    Address,
    Contact,
    Identifier,
    Party,
    Payee,
    TaxRepresentative,
)
from einvoice_ksef.fa3 import terms
from einvoice_ksef.fa3.read_terms import Described
from einvoice_ksef.fa3.tags import fa
from einvoice_ksef.fa3.write_parties import PAYEE, RECIPIENT, REPRESENTATIVE

_FACTOR: Final = "1"
_UNNAMED: Final = "Nabywca"
_GLN: Final = "0088"
_POLISH_TOWN: Final = re.compile(r"(\d{2}-\d{3})[ ,]+(.+)", re.ASCII)
_FOREIGN_TOWN: Final = re.compile(r"((?:[A-Z]{1,2}-)?\d[\dA-Z]{2,7}(?: \d[A-Z]{2})?)[ ,]+(.+)")


def seller(document: Node, described: Described) -> Party:
    """Podmiot1, with KRS or REGON as its register number."""
    node = document.need(fa.Podmiot1)
    party = node.need(fa.DaneIdentyfikacyjne)
    found = described.document
    legal_id = _register(document) or found.get(_key("legal_id", terms.SELLER))
    registration = found.get(_key("tax_registration", terms.SELLER))
    identifier = found.get(_key("identifiers", terms.SELLER))
    identifiers = [Identifier(text, _GLN) for text in _glns(node)]
    if identifier:
        identifiers.append(terms.identifier_of(identifier))
    return Party(
        name=party.need_text(fa.Nazwa),
        trading_name=found.get(_key("trading_name", terms.SELLER)),
        identifiers=tuple(identifiers),
        legal_id=terms.identifier_of(legal_id) if legal_id else None,
        vat_id=f"PL{party.need_text(fa.NIP)}",
        tax_registration=Identifier(registration, "TAX") if registration else None,
        address=_address(node.one(fa.Adres)) or only_country("PL"),
        contact=_contact(node, described, terms.SELLER),
    )


def buyer(document: Node, described: Described) -> Party:
    """Podmiot2."""
    node = document.need(fa.Podmiot2)
    party = node.need(fa.DaneIdentyfikacyjne)
    found = described.document
    vat_id = _vat_id(party)
    legal_id = _legal_id(party, vat_id, described)
    number = node.text(fa.NrKlienta)
    identifiers = [Identifier(number)] if number else [Identifier(g, _GLN) for g in _glns(node)]
    return Party(
        name=party.text(fa.Nazwa) or vat_id or (legal_id.value if legal_id else _UNNAMED),
        trading_name=found.get(_key("trading_name", terms.BUYER)),
        identifiers=tuple(identifiers),
        legal_id=legal_id,
        vat_id=vat_id,
        address=_address(node.one(fa.Adres)) or _country(party, described),
        contact=_contact(node, described, terms.BUYER),
    )


def recipient(document: Node, body: Node) -> tuple[str | None, Address | None]:
    """Name and address of the place of delivery: of the recipient, else of the transport."""
    for third in document.all(fa.Podmiot3):
        if third.text(fa.Rola) == str(RECIPIENT):
            name = third.text_at(fa.DaneIdentyfikacyjne, fa.Nazwa)
            return name, _address(third.one(fa.Adres))
    conditions = body.one(fa.WarunkiTransakcji)
    transports = conditions.all(fa.Transport) if conditions else []
    places = (_address(each.one(fa.WysylkaDo)) for each in transports)
    return None, next((place for place in places if place), None)


def payee(document: Node) -> Payee | None:
    """The factor, or who else is paid in place of the seller."""
    for third in document.all(fa.Podmiot3):
        if third.text(fa.Rola) == _FACTOR or third.text(fa.OpisRoli) == PAYEE:
            party = third.need(fa.DaneIdentyfikacyjne)
            number = party.text(fa.NIP) or party.text(fa.NrID)
            legal_id = Identifier(number) if number else None
            return Payee(party.text(fa.Nazwa) or number or PAYEE, legal_id=legal_id)
    return None


def representative(document: Node) -> TaxRepresentative | None:
    """PodmiotUpowazniony, if it is a tax representative."""
    node = document.one(fa.PodmiotUpowazniony)
    if node is None or node.text(fa.RolaPU) != str(REPRESENTATIVE):
        return None
    party = node.need(fa.DaneIdentyfikacyjne)
    vat_id = f"PL{party.need_text(fa.NIP)}"
    return TaxRepresentative(party.need_text(fa.Nazwa), vat_id, _address(node.one(fa.Adres)))


def only_country(country: str) -> Address:
    """An address of which only the country is known."""
    return Address(country=country)


def _key(name: str, role: str) -> str:
    return f"{terms.PARTY[name][0]} {role}"


def _register(document: Node) -> str | None:
    footer = document.one(fa.Stopka)
    registers = footer.all(fa.Rejestry) if footer else []
    texts = (each.text(fa.KRS) or each.text(fa.REGON) for each in registers)
    return next((text for text in texts if text), None)


def _glns(node: Node) -> list[str]:
    text = node.text_at(fa.Adres, fa.GLN)
    return [text] if text else []


def _vat_id(party: Node) -> str | None:
    number = party.text(fa.NIP)
    if number:
        return f"PL{number}"
    if party.has(fa.KodUE):
        return f"{party.need_text(fa.KodUE)}{party.need_text(fa.NrVatUE)}"
    number = party.text(fa.NrID)
    return number if number and number[:2].isalpha() else None


def _legal_id(party: Node, vat_id: str | None, described: Described) -> Identifier | None:
    """The register number of a buyer: a further description, else a number that is none for VAT."""
    text = described.document.get(_key("legal_id", terms.BUYER))
    if text:
        return terms.identifier_of(text)
    number = party.text(fa.NrID)
    return Identifier(number) if number and vat_id is None else None


def _country(party: Node, described: Described) -> Address | None:
    """The country of a buyer without an address: that of its number."""
    country = described.document.get(_key("country", terms.BUYER)) or party.text(fa.KodKraju)
    if party.has(fa.NIP):
        country = "PL"
    if party.has(fa.KodUE):
        code = party.need_text(fa.KodUE)
        country = "GR" if code == "EL" else code
    return only_country(country) if country else None


def _address(node: Node | None) -> Address | None:
    if node is None:
        return None
    country, first = node.text(fa.KodKraju), node.text(fa.AdresL1)
    second = node.text(fa.AdresL2)
    if second is None:
        return Address(first, country=country)
    match = (_POLISH_TOWN if country == "PL" else _FOREIGN_TOWN).fullmatch(second)
    postal_code, city = (match[1], match[2]) if match else (None, second)
    return Address(first, city=city, postal_code=postal_code, country=country)


def _contact(node: Node, described: Described, role: str) -> Contact | None:
    name = described.document.get(_key("contact", role))
    ways = node.all(fa.DaneKontaktowe)
    email = next((text for each in ways if (text := each.text(fa.Email))), None)
    phone = next((text for each in ways if (text := each.text(fa.Telefon))), None)
    return Contact(name, phone, email) if name or email or phone else None
