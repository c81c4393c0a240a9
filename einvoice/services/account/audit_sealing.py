"""Sealing the audit log: a sweep chains the entries that were written since the last one.

An entry is written in the transaction of its action and waits for nothing. Sealing them one by one
would let all actions of a tenant wait for each other; the sweep takes them in the order of their
sequences. An entry whose transaction ends late is in a later seal than one with a higher sequence.
"""

from __future__ import annotations

from einvoice import clock
from einvoice.config import Settings
from einvoice.observability import logging
from einvoice.security import audit_chain, sealing
from einvoice.services.account.audit_digests import digest_of
from einvoice.store.account import audit_seals as stored
from einvoice.store.account.audit_seals import HeadRecord, SealRecord
from einvoice.store.core import db

log = logging.get(__name__)

MAX_ENTRIES = 500  # of one seal
MAX_TENANTS = 100  # of one sweep


def sweep(settings: Settings) -> bool:
    """Seal what is not sealed, of a bounded number of tenants; whether more is left."""
    tenants = stored.tenants_with_unsealed(MAX_TENANTS)
    sealed = [seal(tenant_id, settings) for tenant_id in tenants]
    renew_heads(settings)
    return len(tenants) == MAX_TENANTS or MAX_ENTRIES in sealed


def seal_all(tenant_id: str, settings: Settings) -> None:
    """Seal every entry of the tenant that is committed."""
    while seal(tenant_id, settings) == MAX_ENTRIES:
        pass


def seal(tenant_id: str, settings: Settings) -> int:
    """Seal the oldest entries of the tenant that have no seal; how many they are."""
    keys = keys_of(settings)
    empty = HeadRecord(
        tenant_id, 0, audit_chain.FIRST, audit_chain.head_mac(keys, tenant_id, 0, audit_chain.FIRST)
    )
    with db.writing() as connection:
        head = stored.lock_head(connection, empty)
        found = stored.unsealed(connection, tenant_id, MAX_ENTRIES)
        if not found:
            return 0
        salts = {one.sequence: audit_chain.new_salts() for one in found}
        entries = [[one.sequence, digest_of(one, salts[one.sequence], {})] for one in found]
        now, number = clock.now(), head.seals + 1
        digest = audit_chain.seal_digest(
            head.digest, tenant_id, number, clock.timestamp(now), entries
        )
        mac = audit_chain.head_mac(keys, tenant_id, number, digest)
        new = SealRecord(tenant_id, number, now, entries, digest)
        stored.add_seal(connection, new, salts, HeadRecord(tenant_id, number, digest, mac))
    log.info("audit log sealed", tenant=tenant_id, seal=number, entries=len(found), digest=digest)
    return len(found)


def keys_of(settings: Settings) -> dict[str, bytes]:
    """The keys of heads by their ids; the first one is in use. Raises SettingsFault."""
    return sealing.derived(settings, "audit heads")


def renew_heads(settings: Settings) -> int:
    """Make the codes of some heads with the first key, so that an old key can be removed.

    Returns how many: with 0, none is left whose code is right.
    """
    keys, renewed = keys_of(settings), 0
    for found in stored.heads_of_other_keys(next(iter(keys)), MAX_TENANTS):
        with db.writing() as connection:
            head = stored.lock_head(connection, found)
            named = head.tenant_id, head.seals, head.digest
            if audit_chain.is_head(keys, head.mac, *named):
                new = HeadRecord(*named, audit_chain.head_mac(keys, *named))
                stored.set_head(connection, new)
                renewed += 1
    return renewed
