"""The contexts of CIUS-RO in the official order; all are of one pattern.

The official contexts of addresses, allowances and charges name the credit note in the namespace of
the invoice, so they match in invoices only.
"""

from __future__ import annotations

from einvoice.rules.book import Condition, Context, Pattern
from einvoice.rules.node import Node
from einvoice.rules.values import boolean_of
from einvoice.rules.view import View

_INVOICE = "/ubl:Invoice"
_LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")


def _indicated(charge: bool) -> Condition:
    """The condition that an indicator of an allowance or charge has this value."""

    def matches(adjustment: Node, _: View) -> bool:
        return any(boolean_of(each) is charge for each in adjustment.all("cbc:ChargeIndicator"))

    return matches


_pattern = Pattern()
DATES = {
    name: _pattern.context(f"cbc:{name}")
    for name in (
        "IssueDate",
        "TaxPointDate",
        "DueDate",
        "PaymentDueDate",
        "ActualDeliveryDate",
        "StartDate",
        "EndDate",
    )
}
PRICE: Context = _pattern.context("cbc:PriceAmount")
INVOICE_TYPE: Context = _pattern.context("cbc:InvoiceTypeCode")
CREDIT_NOTE_TYPE: Context = _pattern.context("cbc:CreditNoteTypeCode")
DOCUMENT: Context = _pattern.context(_INVOICE, "/cn:CreditNote")
REPRESENTATIVE_ADDRESS: Context = _pattern.context(
    f"{_INVOICE}/cac:TaxRepresentativeParty/cac:PostalAddress"
)
PAYMENT_MEANS: Context = _pattern.context("cac:PaymentMeans")
DELIVERY_ADDRESS: Context = _pattern.context(
    f"{_INVOICE}/cac:Delivery/cac:DeliveryLocation/cac:Address"
)
TAX_POINT_CODE: Context = _pattern.context("cac:InvoicePeriod/cbc:DescriptionCode")
LINE: Context = _pattern.context(*_LINES)
PROPERTY: Context = _pattern.context("cac:Item/cac:AdditionalItemProperty")
ALLOWANCE: Context = _pattern.context(
    f"{_INVOICE}/cac:AllowanceCharge", when=_indicated(charge=False)
)
CHARGE: Context = _pattern.context(f"{_INVOICE}/cac:AllowanceCharge", when=_indicated(charge=True))
TOTALS: Context = _pattern.context("cac:LegalMonetaryTotal")
BREAKDOWN: Context = _pattern.context("cac:TaxTotal/cac:TaxSubtotal")
_adjustments = tuple(f"{line}/cac:AllowanceCharge" for line in _LINES)
LINE_ALLOWANCE: Context = _pattern.context(*_adjustments, when=_indicated(charge=False))
LINE_CHARGE: Context = _pattern.context(*_adjustments, when=_indicated(charge=True))
NOTE: Context = _pattern.context("cbc:Note")
SUPPORTING_DOCUMENT: Context = _pattern.context("cac:AdditionalDocumentReference")
PRECEDING_INVOICE: Context = _pattern.context("cac:BillingReference")

# Of the rules that CEN has withdrawn: other patterns.
WHOLE: Context = Pattern().context(_INVOICE, "/cn:CreditNote")
AMOUNT_DUE: Context = Pattern().context(f"{_INVOICE}/cac:LegalMonetaryTotal/cbc:PayableAmount")
