"""The parties and the invoice of `einvoice demo --peppol`, by the country of reports.

Without a country they are Belgian, and no authority gets reports.
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


def _emirati(invoice: Body) -> Body:
    licence = {"companyIdType": "TL", "companyIdAuthority": "DET"}
    place = {"line1": "Sheikh Zayed Road 1", "city": "Dubai", "region": "DXB", "countryCode": "AE"}
    return invoice | {
        "currency": "AED",
        "supplier": {
            "name": "Falcon LLC",
            "taxId": "100000000000003",
            "companyId": "CN-1",
            "address": place,
            **licence,
        },
        "buyer": {
            "name": "Oryx LLC",
            "taxId": "100000000100003",
            "companyId": "CN-2",
            "address": {**place, "line1": "Corniche 2", "city": "Abu Dhabi", "region": "AUH"},
            **licence,
        },
        "lineItems": [
            {
                "description": "Bearings",
                "quantity": 2,
                "unitPrice": 100.00,
                "taxRate": 5.0,
                "itemType": "G",
                "classifications": [{"scheme": "HS", "value": "848210"}],
            }
        ],
        "paymentMeans": {"method": "30", "iban": "AE070331234567890123456"},
        "totals": {"subtotal": 200.00, "taxAmount": 10.00, "grandTotal": 210.00},
    }


def _omani(invoice: Body) -> Body:
    place = {
        "line1": "Way 1",
        "line2": "Building 2",
        "line3": "Box 3",
        "city": "Muscat",
        "postalCode": "111",
        "region": "MS",
        "countryCode": "OM",
    }
    item = {
        "description": "Bearings",
        "quantity": 2,
        "unitPrice": 100.00,
        "taxRate": 5.0,
        "itemType": "G",
        "serviceCode": "00000000",
        "economicActivity": "000000",
        "classifications": [{"scheme": "HS", "value": "010121100001"}],
    }
    return invoice | {
        "currency": "OMR",
        "issueTime": "10:00:00",
        "supplier": {
            "name": "Frankincense LLC",
            "taxId": "OM1234567890",
            "companyId": "1",
            "address": place,
            "contact": {"phone": "+968 24000000"},
        },
        "buyer": {
            "name": "Dhow LLC",
            "taxId": "OM1234567891",
            "companyId": "2",
            "address": {**place, "line1": "Way 2"},
        },
        "lineItems": [item],
        "paymentMeans": {"method": "10"},
        "totals": {"subtotal": 200.00, "taxAmount": 10.00, "grandTotal": 210.00},
    }


BELGIAN: Final = Story(SENDER, "0208:0403019261")
STORIES: Final[Mapping[str, Story]] = {
    "AE": Story("0235:1987654321", "0235:1345678901", _emirati),
    "OM": Story("0248:OM1234567890", "0248:OM1234567891", _omani),
    "SK": Story("0245:2020317068", "0245:2021853504", _slovak),
}
