"""Seller and buyer: numbers and their kinds, addresses, payment."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind
from einvoice.rules.codelists import code_list
from einvoice.rules.evaluation_errors import MoreThanOneItem, either
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import (
    ADDRESS,
    AGENT,
    COUNTRY,
    EXPORT,
    GATHERED,
    LEGAL_ID,
    TAX_ID,
    TIN,
)
from einvoice.rules.pint.conditions import (
    at_most,
    given,
    require,
    text_at,
)
from einvoice.rules.view import View

# What a TIN begins with, and the id of a predefined receiver (9900000097).
_ISSUED = ("1", "9")

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def _agency(party: Node) -> list[str]:
    return party.attributes_at(LEGAL_ID, "schemeAgencyID")


def _agency_name(party: Node) -> list[str]:
    return party.attributes_at(LEGAL_ID, "schemeAgencyName")


def _emirati(party: Node) -> bool:
    """Whether the participant id has the scheme 0235."""
    return "0235" in party.attributes_at("cbc:EndpointID", "schemeID")


def _issued(party: Node) -> bool:
    """Whether the participant id begins as a TIN or a predefined receiver. One at most."""
    return text_at(party, "cbc:EndpointID").startswith(_ISSUED)


def _passport_names_a_country(party: Node, _: View) -> bool:
    if "PAS" not in _agency(party):
        return True
    names = _agency_name(party)
    if len(names) > 1:
        raise MoreThanOneItem(party, f"{LEGAL_ID}/@schemeAgencyName", len(names))
    return any(name in _PASSPORT_COUNTRIES for name in names)


_PASSPORT_COUNTRIES = code_list("iso3166_cen").codes - {"1A", "XI", "AN"}


def _license_names_its_authority(party: Node, _: View) -> bool:
    return "TL" not in _agency(party) or bool(_agency_name(party))


def _numbers_name_their_kind(party: Node, _: View) -> bool:
    return not (_emirati(party) and party.has(LEGAL_ID)) or bool(_agency(party))


def _buyer_kind_is_known(party: Node, _: View) -> bool:
    if not party.has(LEGAL_ID) or not _emirati(party):
        return True
    return either(
        lambda: _issued(party),
        lambda: any(each in ("TL", "CL", "EID", "PAS", "CD") for each in _agency(party)),
    )


def _buyer_has_a_tax_number(party: Node, _: View) -> bool:
    schemes = party.attributes_at("cbc:EndpointID", "schemeID")
    return any(each != "0235" for each in schemes) or either(
        lambda: _issued(party), lambda: party.has(TAX_ID)
    )


def _buyer_is_identified(party: Node, view: View) -> bool:
    if EXPORT(party.up(2), view) or not _emirati(party):
        return True
    has_tin = TIN.fullmatch(party.text_of("cbc:EndpointID")) is not None
    return has_tin or party.has("cac:PartyIdentification/cbc:ID") or party.has(TAX_ID)


_complete = given(*ADDRESS)
require(chapter, contexts.BUYER_PARTY, [
    ("ibr-010-ae", "BT-47", _passport_names_a_country,
     "A passport of the buyer (PAS) names the country that issued it"),
    ("ibr-101-ae", "BT-47", _license_names_its_authority,
     "A trade license of the buyer (TL) names the authority that issued it"),
    ("ibr-149-ae", "BT-48 BT-49", _buyer_has_a_tax_number,
     "A buyer whose participant id is no TIN has a tax number (BT-48)"),
    ("ibr-179-ae", "BT-48", at_most(TAX_ID), "The buyer has at most one tax number (BT-48)"),
    ("ibr-135-ae", "BT-46 BT-48", _buyer_is_identified,
     "A buyer in the Emirates without a TIN has an identifier (BT-46) or a tax number (BT-48)"),
    ("ibr-180-ae", "BT-47", _numbers_name_their_kind,
     "The legal registration of the buyer (BT-47) says of which kind it is"),
    ("ibr-183-ae", "BT-47", _buyer_kind_is_known,
     "The legal registration of the buyer (BT-47) is of the kind TL, CL, EID, PAS or CD"),
])  # fmt: skip
require(chapter, contexts.DELIVERY_TERMS, [
    ("ibr-196-ae", "", given("cbc:ID"), "Delivery terms name their code (Incoterms)"),
], Kind.PRESENCE)  # fmt: skip
require(chapter, contexts.BUYER_ADDRESS, [
    ("ibr-144-ae", "BT-50 BT-52 BT-54", _complete,
     "The address of the buyer has street, city and emirate or region"),
], Kind.PRESENCE)  # fmt: skip
require(chapter, contexts.SELLER_ADDRESS, [
    ("ibr-143-ae", "BT-35 BT-37 BT-39", _complete,
     "The address of the seller has street, city and emirate or region"),
], Kind.PRESENCE)  # fmt: skip


def _agent_has_a_tax_number(party: Node, view: View) -> bool:
    return not AGENT(party.up(2), view) or party.has(TAX_ID)


def _one_of_two_is_vat(party: Node, _: View) -> bool:
    registrations = party.all("cac:PartyTaxScheme")
    vat = [each for each in registrations if "VAT" in each.texts("cac:TaxScheme/cbc:ID")]
    return len(registrations) < 2 or (len(registrations) == 2 and len(vat) == 1)


def _seller_kind_is_known(party: Node, _: View) -> bool:
    if not (party.has(LEGAL_ID) and _emirati(party)):
        return True
    if "AE" not in party.texts(f"cac:PostalAddress/{COUNTRY}"):
        return True
    return any(each in ("TL", "EID", "PAS", "CD") for each in _agency(party))


require(chapter, contexts.SELLER_PARTY, [
    ("ibr-012-ae", "BT-30", _passport_names_a_country,
     "A passport of the seller (PAS) names the country that issued it"),
    ("ibr-172-ae", "BT-30", _license_names_its_authority,
     "A trade license of the seller (TL) names the authority that issued it"),
    ("ibr-177-ae", "BT-31", _agent_has_a_tax_number,
     "A seller for whom a disclosed agent bills has a tax number (BT-31)"),
    ("ibr-178-ae", "BT-31 BT-32", _one_of_two_is_vat,
     "Of two tax registrations of the seller one is of VAT"),
    ("ibr-150-ae", "BT-30", lambda party, _: not _emirati(party) or party.has(LEGAL_ID),
     "A seller in the Emirates has a legal registration (BT-30)"),
    ("ibr-173-ae", "BT-30", _seller_kind_is_known,
     "The legal registration of the seller (BT-30) is of the kind TL, EID, PAS or CD"),
    ("ibr-181-ae", "BT-30", _numbers_name_their_kind,
     "The legal registration of the seller (BT-30) says of which kind it is"),
])  # fmt: skip
