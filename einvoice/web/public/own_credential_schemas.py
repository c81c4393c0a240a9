"""GET /api/credential: its response."""

from __future__ import annotations

from einvoice.services.principal import Principal
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class OwnCredential(ResponseSchema[Principal]):
    """Environment and rights of a credential, for the program that has it."""

    environment = a.text("test or live", "test")
    scopes = a.texts("Its permissions, sorted", "invoices:send", source=lambda p: sorted(p.scopes))
    allowedReceivers = a.texts(
        "Allowed receivers, sorted; empty: any",
        "0088:9520000000004",
        source=lambda p: sorted(p.allowed_receivers),
    )
    provider = a.provider()
