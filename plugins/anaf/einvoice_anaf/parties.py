"""The numbers of the parties of a document in UBL.

>>> document = b"<Invoice><AccountingCustomerParty><Party><PartyTaxScheme><CompanyID>RO 123"
>>> document += b"</CompanyID></PartyTaxScheme></Party></AccountingCustomerParty></Invoice>"
>>> receiving_numbers(document)
frozenset({'123'})
"""

from __future__ import annotations

from typing import Final

from lxml import etree

from einvoice import xml

MAX_NUMBERS: Final = 10
MAX_LENGTH: Final = 30  # of a number
_SELF_BILLED: Final = frozenset({"389", "261"})
_BUYER: Final = "{*}AccountingCustomerParty/{*}Party"
_SELLER: Final = "{*}AccountingSupplierParty/{*}Party"
_NUMBERS: Final = (
    "{*}PartyTaxScheme/{*}CompanyID",
    "{*}PartyLegalEntity/{*}CompanyID",
    "{*}PartyIdentification/{*}ID",
)


def receiving_numbers(document: bytes) -> frozenset[str]:
    """The numbers of who receives it, without prefix: the buyer, of a self-billed one the seller.

    Empty if it cannot be read, or names none.
    """
    try:
        root = xml.parse(document)
    except xml.NotXml:
        return frozenset()
    codes = {root.findtext("{*}InvoiceTypeCode"), root.findtext("{*}CreditNoteTypeCode")}
    party = _SELLER if any((code or "").strip() in _SELF_BILLED for code in codes) else _BUYER
    found = (_number(each) for path in _NUMBERS for each in root.iterfind(f"{party}/{path}"))
    return frozenset(sorted(filter(None, found))[:MAX_NUMBERS])


def _number(element: etree._Element) -> str:
    compact = "".join((element.text or "").split()).upper().removeprefix("RO")
    return compact[:MAX_LENGTH]
