"""Bills that cannot be read, such as a PDF without XML: the form of what a person reads there."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from flask import Response

from einvoice.domain.errors import Conflict, InvalidField
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.roles import Role
from einvoice.services.inbound import filling_in
from einvoice.services.inbound.filling_in import BillValues
from einvoice.services.invoices import detail
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import form_values, forms, invoice_form, invoice_page, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.public.bill_schemas import UnreadBill

_AMOUNTS = ("grandTotal", "taxAmount")
_SHOWN = (InvalidField, Conflict)

family = Pages("dashboard_unread_bills", __name__, "/dashboard/bills")


_VALUES = UnreadBill()


@family.page("/<invoice_id>/values", least=Role.MEMBER, methods=["POST"])
def fill_in_bill(invoice_id: str) -> Response:
    """Store what a person has read in the file."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        filling_in.fill_in(invoice_id, principal, _values(given))
    except _SHOWN as refusal:
        return invoice_page.shown(detail.get(invoice_id, principal), refusal=refusal, given=given)
    return pages.redirect_to("dashboard_invoices.show_invoice", "saved", invoice_id=invoice_id)


def _values(given: Mapping[str, str]) -> BillValues:
    """Raises InvalidField."""
    body: dict[str, Any] = {
        name: text.strip()
        for name, text in given.items()
        if name in _VALUES.fields and text.strip()
    }
    for name in _AMOUNTS:
        if name in body:
            body[name] = invoice_form.number_of(body[name], form_values.has_decimal_comma())
    read = loaded(_VALUES, body)
    return BillValues(
        kind=DocumentKind(read["kind"]),
        number=read["number"],
        issue_date=read["issueDate"],
        due_date=read.get("dueDate"),
        currency=read["currency"],
        grand_total=_amount(read["grandTotal"]),
        tax_amount=_amount(read["taxAmount"]) if "taxAmount" in read else None,
        supplier_name=read["supplierName"],
        supplier_tax_id=read.get("supplierTaxId"),
    )


def _amount(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"))
