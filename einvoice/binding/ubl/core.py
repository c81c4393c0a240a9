"""The terms of EN 16931 in the order of the schema (OASIS UBL 2.1, Invoice and CreditNote).

One function per aggregate. Nothing is decided or computed here; an absent term is an absent
element.
"""

from __future__ import annotations

from einvoice.binding.builder import Builder, GroupT
from einvoice.binding.ubl import references
from einvoice.binding.ubl.lines import lines
from einvoice.binding.ubl.parties import delivery, parties
from einvoice.binding.ubl.payment import payment_means
from einvoice.binding.ubl.tax import adjustment, monetary_total, tax_totals
from einvoice.domain.invoice import DocumentKind, Invoice


def describe(build: Builder[GroupT], invoice: Invoice) -> None:
    """Put the invoice or credit note below the builder's root."""
    root = build.root
    credit_note = invoice.kind is DocumentKind.CREDIT_NOTE
    if credit_note:
        _credit_note_head(build, root, invoice)
    else:
        _invoice_head(build, root, invoice)
    parties(build, root, invoice)
    delivery(build, root, invoice.delivery)
    payment_means(build, root, invoice, credit_note)
    build.text(build.group(root, "cac:PaymentTerms"), "cbc:Note", invoice.payment_terms)
    for entry in invoice.adjustments:
        adjustment(build, root, entry)
    tax_totals(build, root, invoice)
    monetary_total(build, root, invoice.totals)
    lines(build, root, invoice.lines, credit_note)


def _invoice_head(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    _process(build, root, invoice)
    build.day(root, "cbc:DueDate", invoice.due_date)
    build.text(root, "cbc:InvoiceTypeCode", invoice.type_code)
    _notes(build, root, invoice)
    build.day(root, "cbc:TaxPointDate", invoice.tax_point)
    _currencies(build, root, invoice)
    references.order(build, root, invoice)
    references.preceding(build, root, invoice)
    references.deliveries(build, root, invoice)
    build.reference(root, "cac:OriginatorDocumentReference", invoice.tender)
    build.reference(root, "cac:ContractDocumentReference", invoice.contract)
    references.additional(build, root, invoice)
    build.reference(root, "cac:ProjectReference", invoice.project)


def _credit_note_head(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    _process(build, root, invoice)
    build.day(root, "cbc:TaxPointDate", invoice.tax_point)
    build.text(root, "cbc:CreditNoteTypeCode", invoice.type_code)
    _notes(build, root, invoice)
    _currencies(build, root, invoice)
    references.order(build, root, invoice)
    references.preceding(build, root, invoice)
    references.deliveries(build, root, invoice)
    build.reference(root, "cac:ContractDocumentReference", invoice.contract)
    references.additional(build, root, invoice)
    references.credited_project(build, root, invoice)
    build.reference(root, "cac:OriginatorDocumentReference", invoice.tender)


def _process(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BT-24, BT-23, BT-1, BT-2."""
    build.text(root, "cbc:CustomizationID", invoice.customization)
    build.text(root, "cbc:ProfileID", invoice.profile)
    build.text(root, "cbc:ID", invoice.number)
    build.day(root, "cbc:IssueDate", invoice.issue_date)


def _notes(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BG-1; UBL has no element for the subject code, so EN 16931 writes it as #code# before."""
    for subject, text in invoice.notes:
        build.text(root, "cbc:Note", f"#{subject}#{text}" if subject else text)


def _currencies(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BT-5, BT-6, BT-19, BT-10, BG-14."""
    build.text(root, "cbc:DocumentCurrencyCode", invoice.currency)
    build.text(root, "cbc:TaxCurrencyCode", invoice.accounting_currency)
    build.text(root, "cbc:AccountingCost", invoice.accounting_cost)
    build.text(root, "cbc:BuyerReference", invoice.buyer_reference)
    references.period(build, root, invoice.period, invoice.tax_point_code)
