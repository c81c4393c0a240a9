"""Slovak rules of the Peppol layer for UBL."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import BUYER_PARTY, SELLER_PARTY
from einvoice.rules.national.slovakia import between_slovak_addresses, between_slovaks
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

slovakia = Chapter(Layer.PEPPOL_UBL)

_CORRECTION = "384"
_PRECEDING = "cac:BillingReference"

INVOICE = Pattern(between_slovaks).context("ubl:Invoice")

_addresses = Pattern(between_slovak_addresses)
SELLER_ADDRESS = _addresses.context(f"{SELLER_PARTY}/cac:PostalAddress")
BUYER_ADDRESS = _addresses.context(f"{BUYER_PARTY}/cac:PostalAddress")


@slovakia.rule("SK-R-001", "BG-3", at=INVOICE, flag=Flag.WARNING, kind=Kind.PRESENCE,
               path=_PRECEDING)  # fmt: skip
def correction_names_the_invoice(invoice: Node, _: View) -> Values | None:
    """A corrected invoice, type 384, between Slovak parties names the preceding invoice (BG-3)."""
    corrects = normalized(invoice.text_of("cbc:InvoiceTypeCode")) == _CORRECTION
    return BROKEN if corrects and not invoice.has(_PRECEDING) else None


def _has(path: str) -> Check:
    """A check that an element is there; it may be empty."""

    def check(address: Node, _: View) -> Values | None:
        return None if address.has(path) else BROKEN

    return check


for _rule, _term, _place, _path, _requires in (
    ("SK-R-002", "BT-35", SELLER_ADDRESS, "cbc:StreetName", "A Slovak seller has a street"),
    ("SK-R-003", "BT-37", SELLER_ADDRESS, "cbc:CityName", "A Slovak seller has a city"),
    ("SK-R-004", "BT-38", SELLER_ADDRESS, "cbc:PostalZone", "A Slovak seller has a post code"),
    ("SK-R-005", "BT-50", BUYER_ADDRESS, "cbc:StreetName", "A Slovak buyer has a street"),
    ("SK-R-006", "BT-52", BUYER_ADDRESS, "cbc:CityName", "A Slovak buyer has a city"),
    ("SK-R-007", "BT-53", BUYER_ADDRESS, "cbc:PostalZone", "A Slovak buyer has a post code"),
):
    slovakia.add(
        _rule, _term, _place, _has(_path), f"{_requires} ({_term})",
        Flag.WARNING, Kind.PRESENCE, parameters={"path": _path},
    )  # fmt: skip
