"""The day for a date that nobody gave: by the tenant's time zone, else the seller's country.

Rule sets and deadlines go by `clock.today`, the day in UTC.
"""

from __future__ import annotations

from datetime import date

from einvoice import clock
from einvoice.domain.time_zones import day_at
from einvoice.services.account import tenants
from einvoice.services.caches import Caches


def today_of(tenant_id: str, caches: Caches, country: str | None = None) -> date:
    """The tenant's day. `country`: of the seller, if it is known. Raises NotFound."""
    zone = tenants.get(tenant_id, caches).profile.get("timeZone")
    return day_at(clock.now(), zone if isinstance(zone, str) else None, country)
