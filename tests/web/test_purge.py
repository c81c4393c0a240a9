"""A closed tenant is purged when the law lets it; its audit log stays (issue 35)."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.services import believed_clock
from einvoice.services.account import audit, audit_sealing, audit_verification
from einvoice.services.archive import holds
from einvoice.services.tenant_data import purge, tenant_export
from einvoice.services.tenant_data.purge import Contract
from einvoice.store.core import db
from einvoice.store.tables import Artefact, Tenant
from einvoice.store.tenant_data import purging
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.services.archive.conftest import final
from tests.web.caller import slug
from tests.web.owner import Owner, rows_of
from tests.web.platform import Platform

TENANTS = "/api/platform/tenants"
STAY = {"tenants", "audit_entries", "audit_heads", "audit_seals"}
LAST_DAY, DAY_AFTER = datetime(2036, 12, 31, 12, tzinfo=UTC), datetime(2037, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service)


@pytest.fixture
def live(service, platform) -> Platform:
    return Platform(service, Environment.LIVE, platform.id)


def left(service, tenant) -> set[str]:
    return {name for name, rows in rows_of(service, tenant).items() if rows} - STAY


def settle(service, tenant) -> None:
    """Workers have done what is to be done in networks."""
    with service.app_context():
        for table in purging.purged():
            if table.name in ("outbox", "participant_entries"):
                with db.writing() as connection:
                    purging.delete_some(connection, table, tenant)


def test_a_purge_deletes_all_of_a_tenant_and_nothing_of_another(service):
    """One object of each kind; the log says how many rows, and is proved whole."""
    owner, other = Owner(service), Owner(service)
    tenant, platform = owner.caller.tenant, owner.platform
    owner.person.delete(f"/api/holds/{owner.ids['hold_id']}")
    owner.person.post(f"/api/holds/{owner.ids['hold_id']}/release", {})
    _make_sandbox_only(service, tenant)
    early = platform.post(f"{TENANTS}/{tenant}/purge")
    assert platform.post(f"{TENANTS}/{tenant}/close").status_code == 200
    settle(service, tenant)
    kept = rows_of(service, other.caller.tenant)
    with service.app_context():
        counted = purging.count(tenant)

    answers = [platform.post(f"{TENANTS}/{tenant}/purge") for _ in range(2)]

    assert slug(early) == "conflict"
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].json == answers[1].json
    assert answers[0].json["purgedAt"] is not None
    assert left(service, tenant) == set()
    assert rows_of(service, other.caller.tenant) == kept
    assert len(counted) > 15
    with service.app_context():
        log = audit.page(tenant, before=None, limit=5, matching={})
        audit_sealing.seal_all(tenant, runtime_of(service).settings)
        proof = audit_verification.verify(tenant, runtime_of(service).settings)
    assert [entry.action for entry in log[:3]] == [
        "tenant.purged", "tenant.purge-begun", "tenant.closed",
    ]  # fmt: skip
    assert log[1].detail["rows"] == counted
    assert log[1].detail["documents"] == 1
    assert log[1].detail["platform"].startswith("Platform")
    assert not proof.faults


def _make_sandbox_only(service, tenant) -> None:
    with service.app_context(), db.writing_session() as database:
        database.execute(sa.update(Tenant).where(Tenant.id == tenant).values(sandbox_only=True))


def at(monkeypatch, moment: datetime) -> None:
    monkeypatch.setattr(clock, "now", lambda: moment)


def test_documents_are_kept_until_the_last_day_of_their_retention(service, live, monkeypatch):
    """Of the invoice by its country, of evidence by its network; the refusal says until when."""
    tenant = live.created("c-1")
    with service.app_context():
        sent = final(
            accepted(
                tenant, environment="live", created_at=datetime(2026, 3, 1, tzinfo=UTC),
                issue_date=datetime(2026, 3, 1, tzinfo=UTC).date(),
            )
        )  # fmt: skip
    settle(service, tenant)
    live.post(f"{TENANTS}/{tenant}/close")
    path = f"{TENANTS}/{tenant}/purge"

    at(monkeypatch, LAST_DAY)
    refused = live.post(path)
    with service.app_context(), db.writing_session() as database:
        database.add(_evidence(sent, tenant, years=12))
    at(monkeypatch, DAY_AFTER)
    by_network = live.post(path)
    at(monkeypatch, datetime(2039, 1, 1, 12, tzinfo=UTC))
    settle(service, tenant)
    done = live.post(path)

    assert [slug(answer) for answer in (refused, by_network)] == ["conflict"] * 2
    assert refused.json["detail"].startswith(
        "The tenant cannot be purged yet: 1 documents, the last of them kept until 2036-12-31 (10"
    )
    assert "evidence, the last of them kept until 2038-12-31" in by_network.json["detail"]
    assert done.status_code == 200, done.text
    assert left(service, tenant) == set()


def _evidence(sent, tenant: str, *, years: int) -> Artefact:
    return Artefact(
        id=f"a-{sent.invoice_id[:30]}", tenant_id=tenant, invoice_id=sent.invoice_id,
        transmission_id=None, kind="RECEIPT", name="r.xml", content_type="application/xml",
        sha256="0" * 64, size=1, retention_years=years, content=b"r",
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )  # fmt: skip


def exported(service, tenant, tmp_path, name: str) -> str:
    """Export as the operator's command does; the digest of the manifest."""
    settings = runtime_of(service).settings
    with service.app_context():
        path = tmp_path / name
        return tenant_export.to_file(tenant, path, settings, lambda *_: None).manifest


