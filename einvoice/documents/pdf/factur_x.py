"""The XMP metadata that marks a PDF/A-3 with an attached CII as Factur-X (1.07).

Adds the four properties of Factur-X and the description of their schema, which PDF/A requires, to
the XMP that typst writes. An XRechnung is of the profile XRECHNUNG of ZUGFeRD, with its own name of
the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import Invoice


@dataclass(frozen=True, slots=True)
class HybridProfile:
    """A profile of Factur-X or ZUGFeRD: its name in the metadata, and the name of the file."""

    level: str
    file_name: str


EN16931: Final = HybridProfile("EN 16931", "factur-x.xml")
XRECHNUNG: Final = HybridProfile("XRECHNUNG", "xrechnung.xml")
_NAMESPACE: Final = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
_PROPERTIES: Final = {
    "DocumentFileName": "name of the embedded XML invoice file",
    "DocumentType": "type of the document",
    "Version": "version of the Factur-X data",
    "ConformanceLevel": "profile of the Factur-X data",
}
# Where typst's XMP lists extension schemas, and where it ends.
_SCHEMAS: Final = "<pdfaExtension:schemas><rdf:Bag>"
_END: Final = "</rdf:RDF>"


def profile_of(invoice: Invoice) -> HybridProfile:
    """The profile in which an invoice is attached to its PDF."""
    return XRECHNUNG if invoice.customization == XRECHNUNG_CUSTOMIZATION else EN16931


def marked(xmp: str, profile: HybridProfile) -> str:
    """The metadata with the properties of Factur-X. Raises ValueError for XMP of another form."""
    if xmp.count(_SCHEMAS) != 1 or xmp.count(_END) != 1:
        raise ValueError("the engine writes its XMP in a way that we do not know")
    return xmp.replace(_SCHEMAS, _SCHEMAS + _schema()).replace(_END, _values(profile) + _END)


def _values(profile: HybridProfile) -> str:
    given = dict(
        zip(_PROPERTIES, (profile.file_name, "INVOICE", "1.0", profile.level), strict=True)
    )
    values = "".join(f"<fx:{name}>{value}</fx:{name}>" for name, value in given.items())
    return f'<rdf:Description rdf:about="" xmlns:fx="{_NAMESPACE}">{values}</rdf:Description>'


def _schema() -> str:
    described = "".join(_property(name, words) for name, words in _PROPERTIES.items())
    return (
        '<rdf:li rdf:parseType="Resource">'
        "<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>"
        f"<pdfaSchema:namespaceURI>{_NAMESPACE}</pdfaSchema:namespaceURI>"
        "<pdfaSchema:prefix>fx</pdfaSchema:prefix>"
        f"<pdfaSchema:property><rdf:Seq>{described}</rdf:Seq></pdfaSchema:property>"
        "</rdf:li>"
    )


def _property(name: str, words: str) -> str:
    return (
        '<rdf:li rdf:parseType="Resource">'
        f"<pdfaProperty:name>{name}</pdfaProperty:name>"
        "<pdfaProperty:valueType>Text</pdfaProperty:valueType>"
        "<pdfaProperty:category>external</pdfaProperty:category>"
        f"<pdfaProperty:description>{words}</pdfaProperty:description>"
        "</rdf:li>"
    )
