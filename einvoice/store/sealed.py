"""By which keys the stored secrets are sealed, without opening any."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.store import tables

_SECRETS = (
    tables.WebhookEndpoint.signing_secret,
    tables.Connection.credentials,
    tables.SharedConsent.credentials,
)


def key_ids(connection: Connection, length: int) -> dict[bytes, int]:
    """The first bytes of the secrets of webhook endpoints, connections and consents, which name
    their key, and how many begin with them."""
    found: dict[bytes, int] = {}
    for secret in _SECRETS:
        start = func.substr(secret, 1, length, type_=sa.LargeBinary())
        query = select(start, func.count()).where(secret.is_not(None)).group_by(start)
        for key_id, count in connection.execute(query):
            found[bytes(key_id)] = found.get(bytes(key_id), 0) + count
    return found
