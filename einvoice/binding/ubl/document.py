"""A document in UBL: of EN 16931, or of PINT where the invoice says so."""

from __future__ import annotations

from einvoice.binding.builder import Builder, GroupT
from einvoice.binding.ubl import core, further
from einvoice.domain.invoice import Invoice
from einvoice.domain.pint import country_of


def describe(build: Builder[GroupT], invoice: Invoice) -> None:
    """Put the invoice or credit note below the builder's root."""
    if invoice.further is not None and (country := country_of(invoice.customization)):
        further.describe(build, invoice, country)
    else:
        core.describe(build, invoice)
