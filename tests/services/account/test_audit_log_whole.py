"""The audit log is sealed, and a change of its tables is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.config import Settings
from einvoice.security import sealing
from einvoice.services.account import audit, audit_sealing, audit_verification, tenants
from einvoice.services.account.audit_verification import Verification
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, AuditHead, AuditSeal
from einvoice.web.runtime import runtime_of
from jobs.table import DUTIES


@pytest.fixture
def settings(app: Flask) -> Settings:
    return runtime_of(app).settings


@pytest.fixture
def sealed(tenant: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sequences of six entries in three seals of two."""
    monkeypatch.setattr(audit_sealing, "MAX_ENTRIES", 2)
    for number in range(6):
        _record(tenant, f"target {number}")
    audit_sealing.seal_all(tenant, settings)
    return _sequences(tenant)


def _record(tenant: str, target: str) -> None:
    with audit.of_operator(), db.writing() as connection:
        audit.record(connection, tenant, None, "test.done", target, {"ü": [1, None, "é"]})


def _sequences(tenant: str) -> list[int]:
    query = sa.select(AuditEntry.sequence).where(AuditEntry.tenant_id == tenant)
    with db.reading() as connection:
        return list(connection.scalars(query.order_by(AuditEntry.sequence)))


def _verified(tenant: str, settings: Settings, noted: str | None = None) -> Verification:
    return audit_verification.verify(tenant, settings, noted)


def test_a_log_that_nobody_changed_is_whole(
    tenant: str, settings: Settings, sealed: list[int]
) -> None:
    _record(tenant, "not sealed yet")
    found = _verified(tenant, settings)

    assert found.faults == []
    assert (found.entries, found.waiting) == (6, 1)
    assert found.head.startswith("3:")


def test_a_log_without_entries_is_whole(tenant: str, settings: Settings) -> None:
    audit_sealing.seal_all(tenant, settings)

    assert _verified(tenant, settings) == Verification(tenant)


def test_the_relay_seals_entries_of_every_tenant(app: Flask, tenant: str) -> None:
    _record(tenant, "t")
    (duty,) = (one for one in DUTIES if one.name == "seal the audit log")
    more = duty.run()

    assert more is False
    assert _verified(tenant, runtime_of(app).settings).entries == 1
    assert tenant in audit_verification.tenants()


@pytest.mark.parametrize(
    ("bound", "most", "sweeps"),
    [
        ("MAX_ENTRIES", 4, [False]),
        ("MAX_ENTRIES", 2, [True, False]),
        ("MAX_TENANTS", 3, [False]),
        ("MAX_TENANTS", 1, [True, True, False]),
    ],
)
def test_a_sweep_says_whether_more_is_left(
    tenant: str,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    most: int,
    sweeps: list[bool],
) -> None:
    """Then the relay sweeps again at once."""
    monkeypatch.setattr(audit_sealing, bound, most)
    for target in "abc":
        _record(tenant, target)
    _record(tenants.create("Other"), "d")

    assert [audit_sealing.sweep(settings) for _ in sweeps] == sweeps
    assert _verified(tenant, settings).waiting == 0


CHANGES: dict[str, tuple[Callable[[list[int]], list[sa.Executable]], str]] = {
    "a changed actor": (
        lambda s: [_update(s[2], actor="someone else")],
        "entry {2} was changed (seal 2)",
    ),
    "a changed detail": (
        lambda s: [_update(s[2], detail={})],
        "entry {2} was changed (seal 2)",
    ),
    "a changed time": (
        lambda s: [_update(s[2], at=clock.now() + timedelta(seconds=5))],
        "entry {2} was changed (seal 2)",
    ),
    "a part without its salt": (
        lambda s: [_update(s[2], salts={})],
        "entry {2} was changed: it has no salt (seal 2)",
    ),
    "a removed entry": (
        lambda s: [sa.delete(AuditEntry).where(AuditEntry.sequence == s[3])],
        "entry {3} was removed (seal 2)",
    ),
    "the last entry removed": (
        lambda s: [sa.delete(AuditEntry).where(AuditEntry.sequence == s[5])],
        "entry {5} was removed (seal 3)",
    ),
    "an entry given to another tenant": (
        lambda s: [_update(s[1], tenant_id="other")],
        "entry {1} was removed (seal 1)",
    ),
    "two entries reordered": (
        lambda s: [_update(s[2], sequence=-1), _update(s[3], sequence=s[2]),
                   _update(-1, sequence=s[3])],
        "entry {2} was reordered: it is entry {3} (seal 2)",
    ),
    "an entry marked as not sealed": (
        lambda s: [_update(s[0], seal=None, target="other")],
        "entry {0} was changed (seal 1)",
    ),
    "a changed seal": (
        lambda s: [sa.update(AuditSeal).where(AuditSeal.number == 2).values(entries=[])],
        "seal 2 was changed, or one before it",
    ),
    "a removed seal": (
        lambda s: [sa.delete(AuditSeal).where(AuditSeal.number == 2)],
        "seal 2 is missing",
    ),
    "the last seal removed with its entries": (
        lambda s: [sa.delete(AuditSeal).where(AuditSeal.number == 3),
                   sa.delete(AuditEntry).where(AuditEntry.sequence.in_(s[4:]))],
        "seal 3 is missing",
    ),
    "all seals removed": (
        lambda s: [sa.delete(AuditSeal), sa.delete(AuditEntry)],
        "seals 1 to 3 are missing",
    ),
    "the head set back": (
        lambda s: [sa.update(AuditHead).values(seals=2)],
        "the head was changed, or its key is not in EINVOICE_SECRET_KEY",
    ),
    "the head removed": (
        lambda s: [sa.delete(AuditHead)],
        "the head of the chain is missing",
    ),
}  # fmt: skip


