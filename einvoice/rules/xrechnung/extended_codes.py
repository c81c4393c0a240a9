"""The schemes of identifiers that the Extension adds to ISO 6523 and EAS, and CVD to UNTDID 7143.

As officially tested, an empty scheme is in every list.
"""

from __future__ import annotations

from einvoice.rules.book import Check, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_HEALTH = frozenset({"", "XR01", "XR02", "XR03"})  # digital health applications
ORGANISATIONS = code_list("icd_iso6523_cen").codes | _HEALTH
ADDRESSES = code_list("eas_cen").codes | _HEALTH
CLASSIFICATIONS = code_list("uncl7143").codes | {"", "CVD"}
MEDIA_TYPES = code_list("mime").codes | {"application/xml"}
VEHICLES = ("M1", "M2", "M3", "N1", "N2", "N3")
VEHICLE_EMISSIONS = ("clean", "zero-emission", "other")


def scheme_listed(codes: frozenset[str], attribute: str = "schemeID") -> Check:
    """The attribute of the node, without blanks around it, must be one of the codes."""

    def check(node: Node, _: View) -> Values | None:
        code = normalized(node.attributes.get(attribute, ""))
        return None if code in codes else {"code": code}

    return check


def has_scheme(identifier: Node, _: View) -> bool:
    """Whether an identifier has a scheme, even an empty one."""
    return "schemeID" in identifier.attributes


def media_type_allowed(attachment: Node, _: View) -> Values | None:
    """The media type of an attachment is one of the list of EN 16931, or application/xml."""
    code = attachment.attributes.get("mimeCode", "")
    return None if code in MEDIA_TYPES else {"code": code}
