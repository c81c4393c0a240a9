"""`einvoice tenants close` and `einvoice sessions end` (decisions 20.11)."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.participants import participants
from einvoice.cli.sessions import sessions
from einvoice.cli.tenants import tenants as commands
from einvoice.services.account import tenants

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(group, *line: str, typed: str = "", code: int = 0) -> str:
        result = CliRunner().invoke(group, line, input=typed)
        assert result.exit_code == code, result.output
        return result.output

    return _run


def test_a_tenant_is_closed_after_a_confirmation(run, tenant):
    """--yes is the confirmation of scripts; the list shows when it was closed."""
    run(commands, "close", tenant, typed="n\n", code=1)
    assert tenants.get(tenant).closed_at is None
    shown = run(commands, "close", tenant, "--yes").strip()

    assert tenants.get(tenant).closed_at is not None
    assert shown.endswith("Z")
    assert shown[:10] in run(commands, "list")


def test_sessions_of_everyone_or_one_subject_are_ended(run, tenant):
    run(sessions, "end", tenant, "--subject", "auth0|1")
    run(sessions, "end", tenant)
    ends = tenants.get(tenant).session_ends

    assert ends is not None
    assert list(ends) == ["auth0|1", ""]


@pytest.mark.parametrize("line", [("end", "unknown"), ("end", "TENANT", "--subject", "")])
def test_a_refusal_is_reported(run, tenant, line):
    words = [tenant if word == "TENANT" else word for word in line]
    result = CliRunner().invoke(sessions, words)

    assert result.exit_code in (1, 2)
    assert "Error: " in result.output
    assert tenants.get(tenant).session_ends is None


def test_a_participant_id_of_a_closed_tenant_can_be_released(run, tenant):
    """Another tenant can then have it."""
    other = tenants.create("Other")
    run(participants, "add", tenant, "0088:1")
    run(commands, "close", tenant, "--yes")
    run(participants, "add", other, "0088:1", code=1)
    run(participants, "remove", tenant, "0088:1")
    run(participants, "add", other, "0088:1")

    assert [owned.participant for owned in tenants.owned(other)] == ["0088:1"]
    run(participants, "remove", tenant, "0088:1", code=1)
