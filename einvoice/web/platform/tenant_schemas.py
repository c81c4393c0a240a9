"""Tenants of a platform: requests and responses."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.domain.plans import (
    MAX_MONTHLY_DOCUMENTS,
    MAX_NETWORKS,
    MAX_RETENTION_YEARS,
    MAX_USERS,
    AboveLimit,
    Plan,
)
from einvoice.domain.platforms import EXTERNAL_ID, MAX_EXTERNAL_ID, MAX_PER_MINUTE
from einvoice.services.account.plans import PlanState
from einvoice.services.account.platform_tenants import OwnedTenant
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import NETWORK, Code, Count, Text
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.runtime import runtime
from einvoice.web.shared import response_fields as a

STATES = ("active", "suspended", "closed")
_FORM = (EXTERNAL_ID, "1 to 100 letters, digits and . _ : @ + -, with a letter or digit first")


def _external_id(words: str, *, required: bool = False) -> Text:
    return Text(
        words, max_length=MAX_EXTERNAL_ID, form=_FORM, required=required, example="customer-17"
    )


def _name(*, required: bool = False) -> Text:
    return Text("The tenant's name.", max_length=200, required=required, example="Brewery Ltd")


class TenantLimits(Contract):
    """Requests a minute that the platform may make for the tenant; omitted: the default."""

    get = Count("GET and HEAD requests.", minimum=1, maximum=MAX_PER_MINUTE, example=60)
    post = Count("All other requests.", minimum=1, maximum=MAX_PER_MINUTE, example=20)


class PlanChanges(Contract):
    """What the tenant may use. The whole plan is replaced; omitted: without limit."""

    monthlyDocuments = Count(
        "Documents that it may send in a month (UTC), in each environment.",
        minimum=0,
        maximum=MAX_MONTHLY_DOCUMENTS,
        example=1000,
    )
    aboveLimit = Code(
        "What happens to a document above them: refuse (402), wait (429 until the next month) or "
        "allow; default: refuse.",
        tuple(AboveLimit),
        name="refuse, wait or allow",
        example="refuse",
    )
    networks = Items(
        Text("", max_length=40, form=NETWORK, required=True, example="peppol"),
        "The networks by which it may send; omitted: all.",
        max_items=MAX_NETWORKS,
    )
    users = Count(
        "How many people may use its account; omitted: any number.",
        minimum=0,
        maximum=MAX_USERS,
        example=5,
    )
    retentionYears = Count(
        "Years for which its live documents are kept, if the law asks for fewer.",
        minimum=1,
        maximum=MAX_RETENTION_YEARS,
        example=10,
    )


class NewPlatformTenant(Contract):
    """A tenant to create. The same request later returns the same tenant."""

    externalId = _external_id("What you call the tenant, once in your platform.", required=True)
    name = _name(required=True)
    limits = Part(TenantLimits, "Its rate limits; default: those of the service.")
    plan = Part(PlanChanges, "Its plan; default: none, without limits.")


class PlatformTenantChanges(Contract):
    """Omitted fields stay unchanged; null restores the default."""

    externalId = _external_id("What you call the tenant.")
    name = _name()
    limits = Part(TenantLimits, "Its rate limits.")
    plan = Part(PlanChanges, "Its plan, as a whole; null: none.")


REMOVABLE = ("limits", "plan")


class SuspensionRequest(Contract):
    """Why the tenant may not send; its refusals name it."""

    reason = Text("The reason.", max_length=200, example="Invoice of May is unpaid")


class PlatformTenantQuery(PartQuery):
    state = Code(
        "Only tenants in this state.", STATES, name="active, suspended or closed", example="active"
    )
    externalId = _external_id("Only the tenant that you call so.")


class TenantRateLimits(ResponseSchema[OwnedTenant]):
    """Requests a minute."""

    get = a.number(
        "GET and HEAD requests",
        60,
        source=lambda one: one.get_per_minute or runtime().settings.limit_get,
    )
    post = a.number(
        "All other requests",
        20,
        source=lambda one: one.post_per_minute or runtime().settings.limit_post,
    )


class TenantPlan(ResponseSchema[Plan]):
    """What the tenant may use."""

    monthlyDocuments = a.number("Documents a month; null: any number", 1000, or_null=True)
    aboveLimit = a.text("refuse, wait or allow", "refuse")
    networks = a.texts(
        "Networks by which it may send; empty: none; null: all",
        "peppol",
        or_null=True,
        source=lambda plan: None if plan.networks is None else sorted(plan.networks),
    )
    users = a.number("People who may use it; null: any number", 5, or_null=True)
    retentionYears = a.number(
        "Years for which its documents are kept, if the law asks for fewer", 10, or_null=True
    )


class SentDocuments(ResponseSchema[PlanState]):
    """Documents of this month, counted while a plan limits them."""

    test = a.number("In the sandbox", 4, source=lambda state: state.sent[Environment.TEST])
    live = a.number("In live", 412, source=lambda state: state.sent[Environment.LIVE])


class TenantPlanState(ResponseSchema[PlanState]):
    """The plan of a tenant, and what it has used."""

    plan = a.one(TenantPlan(), "The plan")
    month = a.text("The month (UTC)", "2026-11")
    sent = a.part(SentDocuments(), "Sent documents of the month")
    users = a.number("People who use it, counted while a plan limits them", 3)
    provider = a.provider()


class PlatformTenant(ResponseSchema[OwnedTenant]):
    """A tenant of the platform."""

    tenantId = a.an_id("The tenant", source="id")
    externalId = a.text("What you call it", "customer-17")
    name = a.text("Its name", "Brewery Ltd")
    state = a.text("active, suspended or closed", "active")
    sandboxOnly = a.flag("Whether only test credentials have created it", example=False)
    limits = a.part(TenantRateLimits(), "What you may ask for it, in a minute")
    plan = a.one(
        TenantPlan(),
        "What it may use; null: everything",
        or_null=True,
        source=lambda one: None if one.plan is None else Plan.of(one.plan),
    )
    createdAt = a.moment("When it was created")
    suspendedAt = a.moment("Since when it sends nothing", or_null=True)
    suspensionReason = a.text("Why", "Invoice of May is unpaid", or_null=True)
    closedAt = a.moment("When it was closed", or_null=True)
    purgeBegunAt = a.moment("When the deletion of all that it has began", or_null=True)
    purgedAt = a.moment("When it ended", or_null=True)
    verifiedNumbers = a.texts(
        "Its register and VAT numbers that are verified",
        "BE0123456749",
        source=lambda one: list(one.verified_numbers or ()),
    )


class PlatformTenantResponse(PlatformTenant):
    provider = a.provider()


class PlatformTenantList(ResponseSchema[Page[OwnedTenant]]):
    items = a.things(PlatformTenant(), "The oldest first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
