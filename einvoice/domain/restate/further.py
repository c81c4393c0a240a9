"""The terms of PINT, by the names of `domain/pint`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any, cast

from einvoice.domain.invoice import Invoice
from einvoice.domain.money import ZERO
from einvoice.domain.pint import LINE_MEMBERS, UNCHARGED, Country, country_of
from einvoice.domain.request import InvoiceRequest
from einvoice.domain.restate.members import Members

_NUMBERS = frozenset({"exchangeRate"})
_DAYS = frozenset({"arrivalDate"})
_AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_PRECEDING = "precedingInvoice"


def add_further_terms(invoice: Invoice, request: InvoiceRequest) -> None:
    """State the terms of a document of PINT, if it is one; what is computed of it is not stated."""
    country = country_of(invoice.customization)
    if country is None:
        return
    members = cast("Members", request)
    for name, text in (invoice.further or {}).items():
        if not name.startswith("=") and (_PRECEDING not in name or _PRECEDING in members):
            _put(members, name, text)
    types = country.transaction_types((invoice.further or {}).get("=transaction", ""))
    if types:
        members["transactionTypes"] = list(types)
    for line, stated in zip(invoice.lines, members["lineItems"], strict=True):
        if line.item.category.code in UNCHARGED:
            stated["taxRate"] = ZERO
        for name, text in (line.further or {}).items():
            if name in LINE_MEMBERS:
                _put(stated, name, text)
    _state_totals(members, country)


def _put(members: Members, name: str, text: str) -> None:
    *above, last = name.split(".")
    for step in above:
        members = members.setdefault(step, {})
    members[last] = _value(last, text)


def _value(name: str, text: str) -> Any:
    if name in _NUMBERS:
        return Decimal(text)
    return date.fromisoformat(text) if name in _DAYS else text


def _state_totals(members: Members, country: Country) -> None:
    """The totals that stand in supporting documents of their own types."""
    documents: Iterable[Members] = members.get("supportingDocuments", ())
    kept = []
    for each in documents:
        name = next(
            (n for n, (code, _) in country.totals.items() if code == each.get("typeCode")), None
        )
        amount = each.get("description", "").rpartition(" ")[2]
        if name and _AMOUNT.fullmatch(amount):
            members["totals"][name.rpartition(".")[2]] = Decimal(amount)
        else:
            kept.append(each)
    if "supportingDocuments" in members:
        members["supportingDocuments"] = kept
        if not kept:
            del members["supportingDocuments"]
