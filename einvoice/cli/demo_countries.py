"""The parties and the invoice of `einvoice demo --peppol`, by the country whose authority is told.

Without a country they are Belgian, and nobody is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from einvoice.cli.walkthrough import SENDER, example_send

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Story:
    """Participant ids of both parties, and what makes of the Belgian example the invoice."""

    seller: str
    buyer: str
    changed: Callable[[Body], Body] = lambda invoice: invoice

    def send(self, reference: str) -> Body:
        """The body of a send to the buyer; `reference`: of its lookup."""
        body = example_send(self.buyer, reference)
        body["routing"]["senderParticipantId"] = self.seller
        return body | {"invoice": self.changed(body["invoice"])}


def _address(street: str, city: str, code: str, country: str) -> Body:
    return {"line1": street, "city": city, "postalCode": code, "countryCode": country}


def _slovak(invoice: Body) -> Body:
    return invoice | {
        "supplier": {
            "name": "Predajca s.r.o.",
            "taxId": "SK2020317068",
            "companyId": "31333532",
            "address": _address("Hlavná 1", "Bratislava", "811 01", "SK"),
        },
        "buyer": {
            "name": "Kupec a.s.",
            "taxId": "SK2021853504",
            "address": _address("Mlynská 2", "Košice", "040 01", "SK"),
        },
        "lineItems": [
            {"description": "Poradenstvo", "quantity": 2, "unitPrice": 50.00, "taxRate": 23.0}
        ],
        "totals": {"subtotal": 100.00, "taxAmount": 23.00, "grandTotal": 123.00},
    }


BELGIAN: Final = Story(SENDER, "0208:0403019261")
STORIES: Final[Mapping[str, Story]] = {
    "SK": Story("0245:2020317068", "0245:2021853504", _slovak),
}
