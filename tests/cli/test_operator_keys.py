"""`einvoice operator-keys` and `dev-token --operator`, and who the audit log says ran a command."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.dev_token import dev_token
from einvoice.cli.operator_keys import operator_keys
from einvoice.cli.tenants import tenants
from einvoice.config import Settings, user_of_command
from einvoice.domain.operators import OWN_LOG
from einvoice.services.account import audit, audit_sealing, audit_verification, operators
from einvoice.web.runtime import runtime_of


@pytest.fixture
def run(app, monkeypatch):
    """Runs a command with the application of the test; returns what it printed."""
    monkeypatch.setattr(application, "application", lambda: app)
    monkeypatch.setattr(application, "user_of_command", lambda settings: "otto")

    def run(command, *arguments, code=0):
        done = CliRunner().invoke(command, list(arguments))
        assert done.exit_code == code, done.output
        return done.output

    return run


def test_a_key_is_printed_once_listed_without_it_and_revoked(run):
    key = run(operator_keys, "add", "--name", "monitor").strip()
    listed = run(operator_keys, "list")
    found = operators.recognise(key, None)
    run(operator_keys, "revoke", found.subject)

    assert (found.name, found.scopes) == ("monitor", {"operator:read"})
    assert key not in listed
    assert key[-4:] in listed
    assert re.search(r"revoked\b", listed)
    with pytest.raises(operators.InvalidApiKey):
        operators.recognise(key, None)
    assert "There is no key" in run(operator_keys, "revoke", "x", code=1)


def test_what_operators_do_without_a_tenant_is_in_a_log_that_is_sealed(run, app):
    run(operator_keys, "add", "--name", "monitor")
    [entry] = audit.page(OWN_LOG, before=None, limit=2, matching={})
    settings = runtime_of(app).settings
    audit_sealing.seal_all(OWN_LOG, settings)
    verdict = audit_verification.verify(OWN_LOG, settings, None)

    assert (entry.action, entry.detail["operator"]) == ("operatorKey.created", "otto")
    assert (verdict.entries, list(verdict.faults)) == (1, [])
    assert OWN_LOG in set(audit_verification.tenants())


def test_the_audit_log_of_a_tenant_names_who_ran_a_command(run, tenant):
    run(tenants, "suspend", tenant, "--reason", "unpaid")
    entry = audit.page(tenant, before=None, limit=1, matching={})[0]

    assert (entry.actor, entry.actor_kind) == ("operator", "operator")
    assert entry.detail == {"reason": "unpaid", "operator": "otto"}


@pytest.mark.parametrize(
    ("setting", "sudo", "expected"),
    [("night shift", "otto", "night shift"), ("", "otto", "otto"), (" ", " ", None)],
)
def test_who_runs_a_command_is_the_setting_then_sudo_then_the_user(
    monkeypatch, setting, sudo, expected
):
    monkeypatch.setenv("SUDO_USER", sudo)
    found = user_of_command(Settings(operator=setting))

    assert found == expected if expected else found.strip()


def test_a_login_of_an_operator_is_printed_instead_of_a_tenant_s(run, tenant, app):
    link = run(dev_token, "--operator", "--link").strip()
    address = link.removeprefix(runtime_of(app).settings.base_url)

    assert address.startswith("/operator/login/local?token=")
    assert app.test_client().get(address).status_code == 303
    run(dev_token, code=2)
    run(dev_token, tenant, "--operator", code=2)
