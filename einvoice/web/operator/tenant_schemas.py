"""Tenants, as operators see them: requests and responses."""

from __future__ import annotations

from einvoice.domain.operators import MAX_REASON
from einvoice.domain.plans import Plan
from einvoice.services.console.tenants import MonthCount, SeenTenant
from einvoice.web.contract import Contract
from einvoice.web.fields import Code, Id, Text
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.platform.tenant_schemas import STATES, TenantPlan
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class OperatorReason(Contract):
    """Why an operator does it; it is written into the audit log of the tenant."""

    reason = Text(
        "The reason.", max_length=MAX_REASON, required=True, example="Invoice of May is unpaid"
    )


class OperatorTenantQuery(PartQuery):
    q = Text("Part of a name, or an id or externalId.", max_length=200, example="Brewery")
    state = Code(
        "Only tenants in this state.", STATES, name="active, suspended or closed", example="active"
    )
    platformId = Id("Only tenants of this platform.", max_length=40, example=a.SOME_ID)


class TenantMonth(ResponseSchema[MonthCount]):
    """Documents accepted in this month (UTC)."""

    environment = a.text("test or live", "live")
    sent = a.number("Sent, whatever became of them", 412)
    failed = a.number("Of these, failed", 2)
    received = a.number("Received", 97)


class OperatorTenant(ResponseSchema[SeenTenant]):
    """A tenant of the installation."""

    inside = "tenant"

    tenantId = a.text("The tenant", a.SOME_ID, source="id")
    name = a.text("Its name", "Brewery Ltd")
    state = a.text("active, suspended or closed", "active")
    isPlatform = a.flag("Whether it is the account of a platform", example=False)
    platformId = a.text("The platform that owns it; null: none", a.SOME_ID, or_null=True)
    externalId = a.text("What the platform calls it", "customer-17", or_null=True)
    sandboxOnly = a.flag("Whether only test credentials have created it", example=False)
    plan = a.one(
        TenantPlan(),
        "What it may use; null: everything",
        or_null=True,
        source=lambda one: None if one.tenant.plan is None else Plan.of(one.tenant.plan),
    )
    months = a.things(TenantMonth(), "Its documents of this month", source=".months")
    createdAt = a.moment("When it was created")
    suspendedAt = a.moment("Since when it sends nothing", or_null=True)
    suspensionReason = a.text("Why", "Invoice of May is unpaid", or_null=True)
    closedAt = a.moment("When it was closed", or_null=True)
    verifiedNumbers = a.texts(
        "Its register and VAT numbers that are verified",
        "BE0123456749",
        source=lambda one: list(one.tenant.verified_numbers or ()),
    )


class OperatorTenantResponse(OperatorTenant):
    provider = a.provider()


class OperatorTenantList(ResponseSchema[Page[SeenTenant]]):
    items = a.things(OperatorTenant(), "The newest first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
