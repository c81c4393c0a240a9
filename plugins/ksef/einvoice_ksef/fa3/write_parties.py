"""The parties of FA(3): Podmiot1, Podmiot2, Podmiot3, PodmiotUpowazniony."""

from __future__ import annotations

import re
from typing import Final

from einvoice.domain.invoice import (
    Address,
    Contact,
    Delivery,
    Invoice,
    Party,
    Payee,
    TaxRepresentative,
)
from einvoice_ksef import nip
from einvoice_ksef.fa3 import codes, terms
from einvoice_ksef.fa3.elements import Elements

RECIPIENT, REPRESENTATIVE = 2, 3  # Rola of Podmiot3, RolaPU of PodmiotUpowazniony
PAYEE: Final = "Odbiorca płatności"
_GLN: Final = "0088"
_NOT_IN_VAT: Final = re.compile(r"[^A-Z0-9+*]")


def seller(to: Elements, invoice: Invoice) -> None:
    """The seller, who has a NIP."""
    party, to.at = invoice.seller, "/invoice/supplier/"
    with to.group("Podmiot1"):
        if any(tax.category.code == "K" for tax in invoice.taxes):
            to.add("PrefiksPodatnika", "PL")
        with to.group("DaneIdentyfikacyjne"):
            _nip(to, party)
            to.add("Nazwa", party.name, "name")
        _address(to, party.address, _gln(party), required=True)
        _contact(to, party.contact)
    to.at = "/invoice/"


def buyer(to: Elements, party: Party) -> None:
    """The buyer: by NIP, by a VAT number of the EU, by another number, or without any."""
    to.at = "/invoice/buyer/"
    with to.group("Podmiot2"):
        with to.group("DaneIdentyfikacyjne"):
            _identification(to, party)
            to.add("Nazwa", party.name, "name")
        _address(to, party.address, _gln(party))
        _contact(to, party.contact)
        number = next((each.value for each in party.identifiers if each.scheme != _GLN), None)
        to.add("NrKlienta", number)
        to.raw("<JST>2</JST><GV>2</GV>")
    to.at = "/invoice/"


def others(to: Elements, invoice: Invoice) -> None:
    """Recipient, payee and tax representative."""
    if invoice.delivery:
        _recipient(to, invoice.delivery)
    if invoice.payee:
        _payee(to, invoice.payee)
    if invoice.tax_representative:
        _representative(to, invoice.tax_representative)


def _nip(to: Elements, party: Party) -> None:
    number = terms.nip_of(party)
    if number is not None and nip.is_written(number):
        to.add("NIP", number, "taxId")
    else:
        words = "is required: KSeF takes invoices of sellers with a Polish NIP of ten digits"
        to.refuse("taxId", "required", words)


def _identification(to: Elements, party: Party) -> None:
    prefix, number = (party.vat_id or "")[:2], (party.vat_id or "")[2:]
    if _has_nip(party):
        to.add("NIP", terms.nip_of(party), "taxId")
    elif prefix in codes.EU_COUNTRIES:
        to.add("KodUE", prefix)
        to.add("NrVatUE", _NOT_IN_VAT.sub("", number), "taxId")
    elif terms.other_number(party):
        given = party.vat_id or party.omitted_tax_id
        to.add("KodKraju", _country(party))
        to.add("NrID", terms.other_number(party), "taxId" if given else "companyId")
    else:
        to.add("BrakID", 1)


def _has_nip(party: Party) -> bool:
    if (party.vat_id or "").startswith("PL"):
        return True
    own = terms.nip_of(party)
    return bool(own) and nip.is_correct(own or "") and terms.country_of(party) in ("PL", None)


def is_unnumbered(party: Party) -> bool:
    """Whether a buyer has no number that FA(3) has a place for (BrakID)."""
    of_eu = (party.vat_id or "")[:2] in codes.EU_COUNTRIES
    return not (_has_nip(party) or of_eu or terms.other_number(party))


def _country(party: Party) -> str | None:
    country = party.address.country if party.address else None
    return country if country in codes.COUNTRIES else None


def _gln(party: Party) -> str | None:
    return next((each.value for each in party.identifiers if each.scheme == _GLN), None)


def _address(
    to: Elements, address: Address | None, gln: str | None = None, *, required: bool = False
) -> None:
    """The address in two lines: the street, and postal code and city. FA(3) asks for the first."""
    first, second = _lines(address or Address())
    if address is None or first is None:
        if required:
            words = "is required: FA(3) has at least one line of the address of the seller"
            to.refuse("address/line1", "required", words)
        return
    with to.group("Adres"):
        if address.country is None:
            to.refuse("address/countryCode", "required", "is required: FA(3) has it in addresses")
        to.add("KodKraju", address.country, "address/countryCode")
        to.add("AdresL1", first, "address/line1")
        to.add("AdresL2", second, "address/city")
        to.add("GLN", gln)


def _lines(address: Address) -> tuple[str | None, str | None]:
    streets = ", ".join(filter(None, (address.line1, address.line2, address.line3)))
    town = " ".join(filter(None, (address.postal_code, address.city)))
    place = ", ".join(filter(None, (town, address.region)))
    return (streets, place or None) if streets else (place or None, None)


def _contact(to: Elements, contact: Contact | None) -> None:
    if contact is None or not (contact.email or contact.phone):
        return
    with to.group("DaneKontaktowe"):
        to.add("Email", contact.email, "contact/email")
        to.add("Telefon", contact.phone, "contact/phone")


def _recipient(to: Elements, delivery: Delivery) -> None:
    """The place of delivery, as the recipient."""
    if not delivery.name and _lines(delivery.address or Address())[0] is None:
        return
    with to.group("Podmiot3"):
        with to.group("DaneIdentyfikacyjne"):
            to.add("BrakID", 1)
            to.add("Nazwa", delivery.name)
        to.at = "/invoice/deliveryAddress/"
        _place(to, delivery.address)
        to.at = "/invoice/"
        to.add("Rola", RECIPIENT)


def _place(to: Elements, address: Address | None) -> None:
    first, second = _lines(address or Address())
    if address is None or first is None:
        return
    with to.group("Adres"):
        if address.country is None:
            to.refuse("countryCode", "required", "is required: FA(3) has it in addresses")
        to.add("KodKraju", address.country, "countryCode")
        to.add("AdresL1", first, "line1")
        to.add("AdresL2", second, "city")


def _payee(to: Elements, payee: Payee) -> None:
    number = payee.legal_id.value.removeprefix("PL") if payee.legal_id else ""
    with to.group("Podmiot3"):
        with to.group("DaneIdentyfikacyjne"):
            if nip.is_correct(number):
                to.add("NIP", number)
            elif payee.legal_id or payee.identifier:
                to.add("NrID", number or (payee.identifier.value if payee.identifier else None))
            else:
                to.add("BrakID", 1)
            to.add("Nazwa", payee.name)
        to.add("RolaInna", 1)
        to.add("OpisRoli", PAYEE)


def _representative(to: Elements, representative: TaxRepresentative) -> None:
    number = (representative.vat_id or "").removeprefix("PL")
    with to.group("PodmiotUpowazniony"):
        with to.group("DaneIdentyfikacyjne"):
            if not nip.is_written(number):
                to.refuse("", "required", "FA(3) has the NIP of the tax representative (BT-63)")
            else:
                to.add("NIP", number)
            to.add("Nazwa", representative.name)
        if _lines(representative.address or Address())[0] is None:
            to.refuse("", "required", "FA(3) has the address of the tax representative (BG-12)")
        _address(to, representative.address)
        to.add("RolaPU", REPRESENTATIVE)
