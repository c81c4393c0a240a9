"""PINT-UBL 1.1.2: the shared rules of the release before `base`.

It has other code lists, and no amounts of lines in another currency.
"""

from __future__ import annotations

from einvoice.rules.book import Book, Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl.codes import party_id_scheme_in
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint import contexts
from einvoice.rules.pint.base import pint_with_types
from einvoice.rules.pint.conditions import require
from einvoice.rules.tables import at_most_one, coded
from einvoice.rules.view import View

RELEASE = "1.1.2"
INVOICES = (
    *("80", "82", "84", "380", "383", "386", "388", "393", "395", "575", "623", "780", "71", "102"),
    *("218", "219", "331", "382", "480", "553", "817", "870", "875", "876", "877"),
)
CREDIT_NOTES = ("81", "83", "381", "396", "532")

older = Chapter(Layer.PINT_UBL, gathers=("cbc:DocumentCurrencyCode",))
_ICD, _CURRENCIES = "icd_pint_1_1", "iso4217_pint_1_1"
_AMOUNT = "currencyID"
coded(older, contexts.CODED_AMOUNT, "ibr-cl-03", "BT-5", _CURRENCIES, _AMOUNT, required=True)
coded(older, contexts.CURRENCY, "ibr-cl-04", "BT-5", _CURRENCIES)
coded(older, contexts.ACCOUNTING_CURRENCY, "ibr-cl-05", "BT-6", _CURRENCIES)
coded(older, contexts.LEGAL_ID, "ibr-cl-11", "BT-30 BT-47 BT-61", _ICD, "schemeID")
coded(older, contexts.STANDARD_SCHEME, "ibr-cl-21", "BT-157", _ICD, "schemeID")
coded(older, contexts.ENDPOINT, "ibr-cl-25", "BT-34 BT-49", "eas_pint_1_1", "schemeID")
coded(older, contexts.DELIVERY_LOCATION, "ibr-cl-26", "BT-71", _ICD, "schemeID")
at_most_one(older, contexts.PAYMENT_MEANS, [("ibr-sr-45", "BT-9", "cbc:PaymentDueDate")])


@older.rule("ibr-cl-10", "BT-29 BT-46 BT-60", at=contexts.PARTY_ID, kind=Kind.CODE_LIST)
def party_id_scheme_is_a_code(identifier: Node, _: View) -> Values | None:
    """The scheme of a party identifier is an ISO 6523 code; of a seller or payee, also SEPA."""
    return party_id_scheme_in(identifier, code_list(_ICD))


def _is_in_the_currency(amount: Node, view: View) -> bool:
    codes = [code.text for code in view.everywhere("cbc:DocumentCurrencyCode")]
    return amount.attributes.get("currencyID") in codes


require(older, contexts.AMOUNT, [
    ("ibr-126", "BT-5", _is_in_the_currency, "Amounts are in the invoice currency (BT-5)"),
])  # fmt: skip


def pint_1_1_2(
    invoices: tuple[str, ...] = INVOICES,
    credit_notes: tuple[str, ...] = CREDIT_NOTES,
    *,
    types: str = "ibr-cl-01",
) -> Book:
    """The shared rules, with the types (BT-3) that a specification allows.

    types  the id of the rule on types
    """
    book = pint_with_types(invoices, credit_notes, RELEASE, types=types)
    return book.revised(RELEASE, chapters=[older])
