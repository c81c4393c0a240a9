"""The credit notes of an invoice, which name it by its number (BT-25)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from einvoice.store.invoices import numbers
from einvoice.store.invoices.numbers import CreditNote as CreditNote


class Creditable(Protocol):
    """An invoice with what finds its credit notes."""

    @property
    def environment(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def number(self) -> str | None: ...
    @property
    def sender(self) -> str: ...
    @property
    def currency(self) -> str | None: ...
    @property
    def grand_total(self) -> Decimal | None: ...
    @property
    def created_at(self) -> datetime: ...


def of(invoice: Creditable, tenant_id: str) -> list[CreditNote]:
    """Its credit notes that have not failed, newest first.

    They are of its sender, and later: a number may be used again in another year.
    """
    if not invoice.number:
        return []
    named = numbers.crediting(tenant_id, invoice.environment, invoice.direction, invoice.number)
    return [
        each
        for each in named
        if each.sender.lower() == invoice.sender.lower() and each.created_at >= invoice.created_at
    ]


def exceeding(invoice: Creditable, tenant_id: str, amount: Decimal) -> Sequence[CreditNote]:
    """Its credit notes, if they and one more of `amount` are above its amount; else none.

    The amounts are with VAT (BT-112), in the invoice's currency; others are not added.
    """
    made = of(invoice, tenant_id)
    credited = sum(each.grand_total or 0 for each in made if each.currency == invoice.currency)
    total = invoice.grand_total
    return made if total is not None and credited + amount > total else ()
