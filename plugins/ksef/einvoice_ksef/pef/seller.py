"""The NIP of the seller in a UBL document.

The provider of Peppol services sends for many companies, so KSeF does not refuse a document of one
company that was sent by another one of them. The sender of the document has to be its seller. The
samples of the ministry have its NIP as the tax number (BT-31), and another number of ten digits as
that of its register (BT-30).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from einvoice import xml
from einvoice_ksef import nip

_TAX_NUMBERS: Final = "{*}AccountingSupplierParty/{*}Party/{*}PartyTaxScheme/{*}CompanyID"


def numbers_in(texts: Iterable[str]) -> set[str]:
    """The NIPs among tax numbers, without the prefix PL.

    >>> sorted(numbers_in(["PL5265877635", " 1111111111", "DE123456789", "0000123456"]))
    ['1111111111', '5265877635']
    """
    found = (text.strip().removeprefix("PL") for text in texts)
    return {each for each in found if nip.is_written(each)}


def numbers_of(document: bytes) -> set[str]:
    """The NIPs that a UBL document names as those of its seller. Raises NotXml."""
    return numbers_in(each.text or "" for each in xml.parse(document).iterfind(_TAX_NUMBERS))
