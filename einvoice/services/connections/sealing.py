"""Credentials and plugin state of a connection, encrypted for their row."""

from __future__ import annotations

import json
from collections.abc import Mapping

from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.network.connections import Connection
from einvoice.security.sealing import context_of, keyring
from einvoice.store.connections.connections import SealedConnection
from einvoice.store.connections.shared_consents import SealedConsent

MAX_SEALED_BYTES = 1024 * 1024  # of the credentials or the state of a connection


class TooMuchToSeal(Exception):
    """Credentials or state are larger than what is stored, or not texts by names."""


def sealed(connection_id: str, column: str, values: Mapping[str, str], settings: Settings) -> bytes:
    """The values, encrypted. Raises TooMuchToSeal."""
    return _sealed(_context(connection_id, column), column, values, settings)


def sealed_again(
    connection: SealedConnection, column: str, values: Mapping[str, str], settings: Settings
) -> bytes:
    """The values, encrypted for the row that has them now. Raises TooMuchToSeal."""
    if column == "credentials" and connection.consent is not None:
        return _sealed(_consent_context(connection.consent.id), column, values, settings)
    return sealed(connection.id, column, values, settings)


def _sealed(place: str, column: str, values: Mapping[str, str], settings: Settings) -> bytes:
    if not all(isinstance(part, str) for item in values.items() for part in item):
        raise TooMuchToSeal(f"{column}: names and values have to be texts")
    plain = json.dumps(dict(values), ensure_ascii=False).encode(errors="surrogatepass")
    if len(plain) > MAX_SEALED_BYTES:
        raise TooMuchToSeal(f"{column}: {len(plain):,} bytes")
    return keyring(settings).seal(plain, place)


def opened(stored: SealedConnection, settings: Settings) -> Connection:
    """The connection as its access point gets it. Raises SealBroken."""
    return Connection(
        stored.id,
        stored.tenant_id,
        Environment(stored.environment),
        stored.account,
        _credentials(stored, settings),
        _opened(_context(stored.id, "plugin_state"), stored.plugin_state, settings),
    )


def _credentials(stored: SealedConnection, settings: Settings) -> dict[str, str]:
    if stored.consent is not None:
        return opened_consent(stored.consent, settings)
    return _opened(_context(stored.id, "credentials"), stored.credentials, settings)


def opened_consent(stored: SealedConsent, settings: Settings) -> dict[str, str]:
    """The credentials of a consent. Raises SealBroken."""
    return _opened(_consent_context(stored.id), stored.credentials, settings)


def _opened(place: str, value: bytes | None, settings: Settings) -> dict[str, str]:
    if value is None:
        return {}
    plain = keyring(settings).open(value, place)
    found: dict[str, str] = json.loads(plain.decode(errors="surrogatepass"))
    return found


def _context(connection_id: str, column: str) -> str:
    return context_of("connections", connection_id, column)


def _consent_context(consent_id: str) -> str:
    return context_of("shared_consents", consent_id, "credentials")
