"""Parses a stored document, in UBL or CII, into an Invoice."""

from __future__ import annotations

from einvoice import xml
from einvoice.documents.cii import read as cii
from einvoice.documents.cii.names import ROOT
from einvoice.documents.ubl import read as ubl
from einvoice.domain.invoice import Invoice


def invoice_in(document: bytes) -> Invoice:
    """The invoice in a document. Raises NotXml, and UnreadableDocument if it holds no invoice."""
    root = xml.parse(xml.as_utf8(document), max_bytes=xml.MAX_RECEIVED_BYTES)
    return cii.read_invoice(root) if root.tag == ROOT else ubl.read_invoice(root)
