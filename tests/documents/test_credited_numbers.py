"""The number of the invoice that a credit note credits, as rows of documents have it."""

from __future__ import annotations

from lxml import etree

from einvoice.documents.summary import summary
from einvoice.domain.invoice import DocumentKind, PrecedingInvoice
from einvoice.domain.invoice_head import head_of
from tests.documents.pdf.samples import an_invoice
from tests.tables import each_row

UBL = (
    '<{kind} xmlns="urn:oasis:names:specification:ubl:schema:xsd:{kind}-2"'
    ' xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"'
    ' xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">{terms}'
    "</{kind}>"
)
NAMED = (
    "<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>{}</cbc:ID>"
    "</cac:InvoiceDocumentReference></cac:BillingReference>"
)
CII = (
    "<rsm:CrossIndustryInvoice"
    ' xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"'
    ' xmlns:ram="urn:un:unece:uncefact:data:standard:'
    'ReusableAggregateBusinessInformationEntity:100">'
    "<rsm:ExchangedDocument><ram:TypeCode>{code}</ram:TypeCode></rsm:ExchangedDocument>"
    "<rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeSettlement>"
    "<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>R-1</ram:IssuerAssignedID>"
    "</ram:InvoiceReferencedDocument></ram:ApplicableHeaderTradeSettlement>"
    "</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>"
)


@each_row(
    ("document", "number"),
    [
        (UBL.format(kind="CreditNote", terms=NAMED.format("R-1")), "R-1"),
        (UBL.format(kind="CreditNote", terms=NAMED.format(" R 1 ") + NAMED.format("R-2")), "R 1"),
        (UBL.format(kind="CreditNote", terms=NAMED.format("")), None),
        (UBL.format(kind="CreditNote", terms=""), None),
        (UBL.format(kind="CreditNote", terms=NAMED.format("9" * 900)), "9" * 500),
        (UBL.format(kind="Invoice", terms=NAMED.format("R-1")), None),
        (CII.format(code="381"), "R-1"),
        (CII.format(code="261"), "R-1"),
        (CII.format(code="384"), None),
    ],
)
def test_the_first_invoice_that_a_received_credit_note_names(document, number):
    assert summary(etree.fromstring(document)).as_head().credited_number == number


@each_row(
    ("kind", "preceding", "number"),
    [
        (DocumentKind.CREDIT_NOTE, ("R-1", "R-2"), "R-1"),
        (DocumentKind.CREDIT_NOTE, (), None),
        (DocumentKind.INVOICE, ("R-1",), None),
    ],
)
def test_the_first_invoice_that_a_sent_credit_note_names(kind, preceding, number):
    named = tuple(PrecedingInvoice(each) for each in preceding)
    made = an_invoice(kind=kind, preceding=named)

    assert head_of(made, None, None).credited_number == number
