"""The XMP metadata of a PDF: which PDF/A it claims, and what it says of an attached invoice.

A property is an element or an attribute. PDF/A requires an extension schema that describes each
property which XMP itself does not define, such as the ones of Factur-X.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

FACTUR_X_PROPERTIES: Final = ("ConformanceLevel", "DocumentFileName", "DocumentType", "Version")
_MAX_VALUE: Final = 200
_PDFA: Final = "http://www.aiim.org/pdfa/ns/id/"
_FACTUR_X: Final = (
    "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#",
)
_SCHEMA: Final = "http://www.aiim.org/pdfa/ns/schema#"
_PROPERTY: Final = "http://www.aiim.org/pdfa/ns/property#"


def of_pdfa(root: etree._Element, name: str) -> str:
    """A property of the identification of PDF/A; "" if there is none."""
    return next(_values(root, _PDFA, name), "")


def of_factur_x(root: etree._Element, name: str) -> str:
    """A property of Factur-X or ZUGFeRD 2; "" if there is none."""
    return next((value for each in _FACTUR_X for value in _values(root, each, name)), "")


def undescribed(root: etree._Element) -> Iterator[str]:
    """The properties of Factur-X that the metadata have and no extension schema describes."""
    for namespace in _FACTUR_X:
        known = set(_described(root, namespace))
        for name in FACTUR_X_PROPERTIES:
            if name not in known and any(_values(root, namespace, name)):
                yield name


def _described(root: etree._Element, namespace: str) -> Iterator[str]:
    """The names of the properties in the extension schemas of a namespace, in one pass."""
    schemas: list[bool] = []  # of the open elements, whether it is such a schema
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            schemas.pop()
            continue
        schemas.append(namespace in _own_values(element, _SCHEMA, "namespaceURI"))
        if any(schemas):
            yield from filter(None, _own_values(element, _PROPERTY, "name"))


def _values(root: etree._Element, namespace: str, name: str) -> Iterator[str]:
    """The values of a property that are not empty, anywhere below an element."""
    for element in root.iter("*"):
        yield from filter(None, _own_values(element, namespace, name))


def _own_values(element: etree._Element, namespace: str, name: str) -> list[str]:
    """The values of a property of an element: its children, and its attribute."""
    tag = f"{{{namespace}}}{name}"
    written = (element.get(tag), *(each.text for each in element.iterchildren(tag)))
    return [(value or "").strip()[:_MAX_VALUE] for value in written]
