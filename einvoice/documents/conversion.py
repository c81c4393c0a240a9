"""UBL → CII and CII → UBL, with what the other syntax cannot express.

Both syntaxes bind the same terms of EN 16931: a document is read into an Invoice and written in the
other syntax. To find what is lost, the written document is read and written back: what the source
has and this copy does not is information without a place in the target, or outside EN 16931.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree

from einvoice.documents.cii import read as cii_reader
from einvoice.documents.cii import write as cii_writer
from einvoice.documents.cii.core import core_of, remove
from einvoice.documents.cii.names import ROOT
from einvoice.documents.leaves import (
    Leaf,
    Place,
    leaves,
    missing,
    own_places,
    places,
    without_zones,
)
from einvoice.documents.tree import SurplusElement, refusal
from einvoice.documents.ubl import read as ubl_reader
from einvoice.documents.ubl import write as ubl_writer
from einvoice.domain.invoice import Invoice
from einvoice.rules.specifications import former_of
from einvoice.xml import parse

Read = Callable[[etree._Element], Invoice]  # noqa: SLF001 - the class of its elements
Write = Callable[[Invoice], bytes]

READERS: Final[dict[str, Read]] = {
    "ubl": ubl_reader.read_invoice,
    "cii": cii_reader.read_invoice,
}
WRITERS: Final[dict[str, Write]] = {
    "ubl": ubl_writer.document_xml,
    "cii": cii_writer.document_xml,
}
_MAX_LEFT_OUT: Final = 30  # elements; each costs reading the document once more
# Terms of the document that CII may repeat in each entry of the VAT breakdown (BT-7, BT-8).
_REPEATED: Final = ("/ApplicableTradeTax/TaxPointDate/", "/ApplicableTradeTax/DueDateTypeCode")


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """A document in the other syntax.

    lost    places of the source that are not in it
    filled  places, in the source's syntax, that it has and the source does not
    zones   days of the source whose time zones are not in it
    """

    content: bytes
    lost: tuple[Place, ...] = ()
    filled: tuple[Place, ...] = ()
    zones: tuple[Place, ...] = ()


def form_of(root: etree._Element) -> str:
    """ubl or cii. Raises UnreadableDocument for any other document."""
    if root.tag == ROOT:
        return "cii"
    if root.tag in ubl_reader.KINDS:
        return "ubl"
    if former := former_of(root.tag):
        words = f"the document is {former}, an older specification, which cannot be converted"
        raise refusal(root, f"{words}: ask its issuer for ZUGFeRD 2 or Factur-X")
    raise refusal(root, f"{etree.QName(root).localname} is neither UBL nor CII")


def readable(root: etree._Element, form: str) -> Invoice:
    """The invoice of a document in a syntax, as far as it is one of EN 16931.

    Where a term occurs more often than EN 16931 allows, as extensions do, the first counts, and the
    others are left out of the document; so is an optional group that lacks what makes it one, such
    as an account without its number. Raises UnreadableDocument.
    """
    read = READERS[form]
    source = left = core_of(root) if form == "cii" else root
    for _ in range(_MAX_LEFT_OUT):
        try:
            return read(left)
        except SurplusElement as found:
            place = left.getroottree().getelementpath(found.element)
            if left is source:
                left = deepcopy(source)
            remove(left.find(place))
    return read(left)


def converted(root: etree._Element, invoice: Invoice, form: str, to: str) -> ConvertedDocument:
    """A parsed document in a syntax, and the invoice in it, in another syntax or rewritten.

    Raises UnreadableDocument.
    """
    return _compared(invoice, list(leaves(root)), form, to)


def with_plain_notes(invoice: Invoice) -> Invoice:
    """The invoice with the subject code of a note (BT-21) before its text, as UBL writes it."""
    notes = ((None, f"#{code}#{text}" if code else text) for code, text in invoice.notes)
    return replace(invoice, notes=tuple(notes))


def written(invoice: Invoice, to: str) -> ConvertedDocument:
    """An invoice as a document; the places of what it lost refer to the UBL document.

    Raises InvalidField for a text with characters that XML does not allow.
    """
    as_ubl = WRITERS["ubl"](invoice)
    if to == "ubl":
        return ConvertedDocument(as_ubl)
    return _compared(invoice, list(leaves(parse(as_ubl))), "ubl", to)


def _compared(invoice: Invoice, source: list[Leaf], form: str, to: str) -> ConvertedDocument:
    content = WRITERS[to](cii_writer.expressible(invoice) if to == "cii" else invoice)
    again = READERS[to](parse(content))
    before = _rewritten(invoice, form)
    after = before if again == invoice else _rewritten(again, form)
    absent, zoned = without_zones(_lost(source, after), after)
    lost, zones = places(absent, source), own_places(zoned)
    changed = {place.path for place in (*lost, *zones)}
    filled = [p for p in places(missing(after, before), after) if p.path not in changed]
    return ConvertedDocument(content, tuple(lost), tuple(filled), tuple(zones))


def _rewritten(invoice: Invoice, form: str) -> list[Leaf]:
    return list(leaves(parse(WRITERS[form](invoice))))


def _lost(source: list[Leaf], kept: list[Leaf]) -> list[Leaf]:
    known = {(leaf.kind, leaf.value) for leaf in kept if _is_repeated(leaf)}
    return [
        leaf
        for leaf in missing(source, kept)
        if not (_is_repeated(leaf) and (leaf.kind, leaf.value) in known)
    ]


def _is_repeated(leaf: Leaf) -> bool:
    return any(name in leaf.kind for name in _REPEATED)
