"""Invoice → UBL 2.1, as Peppol BIS Billing 3.0 wants it: the table of contents of the document.

Elements stand in the order of the schema (OASIS UBL 2.1, Invoice and CreditNote), one function per
aggregate. Nothing is decided or computed here; an absent term is an absent element.
"""

from __future__ import annotations

import re

from einvoice.documents.ubl import references
from einvoice.documents.ubl.lines import lines
from einvoice.documents.ubl.names import CAC, CBC, CREDIT_NOTE, INVOICE, cbc
from einvoice.documents.ubl.parties import parties
from einvoice.documents.ubl.payment import payment_means, payment_terms
from einvoice.documents.ubl.tax import adjustment, monetary_total, tax_totals
from einvoice.documents.ubl.values import day, period
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import DocumentKind, Invoice

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PREFIXES = f'xmlns:cac="{CAC}" xmlns:cbc="{CBC}"'
# Everything outside the production Char of XML 1.0.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document_xml(invoice: Invoice) -> bytes:
    """The document as UTF-8, ready for the wire.

    Raises InvalidField when a text holds a character that XML 1.0 cannot carry; the message
    names the element and the text.
    """
    body = _credit_note(invoice) if invoice.kind is DocumentKind.CREDIT_NOTE else _invoice(invoice)
    document = f"{_DECLARATION}{body}\n"
    if not body.isprintable():  # a fast no: printable text is always XML text
        _refuse_forbidden(body)
    return document.encode()


def _invoice(invoice: Invoice) -> str:
    return "".join(
        (
            f'<Invoice xmlns="{INVOICE}" {_PREFIXES}>',
            _process(invoice),
            day(cbc.DueDate, invoice.due_date),
            cbc.InvoiceTypeCode(invoice.type_code),
            _notes(invoice),
            day(cbc.TaxPointDate, invoice.tax_point),
            _currencies(invoice),
            references.order(invoice),
            references.preceding(invoice),
            references.deliveries(invoice),
            references.tender(invoice),
            references.contract(invoice),
            references.additional(invoice),
            references.project(invoice),
            _body(invoice),
            "</Invoice>",
        )
    )


def _credit_note(invoice: Invoice) -> str:
    return "".join(
        (
            f'<CreditNote xmlns="{CREDIT_NOTE}" {_PREFIXES}>',
            _process(invoice),
            day(cbc.TaxPointDate, invoice.tax_point),
            cbc.CreditNoteTypeCode(invoice.type_code),
            _notes(invoice),
            _currencies(invoice),
            references.order(invoice),
            references.preceding(invoice),
            references.deliveries(invoice),
            references.contract(invoice),
            references.additional(invoice),
            references.credited_project(invoice),
            references.tender(invoice),
            _body(invoice),
            "</CreditNote>",
        )
    )


def _process(invoice: Invoice) -> str:
    """BT-24, BT-23, BT-1, BT-2: what the document is and which one."""
    return "".join(
        (
            cbc.CustomizationID(invoice.customization),
            cbc.ProfileID(invoice.profile),
            cbc.ID(invoice.number),
            day(cbc.IssueDate, invoice.issue_date),
        )
    )


def _notes(invoice: Invoice) -> str:
    """BG-1; UBL has no element for the subject code, so EN 16931 writes it as #code# before."""
    return "".join([cbc.Note(f"#{code}#{text}" if code else text) for code, text in invoice.notes])


def _currencies(invoice: Invoice) -> str:
    return "".join(
        (
            cbc.DocumentCurrencyCode(invoice.currency),
            cbc.TaxCurrencyCode(invoice.accounting_currency),
            cbc.AccountingCost(invoice.accounting_cost),
            cbc.BuyerReference(invoice.buyer_reference),
            period(invoice.period, invoice.tax_point_code),
        )
    )


def _body(invoice: Invoice) -> str:
    """From the parties on, both documents are alike."""
    return "".join(
        (
            parties(invoice),
            payment_means(invoice),
            payment_terms(invoice),
            "".join([adjustment(entry, invoice.currency) for entry in invoice.adjustments]),
            tax_totals(invoice),
            monetary_total(invoice.totals, invoice.currency),
            lines(invoice),
        )
    )


def _refuse_forbidden(body: str) -> None:
    match = _FORBIDDEN.search(body)
    if match is None:
        return
    element = body[: match.start()].rpartition("<")[2].partition(">")[0].partition(" ")[0]
    before, after = body[: match.start()].rpartition(">")[2], body[match.end() :].partition("<")[0]
    around = f"{before[-20:]}{match[0]}{after[:20]}"
    raise InvalidField(
        [
            FieldError(
                "/invoice",
                "forbidden-character",
                f"the text {around!r} (to be written as {element}) holds the character "
                f"U+{ord(match[0]):04X}, which XML cannot carry",
            )
        ]
    )
