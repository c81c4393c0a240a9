"""Tenants with delivered invoices and links for their buyers."""

from __future__ import annotations

import base64
import itertools
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

from einvoice.domain.roles import Role
from einvoice.services.account import tenants
from einvoice.services.invoices import share_links
from einvoice.services.principal import Session
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Transmission
from tests.builders import accepted

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
DELIVERED_AT = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
_names = itertools.count(1)


class Shop:
    """One tenant, and the doors its buyers come in by."""

    def __init__(self, app: Flask, **profile: Any) -> None:
        self.app = app
        with app.app_context():
            self.tenant = tenants.create(f"Shop {next(_names)}")
            tenants.change(self.tenant, {"profile": profile})

    @property
    def person(self) -> Session:
        return Session(self.tenant, "ann", "ann@example.com", Role.OWNER)

    def invoice(self, *, status: str = "Delivered", **changes: Any) -> str:
        """The id of an invoice that has come so far."""
        given = {
            "issue_date": date(2026, 11, 21),
            "due_date": date(2026, 12, 21),
            "payable": Decimal("1234.50"),
            "receiver_country": "BE",
        }
        direction = changes.pop("direction", "sent")
        with self.app.app_context():
            send = accepted(self.tenant, **(given | changes))
            with db.writing() as connection:
                connection.execute(
                    sa.update(Transmission)
                    .where(Transmission.id == send.transmission_id)
                    .values(status=status, settled_at=DELIVERED_AT)
                )
                connection.execute(
                    sa.update(Invoice)
                    .where(Invoice.id == send.invoice_id)
                    .values(direction=direction)
                )
        return send.invoice_id

    def link(self, invoice_id: str | None = None, **changes: Any) -> str:
        """The token of a new link."""
        invoice_id = invoice_id or self.invoice(**changes)
        with self.app.app_context():
            token = share_links.share(invoice_id, self.person, regenerate=True).token
        assert token is not None
        return token

    def revoke(self, invoice_id: str) -> None:
        with self.app.app_context():
            share_links.revoke(invoice_id, self.person)

    def open(self, token: str, accept: str | None = None, **headers: str) -> TestResponse:
        """What a visitor gets."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if accept:
            named["Accept"] = accept
        return self.app.test_client().get(f"/api/invoices/view/{token}", headers=named)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
