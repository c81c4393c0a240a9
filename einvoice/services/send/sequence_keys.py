"""The key of a document that is sent after others, asked when it is accepted."""

from __future__ import annotations

from einvoice.domain.errors import AccessPointUnavailable
from einvoice.network.connections import MAX_KEY_LENGTH, Connection, Serial
from einvoice.network.types import Envelope
from einvoice.observability import logging

log = logging.get(__name__)


def key_of(point: Serial, envelope: Envelope, connection: Connection) -> str | None:
    """The key; None if the document waits for no other.

    Raises AccessPointUnavailable if the access point fails, or its key cannot be stored.
    """
    try:
        key = point.sequence_key(envelope, connection)
    except Exception as fault:
        log.exception("no sequence key", transmission=envelope.transmission_id)
        raise _unavailable() from fault
    if key is not None and not _is_key(key):
        log.error("not a sequence key", transmission=envelope.transmission_id)
        raise _unavailable()
    return key


def _is_key(key: object) -> bool:
    return isinstance(key, str) and 0 < len(key) <= MAX_KEY_LENGTH and key.isprintable()


def _unavailable() -> AccessPointUnavailable:
    return AccessPointUnavailable("The access point cannot say in which order it sends this.")
