"""Rotation of API keys: a new key with the old one's rights, which ends after a grace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application
from einvoice.cli import keys as cli
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidApiKey, InvalidField, NotFound
from einvoice.services.account import authentication, credential_terms, credentials, tenants
from einvoice.services.caches import Caches

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def at(monkeypatch):
    """`at(moment)` sets the time."""

    def _set(moment) -> None:
        monkeypatch.setattr(clock, "now", lambda: moment)

    _set(NOW)
    return _set


def works(key: str) -> bool:
    try:
        authentication.recognise(key, Caches())
    except InvalidApiKey:
        return False
    return True


@pytest.mark.parametrize(
    "grace", [0, 60, credential_terms.DEFAULT_GRACE_SECONDS, credential_terms.MAX_GRACE_SECONDS]
)
def test_the_old_key_works_until_the_grace_is_over(tenant, at, grace):
    """A millisecond before it does, then no more; the new one works all the time."""
    old = credentials.create(API_KEY, tenant, "erp", Environment.TEST)
    new = credentials.rotate(API_KEY, tenant, old.record.id, grace)
    end = NOW + timedelta(seconds=grace)

    assert works(new.secret)
    at(end - timedelta(milliseconds=1))
    assert works(old.secret) is True
    at(end)
    assert (works(old.secret), works(new.secret)) == (False, True)


def test_the_new_key_has_the_rights_of_the_old_one_and_an_identity_of_its_own(tenant, at):
    old = credentials.create(
        API_KEY,
        tenant,
        "erp",
        Environment.LIVE,
        scopes=["invoices:read"],
        allowed_ips=["10.0.0.0/8"],
        allowed_receivers=["0088:9520000000004"],
    )
    new = credentials.rotate(API_KEY, tenant, old.record.id)
    kept = ("tenant_id", "environment", "name", "scopes", "allowed_ips", "allowed_receivers",
            "get_per_minute", "post_per_minute", "created_by", "expires_at")  # fmt: skip

    assert new.secret.startswith("sk_live_")
    assert {n: getattr(new.record, n) for n in kept} == {n: getattr(old.record, n) for n in kept}
    assert new.record.id != old.record.id
    assert new.secret != old.secret
    assert len(credentials.of_tenant(API_KEY, tenant)) == 2


def test_a_key_made_for_a_while_is_followed_by_one_for_as_long(tenant, at):
    """And a grace never prolongs the old one."""
    old = credentials.create(
        API_KEY, tenant, "erp", Environment.TEST, expires_at=NOW + timedelta(days=90)
    )
    at(NOW + timedelta(days=89, hours=23))
    new = credentials.rotate(API_KEY, tenant, old.record.id, 86_400)
    listed = {record.id: record for record in credentials.of_tenant(API_KEY, tenant)}

    assert listed[new.record.id].expires_at == NOW + timedelta(days=179, hours=23)
    assert listed[old.record.id].expires_at == NOW + timedelta(days=90)


@pytest.mark.parametrize("grace", [-1, credential_terms.MAX_GRACE_SECONDS + 1])
def test_a_grace_out_of_bounds_is_refused(tenant, at, grace):
    old = credentials.create(API_KEY, tenant, "erp", Environment.TEST)

    with pytest.raises(InvalidField, match="gracePeriodSeconds"):
        credentials.rotate(API_KEY, tenant, old.record.id, grace)
    assert len(credentials.of_tenant(API_KEY, tenant)) == 1


def test_what_does_not_work_is_not_rotated(tenant, at):
    """Neither revoked nor expired keys, nor those of another tenant: no new key comes of them."""
    soon = NOW + timedelta(seconds=1)
    revoked = credentials.create(API_KEY, tenant, "a", Environment.TEST).record.id
    credentials.revoke(API_KEY, tenant, revoked)
    expired = credentials.create(API_KEY, tenant, "b", Environment.TEST, expires_at=soon).record.id
    good = credentials.create(API_KEY, tenant, "c", Environment.TEST).record.id
    at(soon)

    for key_id in (revoked, expired):
        with pytest.raises(Conflict):
            credentials.rotate(API_KEY, tenant, key_id)
    for owner, key_id in ((tenants.create("Other"), good), (tenant, "nothing")):
        with pytest.raises(NotFound):
            credentials.rotate(API_KEY, owner, key_id)
    assert len(credentials.of_tenant(API_KEY, tenant)) == 3


def test_a_rotated_key_can_be_revoked_before_its_grace_is_over(tenant, at):
    old = credentials.create(API_KEY, tenant, "erp", Environment.TEST)
    new = credentials.rotate(API_KEY, tenant, old.record.id)
    credentials.revoke(API_KEY, tenant, old.record.id)

    assert (works(old.secret), works(new.secret)) == (False, True)


def test_the_command_prints_the_new_key(app, tenant, monkeypatch):
    """`einvoice keys rotate TENANT KEY_ID --grace 0`."""
    monkeypatch.setattr(application, "application", lambda: app)
    old = credentials.create(API_KEY, tenant, "erp", Environment.TEST)
    run = CliRunner().invoke(cli.keys, ["rotate", tenant, old.record.id, "--grace", "0"])

    assert run.exit_code == 0, run.output
    assert works(run.output.strip())
    assert not works(old.secret)


def test_a_key_expires_after_its_last_day(app, tenant, monkeypatch):
    """`einvoice keys add --expires 2099-11-21` makes a key that works on that day, UTC."""
    monkeypatch.setattr(application, "application", lambda: app)
    run = CliRunner().invoke(cli.keys, ["add", tenant, "--name", "x", "--expires", "2099-11-21"])

    assert run.exit_code == 0, run.output
    assert credentials.of_tenant(API_KEY, tenant)[0].expires_at == datetime(
        2099, 11, 22, tzinfo=UTC
    )
