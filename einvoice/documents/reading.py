"""A stored document back as an invoice, whichever of our syntaxes it is in."""

from __future__ import annotations

from einvoice import xml
from einvoice.documents.cii import read as cii
from einvoice.documents.cii.names import ROOT
from einvoice.documents.ubl import read as ubl
from einvoice.domain.invoice import Invoice


def invoice_in(document: bytes) -> Invoice:
    """Raises UnreadableDocument where the document holds no invoice, NotXml where it is no XML."""
    root = xml.parse(document)
    return cii.read_invoice(root) if root.tag == ROOT else ubl.read_invoice(root)
