"""`einvoice audit verify`, and the commands that the audit log records."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.audit import audit
from einvoice.cli.keys import keys
from einvoice.cli.participants import participants
from einvoice.cli.sessions import sessions
from einvoice.cli.tenants import tenants as commands
from einvoice.services.account import audit as log
from einvoice.services.account import audit_sealing, tenants
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry
from einvoice.web.runtime import runtime_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(group, *line: str, code: int = 0) -> str:
        result = CliRunner().invoke(group, line)
        assert result.exit_code == code, result.output
        return result.output

    return _run


def _actions(tenant: str) -> list[tuple[str, str, str]]:
    found = log.page(tenant, before=None, limit=100, matching={})
    return [(one.action, one.actor, one.actor_kind) for one in reversed(found)]


def test_commands_of_the_operator_are_in_the_audit_log(run):
    tenant = run(commands, "add", "Acme").strip()
    run(commands, "change", tenant, "--strict-idempotency")
    run(commands, "verify", tenant, "BE0123456749")
    run(commands, "verify", tenant, "BE0123456749", "--remove")
    run(participants, "add", tenant, "0088:1")
    run(participants, "remove", tenant, "0088:1")
    run(keys, "add", tenant, "--name", "ERP")
    run(sessions, "end", tenant)
    run(commands, "close", tenant, "--yes")

    assert [action for action, *_ in _actions(tenant)] == [
        "tenant.created",
        "tenant.changed",
        "tenant.number-verified",
        "tenant.number-withdrawn",
        "participant.added",
        "participant.removed",
        "key.created",
        "sessions.ended",
        "tenant.closed",
    ]
    assert {(actor, kind) for _, actor, kind in _actions(tenant)} == {("operator", "operator")}


def test_the_service_itself_is_not_in_the_audit_log(app):
    """Without a command around it, an action without a person is not the operator's."""
    assert _actions(tenants.create("Acme")) == []


def test_verify_lists_the_logs_and_names_what_was_changed(run, app):
    tenant = run(commands, "add", "Acme").strip()
    audit_sealing.sweep(runtime_of(app).settings)
    whole = run(audit, "verify")
    head = whole.split()[-1]
    run(audit, "verify", tenant, "--head", head)
    with db.writing() as connection:
        connection.execute(sa.update(AuditEntry).values(target="other"))
    changed = run(audit, "verify", code=1)

    assert tenant in whole
    assert head.startswith("1:")
    assert f"{tenant}: entry 1 was changed (seal 1)" in changed
    run(audit, "verify", "--head", head, code=2)
