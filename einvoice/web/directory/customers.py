"""Customers: the buyers of the tenant's invoices, with defaults for their invoices."""

from __future__ import annotations

from einvoice.domain.directory import CUSTOMER
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.routes import RouteTexts, directory_family
from einvoice.web.directory.views import DirectorySchemas, DirectoryViews

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
    ),
    RouteTexts(
        seed="Add the buyers of all sent invoices; existing ones are skipped.",
        invoice_defaults="Get the values for a new invoice to this customer; merge `send` into the "
        "body of a send.",
        merge="Merge another customer into this one, which gets the values that it lacks; the "
        "other is deleted.",
    ),
)
