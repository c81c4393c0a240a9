"""Validates documents by XML Schema: UBL 2.1 and CII D16B (NOTICE has the origin of the files).

A schema checks elements, their order and the form of values; it is applied before the business
rules. Errors have a line, a path and a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast

from lxml import etree

from einvoice import cpu_deadline
from einvoice.documents.cii import names as cii
from einvoice.documents.schemas.words import SchemaLogEntry, explain
from einvoice.documents.ubl import names as ubl
from einvoice.rules.layers import SchemaSource
from einvoice.xml import line_of, path_of

_FILES: Final = {
    f"{{{ubl.INVOICE}}}Invoice": "ubl-2.1/maindoc/UBL-Invoice-2.1.xsd",
    f"{{{ubl.CREDIT_NOTE}}}CreditNote": "ubl-2.1/maindoc/UBL-CreditNote-2.1.xsd",
    cii.ROOT: "cii-d16b/CrossIndustryInvoice_100pD16B.xsd",
}
_HERE: Final = Path(__file__).parent
_CHUNK_BYTES: Final = 64 * 1024
_IS_LARGE: Final = etree.XPath("count(//*) + count(//@*) > 60000 or //*[*[2001]]")
MAX_ERRORS: Final = 100  # a hostile document could have a million
_MAX_ERRORS_IF_LARGE: Final = 20  # there each error takes libxml2 milliseconds


@dataclass(frozen=True, slots=True)
class SchemaError:
    """One violation of the schema. `code` is stable."""

    line: int
    path: str
    message: str
    code: str


def schema_errors(root: etree._Element, schema: SchemaSource | None = None) -> list[SchemaError]:
    """Violations of the schema of the root element; at most MAX_ERRORS, in document order.

    schema  the XML Schema of a document that is neither UBL nor CII, or of a profile, which is a
            file below this folder, or a function that makes the schema's bytes. None: that of UBL
            or CII; other documents are not checked
    """
    file = schema or _FILES.get(root.tag)
    if file is None:
        return []
    too_many = _too_many_errors(root, _schema(file).compiled) if _IS_LARGE(root) else None
    if too_many:
        return [SchemaError(line_of(root), path_of(root), too_many, "too-many-errors")]
    siblings = _Siblings(root)
    return [_error(entry, siblings) for entry in _log_entries(root, _schema(file))]


def unknown_document(root: etree._Element) -> SchemaError:
    """The error of a document element that no rule set or schema knows."""
    name = etree.QName(root)
    where = f"in the namespace {name.namespace!r}" if name.namespace else "without a namespace"
    words = f"an element {name.localname} {where} is not a supported invoice"
    return SchemaError(line_of(root), path_of(root), words, "unknown-document")


@dataclass(frozen=True, slots=True)
class _Schema:
    compiled: etree.XMLSchema
    lock: Lock


@cache
def _schema(source: str | SchemaSource) -> _Schema:
    """Compile at the first use (15 to 90 ms)."""
    if callable(source):
        return _Schema(etree.XMLSchema(etree.fromstring(source())), Lock())
    return _Schema(etree.XMLSchema(file=str(_HERE / source)), Lock())


def _log_entries(root: etree._Element, schema: _Schema) -> list[SchemaLogEntry]:
    with schema.lock:  # the error log is an attribute of the schema
        if schema.compiled.validate(root):
            return []
        log = cast("Iterable[Any]", schema.compiled.error_log)
        return [
            SchemaLogEntry(entry.type_name, entry.message, entry.path, entry.line)
            for entry in islice(log, MAX_ERRORS)
        ]


def _too_many_errors(root: etree._Element, schema: etree.XMLSchema) -> str | None:
    """A message if a large document has more than _MAX_ERRORS_IF_LARGE errors, else None.

    To find the path of an error libxml2 counts siblings, which takes a minute for 100,000 invalid
    lines. The incremental parser gives no paths, but can be stopped.
    """
    text = etree.tostring(root)
    parser = etree.XMLParser(schema=schema, resolve_entities=False, huge_tree=True)
    for start in range(0, len(text), _CHUNK_BYTES):
        cpu_deadline.check()
        parser.feed(text[start : start + _CHUNK_BYTES])
        log = cast("Sequence[Any]", parser.feed_error_log)
        if len(log) > _MAX_ERRORS_IF_LARGE:
            entry = SchemaLogEntry(log[0].type_name, log[0].message, None, 0)
            first = explain(entry, root)[1]
            return f"more than {_MAX_ERRORS_IF_LARGE} errors; the first: {first}"
    return None


def _error(entry: SchemaLogEntry, siblings: _Siblings) -> SchemaError:
    cpu_deadline.check()
    element, path = siblings.found(entry.path)
    code, message = explain(entry, element)
    return SchemaError(entry.line, path, message, code)


class _Siblings:
    """Finds elements by libxml2's paths, such as /*/cac:Party/cbc:ID[2].

    An element may have half a million siblings, and up to MAX_ERRORS of them are looked up: each
    is counted once, and only those before the last one asked for.
    """

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._counted: dict[tuple[etree._Element, str], _Counted] = {}

    def found(self, path: str | None) -> tuple[etree._Element, str]:
        """The element and its path; the nearest existing ancestor if it is not found."""
        element = self._root
        place = f"/{etree.QName(element).localname}[1]"
        for step in (path or "").split("/")[2:]:
            name, _, position = step.rstrip("]").partition("[")
            counted = self._counted.setdefault((element, name), _Counted(element, name))
            child = counted.at(int(position or 1))
            if child is None:
                break
            element, number = child
            place += f"/{etree.QName(element).localname}[{number}]"
        return element, place


class _Counted:
    """The children of one name as libxml2 counts them, each with its position among its tag.

    libxml2 calls an element without prefix `*` and counts it among all its siblings.
    """

    def __init__(self, parent: etree._Element, name: str) -> None:
        prefix, _, local = name.rpartition(":")
        self._prefix = prefix or None
        self._every = name == "*"
        self._left = parent.iterchildren("*" if self._every else f"{{*}}{local}")
        self._met: list[tuple[etree._Element, int]] = []
        self._numbers: Counter[str] = Counter()

    def at(self, position: int) -> tuple[etree._Element, int] | None:
        while len(self._met) < position:
            child = next(self._left, None)
            if child is None:
                return None
            if self._every or child.prefix == self._prefix:
                self._numbers[child.tag] += 1
                self._met.append((child, self._numbers[child.tag]))
        return self._met[position - 1]
