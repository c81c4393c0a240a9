"""Invoice → Cross Industry Invoice D16B, for EN 16931 and Factur-X.

The inverse of read.py: elements in the order of the schema, one function per group. Nothing is
decided here; an absent term is an absent element. CII has one mandate, creditor and payment
reference for all payment means; `inexpressible` lists what exceeds that.
"""

from __future__ import annotations

from lxml import etree

from einvoice.documents.cii.names import QDT, RAM, RSM, UDT
from einvoice.documents.cii.tags import ram, rsm
from einvoice.documents.cii.write_agreement import agreement
from einvoice.documents.cii.write_lines import line
from einvoice.documents.cii.write_parties import delivery
from einvoice.documents.cii.write_settlement import expressible, inexpressible, settlement
from einvoice.documents.cii.writing import Element, days, group, text
from einvoice.domain.identifiers import EN16931_SPECIFICATION
from einvoice.domain.invoice import Invoice

__all__ = ["EN16931", "document_xml", "expressible", "inexpressible"]

EN16931 = EN16931_SPECIFICATION
_PREFIXES = {"rsm": RSM, "ram": RAM, "qdt": QDT, "udt": UDT}


def document_xml(invoice: Invoice, guideline: str | None = None) -> bytes:
    """The document in UTF-8. `guideline` replaces the invoice's own (BT-24)."""
    root = etree.Element(f"{{{RSM}}}CrossIndustryInvoice", nsmap=_PREFIXES)
    for part in (
        _context(invoice, guideline or invoice.customization),
        _document(invoice),
        group(
            rsm.SupplyChainTradeTransaction,
            *[line(entry) for entry in invoice.lines],
            agreement(invoice),
            delivery(invoice),
            settlement(invoice),
        ),
    ):
        if part is not None:
            root.append(part)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _context(invoice: Invoice, guideline: str) -> Element | None:
    """BT-23, BT-24."""
    return group(
        rsm.ExchangedDocumentContext,
        group(ram.BusinessProcessSpecifiedDocumentContextParameter, text(ram.ID, invoice.profile)),
        group(ram.GuidelineSpecifiedDocumentContextParameter, text(ram.ID, guideline)),
    )


def _document(invoice: Invoice) -> Element | None:
    """BT-1, BT-3, BT-2, BG-1."""
    return group(
        rsm.ExchangedDocument,
        text(ram.ID, invoice.number),
        text(ram.TypeCode, invoice.type_code),
        days(ram.IssueDateTime, invoice.issue_date),
        *[_note(code, words) for code, words in invoice.notes],
    )


def _note(code: str | None, words: str) -> Element | None:
    return group(ram.IncludedNote, text(ram.Content, words), text(ram.SubjectCode, code))
