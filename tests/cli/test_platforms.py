"""`einvoice platforms`, and what `einvoice tenants` has for plans, suspensions, identifications."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application
from einvoice.cli.platforms import platforms
from einvoice.cli.tenants import tenants
from einvoice.domain.environments import Environment
from einvoice.services.account import authentication, identifications, platform_tenants
from einvoice.services.account import tenants as service
from einvoice.services.account.identifications import NewFile, NewIdentification
from einvoice.services.account.platform_tenants import NewTenant
from einvoice.services.caches import Caches
from einvoice.services.principal import Principal

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(group: click.Group, line: str, code: int = 0) -> str:
        result = CliRunner().invoke(group, line.split())
        assert result.exit_code == code, result.output
        return result.output.strip()

    return _run


@pytest.fixture
def platform(run) -> str:
    return run(platforms, "create Vendor")


@pytest.fixture
def who(run, platform) -> Principal:
    """The platform by its live key."""
    key = run(platforms, f"keys add {platform} --name erp --environment live")
    assert key.startswith("pk_live_")
    return authentication.recognise(key, Caches())


def test_platforms_are_listed_with_their_tenants(run, platform, who, tenant):
    """A tenant of the operator is given to one of them, once."""
    run(platforms, f"adopt {platform} {tenant} c-1")
    run(platforms, f"change {platform} --verifies-numbers")
    listed = run(platforms, "list").split("\n")[-1].split()
    again = run(platforms, f"adopt {platform} {tenant} c-2", code=1)
    wrong = run(platforms, f"adopt {platform} {tenant} c/2", code=2)

    assert listed[:4] == [platform, "Vendor", "1", "True"]
    assert platform_tenants.get("c-1", who).id == tenant
    assert again.startswith("Error: ")
    assert "EXTERNAL_ID" in wrong


def test_the_keys_of_tenants_and_platforms_are_of_different_kinds(run, platform, tenant):
    for line in (f"keys add {tenant} --name x", f"keys add {platform} --name x --scope no:such"):
        assert run(platforms, line, code=1).startswith("Error: ")
    client, secret = run(platforms, f"oauth-clients add {platform} --name erp").split()
    assert client.startswith("pi_test_")
    assert secret not in run(platforms, f"oauth-clients list {platform}")


def test_the_operator_sets_plans_and_suspends(run, tenant):
    run(tenants, f"plan {tenant} --documents 5 --above wait --network peppol")
    run(tenants, f"suspend {tenant} --reason unpaid")
    changed = service.get(tenant)
    run(tenants, f"plan {tenant} --none")
    run(tenants, f"resume {tenant}")
    back = service.get(tenant)

    assert changed.plan == {"monthlyDocuments": 5, "aboveLimit": "wait", "networks": ["peppol"]}
    assert (changed.suspension_reason, changed.suspended_at is None) == ("unpaid", False)
    assert (back.plan, back.suspended_at, back.suspension_reason) == (None, None, None)
    assert run(tenants, f"plan {tenant}", code=2)


def test_identifications_wait_for_the_operator(run, who, tmp_path):
    """The list names the files, which are written to look at; a decision ends the wait."""
    file = NewFile("a.pdf", "application/pdf", b"proof", clock.now() + timedelta(days=1))
    new = NewIdentification("video", ["BE0123456749"], clock.now(), "ann", files=[file])
    made = platform_tenants.create(NewTenant("c-1", "Brewery"), who, Caches()).tenant
    found, _ = identifications.add("c-1", new, who, Caches())
    target: Path = tmp_path / "a.pdf"

    listed = run(tenants, "identifications").split("\n")[-1]
    run(tenants, f"identification-file {found.files[0].id} {target}")
    taken = run(tenants, f"identification-file {found.files[0].id} {target}", code=2)
    assert run(tenants, f"identify {found.record.id} --verify --reason seen") == "verified"

    assert all(each in listed for each in (found.record.id, "BE0123456749", found.files[0].id))
    assert target.read_bytes() == b"proof"
    assert "exists" in taken
    assert found.record.id not in run(tenants, "identifications")
    assert service.get(made.id).verified_numbers == ["BE0123456749"]
    assert who.environment is Environment.LIVE
