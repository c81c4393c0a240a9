"""The hardened XML parser: all XML from outside is read with `parse`.

A document must be UTF-8 (as Peppol and EN 16931 documents are), without a DOCTYPE (so no entities,
external files or expansion bombs), and within limits of bytes, tags, attributes and depth. Anything
else raises `NotXml`, with a message for the sender. Nothing is fetched.

lxml has one dictionary for all documents of a thread, in which libxml2 keeps their names, prefixes,
namespaces and indentations. It only grows, so documents with ever new names would fill the memory.
`_bound_dictionary` takes it from the thread from time to time; a document keeps the one it has.
"""

from __future__ import annotations

import ctypes
import re
import threading
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Sequence
from functools import cache
from typing import Final
from xml.sax.saxutils import quoteattr

from lxml import etree

MAX_BYTES: Final = 20 * 1024 * 1024  # a 12 MiB request, its attachments in base64
MAX_RECEIVED_BYTES: Final = 100 * 1024 * 1024  # of a document from a network, which is stored
MAX_DEPTH: Final = 100  # the deepest business documents need about 20
MAX_TAGS: Final = 1_000_000  # 5,000 lines with every term need about 600,000
MAX_ATTRIBUTES: Final = 250_000  # and about 150,000 of these
_LIBXML_TEXT_LIMIT: Final = 10_000_000  # above it libxml2 needs huge_tree

_DECLARED = re.compile(rb"""<\?xml[^>]{0,80}?encoding\s*=\s*["']([^"']{1,40})["']""")
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}\?>")
_UTF16_STARTS: Final = {"<?".encode(name): name for name in ("utf-16-le", "utf-16-be")}
_LATIN: Final = ("iso-8859-1", "iso-8859-15", "latin1", "windows-1252")
_MISNAMED: Final = ("utf8", "utf_8")  # Python writes encoding='utf8'
_IN_UTF8: Final = b'<?xml version="1.0" encoding="UTF-8"?>'
_Utf8: Final = getincrementaldecoder("utf-8")
_CHUNK_BYTES: Final = 32 * 1024
# Bytes that are parsed with one dictionary: it holds at most some five times as many. A new one
# costs 8 us, a tenth of the time that a small invoice takes.
_DICTIONARY_BYTES: Final = 1024 * 1024
_DICTIONARY: Final = "_ParserDictionaryContext"  # lxml's name, among the values of a thread
_WHITE_SPACE = re.compile(rb"[ \t\r\n]*")
_PREFIX = re.compile(r"#default|[^\W\d][\w.·-]*")  # of InclusiveNamespaces

# libxml2's codes of the most frequent errors (xmlerror.h).
_WORDS: Final = {
    4: "it does not start with a tag",
    5: "there is something after the end of the document",
    9: "it holds a character that XML does not allow",
    26: "an entity is used that XML does not define",
    38: "an attribute value holds a '<'",
    39: "an attribute value has no quotes",
    41: "an attribute has no value",
    42: "an element has the same attribute twice",
    65: "a space is missing between two attributes",
    68: "a name is missing or wrong after '<' or '&'",
    73: "a tag does not end with '>'",
    76: "an end tag does not belong to the element that is open",
    77: "an element is not closed: the document ends too early",
    81: "it is not UTF-8",
    201: "a prefix is used that no xmlns attribute declares",
}


class NotXml(ValueError):
    """Refused bytes. `code` is stable, `reason` is for people; line and column may be unknown.

    Codes: empty, too-large, too-many-elements, too-many-attributes, too-deep, encoding, doctype,
    not-well-formed.
    """

    def __init__(
        self, code: str, reason: str, line: int | None = None, column: int | None = None
    ) -> None:
        where = f" (line {line}, column {column})" if line else ""
        super().__init__(f"the document is not XML that can be read: {reason}{where}")
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column


