"""The schemes of identifiers that the Extension adds to ISO 6523 and EAS, and CVD to UNTDID 7143.

As officially tested, an empty scheme is in every list.
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.rules.book import Chapter, Check, Context, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_HEALTH = frozenset({"", "XR01", "XR02", "XR03"})  # digital health applications
_ICD, _EAS = "icd_iso6523_cen", "eas_cen"
_LISTS = {_ICD: "ISO 6523", _EAS: "the EAS list"}
_ORGANISATIONS = code_list(_ICD).codes | _HEALTH
_ADDRESSES = code_list(_EAS).codes | _HEALTH
CLASSIFICATIONS = code_list("uncl7143").codes | {"", "CVD"}
_MEDIA_TYPES = code_list("mime").codes | {"application/xml"}


def scheme_listed(codes: frozenset[str], attribute: str = "schemeID") -> Check:
    """The attribute of the node, without spaces around it, must be one of the codes."""

    def check(node: Node, _: View) -> Values | None:
        code = normalized(node.attributes.get(attribute, ""))
        return None if code in codes else {"code": code}

    return check


def has_scheme(identifier: Node, _: View) -> bool:
    """Whether an identifier has a scheme, even an empty one."""
    return "schemeID" in identifier.attributes


def _media_type_allowed(attachment: Node, _: View) -> Values | None:
    """The media type of an attachment is one of the list of EN 16931, or application/xml."""
    code = attachment.attributes.get("mimeCode", "")
    return None if code in _MEDIA_TYPES else {"code": code}


in_organisations = scheme_listed(_ORGANISATIONS)


@dataclass(frozen=True, slots=True)
class ExtendedCodes:
    """The contexts of a syntax in which the Extension allows more codes. Identifiers have a scheme.

    party_check  the check of the scheme of a party identifier
    """

    attachment: Context  # BT-125
    party: Context  # BT-29, BT-46, BT-60
    legal: Context  # BT-30, BT-47, BT-61
    item: Context  # BT-157
    address: Context  # BT-34, BT-49
    location: Context  # BT-71
    party_check: Check = in_organisations

    def add_to(self, chapter: Chapter) -> None:
        """Declare the rules on these codes: BR-DEX-01 and BR-DEX-04 to BR-DEX-08."""
        chapter.add(
            "BR-DEX-01", "BT-125-1", self.attachment, _media_type_allowed,
            "The media type of an attachment (BT-125-1) is one of EN 16931, or application/xml.",
            kind=Kind.CODE_LIST, parameters={"list": "mime", "path": "@mimeCode"},
        )  # fmt: skip
        for rule, terms, at, check, codes, subject in (
            ("BR-DEX-04", "BT-29-1 BT-46-1 BT-60-1", self.party, self.party_check, _ICD,
             "a party identifier"),
            ("BR-DEX-05", "BT-30-1 BT-47-1 BT-61-1", self.legal, in_organisations, _ICD,
             "a legal registration"),
            ("BR-DEX-06", "BT-157-1", self.item, in_organisations, _ICD,
             "an item identifier (BT-157-1)"),
            ("BR-DEX-07", "BT-34-1 BT-49-1", self.address, scheme_listed(_ADDRESSES), _EAS,
             "an electronic address"),
            ("BR-DEX-08", "BT-71-1", self.location, in_organisations, _ICD,
             "a delivery location (BT-71-1)"),
        ):  # fmt: skip
            chapter.add(
                rule, terms, at, check,
                f"The scheme of {subject} is a code of {_LISTS[codes]}, or XR01, XR02 or XR03.",
                kind=Kind.CODE_LIST, parameters={"list": codes, "path": "@schemeID"},
            )  # fmt: skip
