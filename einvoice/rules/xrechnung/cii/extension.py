"""BR-DEX: the Extension in CII, which has more kinds of identifiers, but no sub lines.

They hold in documents with the specification identifier (BT-24) of the Extension.
"""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Flag, Kind, Pattern, Values
from einvoice.rules.cii_paths import DELIVERY, INVOICE, LINE
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View
from einvoice.rules.xrechnung.extended_codes import (
    ADDRESSES,
    ORGANISATIONS,
    has_scheme,
    media_type_allowed,
    scheme_listed,
)
from einvoice.rules.xrechnung.scenarios import EXTENSION

_PARENT = "ram:ParentLineID"
GUIDELINE = "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
extension = Chapter(Layer.XRECHNUNG_CII, gathers=(_PARENT,))


def is_extension(view: View) -> bool:
    """Whether a text node of the specification identifier is that of the Extension."""
    identifiers = view.root.all(GUIDELINE)
    return any(EXTENSION in view.text_nodes(identifier) for identifier in identifiers)


def _of_party(identifier: Node, view: View) -> bool:
    inside = identifier.within("ram:SpecifiedTradeProduct") or identifier.within(
        "ram:ShipToTradeParty"
    )
    return has_scheme(identifier, view) and not inside


def _of_organisation(identifier: Node, view: View) -> bool:
    return has_scheme(identifier, view) and not identifier.within("ram:SpecifiedTaxRegistration")


_pattern = Pattern(is_extension)
LINE_DOCUMENT = _pattern.context(f"{INVOICE}/{LINE}/ram:AssociatedDocumentLineDocument")
PARTY_ID = _pattern.context("ram:GlobalID", when=_of_party)
LEGAL_ID = _pattern.context("ram:ID", when=_of_organisation)
ITEM_ID = _pattern.context("ram:SpecifiedTradeProduct/ram:GlobalID", when=has_scheme)
ADDRESS = _pattern.context("ram:URIUniversalCommunication/ram:URIID", when=has_scheme)
LOCATION_ID = _pattern.context(
    f"{DELIVERY.rpartition('/')[2]}/ram:ShipToTradeParty/ram:GlobalID", when=has_scheme
)
ATTACHMENT = _pattern.context("ram:AttachmentBinaryObject")

extension.add(
    "BR-DEX-01", "BT-125-1", ATTACHMENT, media_type_allowed,
    "The media type of an attachment (BT-125-1) is one of EN 16931, or application/xml.",
    kind=Kind.CODE_LIST, parameters={"list": "mime", "path": "@mimeCode"},
)  # fmt: skip


@extension.rule("BR-DEX-15", "BG-DEX-01", at=LINE_DOCUMENT, flag=Flag.WARNING, kind=Kind.ABSENCE,
                path=_PARENT)  # fmt: skip
def lines_have_no_parents(_: Node, view: View) -> Values | None:
    """No line has a parent line: XRechnung in CII has no sub lines (BG-DEX-01)."""
    return BROKEN if view.everywhere(_PARENT) else None


_in_organisations = scheme_listed(ORGANISATIONS)
_SCHEMES: tuple[tuple[str, str, Context, Check, str, str], ...] = (
    ("BR-DEX-04", "BT-29-1 BT-46-1 BT-60-1", PARTY_ID, _in_organisations, "icd_iso6523_cen",
     "The scheme of a party identifier is a code of ISO 6523, or XR01, XR02 or XR03."),
    ("BR-DEX-05", "BT-30-1 BT-47-1 BT-61-1", LEGAL_ID, _in_organisations, "icd_iso6523_cen",
     "The scheme of a legal registration is a code of ISO 6523, or XR01, XR02 or XR03."),
    ("BR-DEX-06", "BT-157-1", ITEM_ID, _in_organisations, "icd_iso6523_cen",
     "The scheme of an item identifier (BT-157-1) is a code of ISO 6523, or XR01, XR02 or XR03."),
    ("BR-DEX-07", "BT-34-1 BT-49-1", ADDRESS, scheme_listed(ADDRESSES), "eas_cen",
     "The scheme of an electronic address is a code of the EAS list, or XR01, XR02 or XR03."),
    ("BR-DEX-08", "BT-71-1", LOCATION_ID, _in_organisations, "icd_iso6523_cen",
     "The scheme of a delivery location (BT-71-1) is a code of ISO 6523, or XR01, XR02 or XR03."),
)  # fmt: skip
for _rule, _terms, _at, _check, _list, _requires in _SCHEMES:
    extension.add(
        _rule, _terms, _at, _check, _requires, kind=Kind.CODE_LIST,
        parameters={"list": _list, "path": "@schemeID"},
    )  # fmt: skip