def in_utf8(data: bytes) -> bytes:
    """A document in UTF-16 or in one of the Latin encodings as UTF-8; any other as it is.

    Networks allow encodings that `parse` refuses. The declaration is left out: what is returned is
    parsed. Raises NotXml for bytes that are not of their encoding.
    """
    encoding = _other_encoding(data)
    if encoding is None:
        return data
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise NotXml("encoding", f"it holds bytes that are not {encoding}") from None
    declaration = _DECLARATION.match(text)
    return text[declaration.end() :].encode() if declaration else text.encode()


def _other_encoding(data: bytes) -> str | None:
    """The encoding of a document by its byte order mark, else by its declaration; None: UTF-8, or
    one that is not taken."""
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        return "utf-16"
    for start, encoding in _UTF16_STARTS.items():
        if data.startswith(start):
            return encoding
    declared = _DECLARED.match(data[:140])
    name = declared[1].decode("ascii", "replace").lower() if declared else ""
    return name if name in _LATIN else None


def other_encoding(data: bytes) -> str | None:
    """The encoding that a document declares if it is a Latin one, or a wrong name of UTF-8; None:
    any other. UTF-16 is not among them: networks do not carry it."""
    declared = _DECLARED.match(data.removeprefix(BOM_UTF8)[:140])
    name = declared[1].decode("ascii", "replace").lower() if declared else ""
    return name if name in _LATIN or name in _MISNAMED else None


def as_utf8(data: bytes) -> bytes:
    """A document of `other_encoding` with its text in UTF-8, as it declares then; any other as it
    is. Raises NotXml for bytes that are not of their encoding."""
    encoding = other_encoding(data)
    if encoding is None:
        return data
    is_utf8 = encoding in _MISNAMED or data.startswith(BOM_UTF8)
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8" if is_utf8 else encoding)
    except UnicodeDecodeError:
        raise NotXml("encoding", f"it holds bytes that are not {encoding}") from None
    declaration = _DECLARATION.match(text)
    return _IN_UTF8 + text[declaration.end() if declaration else 0 :].encode()


