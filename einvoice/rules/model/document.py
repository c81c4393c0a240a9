"""The whole document, in the order of the writer: from its identifiers to its lines."""

from __future__ import annotations

from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.rules.automaton import Automaton
from einvoice.rules.model.fill import Fill
from einvoice.rules.model.lines import line
from einvoice.rules.model.parties import delivery, parties
from einvoice.rules.model.payment import payment_means
from einvoice.rules.model.references import period, references
from einvoice.rules.model.tax import adjustment, monetary_total, tax_totals
from einvoice.rules.node import Node
from einvoice.rules.view import View


def view_of(invoice: Invoice, automaton: Automaton) -> View:
    """The view that the written document would have."""
    credit_note = invoice.kind is DocumentKind.CREDIT_NOTE
    fill = Fill(automaton, "cn:CreditNote" if credit_note else "ubl:Invoice", invoice.currency)
    root = fill.root
    _head(fill, root, invoice, credit_note)
    references(fill, root, invoice, credit_note)
    parties(fill, root, invoice)
    if invoice.delivery is not None:
        delivery(fill, root, invoice.delivery)
    payment_means(fill, root, invoice, credit_note)
    fill.text(fill.group(root, "cac:PaymentTerms"), "cbc:Note", invoice.payment_terms)
    for entry in invoice.adjustments:
        adjustment(fill, root, entry)
    tax_totals(fill, root, invoice)
    monetary_total(fill, root, invoice.totals)
    for each in invoice.lines:
        line(fill, root, each, credit_note)
    return fill.view


def _head(fill: Fill, root: Node, invoice: Invoice, credit_note: bool) -> None:
    fill.text(root, "cbc:CustomizationID", invoice.customization)
    fill.text(root, "cbc:ProfileID", invoice.profile)
    fill.text(root, "cbc:ID", invoice.number)
    fill.day(root, "cbc:IssueDate", invoice.issue_date)
    if not credit_note:
        fill.day(root, "cbc:DueDate", invoice.due_date)
    type_code = "cbc:CreditNoteTypeCode" if credit_note else "cbc:InvoiceTypeCode"
    fill.text(root, type_code, invoice.type_code)
    for subject, text in invoice.notes:
        fill.text(root, "cbc:Note", f"#{subject}#{text}" if subject else text)
    fill.day(root, "cbc:TaxPointDate", invoice.tax_point)
    fill.text(root, "cbc:DocumentCurrencyCode", invoice.currency)
    fill.text(root, "cbc:TaxCurrencyCode", invoice.accounting_currency)
    fill.text(root, "cbc:AccountingCost", invoice.accounting_cost)
    fill.text(root, "cbc:BuyerReference", invoice.buyer_reference)
    period(fill, root, invoice.period, invoice.tax_point_code)
