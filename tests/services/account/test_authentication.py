"""A key is recognised from a cache, which a stamp in Redis outdates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidApiKey, IpNotAllowed
from einvoice.security import api_keys
from einvoice.services.account import authentication, credentials
from einvoice.services.caches import Caches

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def caches():
    return Caches()


@pytest.fixture
def made(tenant):
    return credentials.create(API_KEY, tenant, "erp", Environment.TEST)


def terms(made, caches, stamp=None):
    return authentication.as_of(made.secret, stamp, caches).allowed_ips


def allow(tenant, made, *addresses):
    changes = {"allowed_ips": list(addresses)}
    credentials.change(API_KEY, tenant, made.record.id, changes, None)


def test_a_key_is_read_again_when_its_stamp_changes_and_only_then(tenant, made, caches):
    assert terms(made, caches) == ()
    allow(tenant, made, "192.0.2.1/32")

    assert terms(made, caches) == (), "the stamp is the same: none"
    assert terms(made, caches, "1") == ("192.0.2.1/32",)
    allow(tenant, made, "192.0.2.2/32")
    assert terms(made, caches, "1") == ("192.0.2.1/32",)
    assert terms(made, caches, "2") == ("192.0.2.2/32",)


def test_a_revoked_key_is_refused_from_its_next_stamp_on(tenant, made, caches):
    authentication.recognise(made.secret, caches)
    credentials.revoke(API_KEY, tenant, made.record.id)

    assert authentication.as_of(made.secret, None, caches).tenant_id == tenant
    for stamp in ("1", "1", "2"):
        with pytest.raises(InvalidApiKey, match="unknown, expired or revoked"):
            authentication.as_of(made.secret, stamp, caches)


def test_a_key_that_nobody_has_is_refused_with_and_without_a_stamp(app, caches):
    unknown = api_keys.new(Environment.TEST)

    for stamp in (None, "1"):
        with pytest.raises(InvalidApiKey):
            authentication.as_of(unknown, stamp, caches)


def test_the_use_of_a_key_is_noted_once_a_minute(tenant, made, caches, monkeypatch):
    """In each process; a refused address is no use."""
    principal, elapsed = authentication.recognise(made.secret, caches), [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: elapsed[0])

    def used(seconds, address):
        elapsed[0] = seconds
        monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(seconds=seconds))
        authentication.admit(principal, address, caches)
        found = credentials.get(API_KEY, tenant, made.record.id)
        return (found.last_used_at - NOW).total_seconds(), found.last_used_ip

    assert used(0.0, "192.0.2.1") == (0, "192.0.2.1")
    assert used(59.0, "192.0.2.2") == (0, "192.0.2.1")
    assert used(60.0, "192.0.2.3") == (60, "192.0.2.3")


def test_a_use_from_another_address_is_refused_and_not_noted(tenant, made, caches):
    allow(tenant, made, "192.0.2.1/32")
    principal = authentication.recognise(made.secret, caches)

    for address in ("192.0.2.2", "not an address", None):
        with pytest.raises(IpNotAllowed) as refused:
            authentication.admit(principal, address, caches)
        assert refused.value.owner == authentication._owner(principal)
    assert credentials.get(API_KEY, tenant, made.record.id).last_used_at is None
