"""What a party in UBL is registered for: VAT, or another tax."""

from __future__ import annotations

from einvoice.rules.node import Node
from einvoice.rules.values import normalized


def registrations(party: Node, scheme: str) -> list[Node]:
    """The registrations whose tax scheme is this one, blanks around it aside.

    Raises MoreThanOneItem.
    """
    return [
        registration
        for registration in party.all("cac:PartyTaxScheme")
        if normalized(registration.text_of("cac:TaxScheme/cbc:ID")) == scheme
    ]
