"""Invoice → view, without writing XML: a send is judged on it.

The elements are those that the UBL writer writes (einvoice/binding describes them for both). Only
the content of attachments differs, which no rule reads.
"""

from __future__ import annotations

from einvoice.binding import ubl
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.rules.model.fill import Fill
from einvoice.rules.states import Matcher
from einvoice.rules.view import View


def view_of(invoice: Invoice, matcher: Matcher) -> View:
    """The view that the written document would have."""
    root = "cn:CreditNote" if invoice.kind is DocumentKind.CREDIT_NOTE else "ubl:Invoice"
    fill = Fill(matcher, root, invoice.currency)
    ubl.describe(fill, invoice)
    return fill.view
