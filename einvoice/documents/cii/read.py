"""CII D16B → Invoice: all business terms of EN 16931 in the document.

A UBL document of the same content gives the same Invoice, so it can be written as UBL. Elements
outside EN 16931 are ignored; the rules report them.
"""

from __future__ import annotations

from lxml import etree

from einvoice.documents.cii.names import ROOT
from einvoice.documents.cii.read_agreement import (
    read_invoiced_object,
    read_supporting,
    read_tender,
)
from einvoice.documents.cii.read_lines import read_lines
from einvoice.documents.cii.read_parties import (
    read_delivery,
    read_party,
    read_payee,
    read_representative,
)
from einvoice.documents.cii.read_settlement import (
    read_adjustments,
    read_payment,
    read_subtotals,
    read_totals,
    tax_point,
    tax_point_code,
)
from einvoice.documents.cii.read_values import read_day, read_period, read_reference
from einvoice.documents.cii.tags import ram, rsm
from einvoice.documents.tree import Node, refusal
from einvoice.domain.invoice import DocumentKind, Invoice, PrecedingInvoice
from einvoice.domain.type_codes import CREDIT_NOTE_TYPES


def read_invoice(root: etree._Element) -> Invoice:
    """The invoice or credit note in a parsed CII document.

    Raises UnreadableDocument for a malformed value, a repeated element of a single term, or a
    missing required term.
    """
    if root.tag != ROOT:
        raise refusal(root, f"{etree.QName(root).localname} is not a CrossIndustryInvoice")
    node = Node(root)
    context, document = node.need(rsm.ExchangedDocumentContext), node.need(rsm.ExchangedDocument)
    transaction = node.need(rsm.SupplyChainTradeTransaction)
    agreement = transaction.need(ram.ApplicableHeaderTradeAgreement)
    delivery = transaction.one(ram.ApplicableHeaderTradeDelivery)
    settlement = transaction.need(ram.ApplicableHeaderTradeSettlement)
    currency = settlement.need_text(ram.InvoiceCurrencyCode)
    accounting_currency = settlement.text(ram.TaxCurrencyCode)
    type_code = document.need_text(ram.TypeCode)
    payee, terms = (
        settlement.one(ram.PayeeTradeParty),
        settlement.one(ram.SpecifiedTradePaymentTerms),
    )
    representative = agreement.one(ram.SellerTaxRepresentativeTradeParty)
    return Invoice(
        kind=DocumentKind.CREDIT_NOTE if type_code in CREDIT_NOTE_TYPES else DocumentKind.INVOICE,
        customization=context.need(ram.GuidelineSpecifiedDocumentContextParameter).need_text(
            ram.ID
        ),
        profile=context.text_at(ram.BusinessProcessSpecifiedDocumentContextParameter, ram.ID),
        number=document.need_text(ram.ID),
        issue_date=read_day(document, ram.IssueDateTime)
        or document.refuse_missing(ram.IssueDateTime),
        type_code=type_code,
        notes=tuple(_notes(document)),
        currency=currency,
        accounting_currency=accounting_currency,
        tax_point=tax_point(settlement),
        tax_point_code=tax_point_code(settlement),
        due_date=read_day(terms, ram.DueDateDateTime),
        buyer_reference=agreement.text(ram.BuyerReference),
        project=agreement.text_at(ram.SpecifiedProcuringProject, ram.ID),
        contract=read_reference(agreement, ram.ContractReferencedDocument),
        order=read_reference(agreement, ram.BuyerOrderReferencedDocument),
        sales_order=read_reference(agreement, ram.SellerOrderReferencedDocument),
        receiving_advice=read_reference(delivery, ram.ReceivingAdviceReferencedDocument),
        despatch_advice=read_reference(delivery, ram.DespatchAdviceReferencedDocument),
        tender=read_tender(agreement),
        invoiced_object=read_invoiced_object(agreement),
        accounting_cost=settlement.text_at(ram.ReceivableSpecifiedTradeAccountingAccount, ram.ID),
        payment_terms=terms.prose(ram.Description) if terms else None,
        preceding=tuple(_preceding(e) for e in settlement.all(ram.InvoiceReferencedDocument)),
        seller=read_party(agreement.need(ram.SellerTradeParty)),
        buyer=read_party(agreement.need(ram.BuyerTradeParty)),
        payee=read_payee(payee) if payee else None,
        tax_representative=read_representative(representative) if representative else None,
        delivery=read_delivery(delivery) if delivery else None,
        period=read_period(settlement.one(ram.BillingSpecifiedPeriod)),
        payment=read_payment(settlement),
        adjustments=read_adjustments(settlement),
        taxes=read_subtotals(settlement),
        totals=read_totals(settlement, currency, accounting_currency),
        supporting=read_supporting(agreement),
        lines=read_lines(transaction),
    )


def _notes(document: Node) -> list[tuple[str | None, str]]:
    """BG-1; a subject code without a text is ignored."""
    notes = document.all(ram.IncludedNote)
    found = [(note.text(ram.SubjectCode), note.text(ram.Content)) for note in notes]
    return [(code, text) for code, text in found if text]


def _preceding(node: Node) -> PrecedingInvoice:
    return PrecedingInvoice(
        number=node.need_text(ram.IssuerAssignedID),
        issue_date=read_day(node, ram.FormattedIssueDateTime),
    )
