"""The usage of a platform's tenants: query and response."""

from __future__ import annotations

from einvoice.services.account.platform_usage import COLUMNS, TenantUsage, UsageCount
from einvoice.web.contract import Contract
from einvoice.web.fields import Text
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

_MONTH = (r"20[0-9]{2}-(?:0[1-9]|1[0-2])", "a month, such as 2026-11")
CSV = f"{','.join(COLUMNS)}\r\n2026-11,{a.SOME_ID},customer-17,Brewery Ltd,live,peppol,sent,delivered,412\r\n"  # noqa: E501


def _month() -> Text:
    return Text("The month (UTC); default: this one.", max_length=7, form=_MONTH, example="2026-11")


class PlatformUsageQuery(PartQuery):
    month = _month()


class MonthQuery(Contract):
    month = _month()


class PlatformUsageCount(ResponseSchema[UsageCount]):
    """How many documents of one kind."""

    network = a.text("The network", "peppol")
    direction = a.text("sent or received", "sent")
    outcome = a.text("processing, delivered, failed or received", "delivered")
    documents = a.number("How many", 412)


class PlatformTenantUsage(ResponseSchema[TenantUsage]):
    """The documents of a tenant in the month."""

    tenantId = a.an_id("The tenant", source="tenant.id")
    externalId = a.text("What you call it", "customer-17", source="tenant.external_id")
    name = a.text("Its name", "Brewery Ltd", source="tenant.name")
    month = a.text("The month (UTC)", "2026-11")
    environment = a.text("test or live", "live")
    counts = a.things(PlatformUsageCount(), "Its documents; empty: none")


class PlatformUsageList(ResponseSchema[Page[TenantUsage]]):
    items = a.things(PlatformTenantUsage(), "The oldest tenant first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
