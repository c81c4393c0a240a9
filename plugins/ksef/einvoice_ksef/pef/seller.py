"""The seller's numbers in a UBL document, as KSeF may read them.

The provider of Peppol services sends for many companies, so KSeF does not refuse a document of one
company that was sent by another one of them. The sender of the document has to be its seller.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from einvoice import xml
from einvoice_ksef import nip

_COMPANY: Final = (
    "{*}AccountingSupplierParty/{*}Party/{*}PartyTaxScheme/{*}CompanyID",
    "{*}AccountingSupplierParty/{*}Party/{*}PartyLegalEntity/{*}CompanyID",
)


def numbers_in(texts: Iterable[str]) -> set[str]:
    """The NIPs among the identifiers of a party, without the prefix PL.

    A register number (KRS) has ten digits too, and begins with 0, as no NIP does.

    >>> sorted(numbers_in(["PL5265877635", " 1111111111", "0000123456", "DE123456789"]))
    ['1111111111', '5265877635']
    """
    found = (text.strip().removeprefix("PL") for text in texts)
    return {each for each in found if nip.is_written(each)}


def numbers_of(document: bytes) -> set[str]:
    """The NIPs that a UBL document names as those of its seller. Raises NotXml."""
    root = xml.parse(document)
    return numbers_in(each.text or "" for path in _COMPANY for each in root.iterfind(path))
