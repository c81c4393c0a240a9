"""Additions of a profile to the printed invoice and the buyer's page: codes, lines, an XML file.

Bounds are checked where the values are made, so that what is printed fits a page.

>>> Additions(lines=("ICN 4711",)).lines
('ICN 4711',)
>>> QrCode("", "Authority")
Traceback (most recent call last):
ValueError: the text of a code has 1 to 1000 characters
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from einvoice.domain.invoice import Invoice

MAX_CODES, MAX_LINES = 4, 20
MAX_CODE_TEXT = 1_000  # characters; ZATCA's code has up to 700
MAX_LINE, MAX_CAPTION = 300, 80
MAX_XML_BYTES = 5 * 1024 * 1024
# The names of the e-invoice in a PDF.
_TAKEN = frozenset({"invoice.xml", "factur-x.xml", "xrechnung.xml"})
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.xml", re.ASCII)


@dataclass(frozen=True, slots=True)
class Handout:
    """An invoice that is shown or printed.

    document   what was submitted to the network; before it is prepared, what the profile wrote
    delivered  whether it is Delivered, or cleared
    evidence   what the network returned for it, by type of artefact: the newest of each
    reference  the number that the authority gave it
    language   of the words around the additions: en, de, fr, nl, sv, es, it or pl
    access_point  the name of the one that it is sent by; "" where it is not known
    """

    invoice: Invoice
    document: bytes
    delivered: bool
    evidence: Mapping[str, bytes] = field(default_factory=dict)
    reference: str | None = None
    language: str = "en"
    access_point: str = ""


@dataclass(frozen=True, slots=True)
class QrCode:
    """A QR code with this text, and what is written below it. Raises ValueError."""

    text: str
    caption: str

    def __post_init__(self) -> None:
        _check("the text of a code", self.text, MAX_CODE_TEXT)
        _check("a caption", self.caption, MAX_CAPTION)


@dataclass(frozen=True, slots=True)
class AttachedXml:
    """An XML file that is attached to the PDF, beside the invoice. Raises ValueError."""

    name: str
    content: bytes

    def __post_init__(self) -> None:
        if not _FILE_NAME.fullmatch(self.name) or self.name in _TAKEN:
            raise ValueError(f"{self.name!r} is not a name of a further XML file")
        if not 0 < len(self.content) <= MAX_XML_BYTES:
            raise ValueError(f"an attached file has 1 to {MAX_XML_BYTES} bytes")


@dataclass(frozen=True, slots=True)
class Additions:
    """The additions below the payment details. Raises ValueError.

    issued  by these codes the invoice may be handed out before it is Delivered: its pages do not
            say that it is not cleared yet
    """

    codes: tuple[QrCode, ...] = ()
    lines: tuple[str, ...] = ()
    attached: AttachedXml | None = None
    issued: bool = False

    def __post_init__(self) -> None:
        for name, given, most in (("codes", self.codes, MAX_CODES),
                                  ("lines", self.lines, MAX_LINES)):  # fmt: skip
            if len(given) > most:
                raise ValueError(f"at most {most} {name} are added")
        for line in self.lines:
            _check("a line", line, MAX_LINE)


NOTHING = Additions()


def nothing(_: Handout) -> Additions:
    """No additions."""
    return NOTHING


def _check(name: str, text: object, most: int) -> None:
    if not isinstance(text, str) or not 0 < len(text) <= most:
        raise ValueError(f"{name} has 1 to {most} characters")
