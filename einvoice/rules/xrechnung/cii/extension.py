"""BR-DEX: the Extension in CII, which has more kinds of identifiers, but no sub lines.

They hold in documents with the specification identifier (BT-24) of the Extension.
"""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.cii_paths import DELIVERY, GUIDELINE, INVOICE, LINE
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View
from einvoice.rules.xrechnung.extended_codes import ExtendedCodes, has_scheme
from einvoice.rules.xrechnung.scenarios import EXTENSION
from einvoice.rules.xrechnung.specification import specified

_PARENT = "ram:ParentLineID"
extension = Chapter(Layer.XRECHNUNG_CII, gathers=(_PARENT,))


def _of_party(identifier: Node, view: View) -> bool:
    inside = identifier.within("ram:SpecifiedTradeProduct") or identifier.within(
        "ram:ShipToTradeParty"
    )
    return has_scheme(identifier, view) and not inside


def _of_organisation(identifier: Node, view: View) -> bool:
    return has_scheme(identifier, view) and not identifier.within("ram:SpecifiedTaxRegistration")


_pattern = Pattern(specified(GUIDELINE, EXTENSION))
LINE_DOCUMENT = _pattern.context(f"{INVOICE}/{LINE}/ram:AssociatedDocumentLineDocument")
PARTY_ID = _pattern.context("ram:GlobalID", when=_of_party)
LEGAL_ID = _pattern.context("ram:ID", when=_of_organisation)
ITEM_ID = _pattern.context("ram:SpecifiedTradeProduct/ram:GlobalID", when=has_scheme)
ADDRESS = _pattern.context("ram:URIUniversalCommunication/ram:URIID", when=has_scheme)
LOCATION_ID = _pattern.context(
    f"{DELIVERY.rpartition('/')[2]}/ram:ShipToTradeParty/ram:GlobalID", when=has_scheme
)
ATTACHMENT = _pattern.context("ram:AttachmentBinaryObject")


@extension.rule("BR-DEX-15", "BG-DEX-01", at=LINE_DOCUMENT, flag=Flag.WARNING, kind=Kind.ABSENCE,
                path=_PARENT)  # fmt: skip
def lines_have_no_parents(_: Node, view: View) -> Values | None:
    """No line has a parent line: XRechnung in CII has no sub lines (BG-DEX-01)."""
    return BROKEN if view.everywhere(_PARENT) else None


ExtendedCodes(
    attachment=ATTACHMENT, party=PARTY_ID, legal=LEGAL_ID, item=ITEM_ID, address=ADDRESS,
    location=LOCATION_ID,
).add_to(extension)  # fmt: skip
