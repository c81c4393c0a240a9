"""Norwegian rules for UBL."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.check_digits import norwegian
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.national.norway import REGISTER
from einvoice.rules.national.parties_ubl import SELLER_PARTY, registrations, seller_country
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

norway = Chapter(Layer.PEPPOL_UBL)


def _norwegian_seller(view: View) -> bool:
    return view.once(seller_country) == "NO"


_pattern = Pattern(_norwegian_seller)
SELLER = _pattern.context(SELLER_PARTY)


@norway.rule("NO-R-002", "BT-32", at=SELLER, flag=Flag.WARNING, kind=Kind.PRESENCE)
def seller_names_its_register(seller: Node, _: View) -> Values | None:
    """A Norwegian seller in the register of business enterprises states so (BT-32)."""
    names = [
        number.text
        for registration in registrations(seller, "TAX")
        for number in registration.all("cbc:CompanyID")
    ]
    if len(names) > 1:
        raise MoreThanOneItem(seller, "cac:PartyTaxScheme/cbc:CompanyID", len(names))
    return None if names and normalized(names[0]) == REGISTER else {"expected": REGISTER}


@norway.rule("NO-R-001", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_has_its_form(seller: Node, _: View) -> Values | None:
    """A VAT number (BT-31) that begins with NO has an organisation number and MVA after it."""
    numbers = [each.text_of("cbc:CompanyID") for each in registrations(seller, "VAT")]
    if not any(number[:2] == "NO" for number in numbers):
        return None
    if len(numbers) > 1:
        raise MoreThanOneItem(seller, "cac:PartyTaxScheme", len(numbers))
    number = numbers[0]
    holds = number[11:] == "MVA" and norwegian(number[2:11])
    return None if holds else {"number": number}
