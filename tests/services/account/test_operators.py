"""Keys and sessions of operators end when they say, and are bounded."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain import operators as domain
from einvoice.domain.errors import Conflict, InvalidApiKey, InvalidField, InvalidToken
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.identity_provider import Person
from einvoice.services.account import operators
from einvoice.web.runtime import runtime_of
from tests.tables import each_row

READS = ("operator:read",)


def made(expires_at=None):
    return operators.create_key("monitor", READS, expires_at, "tests")


def works(key: str) -> bool:
    try:
        operators.recognise(key, None)
    except InvalidApiKey:
        return False
    return True


def test_one_key_more_than_the_bound_is_refused_until_one_has_ended(app, move, monkeypatch):
    """Revoked and expired keys do not count."""
    assert domain.MAX_KEYS == 100
    monkeypatch.setattr(operators, "MAX_KEYS", 2)
    first = made(clock.now() + timedelta(seconds=60))
    second = made()
    with pytest.raises(Conflict, match="2 keys of operators are active"):
        made()
    operators.revoke_key(second.record.id)
    made()
    with pytest.raises(Conflict):
        made()
    move(seconds=60)
    third = made()

    assert [works(key.secret) for key in (first, second, third)] == [False, False, True]


@each_row(("seconds", "is_taken"), [(-1, False), (0, False), (1, True)])
def test_a_key_ends_at_a_moment_to_come(seconds, is_taken, app, move):
    end = clock.now() + timedelta(seconds=seconds)
    if not is_taken:
        with pytest.raises(InvalidField) as refused:
            made(end)
        assert [error.code for error in refused.value.errors] == ["in-the-past"]
        return
    key = made(end).secret

    assert works(key)
    move(milliseconds=999)
    assert works(key)
    move(milliseconds=1)
    assert not works(key)


def test_the_use_of_a_key_is_noted_once_a_minute(app, move):
    """The first one at once, then each that is a minute after the last one that was noted."""
    key, noted = made(), []
    for seconds in (0, 59, 1, 59, 1):
        move(seconds=seconds)
        operators.recognise(key.secret, "192.0.2.7")
        (record,) = operators.all_keys()
        noted.append((clock.now() - record.last_used_at).total_seconds())

    assert noted == [0, 59, 0, 59, 0]
    assert record.last_used_ip == "192.0.2.7"


def test_a_person_of_a_tenant_is_no_operator(make_app):
    """Nor is one whose provider names nobody an operator."""
    app = make_app()
    with app.app_context():
        runtime = runtime_of(app)
        owner = {"tenant_id": "t-1", "role": Role.OWNER, "subject": "ann"}
        token = dev_issuer.mint(runtime.settings, **owner)
        with pytest.raises(InvalidToken, match="not a token of an operator"):
            operators.of_local_issuer(token, runtime)
        person = Person(dev_issuer.NAME, "ann", None, None, {"t-1": Role.OWNER}, 0.0)
        with pytest.raises(InvalidToken, match="does not name you an operator"):
            operators.begin(person, runtime, None)


def test_a_session_ends_after_its_lifetime_however_it_is_used(make_app, move):
    """Of a day here; requests in between do not make it longer."""
    app = make_app(session_lifetime=86_400, session_idle=86_400 * 2)
    with app.app_context():
        runtime = runtime_of(app)
        token = dev_issuer.mint_for_operator(runtime.settings, subject="otto")
        session = operators.begin(operators.of_local_issuer(token, runtime), runtime, None)
        found = []
        for seconds in (43_200, 43_199, 1):
            move(seconds=seconds)
            found.append(operators.find(session, runtime, None) is not None)

    assert found == [True, True, False]
