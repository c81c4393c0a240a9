"""The XMP metadata that marks a PDF/A-3 with an attached CII as Factur-X (1.07).

Adds the four properties of Factur-X and the description of their schema, which PDF/A requires, to
the XMP that typst writes.
"""

from __future__ import annotations

from typing import Final

FILE_NAME: Final = "factur-x.xml"
_NAMESPACE: Final = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
_PROPERTIES: Final = {
    "DocumentFileName": (FILE_NAME, "name of the embedded XML invoice file"),
    "DocumentType": ("INVOICE", "type of the document"),
    "Version": ("1.0", "version of the Factur-X data"),
    "ConformanceLevel": ("EN 16931", "profile of the Factur-X data"),
}
# Where typst's XMP lists extension schemas, and where it ends.
_SCHEMAS: Final = "<pdfaExtension:schemas><rdf:Bag>"
_END: Final = "</rdf:RDF>"


def marked(xmp: str) -> str:
    """The metadata with the properties of Factur-X. Raises ValueError for XMP of another form."""
    if xmp.count(_SCHEMAS) != 1 or xmp.count(_END) != 1:
        raise ValueError("the engine writes its XMP in a way that we do not know")
    return xmp.replace(_SCHEMAS, _SCHEMAS + _schema()).replace(_END, _values() + _END)


def _values() -> str:
    values = "".join(f"<fx:{name}>{value}</fx:{name}>" for name, (value, _) in _PROPERTIES.items())
    return f'<rdf:Description rdf:about="" xmlns:fx="{_NAMESPACE}">{values}</rdf:Description>'


def _schema() -> str:
    described = "".join(_property(name, words) for name, (_, words) in _PROPERTIES.items())
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
