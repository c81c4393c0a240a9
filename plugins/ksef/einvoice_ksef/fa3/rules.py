"""The rules of KSeF for FA(3) that its schema does not hold ("Weryfikacja faktury", 2026-04-09).

A wrong check digit of a NIP is a warning: production refuses it, the test environment does not.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Final, cast

from einvoice.rules import Flag, Layer, Pack, RuleSet, Syntax
from einvoice.rules.book import BROKEN, Book, Chapter, Kind, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.reading import Element
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View
from einvoice.xml import parse
from einvoice_ksef import nip, poland
from einvoice_ksef.fa3 import characters, schema
from einvoice_ksef.fa3.structure import NAMESPACE, ROOT

MAX_BYTES: Final = 1_000_000
MAX_BYTES_WITH_ATTACHMENT: Final = 3_000_000
_NO_TERMS: Final = r"(?!)"  # no text of a group counts
CORRECTIONS: Final = frozenset({"KOR", "KOR_ZAL", "KOR_ROZ"})

SYNTAX = Syntax("FA3", {ROOT: "invoice"}, {NAMESPACE: "fa"}, _NO_TERMS, schema.source)
LAYER = Layer("KSEF-FA3", SYNTAX, "network", Path(__file__).parent / "words")

_DECLARATION: Final = re.compile(rb"<\?xml\s[^>]*\?>")
_ENCODING: Final = re.compile(rb"""\sencoding\s*=\s*["']([^"']+)["']""")
_BOM: Final = b"\xef\xbb\xbf"

documents = Chapter(LAYER)
_DOCUMENT = Pattern().context("/fa:Faktura")
_INVOICE = Pattern().context("/fa:Faktura/fa:Fa")
_NUMBER: Final = "fa:DaneIdentyfikacyjne/fa:NIP"
_numbers = Pattern()
_OF_SELLER = _numbers.context(f"fa:Podmiot1/{_NUMBER}")
_OF_BUYER = _numbers.context(f"fa:Podmiot2/{_NUMBER}")
_OF_OTHERS = _numbers.context(
    f"fa:Podmiot3/{_NUMBER}",
    f"fa:PodmiotUpowazniony/{_NUMBER}",
    "fa:Podmiot3/fa:DaneIdentyfikacyjne/fa:IDWew",
)
WRONG_NUMBERS: Final = ("KSEF-NIP-SELLER", "KSEF-NIP-BUYER", "KSEF-NIP-OTHER")


@documents.rule("KSEF-SIZE", "", at=_DOCUMENT, kind=Kind.OTHER)
def is_small_enough(document: Node, view: View) -> Values | None:
    """An invoice has at most 1,000,000 bytes, one with an attachment 3,000,000."""
    most = MAX_BYTES_WITH_ATTACHMENT if document.has("fa:Zalacznik") else MAX_BYTES
    size = len(view.source or b"")
    return None if size <= most else {"count": f"{size:,}", "most": f"{most:,}"}


@documents.rule("KSEF-BOM", "", at=_DOCUMENT, kind=Kind.FORMAT)
def has_no_byte_order_mark(_: Node, view: View) -> Values | None:
    """The document begins without a byte order mark."""
    return BROKEN if (view.source or b"").startswith(_BOM) else None


@documents.rule("KSEF-ENCODING", "", at=_DOCUMENT, kind=Kind.FORMAT)
def declares_utf8(_: Node, view: View) -> Values | None:
    """The XML declaration names no encoding but UTF-8."""
    declaration = _DECLARATION.match((view.source or b"").removeprefix(_BOM))
    declared = _ENCODING.search(declaration[0]) if declaration else None
    if declared is None or declared[1].upper() == b"UTF-8":
        return None
    return {"text": declared[1].decode("ascii", "replace")}


@documents.rule("KSEF-INSTRUCTION", "", at=_DOCUMENT, kind=Kind.FORMAT)
def has_no_processing_instruction(_: Node, view: View) -> Values | None:
    """The document has no processing instruction."""
    source = (view.source or b"").removeprefix(_BOM)
    declaration = _DECLARATION.match(source)
    if source.find(b"<?", declaration.end() if declaration else 0) < 0:
        return None
    root = parse(source, max_bytes=len(source))  # "<?" may also be text, or in a comment
    return BROKEN if root.xpath("boolean(//processing-instruction())") else None


@documents.rule("KSEF-CHARACTER", "", at=_DOCUMENT, kind=Kind.FORMAT)
def has_no_discouraged_character(_: Node, view: View) -> Values | None:
    """The document has no character that XML discourages."""
    found = characters.found_in_xml(view.source or b"")
    return None if found is None else {"code": f"U+{ord(found):04X}"}


@documents.rule("KSEF-DATE", "BT-2", at=_INVOICE, kind=Kind.OTHER)
def is_issued(invoice: Node, _: View) -> Values | None:
    """The date of issue is not after today, in Poland."""
    written, today = invoice.text_of("fa:P_1").strip(XML_SPACE), poland.today().isoformat()
    return {"text": written, "end": today} if written > today else None


@documents.rule("KSEF-CORRECTION", "BG-3", at=_INVOICE, kind=Kind.PRESENCE)
def correction_names_what_it_corrects(invoice: Node, _: View) -> Values | None:
    """A correction names the number and date of the invoice that it corrects."""
    if invoice.text_of("fa:RodzajFaktury").strip(XML_SPACE) not in CORRECTIONS:
        return None
    return None if invoice.has("fa:DaneFaKorygowanej/fa:NrFaKorygowanej") else BROKEN


def number_has_its_check_digit(number: Node, _: View) -> Values | None:
    """A NIP, also that in an internal identifier, has a correct check digit."""
    written = number.text.strip(XML_SPACE)[: nip.LENGTH]
    return None if nip.is_correct(written) else {"number": written}


for _id, _terms, _context in zip(
    WRONG_NUMBERS, ("BT-31", "BT-48", "BT-61"), (_OF_SELLER, _OF_BUYER, _OF_OTHERS), strict=True
):
    documents.rule(_id, _terms, at=_context, flag=Flag.WARNING, kind=Kind.FORMAT)(
        number_has_its_check_digit
    )

BOOK = Book.of(LAYER, "1-0E", [documents])
PACK = Pack("ksef-fa3-1-0E", "FA (3) 1-0E", date(2026, 2, 1), None, (BOOK,))
RULES = RuleSet("ksef-fa3", (PACK,), recognises=lambda declared: declared.root == ROOT)


def wrong_numbers(document: bytes) -> list[str]:
    """The NIPs of an FA(3) whose check digits are wrong, for which production refuses it.

    Raises NotXml.
    """
    found = PACK.engine(SYNTAX).check(cast("Element", parse(document)))
    return [str(each.values["number"]) for each in found.findings if each.id in WRONG_NUMBERS]
