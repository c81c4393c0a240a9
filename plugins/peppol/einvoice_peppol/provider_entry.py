"""The entry of ourselves as a provider, to which others send Message Level Statuses."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from einvoice.network.duties import Duty
from einvoice.network.publishing import Listed
from einvoice_peppol import mls
from einvoice_peppol.configuration import Network
from einvoice_peppol.entry_routes import OF_PROVIDER
from einvoice_peppol.publishing import Entries

EVERY: Final = timedelta(hours=1)
SECONDS: Final = 120.0
_TYPES: Final = tuple(OF_PROVIDER)


class NotListed(Exception):
    """The SMP does not have our provider id. The message says why."""


def duty(own: Network, entries: Entries) -> Duty:
    """Publishes our provider id where it is missing, incomplete or has a former certificate."""
    name = f"{own.stage.name}-provider-entry"
    return Duty(name, EVERY, lambda: settle(own, entries), seconds=SECONDS)


def settle(own: Network, entries: Entries) -> bool:
    """Publish our provider id; whether it was needed. Raises NotListed, DirectoryUnavailable."""
    spid = mls.spid_of(own.seat)
    if entries.status(spid, _TYPES).is_complete:
        return False
    outcome = entries.publish(spid, _TYPES, None)
    if isinstance(outcome, Listed):
        return True
    raise NotListed(f"{spid} is not published: {outcome.reason}")
