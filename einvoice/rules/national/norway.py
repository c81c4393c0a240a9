"""Norwegian sellers, in UBL: the VAT number and the register of business enterprises."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Flag, Kind, Layer, Pattern, Values
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.national.countries import seller_country
from einvoice.rules.national.registrations import registrations
from einvoice.rules.node import Node
from einvoice.rules.peppol.check_digits import norwegian
from einvoice.rules.values import normalized
from einvoice.rules.view import View

norway = Chapter(Layer.PEPPOL_UBL)

REGISTER = "Foretaksregisteret"


def _in_norway(view: View) -> bool:
    return view.once(seller_country) == "NO"


_pattern = Pattern(_in_norway)
SELLER = _pattern.context("cac:AccountingSupplierParty/cac:Party")


@norway.rule("NO-R-002", "BT-32", at=SELLER, flag=Flag.WARNING, kind=Kind.PRESENCE)
def seller_is_registered(seller: Node, _: View) -> Values | None:
    """A Norwegian seller in the register of business enterprises says Foretaksregisteret."""
    told = [
        number.text
        for registration in registrations(seller, "TAX")
        for number in registration.all("cbc:CompanyID")
    ]
    if len(told) > 1:
        raise MoreThanOneItem(seller, "cac:PartyTaxScheme/cbc:CompanyID", len(told))
    return None if told and normalized(told[0]) == REGISTER else {"expected": REGISTER}


@norway.rule("NO-R-001", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_is_formed(seller: Node, _: View) -> Values | None:
    """A VAT number that begins with NO is an organisation number with MVA behind it."""
    numbers = [each.text_of("cbc:CompanyID") for each in registrations(seller, "VAT")]
    if not any(number[:2] == "NO" for number in numbers):
        return None
    if len(numbers) > 1:
        raise MoreThanOneItem(seller, "cac:PartyTaxScheme", len(numbers))
    number = numbers[0]
    good = number[11:] == "MVA" and norwegian(number[2:11])
    return None if good else {"number": number}