def by_contract(service, tenant, manifest: str) -> str:
    """Purge by contract; what refused it, or empty."""
    contract = Contract("moved to eu2", manifest)
    with service.app_context(), audit.of_operator():
        try:
            purge.purge(tenant, runtime_of(service).settings, seconds=60, contract=contract)
        except Conflict as refusal:
            return str(refusal)
        return ""


def test_by_contract_what_was_exported_after_the_closing_is_deleted_before_its_time(
    service, live, tmp_path
):
    """Not with an export of before, of others, or none; the audit log has contract and export."""
    tenant, other = live.created("c-1"), live.created("c-2")
    with service.app_context():
        for month in (2, 3, 3):
            final(
                accepted(
                    tenant, environment="live", created_at=datetime(2026, month, 1, tzinfo=UTC)
                )
            )
    settle(service, tenant)
    before = exported(service, tenant, tmp_path, "before.zip")
    for each in (tenant, other):
        live.post(f"{TENANTS}/{each}/close")
    settle(service, tenant)
    of_other = exported(service, other, tmp_path, "other.zip")
    after = exported(service, tenant, tmp_path, "after.zip")

    refused = [by_contract(service, tenant, each) for each in (before, of_other, "0" * 64)]
    rows = rows_of(service, tenant)
    assert by_contract(service, tenant, after.upper()) == ""

    assert all("No finished export of the closed tenant" in each for each in refused), refused
    assert len(rows["invoices"]) == 3
    assert left(service, tenant) == set()
    with service.app_context():
        log = audit.page(tenant, before=None, limit=5, matching={})
    (begun,) = (entry.detail for entry in log if entry.action == purge.BEGUN)
    assert (begun["contract"], begun["export"]) == ("moved to eu2", after)
    assert begun["months"] == {"live": {"2026-02": 1, "2026-03": 2}}
    assert begun["notKept"][0].startswith("3 documents, the last of them kept until 2036-12-31")


def test_a_contract_ends_no_legal_hold(service, live, tmp_path):
    tenant = live.created("c-1")
    Owner(service, tenant=tenant)
    live.post(f"{TENANTS}/{tenant}/close")
    settle(service, tenant)

    refused = by_contract(service, tenant, exported(service, tenant, tmp_path, "a.zip"))

    assert "1 legal holds are to be released" in refused
    assert left(service, tenant) != set()


def test_what_is_not_settled_or_held_stands_in_the_way(service, platform):
    """A purge is refused with all of it at once, and is possible when it has ended."""
    tenant = platform.created("c-1")
    owner = Owner(service, tenant=tenant)
    platform.post(f"{TENANTS}/{tenant}/close")

    refused = platform.post(f"{TENANTS}/{tenant}/purge")

    assert slug(refused) == "conflict"
    assert "1 legal holds are to be released" in refused.json["detail"]
    assert "are not settled: try again in a minute" in refused.json["detail"]
    assert owner.ids["invoice_id"]
    assert left(service, tenant) != set()


