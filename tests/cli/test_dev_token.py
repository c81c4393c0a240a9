"""`einvoice dev-token`: a session token without an identity provider; refused in production."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.dev_token import dev_token
from einvoice.domain.roles import Role
from einvoice.security.sealing import new_key
from einvoice.services.account import sessions
from einvoice.web.runtime import runtime_of


@pytest.fixture
def run(monkeypatch):
    def _run(app, *words):
        monkeypatch.setattr(application, "application", lambda: app)
        return CliRunner().invoke(dev_token, words)

    return _run


def test_the_printed_token_is_a_session(app, tenant, run):
    token = run(app, tenant, "--role", "admin", "--email", "ann@example.com").output.strip()
    who = sessions.from_token(token, runtime_of(app))

    assert (who.tenant_id, who.role, who.email) == (tenant, Role.ADMIN, "ann@example.com")


def test_an_unknown_tenant_is_refused(app, run):
    assert "There is no tenant" in run(app, "unknown").output


def test_it_is_refused_in_production(make_app, app, tenant, run):
    live = make_app(mode="production", base_url="https://api.example", secret_key=new_key())
    result = run(live, tenant)

    assert result.exit_code == 1
    assert "production" in result.output
