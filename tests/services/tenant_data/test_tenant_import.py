"""What is exported at one installation is the same at another one."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import audit, audit_sealing, audit_verification, closure, tenants
from einvoice.services.archive import disposal, holds
from einvoice.services.caches import Caches
from einvoice.services.delivery import operations
from einvoice.services.tenant_data import tenant_export, tenant_import
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.sending.new_sends import NewSend
from einvoice.store.tables import ArchivePart, ArchiveWalk, Invoice, Outbox, Tenant
from einvoice.web.runtime import runtime_of
from jobs.relay import Relay
from tests.builders import accepted
from tests.sandbox import Sandbox
from tests.services.archive.conftest import evidence
from tests.services.tenant_data.person import Person
from tests.web.dashboard import Dashboard

DELIVERED, FAILED, PENDING = "0088:9520000000004", "0088:9520000000042", "0088:9520000000028"
SETTLED = timedelta(minutes=1)  # after which PostgreSQL's feed shows an event
DRAFT = {
    "environment": "test",
    "invoice": {
        "number": "D-1",
        "attachments": [{"filename": "a.csv", "mimeType": "text/csv", "content": "MSwy"}],
    },
}
SELLER = {"name": "Seller", "countryCode": "BE", "taxId": "BE0123456749", "email": "s@example.com"}


def export(app: Flask, tenant: str, path: Path) -> str:
    with app.app_context(), audit.of_operator():
        settings = runtime_of(app).settings
        return tenant_export.to_file(tenant, path, settings, lambda *_: None).manifest


def import_(app: Flask, path: Path, **given: Any) -> str:
    with app.app_context(), audit.of_operator():
        settings = runtime_of(app).settings
        return tenant_import.from_file(path, settings, lambda *_: None, **given).tenant_id


def test_a_tenant_is_the_same_at_another_installation(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Every answer of the API, but for what had no final status."""
    for receiver in (DELIVERED, FAILED):
        sandbox.send(receiver)
    sandbox.work(5)
    person = Dashboard(app, sandbox.tenant, role=Role.OWNER)
    assert person.post("/api/suppliers", SELLER).status_code == 201
    assert person.post("/api/customers", {"name": "Buyer"}).status_code == 201
    assert person.post("/api/drafts", DRAFT).status_code == 201
    assert person.patch("/api/tenant", {"strictIdempotency": True}).status_code == 200
    tenants.own_participant(
        sandbox.tenant, Environment.LIVE, ParticipantId.parse("0208:0123456749")
    )
    sandbox.moment += SETTLED
    before = Person(app, sandbox.tenant).everything()
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    after = Person(elsewhere, sandbox.tenant).everything()

    assert len(before) > 15
    assert after.keys() == before.keys()
    for path, answer in before.items():
        assert after[path] == answer, path


def test_nothing_is_sent_by_an_import(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path, redis_url: str
) -> None:
    """A document without a final status needs an operator, and no row becomes work."""
    invoice_id = sandbox.send(PENDING)
    accepted(sandbox.tenant, number="never attempted")
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    with elsewhere.app_context():
        Relay(elsewhere, redis_url).step()
        with db.reading() as connection:
            work = connection.execute(sa.select(Outbox.kind)).scalars().all()
        attention = operations.needing_attention()
        shown = Person(elsewhere, sandbox.tenant).says(f"/api/invoices/{invoice_id}")
        (own,) = [one for one in attention if one.invoice_id == invoice_id]
        operations.resolve(own.id, "delivered", b"proof", "proof.txt", None)
        resolved = Person(elsewhere, sandbox.tenant).says(f"/api/invoices/{invoice_id}")

    assert work == []
    assert len(attention) == 2
    assert {one.phase for one in attention} == {"unknown"}
    assert shown["networkStatus"] == "Processing"
    assert resolved["networkStatus"] == "Delivered"


