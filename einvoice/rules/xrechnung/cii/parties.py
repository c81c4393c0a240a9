"""BR-DE on parties: what XRechnung requires of the seller, its contact, the buyer and delivery."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany.forms import add_contact_rules
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank, present
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View
from einvoice.rules.xrechnung.cii import contexts

parties = Chapter(Layer.XRECHNUNG_CII)

_CITY, _POST_CODE = "ram:CityName", "ram:PostcodeCode"
_PHONE = "ram:TelephoneUniversalCommunication/ram:CompleteNumber"
_EMAIL = "ram:EmailURIUniversalCommunication/ram:URIID"
_NAMES = ("ram:PersonName", "ram:DepartmentName")

present(parties, contexts.SELLER_PARTY, [("BR-DE-2", "BG-6", "ram:DefinedTradeContact")])
not_blank(parties, contexts.SELLER_ADDRESS, [("BR-DE-3", "BT-37", _CITY),
                                             ("BR-DE-4", "BT-38", _POST_CODE)])  # fmt: skip
not_blank(parties, contexts.BUYER_ADDRESS, [("BR-DE-8", "BT-52", _CITY),
                                            ("BR-DE-9", "BT-53", _POST_CODE)])  # fmt: skip
not_blank(parties, contexts.DELIVERY_ADDRESS, [("BR-DE-10", "BT-77", _CITY),
                                               ("BR-DE-11", "BT-78", _POST_CODE)])  # fmt: skip
not_blank(parties, contexts.CONTACT, [("BR-DE-6", "BT-42", _PHONE),
                                      ("BR-DE-7", "BT-43", _EMAIL)])  # fmt: skip


@parties.rule("BR-DE-5", "BT-41", at=contexts.CONTACT, kind=Kind.PRESENCE, path="ram:PersonName")
def contact_has_a_name(contact: Node, _: View) -> Values | None:
    """The seller's contact (BT-41) has the name of a person or of a department."""
    texts = (text for name in _NAMES for text in contact.texts(name))
    return None if any(text.strip(XML_SPACE) for text in texts) else BROKEN


add_contact_rules(parties, ("BR-DE-27", "BR-DE-28"), contexts.CONTACT, _PHONE, _EMAIL)
