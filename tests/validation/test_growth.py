"""A document costs time in proportion to its size, whatever a sender writes into it.

Documents come from anybody: participants of Peppol need no account here.
"""

from __future__ import annotations

from datetime import date

import pytest

from einvoice import validation
from einvoice.xml import NotXml, parse
from tests import growth

DAY = date(2026, 11, 21)
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOT = (
    f'<Invoice xmlns="{UBL}Invoice-2" xmlns:cac="{UBL}CommonAggregateComponents-2" '
    f'xmlns:cbc="{UBL}CommonBasicComponents-2"'
)
VALUES = {
    "braces": "{",
    "named braces": "{a",
    "quotes": "'",
    "the words of a message": "' is not a valid value of the ",
    "a list": "Expected is ( ",
    "the start of a message": "Element 'a': '",
    "digits": "0",
    "points": "0.",
    "blanks": " ",
    "letters": "a",
    "signs": "-",
    "openings": "&lt;!--",
    "at signs": "a@a.",
    "payment terms": "#SKONTO#TAGE=1",
}
SHAPES = {
    "attributes": ('<cbc:ID a="" ', "x{0}='' ", "/>"),
    "namespaces": ("<cbc:ID ", "xmlns:n{0}='urn:{0}' ", "/>"),
    "elements": ("", "<x{0}/>", ""),
    "one element": ("", "<cbc:ID/>", ""),
    "comments": ("", "<!-- {0} -->", ""),
    "instructions": ("<?x ", "<!--", "?>"),
    "sections": ("<cbc:ID>", "<![CDATA[{0}]]>", "</cbc:ID>"),
    "references": ("<cbc:ID>", "&#65;", "</cbc:ID>"),
    "a name": ("<", "a", "/>"),
    "lines": ("", "<cac:InvoiceLine><cbc:ID>{0}</cbc:ID></cac:InvoiceLine>", ""),
    "notes": ("", "<cbc:Note>{0}</cbc:Note>", ""),
}
PLACES = {
    "date": "<cac:InvoicePeriod><cbc:StartDate>{}</cbc:StartDate></cac:InvoicePeriod>",
    "amount": '<cac:LegalMonetaryTotal><cbc:PayableAmount currencyID="EUR">{}'
    "</cbc:PayableAmount></cac:LegalMonetaryTotal>",
    "text": "<cbc:ID>{}</cbc:ID><cbc:Note>{}</cbc:Note>",
    "mail": "<cac:AccountingSupplierParty><cac:Party><cac:Contact><cbc:ElectronicMail>{}"
    "</cbc:ElectronicMail></cac:Contact></cac:Party></cac:AccountingSupplierParty>",
    "terms": "<cac:PaymentTerms><cbc:Note>{}</cbc:Note></cac:PaymentTerms>",
}


def checked(document: bytes) -> None:
    validation.check(document, on=DAY)


def parsed(document: bytes) -> None:
    try:
        parse(document)
    except NotXml:
        return


def with_value(place: str, unit: str, size: int) -> bytes:
    value = unit * (size // len(unit))
    return f"{ROOT}>{PLACES[place].replace('{}', value)}</Invoice>".encode()


def of_shape(shape: str, size: int) -> bytes:
    begin, unit, end = SHAPES[shape]
    made = "".join(unit.format(number) for number in range(size // len(unit)))
    return f"{ROOT}>{begin}{made}{end}</Invoice>".encode()


@pytest.mark.parametrize("place", PLACES)
def test_a_long_value_is_judged_in_time_in_proportion(place):
    """A date of 32 KB of braces once took 21 seconds, in which nothing else was answered."""
    slow = {
        name: fault
        for name, unit in VALUES.items()
        if (fault := growth.fault(checked, lambda size, u=unit: with_value(place, u, size)))
    }

    assert slow == {}


@pytest.mark.parametrize("work", [parsed, checked])
def test_a_document_of_any_shape_takes_time_in_proportion(work):
    slow = {
        shape: fault
        for shape in SHAPES
        if (fault := growth.fault(work, lambda size, s=shape: of_shape(s, size), floor=0.05))
    }

    assert slow == {}