def test_a_purge_that_is_killed_anywhere_is_finished_by_the_relay(service, platform, monkeypatch):
    """After each number of steps: what has begun is not asked for again, and ends."""
    monkeypatch.setattr(purging, "MAX_DOCUMENTS", 1)
    steps = len(purging.beside_documents())
    for name, killed_at in (
        *(("delete_documents", number) for number in range(3)),
        *(("delete_some", number) for number in range(0, steps, 11)),
    ):
        real = getattr(purging, name)
        tenant = platform.created(f"{name}-{killed_at}")
        for _ in range(2):
            platform.send(tenant)
        platform.post(f"{TENANTS}/{tenant}/close")
        settle(service, tenant)
        calls = itertools.count()

        def step(*given, calls=calls, killed_at=killed_at, real=real):
            if next(calls) == killed_at:
                raise KeyboardInterrupt
            return real(*given)

        monkeypatch.setattr(purging, name, step)
        with pytest.raises(KeyboardInterrupt), service.app_context():
            purge.purge(tenant, runtime_of(service).settings, seconds=60)
        monkeypatch.setattr(purging, name, real)
        begun = platform.get(f"{TENANTS}/{tenant}").json
        with service.app_context():
            assert purge.sweep(60) is False
        done = platform.get(f"{TENANTS}/{tenant}").json

        assert (begun["purgeBegunAt"] is not None, begun["purgedAt"]) == (True, None), killed_at
        assert done["purgedAt"] is not None, killed_at
        assert left(service, tenant) == set(), killed_at


def test_more_rows_than_one_request_deletes_are_deleted_in_steps(service, platform, monkeypatch):
    """202 until it is done; the time of a request bounds it."""
    monkeypatch.setattr(purging, "MAX_ROWS", 1)
    monkeypatch.setattr(purging, "MAX_DOCUMENTS", 1)
    monkeypatch.setattr("einvoice.web.platform.tenants.MAX_PURGE_SECONDS", -1.0)
    tenant = platform.created("c-1")
    platform.send(tenant)
    platform.post(f"{TENANTS}/{tenant}/close")
    settle(service, tenant)

    found = [platform.post(f"{TENANTS}/{tenant}/purge").status_code for _ in range(60)]

    assert found[0] == 202
    assert found[-1] == 200
    assert left(service, tenant) == set()


def test_nothing_is_purged_by_a_clock_that_cannot_be_believed(service, platform, monkeypatch):
    """A contract is no reason either: it may protect what the clock says has ended."""
    tenant = platform.created("c-1")
    platform.post(f"{TENANTS}/{tenant}/close")
    settle(service, tenant)
    with monkeypatch.context() as patched:
        patched.setattr(believed_clock, "fault", lambda: "the clocks are an hour apart")
        refused = platform.post(f"{TENANTS}/{tenant}/purge")

    assert slug(refused) == "conflict"
    assert "the clocks are an hour apart" in refused.json["detail"]
    assert platform.post(f"{TENANTS}/{tenant}/purge").status_code == 200


def test_nothing_is_held_once_a_purge_has_begun(service, platform):
    """It would be deleted with what it is about."""
    tenant = platform.created("c-1")
    platform.post(f"{TENANTS}/{tenant}/close")
    settle(service, tenant)
    with service.app_context(), audit.of_operator():
        holds.release(holds.place(tenant, None, "a lawsuit that has ended").id)
        purge.purge(tenant, runtime_of(service).settings, seconds=-1)
        with pytest.raises(Conflict, match="is being deleted"):
            holds.place(tenant, None, "a lawsuit that has begun")


def test_an_open_tenant_or_one_of_others_is_not_purged(service, platform, live):
    tenant, real = platform.created("c-1"), live.created("c-2")
    other = Platform(service)

    assert slug(platform.post(f"{TENANTS}/{tenant}/purge")) == "conflict"
    platform.post(f"{TENANTS}/{tenant}/close")
    assert slug(other.post(f"{TENANTS}/{tenant}/purge")) == "not-found"
    live.post(f"{TENANTS}/{real}/close")
    assert slug(platform.post(f"{TENANTS}/{real}/purge")) == "insufficient-scope"
    reader = Platform(service, platform=platform.id, scopes=["tenants:read"])
    assert slug(reader.post(f"{TENANTS}/{tenant}/purge")) == "insufficient-scope"