def _update(of: int, **values: object) -> sa.Executable:
    return sa.update(AuditEntry).where(AuditEntry.sequence == of).values(**values)


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_of_the_tables_is_named(
    tenant: str, settings: Settings, sealed: list[int], case: str
) -> None:
    statements, words = CHANGES[case]
    with db.writing() as connection:
        for statement in statements(sealed):
            connection.execute(statement)
    found = _verified(tenant, settings)

    assert words.format(*sealed) in found.faults


def test_an_inserted_entry_is_named(tenant: str, settings: Settings, sealed: list[int]) -> None:
    """Whether it claims to be sealed, or has a time before that of sealed entries."""
    _record(tenant, "claims a seal")
    _record(tenant, "backdated")
    claims, backdated = _sequences(tenant)[-2:]
    with db.writing() as connection:
        connection.execute(_update(claims, seal=3))
        connection.execute(_update(backdated, at=clock.now() - timedelta(days=1)))
    waiting = _verified(tenant, settings).faults
    audit_sealing.seal_all(tenant, settings)
    sealed_late = _verified(tenant, settings).faults

    assert waiting == [
        f"entry {claims} was inserted (seal 3 lacks it)",
        f"entry {backdated} was inserted later (not sealed)",
    ]
    assert sealed_late == [
        f"entry {backdated} was inserted later (seal 4)",
        f"entry {claims} was inserted (seal 3 lacks it)",
    ]


def test_a_chain_written_without_the_key_is_found(
    tenant: str, settings: Settings, sealed: list[int]
) -> None:
    """Somebody who can write every table makes the whole chain again."""
    with db.writing() as connection:
        connection.execute(sa.delete(AuditSeal))
        connection.execute(sa.delete(AuditHead))
        connection.execute(sa.update(AuditEntry).values(seal=None, target="forged"))
    audit_sealing.seal_all(tenant, replace(settings, secret_key=sealing.new_key()))

    assert _verified(tenant, settings).faults == [
        "the head was changed, or its key is not in EINVOICE_SECRET_KEY"
    ]


def test_a_former_head_of_the_chain_is_found(
    tenant: str, settings: Settings, sealed: list[int]
) -> None:
    """It was made with the key, for a chain that was shorter."""
    former = sa.select(AuditHead.seals, AuditHead.digest, AuditHead.mac)
    with db.reading() as connection:
        seals, digest, mac = connection.execute(former).one()
    _record(tenant, "later")
    audit_sealing.seal_all(tenant, settings)
    with db.writing() as connection:
        put_back = sa.update(AuditHead).values(seals=seals, digest=digest, mac=mac)
        connection.execute(put_back)

    assert _verified(tenant, settings).faults == ["the chain has 4 seals, its head says 3"]


def test_a_head_that_was_noted_must_be_in_the_chain(
    tenant: str, settings: Settings, sealed: list[int]
) -> None:
    """Such as after the whole database was replaced by an older one."""
    noted = _verified(tenant, settings).head
    _record(tenant, "later")
    audit_sealing.seal_all(tenant, settings)

    assert _verified(tenant, settings, noted).faults == []
    assert _verified(tenant, settings, "3:" + 64 * "0").faults == [
        "seal 3 is not the one that was noted"
    ]
    assert _verified(tenant, settings, "9:" + 64 * "0").faults == [
        "seal 9 was noted and is missing"
    ]


def test_heads_are_made_with_the_first_key(
    tenant: str, settings: Settings, sealed: list[int]
) -> None:
    """The sweep does it, so that the old key can be removed after a rotation."""
    old, new = sealing.new_key(), sealing.new_key()
    _record(tenant, "with the old key")
    _forget_head(tenant, settings, replace(settings, secret_key=old))
    audit_sealing.sweep(replace(settings, secret_key=f"{new},{old}"))

    assert _verified(tenant, replace(settings, secret_key=new)).faults == []


def _forget_head(tenant: str, before: Settings, after: Settings) -> None:
    """Give the head the key of other settings, as a rotation does."""
    keys = {**audit_sealing.keys_of(after), **audit_sealing.keys_of(before)}
    assert len(keys) == 2
    with db.writing() as connection:
        connection.execute(sa.delete(AuditHead))
        connection.execute(sa.delete(AuditSeal))
        connection.execute(sa.update(AuditEntry).values(seal=None))
    audit_sealing.seal_all(tenant, after)
