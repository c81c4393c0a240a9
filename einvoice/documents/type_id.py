"""The document type id of a document, as its sender would declare it to the network.

It is the namespace and name of the root element, and the specification that the document names
(Policy for use of Identifiers, "Document Type Identifiers").

>>> str(type_in(b'<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>'))
'busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Order-2::Order'
>>> type_in(b"no XML") is None
True
"""

from __future__ import annotations

from lxml import etree

from einvoice import xml
from einvoice.documents.cii.names import ROOT as CII
from einvoice.documents.cii.tags import ram, rsm
from einvoice.documents.ubl.tags import cbc
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    DocumentTypeId,
)

MAX_CUSTOMIZATION = 400  # characters; of a longer one nothing is taken
_CONTEXT = ram.GuidelineSpecifiedDocumentContextParameter
_CII_CUSTOMIZATION = f"{rsm.ExchangedDocumentContext}/{_CONTEXT}/{ram.ID}"
_SCHEME = BIS_INVOICE.scheme
_OF_BIS = (BIS_INVOICE, BIS_CREDIT_NOTE, BIS_INVOICE_CII)


def type_in(document: bytes) -> DocumentTypeId | None:
    """The document type id; None if the bytes are not XML."""
    try:
        return type_of(xml.parse(document))
    except xml.NotXml:
        return None


def declared_type(found: DocumentTypeId | None) -> DocumentTypeId:
    """The type that a sender would declare for a document of that type.

    A document that names no specification counts as one of BIS Billing; so does what is not XML
    (None), which a receiver stores as unreadable.

    >>> declared_type(None) == BIS_INVOICE
    True
    """
    if found is None:
        return BIS_INVOICE
    return next((bis for bis in _OF_BIS if bis.value.startswith(f"{found.value}##")), found)


def type_of(root: etree._Element) -> DocumentTypeId:
    """The document type id of a parsed document."""
    name = etree.QName(root)
    value = f"{name.namespace or ''}::{name.localname}"
    path, version = (
        (_CII_CUSTOMIZATION, "D16B") if root.tag == CII else (cbc.CustomizationID, "2.1")
    )
    customization = (root.findtext(path) or "").strip()
    if 0 < len(customization) <= MAX_CUSTOMIZATION:
        value += f"##{customization}::{version}"
    return DocumentTypeId(_SCHEME, value)
