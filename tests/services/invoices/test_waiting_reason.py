"""A document that its network does not have yet says why."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.domain.delivery import Phase
from einvoice.domain.environments import Environment
from einvoice.services.invoices import detail
from einvoice.services.principal import Principal
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from einvoice.web.dashboard import sentences
from tests.builders import accepted

AWAY = "no connection: [Errno 111] Connection refused"


@pytest.mark.parametrize(
    ("status", "phase", "reason", "words"),
    [
        ("Processing", Phase.QUEUED, None, None),
        ("Processing", Phase.QUEUED, AWAY, f"The network has not taken it yet: {AWAY}"),
        ("Processing", Phase.PENDING, AWAY, f"The network has not decided yet: {AWAY}"),
        ("Processing", Phase.UNKNOWN, AWAY,
         f"It is not certain yet whether the network has it: {AWAY}"),
        ("Processing", Phase.SUBMITTING, AWAY,
         f"It is not certain yet whether the network has it: {AWAY}"),
        ("Failed", Phase.DONE, AWAY, None),
        ("Delivered", Phase.DONE, None, None),
    ],
)  # fmt: skip
def test_the_reason_is_that_of_the_last_attempt(app, tenant, status, phase, reason, words):
    """A document whose status is final waits for nothing."""
    with app.app_context():
        sent = accepted(tenant)
        with db.writing() as database:
            database.execute(
                sa.update(Transmission)
                .where(Transmission.id == sent.transmission_id)
                .values(status=status, phase=phase.value, reason=reason)
            )
        found = detail.get(sent.invoice_id, Principal(tenant, Environment.TEST, frozenset()))

    assert found.waiting_reason == words


def test_pages_say_it_in_their_language():
    assert sentences.said(f"The network has not taken it yet: {AWAY}", "de") == (
        "Das Netz hat es noch nicht angenommen: keine Verbindung: Verbindung abgelehnt (111)"
    )
