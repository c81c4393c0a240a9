"""Documents at networks since a moment, compared with this database (decisions 27.4).

After a restore, documents that were accepted after the moment are with the networks only, and some
networks list them. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from einvoice.network.connections import SendsByConnection, sending_by_connection
from einvoice.network.types import AccessPoint, ListsSent, SentDocument
from einvoice.observability import logging
from einvoice.services.connections import accounts, opened_accounts
from einvoice.services.runtime import Runtime
from einvoice.store.installation import recoveries

log = logging.get(__name__)

CHUNK = 500
MAX_LISTED = 100_000  # documents of one account
MAX_ACCOUNTS = 100_000


@dataclass(frozen=True, slots=True)
class Compared:
    """The documents that one network has got, for one account where it has accounts.

    listed   how many documents it has listed
    unknown  the documents among them that this database does not know
    fault    why it has not listed all of them; None: it has
    """

    access_point: str
    account: str | None
    listed: int
    unknown: tuple[SentDocument, ...]
    fault: str | None = None


def compare(since: datetime, runtime: Runtime) -> Iterator[Compared]:
    """One result for each access point, or for each of its accounts."""
    for point in runtime.access_points:
        by_connection = sending_by_connection(point)
        if by_connection is None:
            yield _compared(point.name, None, point, since)
        else:
            yield from _of_accounts(point.name, by_connection, since, runtime)


def _of_accounts(
    name: str, point: SendsByConnection, since: datetime, runtime: Runtime
) -> Iterator[Compared]:
    for one in accounts.of_all(None, MAX_ACCOUNTS):
        if one.access_point != name:
            continue
        account = opened_accounts.opened(one.id, point, runtime)
        if not account.is_usable:
            yield Compared(name, one.account, 0, (), "the connection cannot be used")
            continue
        yield _compared(name, one.account, account.bound(), since)


def _compared(name: str, account: str | None, point: AccessPoint, since: datetime) -> Compared:
    if not isinstance(point, ListsSent):
        return Compared(name, account, 0, (), "the network does not list what it got")
    listed, unknown, fault = 0, [], None
    try:
        for some in _chunks(point.sent_since(since)):
            listed += len(some)
            known = recoveries.known_references(name, [each.reference for each in some])
            unknown += [each for each in some if each.reference not in known]
    except Exception as error:
        log.exception("documents not listed", access_point=name, account=account)
        fault = f"{type(error).__name__}: {error}"[:200]
    else:
        if listed == MAX_LISTED:
            fault = f"only the first {MAX_LISTED:,} were compared"
    return Compared(name, account, listed, tuple(unknown), fault)


def _chunks(found: Iterable[SentDocument]) -> Iterator[list[SentDocument]]:
    rest = islice(found, MAX_LISTED)
    while some := list(islice(rest, CHUNK)):
        yield some
