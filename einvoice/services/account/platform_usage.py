"""Documents of all tenants of a platform in a month, by network, direction and outcome (21.1).

Tenants are read in pages, so one costs the same for any number of tenants; of each, the counted
blocks of its documents are added up, so it costs the same for any number of documents.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from einvoice import clock
from einvoice.documents.csv_table import guarded
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.plans import month_of, next_month
from einvoice.services.runtime import Runtime
from einvoice.store.account import platforms
from einvoice.store.account.platforms import OwnedTenant
from einvoice.store.invoices import kind_counts

COLUMNS = ("month", "tenantId", "externalId", "name", "environment", "network", "direction",
           "outcome", "documents")  # fmt: skip
PAGE = 200  # tenants of one statement
_RECEIVED = NetworkStatus.RECEIVED.value


@dataclass(frozen=True, slots=True)
class UsageCount:
    """How many documents of one kind; `outcome`: processing, delivered, failed or received."""

    network: str
    direction: str
    outcome: str
    documents: int


@dataclass(frozen=True, slots=True)
class TenantUsage:
    """The documents of a tenant in a month and environment, accepted then (UTC)."""

    tenant: OwnedTenant
    month: str
    environment: Environment
    counts: Sequence[UsageCount]


def page(
    platform_id: str,
    environment: Environment,
    month: str,
    runtime: Runtime,
    *,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[TenantUsage]:
    """Tenants in the order of their creation, after that place, also those without documents."""
    first = first_of(month)
    found = platforms.owned_page(
        platform_id, state=None, external_id=None, after=after, limit=limit
    )
    ids = [tenant.id for tenant in found]
    by_tenant: dict[str, dict[tuple[str, str, str], int]] = {each: {} for each in ids}
    for one in kind_counts.of_tenants(ids, environment.value, first, next_month(first)):
        direction = "received" if one.status == _RECEIVED else "sent"
        kind = _network(one.access_point, runtime), direction, one.status.lower()
        counted = by_tenant[one.tenant_id]
        counted[kind] = counted.get(kind, 0) + one.documents
    return [
        TenantUsage(tenant, month, environment, _counts(by_tenant[tenant.id])) for tenant in found
    ]


def _counts(counted: dict[tuple[str, str, str], int]) -> list[UsageCount]:
    return [UsageCount(*kind, documents) for kind, documents in sorted(counted.items())]


def _network(access_point: str, runtime: Runtime) -> str:
    """The network of an access point; of one that is not installed any more its name."""
    try:
        return runtime.access_points[access_point].network
    except KeyError:
        return access_point


def first_of(month: str) -> datetime:
    """The beginning of a month (UTC). Raises ValueError."""
    return datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)


def month_or_now(text: str | None) -> str:
    """The month that is asked for, by default this one. Raises InvalidField."""
    now = month_of(clock.now())
    if text is None:
        return now
    try:
        first_of(text)
    except ValueError:
        message = "is no month, such as 2026-11"
        raise InvalidField([FieldError("/month", "not-a-month", message)]) from None
    if text > now:
        message = "has not begun yet"
        raise InvalidField([FieldError("/month", "out-of-range", message)])
    return text


def lines(
    platform_id: str,
    environment: Environment,
    month: str,
    runtime: Runtime,
) -> Iterator[str]:
    """The same of all tenants as lines of a CSV file."""
    yield _line(COLUMNS)
    after: tuple[datetime, str] | None = None
    while True:
        found = page(platform_id, environment, month, runtime, after=after, limit=PAGE)
        for each in found:
            yield from _lines_of(each)
        if len(found) < PAGE:
            return
        after = found[-1].tenant.created_at, found[-1].tenant.id


def _lines_of(of: TenantUsage) -> Iterator[str]:
    tenant = of.tenant
    for one in of.counts:
        yield _line(
            (of.month, tenant.id, tenant.external_id, guarded(tenant.name), of.environment.value,
             one.network, one.direction, one.outcome, one.documents)
        )  # fmt: skip


def _line(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue()
