"""`einvoice oauth-clients`."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.oauth_clients import oauth_clients
from einvoice.services.account import access_tokens
from einvoice.web.runtime import runtime

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(line: str, code: int = 0) -> str:
        result = CliRunner().invoke(oauth_clients, line.split())
        assert result.exit_code == code, result.output
        return result.output

    return _run


def test_a_client_is_created_used_limited_rotated_and_revoked(run, tenant):
    """The secret is printed once; the list shows its last four characters."""
    client, secret = run(f"add {tenant} --name erp --scope invoices:send").split()
    settings = runtime().settings
    assert access_tokens.grant(client, secret, None, None, settings).scope == "invoices:send"
    run(f"limit {tenant} {client} --get 5")
    listed = run(f"list {tenant}")
    assert secret not in listed
    assert f"…{secret[-4:]}" in listed
    _, newer = run(f"rotate {tenant} {client} --grace 0").split()
    with pytest.raises(access_tokens.InvalidClient):
        access_tokens.grant(client, secret, None, None, settings)
    assert access_tokens.grant(client, newer, None, None, settings)
    run(f"revoke {tenant} {client}")

    with pytest.raises(access_tokens.InvalidClient):
        access_tokens.grant(client, newer, None, None, settings)


@pytest.mark.parametrize(
    "line",
    [
        "add unknown --name x",
        "add TENANT --name x --scope no:such",
        "revoke TENANT ci_test_nobody",
        "rotate TENANT ci_test_nobody",
        "limit TENANT ci_test_nobody",
    ],
)
def test_a_refusal_is_one_line(run, tenant, line):
    output = run(line.replace("TENANT", tenant), code=1)

    assert output.startswith("Error: ")
    assert output.count("\n") == 1
