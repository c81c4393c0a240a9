"""The values that a send takes from the tenant's profile and from the directory."""

from __future__ import annotations

from einvoice.domain.directory import Customer
from einvoice.domain.request import SendDefaults, SendRequest, TotalsRule
from einvoice.services.account import days, tenants
from einvoice.services.directory import counterparties
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.evaluation import kind_of


def defaults_of(principal: Principal, request: SendRequest, runtime: Runtime) -> SendDefaults:
    """Defaults for a request from the tenant's profile and the customer's directory entry."""
    country = request["invoice"]["supplier"].get("address", {}).get("countryCode")
    today = days.today_of(principal.tenant_id, runtime.caches, country)
    profile = tenants.get(principal.tenant_id, runtime.caches).profile
    rule = TotalsRule(request["options"].get("totals") or profile.get("totals") or TotalsRule.EXACT)
    if kind_of(request).is_self_billed:
        # The account and the terms are the supplier's.
        return SendDefaults(today=today, totals=rule)
    customers = _customers(principal, request, runtime)
    customer = customers[0] if len(customers) == 1 else None
    return SendDefaults(
        iban=profile.get("iban"),
        bic=profile.get("bic"),
        account_name=profile.get("accountName"),
        buyer_reference=customer.buyer_reference if customer else None,
        payment_terms_days=customer.default_payment_terms_days if customer else None,
        undecided_customers=counterparties.named(customers) if len(customers) > 1 else "",
        today=today,
        totals=rule,
    )


def _customers(principal: Principal, request: SendRequest, runtime: Runtime) -> list[Customer]:
    """The buyer's directory entry, read only if the request leaves something open; several if
    nothing distinguishes them.

    Decisions 17.8 and 17.9: the reference where none is sent, the terms where no due date is.
    """
    invoice = request["invoice"]
    has_reference = invoice.get("buyerReference") or invoice.get("orderReference")
    if has_reference and "dueDate" in invoice:
        return []
    buyer, receiver = invoice["buyer"], request["routing"].receiver
    return counterparties.find_customers(
        principal.tenant_id, receiver, buyer.get("taxId"), buyer["name"], runtime.caches
    )
