"""PINT-OM-UBL: the books of Oman, release 1.0.1."""

from __future__ import annotations

from einvoice.rules.book import Book
from einvoice.rules.layers import Layer
from einvoice.rules.pint import Specification, billing, self_billing
from einvoice.rules.pint.base import pint_with_types
from einvoice.rules.pint.om import breakdown, codes, document, lines

RELEASE = "1.0.1"
_INVOICES = (
    *("80", "82", "84", "380", "383", "386", "388", "393", "395", "575", "623", "780", "71", "102"),
    *("218", "219", "331", "382", "480", "553", "817", "870", "875", "876", "877"),
)


def _of(specification: Specification) -> Book:
    """The rules of Oman for a specification."""
    identifiers = document.identifiers(specification.customization, specification.process)
    chapters = (identifiers, document.chapter, breakdown.chapter, lines.chapter, codes.chapter)
    return Book.of(Layer.PINT_OM_UBL, RELEASE, chapters)


PINT_OM = _of(billing("om"))
PINT_OM_SELF_BILLING = _of(self_billing("om"))
PINT_UBL_OF_OM = pint_with_types(_INVOICES, ("81", "83", "381", "396", "532"), RELEASE)
PINT_UBL_OF_OM_SELF_BILLING = pint_with_types(("389",), ("261",), RELEASE)
