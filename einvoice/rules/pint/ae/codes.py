"""Tax numbers and codes."""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Kind
from einvoice.rules.layers import Layer
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import (
    GATHERED,
    TAX_ID,
    TIN,
)
from einvoice.rules.pint.conditions import (
    coded_in,
    require,
)
from einvoice.rules.values import (
    normalized,
)
from einvoice.rules.view import View

_TRN = re.compile(r"1[0-9]{12}03")
# Reasons of credits, frequencies of billing, and the nature of a supply under reverse charge.
_CREDIT_REASONS = (*(f"DL8.61.1.{letter}" for letter in "ABCDE"), "VD")
_FREQUENCIES = ("DLY", "WKY", "Q15", "MTH", "Q45", "Q60", "QTR", "YRL", "HYR", "OTH")
_NATURES = ("DL8.48.8.2", "DL8.48.8.1", "DL8.48.3.1", "DL8.48.3.2", "DL8.48.3.3")
_CATEGORIES = ("S", "E", "O", "AE", "Z", "N")

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def _seller_has_a_tin(view: View) -> bool:
    """Whether a number of the seller is a TIN."""
    return any(
        TIN.fullmatch(normalized(number.text)) is not None
        for party in view.everywhere("cac:AccountingSupplierParty")
        for number in party.all(f"cac:Party/{TAX_ID}")
    )


require(chapter, contexts.VAT_NUMBER, [
    ("ibr-132-ae", "BT-31 BT-48", lambda number, _: _TRN.fullmatch(number.text) is not None,
     "A VAT number of the Emirates (TRN) is 15 digits, of the form 1…03"),
], Kind.FORMAT)  # fmt: skip
require(chapter, contexts.OTHER_NUMBER, [
    ("ibr-148-ae", "BT-32", lambda number, _: TIN.fullmatch(number.text) is not None,
     "A tax identification number (TIN) is ten digits that begin with 1"),
], Kind.FORMAT)  # fmt: skip
require(chapter, contexts.TAX_SCHEME, [
    ("ibr-133-ae", "BT-32", lambda scheme, view: (
        scheme.text == "VAT" or view.once(_seller_has_a_tin)),
     "A tax scheme other than VAT is of a seller with a TIN"),
])  # fmt: skip
for _context, _rule, _terms, _codes_of, _requires in (
    (contexts.RESPONSE_CODE, "ibr-001-ae", "", _CREDIT_REASONS,
     "The reason of a credit note is a code"),
    (contexts.FREQUENCY, "ibr-005-ae", "BT-8", _FREQUENCIES, "The billing frequency is a code"),
    (contexts.CATEGORY_CODE, "ibr-139-ae", "BT-95 BT-102 BT-118 BT-151", _CATEGORIES,
     "The VAT category is S, E, O, AE, Z or N"),
    (contexts.NATURE, "ibr-006-ae", "", _NATURES, "The nature of a reverse charge is a code"),
):  # fmt: skip
    chapter.add(_rule, _terms, _context, coded_in(_codes_of), _requires, kind=Kind.CODE_LIST)
# Of attributes, which the official rules never visit.
for _rule, _who in (("ibr-011-ae", "buyer"), ("ibr-013-ae", "seller")):
    chapter.add(_rule, "", contexts.BUYER_PARTY, lambda _, __: None,
                f"The country that issued a passport of the {_who} is a code")  # fmt: skip
