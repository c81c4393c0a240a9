"""Currencies of amounts, media types of attachments and codes of the VAT point date."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.values import normalized
from einvoice.rules.view import View

codes = Chapter(Layer.PEPPOL_UBL)

_CURRENCIES = code_list("iso4217_peppol").codes
_MEDIA_TYPES = code_list("mime")
_TAX_POINTS = code_list("uncl2005_ubl")


def _invoice_currencies(view: View) -> frozenset[str]:
    return frozenset(view.root.texts("cbc:DocumentCurrencyCode"))


@codes.rule("PEPPOL-EN16931-R051", "BT-5", at=contexts.AMOUNT, kind=Kind.CODE_LIST,
            path="@currencyID")  # fmt: skip
def amount_is_in_the_currency(amount: Node, view: View) -> Values | None:
    """Every amount is in the invoice currency (BT-5), except the VAT total in BT-6."""
    currencies = view.once(_invoice_currencies)
    currency = amount.attributes.get("currencyID")
    if currency in currencies or (amount.name == "cbc:TaxAmount" and _has_no_breakdown(amount)):
        return None
    return {"code": currency, "expected": " ".join(sorted(currencies))}


def _has_no_breakdown(amount: Node) -> bool:
    total = amount.up(1)
    return total.name == "cac:TaxTotal" and not total.has("cac:TaxSubtotal")


@codes.rule("PEPPOL-EN16931-CL007", "BT-5", at=contexts.CODED_AMOUNT, kind=Kind.CODE_LIST,
            list="iso4217_peppol", path="@currencyID")  # fmt: skip
def currency_is_a_code(amount: Node, _: View) -> Values | None:
    """The currency of an amount is one of the Peppol list."""
    currency = amount.attributes.get("currencyID")
    return None if currency in _CURRENCIES else {"code": currency}


@codes.rule("PEPPOL-EN16931-CL001", "BT-125-1", at=contexts.ATTACHMENT, kind=Kind.CODE_LIST,
            list="mime", path="@mimeCode")  # fmt: skip
def media_type_is_allowed(attachment: Node, _: View) -> Values | None:
    """The media type of an attachment (BT-125-1) is one of the Peppol list."""
    mime = attachment.attributes.get("mimeCode")
    return None if mime is None or mime in _MEDIA_TYPES else {"code": mime}


@codes.rule("PEPPOL-EN16931-CL006", "BT-8", at=contexts.TAX_POINT_CODE, kind=Kind.CODE_LIST,
            list="uncl2005_ubl")  # fmt: skip
def vat_point_date_code_is_a_code(code: Node, view: View) -> Values | None:
    """The VAT point date code (BT-8) is 3, 35 or 432."""
    found = normalized(view.text_node(code))
    return None if found in _TAX_POINTS else {"code": found}