def parse(data: bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> etree._Element:
    """The root element of a document. Raises NotXml, and no other exception."""
    _check_size(data, max_bytes)
    _check_encoding(data)
    if _has_doctype(data):
        raise NotXml("doctype", "a DOCTYPE is not allowed")
    root = _parsed(data)
    _check_depth(root, max_depth)
    return root


def recovered(data: bytes) -> etree._Element | None:
    """The root of what can be read of a damaged document in UTF-8; None if nothing can.

    A DOCTYPE before it is the caller's to remove.
    """
    _bound_dictionary(len(data))
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        collect_ids=False,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None


def _check_size(data: bytes, max_bytes: int) -> None:
    """Refuse empty and oversized data. Tags are counted only where they could be too many."""
    if not data or data.isspace():
        raise NotXml("empty", "there is nothing in it")
    if len(data) > max_bytes:
        raise NotXml("too-large", f"it has {len(data):,} bytes; at most {max_bytes:,} are taken")
    if len(data) > MAX_TAGS * len("<a>") and data.count(b"<") > MAX_TAGS:
        raise NotXml("too-many-elements", f"it has more than {MAX_TAGS:,} tags")
    if len(data) > MAX_ATTRIBUTES * len(' a=""') and data.count(b"=") > MAX_ATTRIBUTES:
        raise NotXml("too-many-attributes", f"it has more than {MAX_ATTRIBUTES:,} attributes")


def _check_encoding(data: bytes) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise NotXml("encoding", "it is UTF-16, UTF-32 or zero bytes; please send UTF-8")
    declared = _DECLARED.match(data.removeprefix(BOM_UTF8)[:140])
    if declared and declared[1].lower() not in (b"utf-8", b"us-ascii"):
        name = declared[1].decode("ascii", "replace")
        raise NotXml("encoding", f"it says that it is {name}; please send UTF-8", 1, 1)
    try:
        _check_utf8(data)
    except UnicodeDecodeError:
        place = _first_invalid_byte(data)
        line = data.count(b"\n", 0, place) + 1
        column = place - data.rfind(b"\n", 0, place)
        raise NotXml("encoding", "it holds bytes that are not UTF-8", line, column) from None


def _check_utf8(data: bytes) -> None:
    """Raise UnicodeDecodeError if it is not UTF-8. Decodes in chunks, to save the whole text."""
    decoder = _Utf8()
    for start in range(0, len(data), _CHUNK_BYTES):
        decoder.decode(data[start : start + _CHUNK_BYTES])
    decoder.decode(b"", final=True)


def _first_invalid_byte(data: bytes) -> int:
    """The offset of the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _has_doctype(data: bytes) -> bool:
    """Whether a DOCTYPE precedes the root element; a malformed prolog is left to the parser."""
    position = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    while True:
        white_space = _WHITE_SPACE.match(data, position)
        position = white_space.end() if white_space else position
        if data.startswith(b"<?", position):
            end = data.find(b"?>", position) + 2
        elif data.startswith(b"<!--", position):
            end = data.find(b"-->", position + 4) + 3
        else:
            return data.startswith(b"<!", position)
        if end <= position:
            return False
        position = end


def _parsed(data: bytes) -> etree._Element:
    _bound_dictionary(len(data))
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        dtd_validation=False,
        attribute_defaults=False,
        collect_ids=False,
        huge_tree=len(data) > _LIBXML_TEXT_LIMIT,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _not_well_formed(error) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise NotXml("doctype", "a DOCTYPE is not allowed")
    return root


class _Thread(threading.local):
    """Bytes that the thread has parsed with its dictionary. The first one is replaced at once: that
    of the main thread is a part of all others for as long as the process runs."""

    parsed = _DICTIONARY_BYTES


_thread: Final = _Thread()
_thread_values: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p)(
    ("PyThreadState_GetDict", ctypes.pythonapi)
)


def _bound_dictionary(length: int) -> None:
    """Give the thread a new dictionary once it has parsed _DICTIONARY_BYTES with the last one."""
    if _thread.parsed >= _DICTIONARY_BYTES:
        _thread.parsed = 0
        values = ctypes.cast(_thread_values(), ctypes.py_object).value  # a borrowed reference
        values.pop(_DICTIONARY, None)
    _thread.parsed += length


def know_prefixes(prefixes: Sequence[str]) -> None:
    """Let this thread write canonical XML with the prefixes of an InclusiveNamespaces PrefixList.

    lxml leaves out those that the dictionary of the thread does not have, whatever the document
    has: a document is often older than that dictionary, or of another thread, and nothing has the
    "#default" of a list. libxml2 keeps the addresses of namespaces there, so here they are some.
    """
    declared = "".join(
        f" xmlns:p{number}={quoteattr(prefix)}"
        for number, prefix in enumerate(prefixes)
        if _PREFIX.fullmatch(prefix)
    )
    if declared:
        _parsed(f"<p{declared}/>".encode())


def _not_well_formed(error: etree.XMLSyntaxError) -> NotXml:
    line, column = error.position
    code = getattr(error, "code", 0)
    if code == 89 or "depth" in (error.msg or ""):
        return NotXml("too-deep", "its elements are nested too deep", line, column)
    said = (error.msg or "").partition(", line ")[0][:120]
    return NotXml("not-well-formed", _WORDS.get(code, said), line, column)


def _check_depth(root: etree._Element, max_depth: int) -> None:
    if _deeper_than(max_depth)(root):
        raise NotXml("too-deep", f"its elements are nested deeper than {max_depth}")


@cache
def _deeper_than(depth: int) -> etree.XPath:
    return etree.XPath("boolean(/" + "/".join("*" * (depth + 1)) + ")")


def path_of(element: etree._Element) -> str:
    """The path of an element: local names with positions, as `/Invoice[1]/InvoiceLine[2]`."""
    steps = []
    current: etree._Element | None = element
    while current is not None:
        position = 1 + sum(1 for _ in current.itersiblings(current.tag, preceding=True))
        steps.append(f"{etree.QName(current).localname}[{position}]")
        current = current.getparent()
    return "/" + "/".join(reversed(steps))


def line_of(element: etree._Element) -> int:
    """The line of an element's start tag; 0 where the element was not parsed from text."""
    line: int | None = getattr(element, "sourceline", None)
    return line or 0
