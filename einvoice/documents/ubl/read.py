"""UBL 2.1 → Invoice: all business terms of EN 16931 in the document.

The inverse of einvoice/binding/ubl. Elements outside EN 16931 are ignored, but for the terms of
PINT in its documents; the rules report them.
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from einvoice.documents.tree import Node, refusal
from einvoice.documents.ubl.names import CREDIT_NOTE, INVOICE
from einvoice.documents.ubl.read_further import with_further_terms
from einvoice.documents.ubl.read_lines import read_lines, read_period
from einvoice.documents.ubl.read_parties import (
    read_delivery,
    read_party,
    read_payee,
    read_representative,
)
from einvoice.documents.ubl.read_payment import payment_due, read_payment
from einvoice.documents.ubl.read_references import (
    read_invoiced_object,
    read_preceding,
    read_project,
    read_supporting,
)
from einvoice.documents.ubl.read_tax import read_adjustments, read_taxes, read_totals
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.pint import country_of

KINDS: Final = {
    f"{{{INVOICE}}}Invoice": DocumentKind.INVOICE,
    f"{{{CREDIT_NOTE}}}CreditNote": DocumentKind.CREDIT_NOTE,
}
_TYPE_CODES: Final = {
    DocumentKind.INVOICE: cbc.InvoiceTypeCode,
    DocumentKind.CREDIT_NOTE: cbc.CreditNoteTypeCode,
}
_SUBJECT = re.compile(r"#([A-Z]{3})#(.+)", re.DOTALL)


def read_invoice(root: etree._Element) -> Invoice:
    """The invoice in a parsed UBL document.

    Raises UnreadableDocument for a malformed value, a repeated element of a single term, or a
    missing required term.
    """
    kind = KINDS.get(root.tag)
    if kind is None:
        raise refusal(root, f"{etree.QName(root).localname} is neither Invoice nor CreditNote")
    node = Node(root)
    currency = node.need_text(cbc.DocumentCurrencyCode)
    accounting_currency = node.text(cbc.TaxCurrencyCode)
    taxes = read_taxes(node, currency, accounting_currency)
    payee, representative = node.one(cac.PayeeParty), node.one(cac.TaxRepresentativeParty)
    delivery, terms = node.one(cac.Delivery), node.one(cac.PaymentTerms)
    found = Invoice(
        kind=kind,
        customization=node.need_text(cbc.CustomizationID),
        profile=node.text(cbc.ProfileID),
        number=node.need_text(cbc.ID),
        issue_date=node.day(cbc.IssueDate) or node.refuse_missing(cbc.IssueDate),
        due_date=node.day(cbc.DueDate) or payment_due(node),
        type_code=node.need_text(_TYPE_CODES[kind]),
        notes=tuple(_note(text) for text in node.texts(cbc.Note)),
        tax_point=node.day(cbc.TaxPointDate),
        currency=currency,
        accounting_currency=accounting_currency,
        accounting_cost=node.text(cbc.AccountingCost),
        buyer_reference=node.text(cbc.BuyerReference),
        period=read_period(node.one(cac.InvoicePeriod)),
        tax_point_code=node.text_at(cac.InvoicePeriod, cbc.DescriptionCode),
        order=node.text_at(cac.OrderReference, cbc.ID),
        sales_order=node.text_at(cac.OrderReference, cbc.SalesOrderID),
        preceding=read_preceding(node),
        despatch_advice=node.text_at(cac.DespatchDocumentReference, cbc.ID),
        receiving_advice=node.text_at(cac.ReceiptDocumentReference, cbc.ID),
        tender=node.text_at(cac.OriginatorDocumentReference, cbc.ID),
        contract=node.text_at(cac.ContractDocumentReference, cbc.ID),
        invoiced_object=read_invoiced_object(node),
        supporting=read_supporting(node, kind),
        project=read_project(node, kind),
        seller=read_party(node.need(cac.AccountingSupplierParty)),
        buyer=read_party(node.need(cac.AccountingCustomerParty)),
        payee=read_payee(payee) if payee else None,
        tax_representative=read_representative(representative) if representative else None,
        delivery=read_delivery(delivery) if delivery else None,
        payment=read_payment(node),
        payment_terms=terms.prose(cbc.Note) if terms else None,
        adjustments=read_adjustments(node),
        taxes=taxes.subtotals,
        totals=read_totals(node, taxes),
        lines=read_lines(node, kind),
    )
    country = country_of(found.customization)
    return with_further_terms(found, root, country) if country else found


def _note(text: str) -> tuple[str | None, str]:
    """BG-1: the subject code (BT-21) precedes the text as #code#."""
    match = _SUBJECT.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)
