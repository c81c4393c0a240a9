"""Broken documents: wrong bytes, encodings, structure and values.

`damaged(seed)` is one of them; the same seed gives the same bytes. The structure is changed in the
text of the document, not in its tree, so the result need not be XML.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "samples"

_ELEMENT = re.compile(rb"<([\w:]+)[^<>]*>[^<>]*</\1>")
_TAG = re.compile(rb"<[^<>]+>")
_TEXT = re.compile(rb">([^<>]+)<")
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')

# Wrong numbers, dates, codes and texts.
_VALUES = [
    *(b"NaN INF -INF 1e400 -1e400 1E-400 1e9999999999 -0 +1 . - + 0x1F 1,5 1_000 1.2.3".split()),
    b"9" * 40,
    b"9" * 600,
    b"9" * 5000,
    "٠١٢٣٤٥٦٧٨٩".encode(),
    "²²²²²²²²²²".encode(),
    b"99999999999-12-31",
    b"0." + b"0" * 600 + b"1",
    b"-" + b"9" * 300,
    b"0." + b"9" * 3000,
    b"",
    b" ",
    b"\t\n ",
    "٣".encode(),
    "½".encode(),
    "é\u0301".encode(),
    "\u202e".encode(),
    "\U0001f600".encode(),
    "\ufeff".encode(),
    b"&amp;&lt;",
    b"&#0;",
    b"&#x110000;",
    b"&nbsp;",
    b"true",
    b"1",
    b"S",
    b"O",
    b"VAT",
    b"2026-02-30",
    b"0000-00-00",
    b"-2026-01-01",
    b"2026-01-01+14:00",
    b"20260230",
    b"<!-- -->",
    b"1<!-- -->2",
    b"1<?pi?>2",
    b"<x/>",
    b"<![CDATA[1]]>",
    b"%s%n{0}{x}",
    b"x" * 5000,
]
_ENCODINGS = ("utf-16", "utf-32", "utf-7", "latin-1", "cp037", "utf-8-sig")
_INSERTS = (b"<", b">", b"&", b"\0", b"\xff", b"]]>", b"<!DOCTYPE x>", b"<!--", b"?>", b'"')


def samples() -> list[Path]:
    """The correct samples, UBL and CII."""
    return sorted(_FOLDER.glob("*.xml"))


@cache
def bases() -> list[bytes]:
    """The documents to damage: every sample, and roots without content."""
    whole = [file.read_bytes() for file in samples()]
    roots = re.findall(
        rb"<(?:\w+:)?(?:Invoice|CreditNote|CrossIndustryInvoice)\b[^>]*>", b"".join(whole)
    )
    empty = [root.replace(b">", b"/>") for root in roots]
    return [*whole, *empty]


def systematic(document: bytes) -> Iterator[bytes]:
    """Each wrong value in each text and attribute of a document, one at a time."""
    texts = [found.span(1) for found in _TEXT.finditer(document) if found[1].strip()]
    attributes = [
        found.span(2) for found in _ATTRIBUTE.finditer(document) if b"xmlns" not in found[1]
    ]
    for start, end in (*texts, *attributes):
        for value in _VALUES:
            yield document[:start] + value + document[end:]


def damaged(seed: int, documents: Sequence[bytes] = ()) -> bytes:
    """One broken document, made of one of these; where none is given, of `bases`."""
    chance = random.Random(seed)
    document = chance.choice(documents or bases())
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        document = chance.choice(_CHANGES)(document, chance)
    return document[: 1 << 20]


def _byte(document: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] + bytes([chance.randrange(256)]) + document[at + chance.randrange(2) :]


def _bit(document: bytes, chance: random.Random) -> bytes:
    if not document:
        return document
    at = chance.randrange(len(document))
    return document[:at] + bytes([document[at] ^ (1 << chance.randrange(8))]) + document[at + 1 :]


def _truncate(document: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] if chance.random() < 0.5 else document[at:]


def _remove_bytes(document: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] + document[at + chance.randrange(200) :]


def _insert(document: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] + chance.choice(_INSERTS) + document[at:]


def _encoded(document: bytes, chance: random.Random) -> bytes:
    return document.decode("utf-8", "replace").encode(chance.choice(_ENCODINGS), "replace")


def _declared(document: bytes, chance: random.Random) -> bytes:
    return (
        b'<?xml version="1.0" encoding="%s"?>'
        % chance.choice((b"UTF-8", b"UTF-16", b"ISO-8859-1", b"nonsense", b""))
        + document.partition(b"?>")[2].lstrip()
    )


def _found(
    pattern: re.Pattern[bytes], document: bytes, chance: random.Random
) -> re.Match[bytes] | None:
    """A match behind a random position, else the first one."""
    return pattern.search(document, chance.randrange(len(document) + 1)) or pattern.search(document)


def _value(document: bytes, chance: random.Random) -> bytes:
    found = _found(_TEXT, document, chance)
    if found is None:
        return document
    return document[: found.start(1)] + chance.choice(_VALUES) + document[found.end(1) :]


def _attribute(document: bytes, chance: random.Random) -> bytes:
    found = _found(_ATTRIBUTE, document, chance)
    if found is None:
        return document
    group = chance.choice((1, 2))
    return document[: found.start(group)] + chance.choice(_VALUES) + document[found.end(group) :]


def _element(document: bytes, chance: random.Random) -> bytes:
    """Remove an element, double it, repeat it many times, or move it."""
    found = _found(_ELEMENT, document, chance)
    if found is None:
        return document
    element = found[0]
    without = document[: found.start()] + document[found.end() :]
    match chance.randrange(4):
        case 0:
            return without
        case 1:
            return document[: found.end()] + element + document[found.end() :]
        case 2:
            return (
                document[: found.end()]
                + element * chance.randrange(2, 60)
                + document[found.end() :]
            )
        case _:
            at = _found(_TAG, without, chance)
            return without if at is None else without[: at.end()] + element + without[at.end() :]


def _group(document: bytes, chance: random.Random) -> bytes:
    """Remove an aggregate, double it, or copy it into another."""
    opening = _found(re.compile(rb"<(\w+:\w+)>"), document, chance)
    if opening is None:
        return document
    end = document.find(b"</%s>" % opening[1], opening.end())
    if end < 0:
        return document
    end += len(opening[1]) + 3
    group = document[opening.start() : end]
    if chance.random() < 0.5:
        return document[: opening.start()] + document[end:]
    at = _found(_TAG, document, chance)
    place = end if at is None or chance.random() < 0.6 else at.end()
    return document[:place] + group + document[place:]


def _renamed(document: bytes, chance: random.Random) -> bytes:
    names = re.findall(rb"</(\w+:\w+)>", document)
    if len(names) < 2:
        return document
    one, other = chance.choice(names), chance.choice(names)
    return document.replace(b"<" + one, b"<" + other, 1).replace(b"</" + one, b"</" + other, 1)


def _nested(document: bytes, chance: random.Random) -> bytes:
    depth = chance.choice((5, 90, 300, 3000))
    at = _found(_TAG, document, chance)
    place = at.end() if at else 0
    return document[:place] + b"<a>" * depth + b"</a>" * depth + document[place:]


_CHANGES: list[Callable[[bytes, random.Random], bytes]] = [
    _byte, _bit, _truncate, _remove_bytes, _insert, _encoded, _declared, _nested,
    *[_value] * 8, *[_attribute] * 4, *[_element] * 6, *[_group] * 4, *[_renamed] * 2,
]  # fmt: skip