def test_what_gives_access_ends(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Keys are not imported, webhooks are disabled until their secrets are rotated."""
    settings = runtime_of(app).settings
    made = endpoints.create(
        sandbox.tenant, Environment.TEST, url="https://a.example/hook", settings=settings
    )
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    refused = elsewhere.test_client().get("/api/invoices", headers=sandbox.headers)
    with elsewhere.app_context():
        endpoint = endpoints.get(sandbox.tenant, made.endpoint.id)
        rotated = endpoints.rotate(
            sandbox.tenant, made.endpoint.id, settings=runtime_of(elsewhere).settings
        )

    assert refused.status_code == 401
    assert (endpoint.status, endpoint.disabled_reason) == (
        "disabled", "imported from another installation",
    )  # fmt: skip
    assert rotated.secret != made.secret


def test_the_audit_log_begins_a_new_chain_that_names_the_old_one(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    person = Dashboard(app, sandbox.tenant)
    for name in ("One", "Two"):
        person.post("/api/customers", {"name": name})
    manifest = export(app, sandbox.tenant, tmp_path / "x.zip")
    head = audit_verification.verify(sandbox.tenant, runtime_of(app).settings).head
    import_(elsewhere, tmp_path / "x.zip")
    settings = runtime_of(elsewhere).settings
    with elsewhere.app_context():
        entries = audit.page(sandbox.tenant, before=None, limit=10, matching={})
        audit_sealing.seal_all(sandbox.tenant, settings)
        verified = audit_verification.verify(sandbox.tenant, settings)

    assert [one.action for one in reversed(entries)] == [
        "customer.created", "customer.created", "tenant.exported", "tenant.imported",
    ]  # fmt: skip
    assert entries[0].detail["auditHead"] == head
    assert entries[0].detail["manifest"] == manifest
    assert (verified.entries, verified.faults) == (4, [])


def test_an_id_that_another_tenant_has_here_becomes_a_claim(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    taken, free = ParticipantId.parse("0208:0123456749"), ParticipantId.parse("0088:1")
    for one in (taken, free):
        tenants.own_participant(tenant, Environment.LIVE, one)
    with elsewhere.app_context():
        other = tenants.create("Other")
        tenants.own_participant(other, Environment.LIVE, taken)
    export(app, tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    with elsewhere.app_context():
        found = {one.participant: one.status for one in tenants.owned(tenant)}
        owner = tenants.owner_of(Environment.LIVE, taken, Caches())

    assert found == {str(taken): "pending", str(free): "verified"}
    assert owner == other


def test_a_closed_tenant_stays_closed(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    closed_at = closure.close(tenant, Caches())
    export(app, tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    with elsewhere.app_context():
        assert tenants.get(tenant).closed_at == closed_at


def test_an_import_that_was_killed_goes_on(
    app: Flask,
    elsewhere: Flask,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After any part; meanwhile the tenant is closed, and no row is stored twice."""
    sandbox.send(DELIVERED)
    sandbox.work(5)
    sandbox.moment += SETTLED
    before = Person(app, sandbox.tenant).everything()
    export(app, sandbox.tenant, tmp_path / "x.zip")
    killed = 0
    for stop in range(100):
        with monkeypatch.context() as patched:
            patched.setattr(tenant_import, "_store", _killed_at(stop, tenant_import._store))
            try:
                import_(elsewhere, tmp_path / "x.zip")
            except KeyboardInterrupt:
                killed += 1
            else:
                break
        with elsewhere.app_context(), db.reading() as connection:
            closed = connection.execute(sa.select(Tenant.closed_at)).scalars().all()
            assert None not in closed

    assert killed > 5
    assert Person(elsewhere, sandbox.tenant).everything() == before


def _killed_at(stop: int, store: Callable[..., None]) -> Callable[..., None]:
    """Store one part, and be killed while the next one is stored."""
    calls = iter(range(1000))

    def _store(*given: Any) -> None:
        if next(calls) >= min(stop, 1):
            with db.writing() as connection:
                connection.execute(sa.update(Tenant).values(name="half of a part"))
                raise KeyboardInterrupt
        store(*given)

    return _store


def test_a_tenant_that_is_here_is_not_changed(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    """Neither that of the export itself, nor one that was imported before."""
    export(app, tenant, tmp_path / "x.zip")
    with pytest.raises(Conflict, match="There is a tenant"):
        import_(app, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    with pytest.raises(Conflict, match="There is a tenant"):
        import_(elsewhere, tmp_path / "x.zip")


def test_two_imports_at_once_store_every_part_once(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.send(DELIVERED)
    export(app, sandbox.tenant, tmp_path / "x.zip")
    store, nested = tenant_import._store, iter([True])

    def _meanwhile(*given: Any) -> None:
        if next(nested, False):
            import_(elsewhere, tmp_path / "x.zip")
        store(*given)

    monkeypatch.setattr(tenant_import, "_store", _meanwhile)
    with pytest.raises(Conflict, match="at the same time"):
        import_(elsewhere, tmp_path / "x.zip")

    assert len(Person(elsewhere, sandbox.tenant).says("/api/invoices")["items"]) == 1


def test_a_second_file_of_a_tenant_waits_for_the_first(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(app, tenant, tmp_path / "x.zip")
    export(app, tenant, tmp_path / "y.zip")
    with monkeypatch.context() as patched:
        patched.setattr(tenant_import, "_store", _killed_at(0, tenant_import._store))
        with pytest.raises(KeyboardInterrupt):
            import_(elsewhere, tmp_path / "x.zip")
    with pytest.raises(Conflict, match="another file"):
        import_(elsewhere, tmp_path / "y.zip")

    assert import_(elsewhere, tmp_path / "x.zip") == tenant


def test_events_are_in_their_order(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    for _ in range(3):
        sandbox.send(DELIVERED)
        sandbox.work(3)
    sandbox.moment += SETTLED
    before = Person(app, sandbox.tenant).says("/api/events")["items"]
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    after = Person(elsewhere, sandbox.tenant).says("/api/events")["items"]

    assert len(before) == 3
    assert after == before


def test_a_feed_of_others_misses_no_event_because_of_an_import(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Old events with new sequences: `since` begins before the events that it asks for."""
    for _ in range(5):
        sandbox.send(DELIVERED)
        sandbox.work(3)
    export(app, sandbox.tenant, tmp_path / "x.zip")
    with elsewhere.app_context():
        other = Sandbox.of(elsewhere)
        other.moment = sandbox.moment = sandbox.moment + timedelta(days=1)
        since = other.moment - timedelta(hours=1)
        expected = [_delivered(other, sandbox)]
    import_(elsewhere, tmp_path / "x.zip")
    sandbox.moment += timedelta(minutes=5)
    with elsewhere.app_context():
        other.moment = sandbox.moment
        expected.append(_delivered(other, sandbox))
        sandbox.moment += SETTLED
        shown = Person(elsewhere, other.tenant).says(f"/api/events?since={clock.timestamp(since)}")[
            "items"
        ]

    assert [one["invoiceId"] for one in shown] == expected


def _delivered(other: Sandbox, clock_of: Sandbox) -> str:
    """Send a document that is delivered; both have one clock."""
    invoice_id = other.send(DELIVERED)
    clock_of.moment += timedelta(seconds=3)
    other.moment = clock_of.moment
    other.work()
    return invoice_id


def test_walks_of_the_archive_visit_what_has_come(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    """Their position there is behind the ids of the tenant's invoices."""
    invoice_id = accepted(tenant, number="1").invoice_id
    export(app, tenant, tmp_path / "x.zip")
    there = {"drop-2026": "02000000-0000", "by-age": "01000000-0000", "unordered": "ff"}
    with elsewhere.app_context(), db.writing() as connection:
        rows = [{"name": name, "position": place} for name, place in there.items()]
        connection.execute(sa.insert(ArchiveWalk), rows)
    import_(elsewhere, tmp_path / "x.zip")
    with elsewhere.app_context(), db.reading() as connection:
        places = dict(
            map(tuple, connection.execute(sa.select(ArchiveWalk.name, ArchiveWalk.position)))
        )

    assert places.keys() == {"drop-2026", "by-age"}
    assert "01000000-0000" == places["by-age"] < places["drop-2026"] < invoice_id


def test_legal_holds_go_with_the_tenant(
    app: Flask, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    """Nothing that is held is dropped elsewhere because it has moved."""
    held = holds.place(tenant, accepted(tenant, number="1").invoice_id, "a lawsuit")
    export(app, tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    with elsewhere.app_context():
        assert holds.of_tenant(tenant) == [held]


def test_what_was_dropped_stays_dropped_with_its_proof(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Evidence that is there goes with the tenant, and its invoice stays dropped."""
    invoice = sandbox.send(DELIVERED)
    sandbox.work(5)
    later = sandbox.moment + timedelta(days=800)
    settings = replace(runtime_of(app).settings, archive_drop=True)
    assert disposal.drop(settings, seconds=60, now=later)[0] == 3
    kept = evidence(_sent(invoice), b"<Clearance/>")
    sandbox.moment += SETTLED
    before = _contents(app, sandbox.tenant, invoice)
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    after = _contents(elsewhere, sandbox.tenant, invoice)

    assert after == before
    assert before[kept.id] == (200, b"<Clearance/>")
    assert sorted(status for status, _ in before.values()) == [200, 200, 410, 410, 410]
    assert _proofs(elsewhere, sandbox.tenant) == _proofs(app, sandbox.tenant)
    assert len(_proofs(app, sandbox.tenant)) == 3


def test_an_import_with_proofs_is_exported_again_with_them(
    app: Flask, elsewhere: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.send(DELIVERED)
    sandbox.work(5)
    settings = replace(runtime_of(app).settings, archive_drop=True)
    disposal.drop(settings, seconds=60, now=sandbox.moment + timedelta(days=800))
    export(app, sandbox.tenant, tmp_path / "x.zip")
    import_(elsewhere, tmp_path / "x.zip")
    export(elsewhere, sandbox.tenant, tmp_path / "y.zip")

    def _files(name: str) -> list[Any]:
        with zipfile.ZipFile(tmp_path / name) as archive:
            lines = archive.read("tables/invoices/000001.jsonl").splitlines()
        return [json.loads(line)["files"] for line in lines]

    assert _files("y.zip") == _files("x.zip")
    assert _files("x.zip")[0]["document"]["missing"] == "document-dropped"


def _sent(invoice_id: str) -> NewSend:
    """The ids that evidence of an invoice needs."""
    own = (Invoice.transmission_id, Invoice.tenant_id, Invoice.created_at)
    query = sa.select(Invoice.id.label("invoice_id"), *own).where(Invoice.id == invoice_id)
    with db.reading() as connection:
        row = connection.execute(query).one()
    return cast("NewSend", row)


def _contents(app: Flask, tenant: str, invoice: str) -> dict[str, Any]:
    """Status, and content or the members of the refusal, of each artefact."""
    person = Dashboard(app, tenant, role=Role.OWNER)
    base = f"/api/invoices/{invoice}/artefacts"
    found: dict[str, Any] = {}
    for item in person.get(base).json["items"]:
        answer = person.get(f"{base}/{item['artefactId']}")
        said = answer.data
        if answer.status_code != 200:
            said = {name: answer.json[name] for name in ("detail", "sha256", "droppedAt")}
        found[item["artefactId"]] = answer.status_code, said
    return found


def _proofs(app: Flask, tenant: str) -> list[Any]:
    query = sa.select(
        ArchivePart.owner_id, ArchivePart.part, ArchivePart.invoice_id, ArchivePart.kind,
        ArchivePart.sha256, ArchivePart.size, ArchivePart.dropped_at, ArchivePart.dropped_rule,
    ).where(ArchivePart.tenant_id == tenant)  # fmt: skip
    with app.app_context(), db.reading() as connection:
        return sorted(tuple(row) for row in connection.execute(query))
