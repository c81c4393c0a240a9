"""Customers: the buyers of the tenant's invoices, with defaults for their invoices."""

from __future__ import annotations

from typing import Any, cast

from einvoice.domain.directory import CUSTOMER, Customer
from einvoice.services.directory.entries import InvoiceDefaults
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.routes import RouteTexts, directory_family
from einvoice.web.directory.views import DirectorySchemas, DirectoryViews


def _send_body(found: InvoiceDefaults) -> dict[str, Any]:
    """`send`: the known members of the body of POST /api/invoices/send."""
    customer = cast("Customer", found.entry)
    address = {**(customer.address or {})}
    if customer.country_code:
        address.setdefault("countryCode", customer.country_code)
    buyer = {
        "name": customer.name,
        "taxId": customer.tax_id,
        "address": address,
        "contact": _known({"email": customer.email, "phone": customer.phone}),
    }
    invoice = {
        "issueDate": found.issue_date,
        "dueDate": found.due_date,
        "currency": customer.default_currency_code,
        "buyerReference": customer.buyer_reference,
        "buyer": _known(buyer),
    }
    routing = {
        "receiverParticipantId": customer.peppol_id,
        "accessPointRef": found.access_point_ref,
    }
    return {"send": {"invoice": _known(invoice), "routing": _known(routing)}}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


family = directory_family(
    __name__,
    DirectoryViews(
        CUSTOMER,
        DirectorySchemas(
            new=schemas.NewCustomer(),
            changes=schemas.CustomerChanges(),
            record=responses.CustomerRecord(),
            list=responses.CustomerList(),
            defaults=responses.CustomerDefaults(),
        ),
        default_members={
            "name": "name",
            "taxId": "tax_id",
            "peppolId": "peppol_id",
            "networkStatus": "network_status",
            "currency": "default_currency_code",
            "paymentTermsDays": "default_payment_terms_days",
        },
        more_defaults=_send_body,
    ),
    RouteTexts(
        seed="Add the buyers of all sent invoices; existing ones are skipped.",
        invoice_defaults="Get the values for a new invoice to this customer; merge `send` into the "
        "body of a send.",
        merge="Merge another customer into this one, which gets the values that it lacks; the "
        "other is deleted.",
    ),
)
