"""The usage of all tenants of a platform by month, network, direction and outcome."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from tests.builders import accepted
from tests.web.caller import slug
from tests.web.platform import Platform

USAGE = "/api/platform/usage"


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service)


def documents(service, tenant: str, at: str, *statuses: str, environment: str = "test") -> None:
    """Documents of a tenant that were accepted then, with these statuses."""
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    with service.app_context():
        for status in statuses:
            made = accepted(tenant, environment=environment)
            changed = (
                sa.update(Transmission)
                .where(Transmission.id == made.transmission_id)
                .values(status=status, listed_at=moment, access_point="peppol-test")
            )
            with db.writing() as connection:
                connection.execute(changed)


def counts(item) -> list[tuple[str, str, str, int]]:
    return [tuple(one.values()) for one in item["counts"]]


def test_documents_count_in_the_month_of_their_acceptance(service, platform):
    """Of each tenant, in the environment of the key; the last moment of the month is in it."""
    one, two, empty = (platform.created(name) for name in ("c-1", "c-2", "c-3"))
    documents(service, one, "2026-10-01T00:00:00", "Delivered", "Delivered", "Failed")
    documents(service, one, "2026-10-31T23:59:59", "Received", "Processing")
    documents(service, one, "2026-11-01T00:00:00", "Delivered")
    documents(service, one, "2026-10-05T00:00:00", "Delivered", environment="live")
    documents(service, two, "2026-10-05T00:00:00", "Delivered")

    items = platform.get(f"{USAGE}?month=2026-10").json["items"]

    assert [item["tenantId"] for item in items] == [one, two, empty]
    assert counts(items[0]) == [
        ("peppol-test", "received", "received", 1),
        ("peppol-test", "sent", "delivered", 2),
        ("peppol-test", "sent", "failed", 1),
        ("peppol-test", "sent", "processing", 1),
    ]
    assert (counts(items[1]), counts(items[2])) == ([("peppol-test", "sent", "delivered", 1)], [])
    assert {(item["month"], item["environment"]) for item in items} == {("2026-10", "test")}


def test_usage_is_read_in_pages_and_as_one_file(service, platform):
    """A name that a spreadsheet would take for a formula is written as text."""
    tenants = [platform.created(f"c-{n}", name=f"=cmd({n})") for n in range(3)]
    for tenant in tenants:
        documents(service, tenant, "2026-10-05T00:00:00", "Delivered")

    first = platform.get(f"{USAGE}?month=2026-10&limit=2").json
    rest = platform.get(f"{USAGE}?month=2026-10&limit=2&cursor={first['nextCursor']}").json
    file = platform.get(f"{USAGE}/export?month=2026-10")
    rows = list(csv.DictReader(io.StringIO(file.text)))

    assert [i["tenantId"] for i in first["items"] + rest["items"]] == tenants
    assert [row["tenantId"] for row in rows] == tenants
    assert rows[0] == {
        "month": "2026-10", "tenantId": tenants[0], "externalId": "c-0", "name": "'=cmd(0)",
        "environment": "test", "network": "peppol-test", "direction": "sent",
        "outcome": "delivered", "documents": "1",
    }  # fmt: skip
    assert "usage-2026-10.csv" in file.headers["Content-Disposition"]


def test_all_pages_are_of_the_month_of_the_first_one(service, platform, monkeypatch):
    """Also when the month ends between them."""
    tenants = [platform.created(f"c-{n}") for n in range(2)]
    for tenant in tenants:
        documents(service, tenant, "2026-10-05T00:00:00", "Delivered")
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC))
    first = platform.get(f"{USAGE}?limit=1").json
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))
    rest = platform.get(f"{USAGE}?limit=1&cursor={first['nextCursor']}").json

    found = [(i["tenantId"], i["month"], len(i["counts"])) for i in first["items"] + rest["items"]]
    assert found == [(tenant, "2026-10", 1) for tenant in tenants]


@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-00", "26-01", "2099-01", "x", "2026-1"])
def test_a_month_that_is_none_is_refused(platform, month):
    answers = [platform.get(f"{path}?month={month}") for path in (USAGE, f"{USAGE}/export")]

    assert [slug(answer) for answer in answers] == ["invalid-field"] * 2


def test_usage_is_of_the_platforms_own_tenants(service, platform):
    tenant = platform.created("c-1")
    documents(service, tenant, "2026-10-05T00:00:00", "Delivered")
    other, live = Platform(service), Platform(service, Environment.LIVE, platform.id)

    assert other.get(f"{USAGE}?month=2026-10").json["items"] == []
    assert live.get(f"{USAGE}?month=2026-10").json["items"][0]["counts"] == []
    narrow = Platform(service, platform=platform.id, scopes=["tenants:manage"])
    assert slug(narrow.get(USAGE)) == "insufficient-scope"
