"""The day of a date that nobody gave is that of the seller, not of UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from einvoice import clock
from einvoice.domain.errors import InvalidField
from einvoice.services.account import days, profile
from einvoice.services.caches import Caches

DAYS = [
    ("2026-11-23T22:59", None, "BE", "2026-11-23"),
    ("2026-11-23T23:00", None, "BE", "2026-11-24"),
    ("2026-07-23T21:59", None, "PL", "2026-07-23"),
    ("2026-07-23T22:00", None, "PL", "2026-07-24"),
    ("2026-11-23T21:59", None, "RO", "2026-11-23"),
    ("2026-11-23T22:00", None, "RO", "2026-11-24"),
    ("2026-11-23T23:59", None, "GB", "2026-11-23"),
    ("2026-11-23T04:59", None, "US", "2026-11-22"),
    ("2026-11-23T23:30", None, None, "2026-11-23"),
    ("2026-11-23T23:30", None, "QQ", "2026-11-23"),
    ("2026-11-23T23:30", "Europe/Lisbon", "BE", "2026-11-23"),
    ("2026-11-23T23:30", "Europe/Brussels", "GB", "2026-11-24"),
]


def test_the_tenants_zone_decides_then_the_country_of_the_seller(app, tenant, monkeypatch):
    found = []
    with app.app_context():
        for moment, zone, country, _ in DAYS:
            caches, now = Caches(), datetime.fromisoformat(moment).replace(tzinfo=UTC)
            profile.change(tenant, {"timeZone": zone}, None, caches)
            monkeypatch.setattr(clock, "now", lambda now=now: now)
            found.append((moment, zone, country, str(days.today_of(tenant, caches, country))))

    assert found == DAYS


def test_a_time_zone_is_one_of_the_database(app, tenant):
    with app.app_context():
        for zone in ("Brussels", "Europe", "../etc/passwd", "europe/brussels", "CET6"):
            with pytest.raises(InvalidField) as refused:
                profile.change(tenant, {"timeZone": zone}, None, Caches())

            assert [error.pointer for error in refused.value.errors] == ["/timeZone"], zone
