"""CIUS-RO 1.0.1: what an invoice in RO e-Factura says differently from EN 16931.

It names CIUS-RO as its specification (BT-24) and no process; regions of Romanian addresses are
codes of counties, cities of Bucharest are sectors. A consumer without any number has thirteen zeros
in place of the personal number. Amounts in RON (BT-111) are those that the sender gives, but for an
invoice without VAT: no rate of exchange is assumed, so a document in another currency without them
breaks BR-RO-030.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeVar

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.additions import Additions, Handout
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, DocumentTypeId, ProcessId
from einvoice.domain.invoice import (
    Address,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Party,
    TaxRepresentative,
)
from einvoice.domain.profiles import UBL, Adapted, Profile, with_tax_ids
from einvoice.domain.request import SendWarning
from einvoice.domain.tax_currency import with_no_vat_in
from einvoice.rules.cius_ro import SPECIFICATION
from einvoice_anaf import working_days
from einvoice_anaf.addresses import romanian
from einvoice_anaf.uploads import UNKNOWN_PERSON

NETWORK: Final = "ro-efactura"
INVOICE: Final[DocumentTypeId] = BIS_INVOICE.customized(SPECIFICATION)
CREDIT_NOTE: Final[DocumentTypeId] = BIS_CREDIT_NOTE.customized(SPECIFICATION)
CURRENCY: Final = "RON"
PROCESS: Final = ProcessId("ro-efactura-procid", "clearance")
_LOCAL_TAX: Final = "TAX"  # the scheme that UBL gives a number of no VAT
_Addressed = TypeVar("_Addressed", Party, TaxRepresentative | None, Delivery | None)


def adapt(invoice: Invoice) -> Adapted:
    """The invoice as CIUS-RO, with a warning for each address and number that was changed."""
    adapted = replace(
        with_no_vat_in(invoice, CURRENCY),
        customization=SPECIFICATION,
        profile=None,
        seller=_registered(_with_address(invoice.seller)),
        buyer=_numbered(_known(_with_address(invoice.buyer))),
        tax_representative=_with_address(invoice.tax_representative),
        delivery=_with_address(_at_buyer(invoice.delivery, invoice.buyer)),
    )
    return Adapted(adapted, tuple(_changes(invoice, adapted)), _settled(invoice))


def _settled(invoice: Invoice) -> frozenset[str]:
    """The warnings that a tax id is left out, which has another place here."""
    parties = (("supplier", invoice.seller), ("buyer", invoice.buyer))
    return with_tax_ids(*(role for role, party in parties if party.omitted_tax_id))


def _with_address(owner: _Addressed) -> _Addressed:
    if owner is None or owner.address is None:
        return owner
    return replace(owner, address=romanian(owner.address))


def _at_buyer(delivery: Delivery | None, buyer: Party) -> Delivery | None:
    """A delivery of which only the country is known, that of the buyer, is one to its address.

    CIUS-RO takes no address without street, city and region (BR-RO-180, BR-RO-201, BR-RO-211), and
    EN 16931 asks for the country of an intra-community supply (BR-IC-12).
    """
    if delivery is None or buyer.address is None:
        return delivery
    known = delivery.address == Address(country=buyer.address.country)
    return replace(delivery, address=buyer.address) if known else delivery


def _registered(seller: Party) -> Party:
    """A seller whose tax id is not written as a VAT number has it as its tax registration (BT-32),
    and as its legal one (BT-30), if it has no other."""
    number = _without_prefix(seller)
    if number is None:
        return seller
    return replace(
        seller,
        tax_registration=seller.tax_registration or Identifier(number, _LOCAL_TAX),
        legal_id=seller.legal_id or Identifier(number),
        omitted_tax_id=None,
    )


def _known(buyer: Party) -> Party:
    """A buyer whose tax id is not written as a VAT number has it as its legal registration (BT-47),
    or, where it has another one, as its identifier (BT-46)."""
    number = _without_prefix(buyer)
    if number is None:
        return buyer
    found = Identifier(number)
    if buyer.legal_id is not None:
        buyer = replace(buyer, identifiers=buyer.identifiers or (found,))
    return replace(buyer, legal_id=buyer.legal_id or found, omitted_tax_id=None)


def _without_prefix(party: Party) -> str | None:
    """The omitted tax id as a fiscal code: without the prefix of who pays VAT."""
    number = party.omitted_tax_id
    return number.removeprefix("RO") if number else None


def _numbered(buyer: Party) -> Party:
    """A Romanian buyer without any number is a consumer whose number is unknown."""
    abroad = buyer.address is None or buyer.address.country != "RO"
    if abroad or buyer.vat_id or buyer.legal_id:
        return buyer
    return replace(buyer, legal_id=Identifier(UNKNOWN_PERSON))


def _changes(before: Invoice, after: Invoice) -> Iterator[SendWarning]:
    owners: dict[str, tuple[Party | Delivery | None, Party | Delivery | None]] = {
        "invoice.supplier.address": (before.seller, after.seller),
        "invoice.buyer.address": (before.buyer, after.buyer),
        "invoice.deliveryAddress": (before.delivery, after.delivery),
    }
    for field, (old, new) in owners.items():
        yield from _address_changes(field, _address(old), _address(new))
    if _at_buyer(before.delivery, before.buyer) != before.delivery:
        words = "The place of delivery is taken to be the address of the buyer."
        yield SendWarning("delivery-address-assumed", words, "invoice.deliveryAddress")
    for role, party in (("supplier", before.seller), ("buyer", before.buyer)):
        if number := _without_prefix(party):
            words = f"The tax id is written as {number}, which is no VAT number."
            yield SendWarning("tax-id-as-company-id", words, f"invoice.{role}.taxId")
    if after.buyer.legal_id == Identifier(UNKNOWN_PERSON) != before.buyer.legal_id:
        words = (
            "The buyer has no number, so the invoice is one to a consumer whose personal number is "
            f"unknown ({UNKNOWN_PERSON})."
        )
        yield SendWarning("consumer-assumed", words, "invoice.buyer.companyId")
    yield from remarks(after)


def remarks(invoice: Invoice) -> Iterator[SendWarning]:
    """A warning that the invoice is sent after its fifth working day."""
    last = working_days.last_day(invoice.issue_date)
    if last < working_days.today():
        words = (
            f"An invoice of {invoice.issue_date} was to be sent to RO e-Factura by {last}, the "
            "fifth working day after its date. It is sent; a fine may follow."
        )
        yield SendWarning("sent-late", words, "invoice.issueDate")


def _address(owner: Party | Delivery | None) -> Address:
    return (owner and owner.address) or Address()


def _address_changes(field: str, old: Address, new: Address) -> Iterator[SendWarning]:
    if old.region != new.region:
        words = f"The region is written as {new.region}."
        yield SendWarning("county-written-as-code", words, f"{field}.region")
    if old.city != new.city:
        words = f"The city is written as {new.city}, as in Bucharest."
        yield SendWarning("city-written-as-sector", words, f"{field}.city")


def additions(handout: Handout) -> Additions:
    """The upload index, once the invoice is cleared."""
    if not (handout.delivered and handout.reference):
        return Additions()
    return Additions(lines=(f"RO e-Factura: {handout.reference}",))


PROFILE = Profile(
    name="cius-ro",
    network=NETWORK,
    rule_set="cius-ro",
    process=PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): CREDIT_NOTE,
        (DocumentKind.SELF_BILLED_INVOICE, UBL): INVOICE,
    },
    write=document_xml,
    adapt=adapt,
    additions=additions,
    remarks=remarks,
)
