"""A person is erased; documents stay, and so does the proof of the audit log."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from einvoice import clock
from einvoice.cli import application
from einvoice.cli.tenants import tenants as commands
from einvoice.domain.errors import NotFound
from einvoice.domain.roles import Role
from einvoice.services.account import audit, audit_sealing, audit_verification, closure
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import erasure
from einvoice.services.tenant_data.erasure import Erasure
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, ShareLink, WebSession
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.web.buyer.shop import Shop
from tests.web.dashboard import Dashboard

ANN, MAIL = "auth0|ann", "Ann@Example.com"


@pytest.fixture
def ann(app: Flask) -> Dashboard:
    """A person who has made a key, a customer, and ended the sessions of somebody else."""
    person = Dashboard(app, role=Role.OWNER, subject=ANN, email=MAIL)
    person.post("/api/keys", {"name": "ERP", "environment": "test"})
    person.post("/api/customers", {"name": "Buyer BV", "email": MAIL, "phone": "+32 1"})
    person.post("/api/customers", {"name": "Ann Example", "email": "private@example.com"})
    other = Dashboard(app, person.tenant, role=Role.OWNER, subject="bob", email="bob@example.com")
    other.post("/api/customers", {"name": "Other BV", "email": "other@example.com"})
    return person


def erase(app: Flask, tenant: str, subject: str, *, dry_run: bool = False) -> Erasure:
    with app.app_context(), audit.of_operator():
        return erasure.erase(tenant, subject, runtime_of(app).settings, dry_run=dry_run)


def everything(tenant: str) -> str:
    """All rows of the database that belong to the tenant, as text."""
    found: list[Any] = []
    with db.reading() as connection:
        for table in AuditEntry.metadata.sorted_tables:
            if "tenant_id" in table.columns:
                query = sa.select(table).where(table.c.tenant_id == tenant)
                found += connection.execute(query).all()
    return str(found).lower()


def faults(app: Flask, tenant: str) -> list[str]:
    settings = runtime_of(app).settings
    audit_sealing.seal_all(tenant, settings)
    return audit_verification.verify(tenant, settings).faults


def test_a_person_is_named_nowhere_any_more(app: Flask, ann: Dashboard) -> None:
    """By the subject and by the e-mail address; others stay as they are."""
    for subject in (ANN, MAIL):
        erase(app, ann.tenant, subject)
    left = everything(ann.tenant)

    assert ANN not in left
    assert MAIL.lower() not in left
    assert "+32 1" not in left
    assert "bob@example.com" in left
    assert "other@example.com" in left
    assert "buyer bv" in left


def test_the_audit_log_is_still_proved_whole(app: Flask, ann: Dashboard) -> None:
    """With the actions, their order and times, under one pseudonym."""
    before = audit.page(ann.tenant, before=None, limit=50, matching={})
    done = erase(app, ann.tenant, ANN)
    after = audit.page(ann.tenant, before=None, limit=50, matching={})

    assert faults(app, ann.tenant) == []
    assert done.audit_entries == 3
    assert after[0].action == "person.erased"
    assert after[0].target == done.pseudonym
    assert [(one.action, one.at) for one in after[1:]] == [(one.action, one.at) for one in before]
    assert {one.actor for one in after} == {done.pseudonym, "bob", "operator"}


def test_an_erasure_that_is_not_recorded_is_a_fault(app: Flask, ann: Dashboard) -> None:
    """Who changes the tables cannot hide who did something as an erasure."""
    audit_sealing.seal_all(ann.tenant, runtime_of(app).settings)
    (entry, *_) = audit.page(ann.tenant, before=None, limit=1, matching={"actor": ANN})
    with db.writing() as connection:
        (found,) = erasure.audit_seals.entries(ann.tenant, [entry.sequence])
        values = erasure._erased(found, ANN, "erased-by-hand")
        connection.execute(
            sa.update(AuditEntry).where(AuditEntry.sequence == entry.sequence).values(**values)
        )

    assert faults(app, ann.tenant) == [
        f"entry {entry.sequence} was erased, and no erasure is recorded"
    ]


def test_a_person_in_the_directory_is_deleted_and_a_contact_removed(
    app: Flask, ann: Dashboard
) -> None:
    by_name = erase(app, ann.tenant, "ann example")
    by_mail = erase(app, ann.tenant, MAIL)
    listed = ann.get("/api/customers?sort=name").json["items"]
    found = ann.get(f"/api/customers?q={MAIL}").json["items"]

    assert (by_name.entries, by_mail.contacts) == (1, 1)
    assert [(one["name"], one["email"], one["phone"]) for one in listed] == [
        ("Buyer BV", None, None),
        ("Other BV", "other@example.com", None),
    ]
    assert found == []


def test_a_dry_run_changes_nothing(app: Flask, ann: Dashboard) -> None:
    before = everything(ann.tenant)
    would = erase(app, ann.tenant, MAIL, dry_run=True)
    unchanged = everything(ann.tenant) == before
    did = erase(app, ann.tenant, MAIL)

    assert unchanged
    assert would.pseudonym is None
    assert (would.contacts, would.done_by) == (did.contacts, did.done_by) == (1, 1)
    assert would.audit_entries == 3


def test_documents_stay_and_it_says_until_when(app: Flask, ann: Dashboard) -> None:
    for number in range(2):
        accepted(ann.tenant, environment="live", number=str(number), buyer_name="Ann Example",
                 supplier_country="BE", issue_date=date(2026, 11, 1))  # fmt: skip
    found = erase(app, ann.tenant, "Ann Example")
    (kept,) = found.kept
    items = ann.get("/api/invoices").json["items"]

    assert kept.documents == 2
    assert kept.until.year >= 2026 + 7
    assert "BE: VAT Code" in kept.rule
    assert [one["buyerName"] for one in items] == ["Ann Example"] * 2


def test_a_share_link_to_the_person_ends(app: Flask) -> None:
    shop = Shop(app)
    link = shop.link()
    owner = Dashboard(app, shop.tenant, role=Role.OWNER)
    buyer = owner.get("/api/invoices").json["items"][0]["buyerName"]
    found = erase(app, shop.tenant, buyer)
    with db.reading() as connection:
        digests = connection.execute(sa.select(ShareLink.digest)).scalars().all()

    assert link
    assert found.share_links == 1
    assert digests == [None]


def test_a_closed_tenant_can_be_erased_from(app: Flask, ann: Dashboard) -> None:
    closure.close(ann.tenant, Caches())

    assert erase(app, ann.tenant, ANN).audit_entries == 3


def test_other_tenants_are_not_touched(app: Flask, ann: Dashboard) -> None:
    other = Dashboard(app, role=Role.OWNER, subject=ANN, email=MAIL)
    other.post("/api/customers", {"name": "Buyer BV", "email": MAIL})
    before = everything(other.tenant)
    erase(app, ann.tenant, ANN)
    erase(app, ann.tenant, MAIL)

    assert everything(other.tenant) == before


def test_an_unknown_tenant_is_refused(app: Flask) -> None:
    with pytest.raises(NotFound):
        erase(app, "none", ANN)


def test_the_command_prints_what_is_erased_and_what_stays(
    app: Flask, ann: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "application", lambda: app)
    accepted(ann.tenant, environment="test", number="1")
    run = CliRunner().invoke
    line = ["erase", ann.tenant, "--subject", ANN]
    dry = run(commands, [*line, "--dry-run"])
    refused = run(commands, line, input="n\n")
    done = run(commands, [*line, "--yes"])
    blank = run(commands, ["erase", ann.tenant, "--subject", " ", "--yes"])

    assert (dry.exit_code, refused.exit_code, done.exit_code, blank.exit_code) == (0, 1, 0, 2)
    assert "nothing was changed" in dry.output
    assert "     3  entries of the audit log" in done.output
    assert "     1  documents stay until " in done.output
    assert done.output.splitlines()[-1].startswith("erased-")
    assert ANN not in everything(ann.tenant)


def test_drafts_that_name_the_person_are_deleted_and_others_lose_their_author(
    app: Flask, ann: Dashboard
) -> None:
    """No law asks for what was never sent."""
    for buyer in ("Ann Example", "Other BV"):
        body = {"environment": "test", "invoice": {"buyer": {"name": buyer}}}
        assert ann.post("/api/drafts", body).status_code == 201
    would = erase(app, ann.tenant, "ann example", dry_run=True)
    listed = len(ann.get("/api/drafts").json["items"])
    did = erase(app, ann.tenant, "ann example")
    by_mail = erase(app, ann.tenant, MAIL)
    (left,) = ann.get("/api/drafts").json["items"]

    assert (would.drafts, did.drafts, listed) == (1, 1, 2)
    assert left["buyerName"] == "Other BV"
    assert left["createdBy"] == by_mail.pseudonym


def test_logins_of_the_person_to_the_dashboard_are_deleted(app: Flask, ann: Dashboard) -> None:
    """Those of others stay, as do logins of a person of this name elsewhere."""
    for login, subject, tenant in (
        ("1", ANN, ann.tenant),
        ("2", "bob", ann.tenant),
        ("3", ANN, "x"),
    ):
        _log_in(login, subject, tenant)
    erase(app, ann.tenant, ANN)
    with db.reading() as connection:
        left = connection.execute(sa.select(WebSession.id)).scalars().all()

    assert sorted(left) == ["2", "3"]


def _log_in(login: str, subject: str, tenant: str) -> None:
    now = clock.now()
    with db.writing() as connection:
        connection.execute(
            sa.insert(WebSession).values(
                id=login, issuer="i", subject=subject, roles={tenant: "owner"}, environment="test",
                issued_at=0.0, created_at=now, seen_at=now, refreshed_at=now, expires_at=now,
            )
        )  # fmt: skip


def test_who_placed_and_released_a_hold_is_erased_and_the_hold_stays(app: Flask) -> None:
    person = Dashboard(app, role=Role.OWNER, subject=ANN, email=MAIL)
    made = person.post("/api/holds", {"reason": "Lawsuit 4711"}).json["holdId"]
    person.post(f"/api/holds/{made}/release")
    before = everything(person.tenant)
    done = erase(app, person.tenant, ANN)
    found = Dashboard(app, person.tenant, subject="bob").get(f"/api/holds/{made}").json

    assert ANN in before
    assert (found["placedBy"], found["releasedBy"]) == (done.pseudonym, done.pseudonym)
    assert found["reason"] == "Lawsuit 4711"
    assert ANN not in everything(person.tenant)
