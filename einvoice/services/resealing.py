"""Sealing all stored secrets with the first key, so that an old one can be removed.

It runs beside the service: a batch locks its rows for some milliseconds and waits for none, and a
secret is replaced only if it is still the one that was opened. What was left out (a locked row, a
row of a process that still seals with the old key) is found by the next pass, or the next run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from einvoice.config import Settings
from einvoice.observability import logging
from einvoice.security.sealing import ID_BYTES, Keyring, SealBroken, context_of, keyring
from einvoice.services.account import audit, audit_sealing
from einvoice.store.account import audit_seals
from einvoice.store.core import db
from einvoice.store.installation import sealed
from einvoice.store.installation.sealed import SealedColumn, SealedValue

log = logging.get(__name__)

BATCH = 25
MAX_PASSES = 5
PAUSE_SECONDS = 0.2  # between two passes
HEADS = "audit_heads.mac"

Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class SecretsOfKey:
    """How many secrets of a column one key has sealed.

    key    the id of the key, which is not secret
    place  its place in EINVOICE_SECRET_KEY, from 1 on; None if it is not there
    """

    column: str
    key: str
    place: int | None
    count: int

    @property
    def is_newest(self) -> bool:
        return self.place == 1


def by_key(settings: Settings) -> list[SecretsOfKey]:
    """All secrets by column and key; signatures of the heads of audit logs are counted too."""
    places = {key_id.hex(): n for n, key_id in enumerate(keyring(settings).keys, 1)}
    with db.reading() as connection:
        counts = {
            column: {key_id.hex(): count for key_id, count in found.items()}
            for column, found in sealed.key_ids_by_column(connection, ID_BYTES).items()
        }
        counts[HEADS] = audit_seals.key_ids_of_heads(connection, ID_BYTES)
    return [
        SecretsOfKey(column, key, places.get(key), found[key])
        for column, found in counts.items()
        for key in sorted(found, key=lambda key: (places.get(key, len(places) + 1), key))
    ]


def reseal(settings: Settings, report: Report) -> None:
    """Seal all secrets with the first key. A call goes on where an earlier one was stopped.

    report  is called after each batch with the column, how many of it were sealed in this pass, and
            how many could not be opened
    """
    ring = keyring(settings)
    for _ in range(MAX_PASSES):
        done = sum(_reseal_column(ring, column, report) for column in sealed.COLUMNS)
        if not done:
            break
        time.sleep(PAUSE_SECONDS)
    while audit_sealing.renew_heads(settings):
        pass


def _reseal_column(ring: Keyring, column: SealedColumn, report: Report) -> int:
    """One pass over a column; how many secrets were sealed."""
    after, done, broken = "", 0, 0
    while True:
        with db.writing() as connection:
            found = sealed.of_other_keys(connection, column, ring.first, after, BATCH)
            changed = [one for one in found if _reseal_one(connection, ring, column, one)]
            _record(connection, column, changed)
        done, broken = done + len(changed), broken + len(found) - len(changed)
        if found:
            report(column.name, done, broken)
        if len(found) < BATCH:
            return done
        after = found[-1].id


def _reseal_one(
    connection: Connection, ring: Keyring, column: SealedColumn, one: SealedValue
) -> bool:
    place = context_of(column.table.name, one.id, column.place)
    try:
        plain = ring.open(one.sealed, place)
    except SealBroken as fault:
        log.warning("secret not sealed again", column=column.name, row=one.id, fault=str(fault))
        return False
    return sealed.replace(connection, column, one, ring.seal(plain, place))


def _record(connection: Connection, column: SealedColumn, changed: Sequence[SealedValue]) -> None:
    """An entry in the audit log of each tenant; a session that has chosen none has no log."""
    tenants = Counter(one.tenant_id for one in changed if one.tenant_id is not None)
    for tenant_id, count in sorted(tenants.items()):
        detail = {"secrets": count}
        audit.record(connection, tenant_id, None, "secrets.resealed", column.name, detail)
