"""All stored secrets are sealed with the newest key, and none is lost on the way."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from einvoice import clock
from einvoice.cli import application
from einvoice.cli import secrets as cli
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.security.sealing import ID_BYTES, SealBroken, context_of, keyring, new_key
from einvoice.services import resealing
from einvoice.services.account import audit, audit_sealing, audit_verification
from einvoice.services.connections import sealing
from einvoice.services.webhooks import endpoints
from einvoice.store import tables
from einvoice.store.connections.connections import SealedConnection
from einvoice.store.connections.shared_consents import SealedConsent
from einvoice.store.core import db
from einvoice.store.installation import sealed
from einvoice.store.installation.sealed import SealedValue
from einvoice.web.runtime import runtime_of

OLD, NEW = new_key(), new_key()
Rows = dict[str, str]


@pytest.fixture
def app(make_app) -> Any:
    """An application whose key has been rotated: the new key seals, the old one opens."""
    app = make_app(plugins=[], secret_key=f"{NEW},{OLD}")
    with app.app_context():
        yield app


@pytest.fixture
def settings(app: Flask) -> Settings:
    return runtime_of(app).settings


@pytest.fixture
def before(settings: Settings) -> Settings:
    """The settings before the rotation."""
    return replace(settings, secret_key=OLD)


@pytest.fixture
def after(settings: Settings) -> Settings:
    """The settings once the old key is removed."""
    return replace(settings, secret_key=NEW)


def an_endpoint(tenant: str, settings: Settings) -> str:
    made = endpoints.create(
        tenant, Environment.TEST, url="https://erp.example.com/hook", event_types=(),
        settings=settings,
    )  # fmt: skip
    return made.endpoint.id


def add_connection(tenant: str, settings: Settings) -> str:
    one, now = str(uuid.uuid4()), clock.now()
    values = {
        column: sealing.sealed(one, column, {"name": column}, settings)
        for column in ("credentials", "plugin_state")
    }
    row = {"id": one, "tenant_id": tenant, "environment": "test", "access_point": "toll",
           "network": "toll", "account": one[:20], "name": "Account", "state": "active",
           "version": 1, "created_at": now, "updated_at": now}  # fmt: skip
    with db.writing() as connection:
        connection.execute(sa.insert(tables.Connection), [row | values])
    return one


def add_consent(tenant: str, settings: Settings) -> str:
    one = f"cns_{uuid.uuid4().hex[:20]}"
    context = context_of("shared_consents", one, "credentials")
    row = {"id": one, "tenant_id": tenant, "environment": "test", "access_point": "toll",
           "credentials": keyring(settings).seal(b'{"name": "consent"}', context),
           "version": 1, "created_at": clock.now()}  # fmt: skip
    with db.writing() as connection:
        connection.execute(sa.insert(tables.SharedConsent), [row])
    return one


def add_domain(tenant: str, settings: Settings) -> str:
    one, now = str(uuid.uuid4()), clock.now()
    key = keyring(settings).seal(b"key", context_of("mail_domains", one, "dkim_key"))
    row = {"id": one, "tenant_id": tenant, "domain": f"{one}.example", "token": "t",
           "selector": "s", "public_key": "p", "state": "pending", "records": {},
           "created_at": now, "dkim_key": key}  # fmt: skip
    with db.writing() as connection:
        connection.execute(sa.insert(tables.MailDomain), [row])
    return one


def add_session(tenant: str | None, settings: Settings) -> str:
    one, now = uuid.uuid4().hex, clock.now()
    context = context_of("web_sessions", one, "secrets")
    row = {"id": one, "issuer": "i", "subject": "s", "roles": {}, "tenant_id": tenant,
           "environment": "test", "secrets": keyring(settings).seal(b"{}", context),
           "issued_at": 0.0, "created_at": now, "seen_at": now, "refreshed_at": now,
           "expires_at": now + timedelta(hours=1)}  # fmt: skip
    with db.writing() as connection:
        connection.execute(sa.insert(tables.WebSession), [row])
    return one


def add_move(tenant: str, settings: Settings) -> str:
    one = str(uuid.uuid4())
    key = keyring(settings).seal(b"key", context_of("tenant_moves", one, "transport_key"))
    row = {"id": one, "tenant_id": tenant, "begun_at": clock.now(), "transport_key": key}
    with db.writing() as connection:
        connection.execute(sa.insert(tables.TenantMove), [row])
    return one


@pytest.fixture
def rows(tenant: str, before: Settings) -> Rows:
    """A row of each table with secrets, all sealed with the old key; their ids."""
    endpoint = an_endpoint(tenant, before)
    for _ in range(2):
        endpoints.rotate(tenant, endpoint, settings=before)
    return {
        "webhook_endpoints": endpoint,
        "connections": add_connection(tenant, before),
        "shared_consents": add_consent(tenant, before),
        "web_sessions": add_session(tenant, before),
        "mail_domains": add_domain(tenant, before),
        "tenant_moves": add_move(tenant, before),
    }


def values() -> dict[str, list[SealedValue]]:
    """All sealed values by the name of their column."""
    with db.reading() as connection:
        return {
            c.name: [SealedValue(*row) for row in connection.execute(
                sa.select(c.table.c.id, c.table.c.tenant_id, c.value).where(c.value.is_not(None)))]
            for c in sealed.COLUMNS
        }  # fmt: skip


def opened(settings: Settings) -> dict[str, list[bytes]]:
    """All secrets by the name of their column, opened as the service opens them."""
    ring, places = keyring(settings), {c.name: (c.table.name, c.place) for c in sealed.COLUMNS}
    return {
        name: [
            ring.open(one.sealed, context_of(places[name][0], one.id, places[name][1]))
            for one in found
        ]
        for name, found in values().items()
    }


def ignored(*_: object) -> None:
    """A report that is not used."""


def left(settings: Settings) -> int:
    return sum(one.count for one in resealing.by_key(settings) if not one.is_newest)


def test_every_secret_can_be_opened_without_the_old_key(settings, before, after, rows):
    """Of every column, with the same content; before, the new key opens none of them."""
    plain = opened(before)
    assert {len(found) for found in plain.values()} == {1}
    with pytest.raises(SealBroken):
        opened(after)
    resealing.reseal(settings, ignored)

    assert opened(after) == plain
    assert left(settings) == 0


def test_the_services_open_what_was_sealed_again(settings, after, rows):
    """With the contexts that they use: the old signing secret, a connection and a consent."""
    resealing.reseal(settings, ignored)
    with db.reading() as connection:
        endpoint = connection.execute(sa.select(tables.WebhookEndpoint)).mappings().one()
        stored = connection.execute(sa.select(tables.Connection)).mappings().one()
        consent = connection.execute(sa.select(tables.SharedConsent)).mappings().one()
    ring = keyring(after)
    place = endpoints.seal_context(endpoint["id"], "signing_secret")
    names = [f.name for f in SealedConnection.__dataclass_fields__.values()]
    connection_values = {name: stored.get(name) for name in names}

    for column in ("old_signing_secret", "older_signing_secret"):
        assert ring.open(endpoint[column], place).startswith(b"whsec_")
    found = sealing.opened(SealedConnection(**connection_values), after)
    assert (found.credentials, found.state) == ({"name": "credentials"}, {"name": "plugin_state"})
    shared = SealedConsent(consent["id"], 1, consent["credentials"])
    assert sealing.opened_consent(shared, after) == {"name": "consent"}


def test_what_the_newest_key_has_sealed_is_left_alone(settings, rows):
    resealing.reseal(settings, ignored)
    first = values()
    resealing.reseal(settings, ignored)

    assert values() == first


def test_batches_reach_every_row_and_a_stopped_run_is_continued(
    tenant, settings, before, after, monkeypatch
):
    """Stopped after its first batch, the next run seals the rest."""
    monkeypatch.setattr(resealing, "BATCH", 2)
    for _ in range(5):
        an_endpoint(tenant, before)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resealing.reseal(settings, stop)
    assert left(settings) == 10 - 2
    reported: list[tuple[str, int, int]] = []
    resealing.reseal(settings, lambda *of: reported.append(of))

    assert left(settings) == 0
    assert len(opened(after)["webhook_endpoints.secret"]) == 5
    done = [count for column, count, _ in reported if column == "webhook_endpoints.secret"]
    assert done == [2, 3]


def test_a_secret_that_was_replaced_meanwhile_is_kept(tenant, settings, before):
    """Compare-and-set: what another transaction has stored since is not overwritten."""
    endpoint = an_endpoint(tenant, before)
    column = sealed.COLUMNS[0]
    [stale] = values()[column.name]
    endpoints.rotate(tenant, endpoint, settings=settings)
    [newer] = values()[column.name]
    with db.writing() as connection:
        assert not sealed.replace(connection, column, stale, b"from the stale value")

    assert values()[column.name] == [newer]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_locked_row_is_not_waited_for(tenant, settings, before, monkeypatch):
    """A batch that waits for a row while it holds others could stop the service."""
    monkeypatch.setattr(resealing, "PAUSE_SECONDS", 0.0)
    locked, free = an_endpoint(tenant, before), an_endpoint(tenant, before)
    with db.writing() as other:
        other.execute(sa.select(tables.WebhookEndpoint).where(
            tables.WebhookEndpoint.id == locked).with_for_update())  # fmt: skip
        resealing.reseal(settings, ignored)
        first = keyring(settings).first
        done = {v.id for v in values()["webhook_endpoints.secret"] if v.sealed[:ID_BYTES] == first}
        assert done == {free}
    resealing.reseal(settings, ignored)

    assert left(settings) == 0


def test_rotations_beside_it_are_not_lost(app, tenant, settings, before, after, monkeypatch):
    """Secrets that are rotated while they are sealed again are those that were handed out."""
    monkeypatch.setattr(resealing, "BATCH", 1)
    made = [an_endpoint(tenant, before) for _ in range(9)]
    shown: dict[str, str] = {}

    def rotate() -> None:
        with app.app_context():
            for endpoint in made * 2:
                shown[endpoint] = endpoints.rotate(tenant, endpoint, settings=settings).secret

    rotating = threading.Thread(target=rotate)
    rotating.start()
    while rotating.is_alive():
        resealing.reseal(settings, ignored)
    rotating.join()
    resealing.reseal(settings, ignored)
    ring, place = keyring(after), endpoints.seal_context
    found = {
        one.id: ring.open(one.sealed, place(one.id, "secret")).decode()
        for one in values()["webhook_endpoints.secret"]
    }

    assert found == shown
    assert left(settings) == 0


def test_the_log_of_each_tenant_says_how_many(tenant, settings, before, rows):
    """An entry for each column; a session without a chosen tenant is sealed without one."""
    add_session(None, before)
    with audit.of_operator():
        resealing.reseal(settings, ignored)
    entries = audit.page(tenant, before=None, limit=50, matching={"action": "secrets.resealed"})

    assert {(one.target, one.detail["secrets"]) for one in entries} == {
        (column.name, 1) for column in sealed.COLUMNS
    }
    assert left(settings) == 0


def test_heads_of_audit_logs_are_signed_with_the_newest_key(tenant, settings, before, after):
    with audit.of_operator(), db.writing() as connection:
        audit.record(connection, tenant, None, "test.done", "target")
    audit_sealing.seal_all(tenant, before)
    assert left(settings) == 1
    resealing.reseal(settings, ignored)

    assert left(settings) == 0
    assert audit_verification.verify(tenant, after, None).faults == []


@pytest.fixture
def run(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(*line: str, code: int) -> str:
        result = CliRunner().invoke(cli.secrets, line)
        assert result.exit_code == code, result.output
        return result.output

    return _run


def test_check_counts_by_key_and_changes_nothing(run, rows, settings, before):
    """With 1 while an old key is needed, and 0 once it can be removed."""
    first = values()
    said = run("reseal", "--check", code=1)
    assert values() == first
    assert said.count(keyring(before).first.hex()) == len(sealed.COLUMNS)
    run("reseal", code=0)
    said = run("reseal", "--check", code=0)

    assert keyring(before).first.hex() not in said
    assert said.count(keyring(settings).first.hex()) == len(sealed.COLUMNS)


def test_a_secret_of_an_unknown_key_stays_and_is_named(run, tenant, settings, rows):
    """It cannot be opened; everything else is sealed again."""
    lost = replace(settings, secret_key=new_key())
    add_connection(tenant, lost)
    broken = values()["connections.credentials"]
    said = run("reseal", code=1)

    assert "connections.credentials: 1 sealed, 1 cannot be opened" in said
    assert said.count("not in EINVOICE_SECRET_KEY") == 2
    assert "2 are not sealed with the first key" in said
    kept = {one.sealed for one in values()["connections.credentials"]}
    assert len(kept & {one.sealed for one in broken}) == 1
