"""Suppliers: the sellers that invoice the tenant, with defaults for their bills."""

from __future__ import annotations

from einvoice.domain.directory import SUPPLIER
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.routes import RouteTexts, directory_family
from einvoice.web.directory.views import DirectorySchemas, DirectoryViews

family = directory_family(
    __name__,
    DirectoryViews(
        SUPPLIER,
        DirectorySchemas(
            new=schemas.NewSupplier(),
            changes=schemas.SupplierChanges(),
            record=responses.SupplierRecord(),
            list=responses.SupplierList(),
            defaults=responses.SupplierDefaults(),
        ),
    ),
    RouteTexts(
        seed="Add the senders of received invoices; existing ones are skipped.",
        invoice_defaults="Get the values for a bill of this supplier, such as its general ledger "
        "account.",
        merge="Merge another supplier into this one, which gets its bills and the values that it "
        "lacks; the other is deleted.",
    ),
)
