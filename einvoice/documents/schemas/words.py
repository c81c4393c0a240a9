"""Rewrites libxml2's schema errors for people who do not read schemas.

Parses libxml2's messages, whose wording is stable within 2.x; a message that is not recognised is
passed on without its namespaces. Messages quote values of any length, so a long one is cut before
any pattern meets it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lxml import etree

from einvoice.documents.cii import names as cii
from einvoice.documents.ubl import names as ubl

_PREFIXES: Final = {
    ubl.CAC: "cac:",
    ubl.CBC: "cbc:",
    "urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2": "ext:",
    cii.RSM: "rsm:",
    cii.RAM: "ram:",
    cii.UDT: "udt:",
    cii.QDT: "qdt:",
}
_TYPES: Final = {
    "date": "a date of the form YYYY-MM-DD",
    "dateTime": "a moment of the form YYYY-MM-DDThh:mm:ss",
    "time": "a time of the form hh:mm:ss",
    "decimal": "a number such as 1234.50 (digits, at most one point, no thousands separator)",
    "integer": "a whole number",
    "boolean": "true or false",
    "base64Binary": "base64 text",
    "anyURI": "an address (URI)",
    "language": "a language code",
}
_QUALIFIED = re.compile(r"\{([^{}]*)\}([\w.-]+)")
_EXPECTED = re.compile(r"Expected is (?:one of )?\( ([^()]*) \)\.")
_VALUE = re.compile(
    r"Element '[^']*'(?:, attribute '[^']*')?: '(.*)' is not a valid value of the [a-z ]*type"
    r"(?: '(?:xs:)?([^']*)')?",
    re.DOTALL,
)
_ELEMENT = re.compile(r"Element '([^']*)'")
_ATTRIBUTE = re.compile(r"attribute '([^']*)'")
_FIXED = re.compile(r"fixed value constraint '(.*)'")
_HEAD: Final = 3_000  # characters kept of a long message: ten names of a list, a cut value
_TAIL: Final = 1_000  # and of its end, which says the type
_LISTED: Final = 5  # names shown of a long list
_ENGINE_LIMIT: Final = 10  # libxml2 truncates its lists there


@dataclass(frozen=True, slots=True)
class SchemaLogEntry:
    """One entry of libxml2's log."""

    type_name: str
    message: str
    path: str | None
    line: int


def explain(entry: SchemaLogEntry, element: etree._Element) -> tuple[str, str]:
    """A stable code, and the message."""
    kind, message = entry.type_name, _short(_cut(entry.message))
    name = _named(message)
    attribute = _ATTRIBUTE.search(message)
    match kind:
        case "SCHEMAV_ELEMENT_CONTENT" if "Missing child" in message:
            return "element-missing", _missing(name, message)
        case "SCHEMAV_ELEMENT_CONTENT":
            return "element-unexpected", _unexpected(name, message, element)
        case "SCHEMAV_CVC_DATATYPE_VALID_1_2_1":
            where = f"the attribute {attribute[1]} of {name}" if attribute else name
            return "value-malformed", _malformed(where, message)
        case "SCHEMAV_CVC_COMPLEX_TYPE_3_2_1" if attribute:
            return "attribute-unexpected", f"{name} may not have the attribute {attribute[1]}"
        case "SCHEMAV_CVC_COMPLEX_TYPE_4" if attribute:
            return "attribute-missing", f"{name} needs the attribute {attribute[1]}"
        case "SCHEMAV_CVC_AU" if attribute and (fixed := _FIXED.search(message)):
            words = f"the attribute {attribute[1]} of {name} can only be {fixed[1]!r}; leave it out"
            return "attribute-fixed", words
        case "SCHEMAV_CVC_COMPLEX_TYPE_2_3" | "SCHEMAV_CVC_COMPLEX_TYPE_2_1":
            return "text-unexpected", f"{name} holds text, but may only hold elements"
        case "SCHEMAV_CVC_TYPE_3_1_2" | "SCHEMAV_CVC_COMPLEX_TYPE_2_2":
            return "element-unexpected", f"{name} holds elements, but may only hold text"
        case _:
            return "schema", message.partition(": ")[2][:300] or message[:300]


def _cut(message: str) -> str:
    """A long message without its middle, which is part of the value that it quotes."""
    if len(message) <= _HEAD + _TAIL:
        return message
    return f"{message[:_HEAD]}…{message[-_TAIL:]}"


def _named(message: str) -> str:
    match = _ELEMENT.search(message)
    return match[1] if match else "an element"


def _missing(name: str, message: str) -> str:
    """libxml2 lists the allowed elements up to the first required one."""
    expected = _expected(message)
    if not expected:
        return f"{name} is incomplete"
    if len(expected) < _ENGINE_LIMIT:
        return f"{expected[-1]} is missing in {name}"
    return f"{name} is incomplete; one of {_listed(expected)} is missing"


def _unexpected(name: str, message: str, element: etree._Element) -> str:
    before = element.getprevious()
    while before is not None and not isinstance(before.tag, str):
        before = before.getprevious()
    if before is not None and before.tag == element.tag:
        return f"{name} may not be repeated here"
    where = f"after {_short(str(before.tag))}" if before is not None else "at the beginning"
    expected = _expected(message)
    follows = f"; what may come {where}: {_listed(expected)}" if expected else ""
    return f"{name} cannot stand here: unknown, in the wrong place, or one too many{follows}"


def _malformed(where: str, message: str) -> str:
    match = _VALUE.match(message)
    if match is None:
        return f"{where} does not have the form that the schema asks for"
    value, kind = match[1], match[2] or ""
    expected = _TYPES.get(kind, "of the form that the schema asks for")
    if not value.strip():
        return f"{where} is empty, but should be {expected}"
    return f"{where}: {value[:60]!r} is not {expected}"


def _expected(message: str) -> list[str]:
    match = _EXPECTED.search(message)
    return match[1].split(", ") if match else []


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    return f"{shown} …" if len(names) > _LISTED else shown


def _short(text: str) -> str:
    """Replace namespaces by the usual prefixes."""
    return _QUALIFIED.sub(lambda match: _PREFIXES.get(match[1], "") + match[2], text)
