"""Documents that a network names by their numbers are found in the account that it means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.services.account import tenants
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import Work
from einvoice.store.tables import Invoice
from tests.builders import RECEIVER, SENDER, accepted

DAY = date(2026, 11, 21)
# What the network says of the document: number, access point, parties and date.
SAID = {
    "number": "N-1", "access_point": "network", "sender": SENDER, "receiver": RECEIVER,
    "issue_date": DAY, "supplier_tax_id": "BE0123456749",
}  # fmt: skip
FINDERS: dict[str, Callable[[tuple[str, str]], Work | None]] = {
    "sent": lambda scope: transmissions.by_invoice(
        "network", scope, "N-1", (SENDER.lower(), RECEIVER), DAY
    ),
    "received": lambda scope: transmissions.received_by_number(
        "network", scope, "N-1", DAY, "0123456749"
    ),
}
OTHERS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "another tenant": (("sent", "received"), {"tenant": True}),
    "another environment": (("sent", "received"), {"environment": "live"}),
    "the other direction": (("sent", "received"), {"turned": True}),
    "another number": (("sent", "received"), {"number": "N-2"}),
    "another network": (("sent", "received"), {"access_point": "simulator"}),
    "another date": (("sent", "received"), {"issue_date": DAY - timedelta(days=365)}),
    "another sender": (("sent",), {"sender": "0208:0999999922"}),
    "another receiver": (("sent",), {"receiver": "0208:0999999922"}),
    "another seller": (("received",), {"sender": "0088:1", "supplier_tax_id": "BE0999999922"}),
}
CASES = [(way, what) for what, (ways, _) in OTHERS.items() for way in ways]


def stored(tenant: str, way: str, minute: int, **changes: Any) -> str:
    """The transmission of a document of that way, of that minute."""
    at = clock.now() + timedelta(minutes=minute)
    send = accepted(tenant, created_at=at, **(SAID | changes))
    its = sa.update(Invoice).where(Invoice.id == send.invoice_id)
    with db.writing() as connection:
        connection.execute(its.values(direction=way))
    return send.transmission_id


@pytest.mark.parametrize(("way", "what"), CASES)
def test_a_document_that_differs_is_not_the_one_that_is_named(app, tenant, way, what):
    """Though it is the newer one; of two that do not differ the newer one is."""
    changes = dict(OTHERS[what][1])
    owner = tenants.create("Other") if changes.pop("tenant", False) else tenant
    turned = {"sent": "received", "received": "sent"}[way] if changes.pop("turned", False) else way
    find = FINDERS[way]
    named = stored(tenant, way, 0)
    stored(owner, turned, 1, **changes)
    before = find((tenant, "test"))
    newer = stored(tenant, way, 2)
    after = find((tenant, "test"))

    assert [each and each.id for each in (before, after)] == [named, newer]


@pytest.mark.parametrize("way", FINDERS)
def test_what_is_not_there_is_not_found(app, tenant, way):
    assert FINDERS[way]((tenant, "test")) is None
