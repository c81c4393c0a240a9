"""Pages of invoices, which PostgreSQL may search for a second where a tenant has millions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import InvoiceList
from einvoice.services.principal import Reader
from einvoice.web.admission import slots
from einvoice.web.shared.invoice_list_schemas import filters_of, page_of

# Filters that an index of texts finds (store/invoices/lists), which takes longer for more hits.
_SEARCHED = frozenset({"q", "party"})


def page(query: Mapping[str, Any], reader: Reader) -> InvoiceList:
    """The page that a query means. Raises InvalidField.

    Other requests compute while it is searched. A page along an index takes milliseconds: leaving
    the slot for it would cost more.
    """
    filters, part = filters_of(query), page_of(query, reader)
    is_searched = bool(_SEARCHED & query.keys())
    with slots.released() if is_searched else nullcontext():
        return lists.invoices(reader, filters, part)
