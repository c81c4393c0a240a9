"""An XML Schema of the structure and the types, so that libxml2 checks documents by our tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from lxml import etree

from einvoice_ksef.fa3 import structure
from einvoice_ksef.fa3.structure import NAMESPACE, TOGETHER, Part
from einvoice_ksef.fa3.types import TYPES, SimpleType

_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_NSMAP: Final = {"xs": "http://www.w3.org/2001/XMLSchema", "fa": NAMESPACE}


@cache
def source() -> bytes:
    """The schema as bytes."""
    schema = etree.Element(f"{_XS}schema", nsmap=_NSMAP)
    schema.set("targetNamespace", NAMESPACE)
    schema.set("elementFormDefault", "qualified")
    for name, simple in TYPES.items():
        schema.append(_simple(f"t-{name}", simple))
    for name, group in structure.groups().items():
        if group is not structure.root():
            schema.append(_complex(group.parts, name))
    root = etree.SubElement(schema, f"{_XS}element", {"name": structure.root().name})
    root.append(_complex(structure.root().parts))
    return etree.tostring(schema)


def _simple(name: str, simple: SimpleType) -> etree._Element:
    """The type; each pattern in a restriction of its own, as they all hold."""
    made = etree.Element(f"{_XS}simpleType", {"name": name})
    restriction = etree.SubElement(made, f"{_XS}restriction", {"base": f"xs:{simple.base}"})
    for facet, value in _facets(simple):
        etree.SubElement(restriction, _XS + facet, {"value": value})
    return made


def _facets(simple: SimpleType) -> Iterator[tuple[str, str]]:
    if simple.shortest is not None:
        yield "minLength", str(simple.shortest)
    if simple.longest is not None:
        yield "maxLength", str(simple.longest)
    yield from (("pattern", pattern) for pattern in simple.patterns)
    yield from (("enumeration", value) for value in simple.values)
    yield from simple.facets


def _complex(parts: Iterable[Part], name: str | None = None) -> etree._Element:
    made = etree.Element(f"{_XS}complexType", {"name": f"g-{name}"} if name else None)
    attributes = [part for part in parts if part.is_attribute]
    sequence = etree.SubElement(made, f"{_XS}sequence")
    sequence.extend(_particle(part) for part in parts if not part.is_attribute)
    made.extend(_attribute(part) for part in attributes)
    return made


def _particle(part: Part) -> etree._Element:
    if part.is_element:
        made = _element(part)
    else:
        made = etree.Element(_XS + ("sequence" if part.name == TOGETHER else "choice"))
        made.extend(map(_particle, part.parts))
    made.set("minOccurs", str(part.least))
    made.set("maxOccurs", str(part.most))
    return made


def _element(part: Part) -> etree._Element:
    made = etree.Element(f"{_XS}element", {"name": part.name})
    if part.only is not None:
        made.set("fixed", part.only)
    if part.type in TYPES and part.parts:
        made.append(_with_attributes(part))
    elif part.type is not None:
        made.set("type", _type(part.type))
    else:
        made.append(_complex(part.parts))
    return made


def _with_attributes(part: Part) -> etree._Element:
    """A simple type with attributes."""
    made = etree.Element(f"{_XS}complexType")
    content = etree.SubElement(made, f"{_XS}simpleContent")
    extension = etree.SubElement(content, f"{_XS}extension", {"base": _type(str(part.type))})
    extension.extend(map(_attribute, part.parts))
    return made


def _attribute(part: Part) -> etree._Element:
    made = etree.Element(f"{_XS}attribute", {"name": part.name, "use": "required"})
    made.set("type", _type(str(part.type)))
    if part.only is not None:
        made.set("fixed", part.only)
    return made


def _type(name: str) -> str:
    return f"fa:t-{name}" if name in TYPES else f"fa:g-{name}"
