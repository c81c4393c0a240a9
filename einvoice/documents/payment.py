"""Payment means of EN 16931, from documents that repeat them for each account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from einvoice.domain.invoice import PaymentMeans

NOT_DEFINED: Final = "1"  # UNCL 4461: payment means not defined


def merged(found: Iterable[PaymentMeans]) -> list[PaymentMeans]:
    """Merge each payment means that only adds an account into the one before it."""
    payment: list[PaymentMeans] = []
    for means in found:
        if payment and _continues(payment[-1], means):
            payment[-1] = replace(payment[-1], transfers=payment[-1].transfers + means.transfers)
        else:
            payment.append(means)
    return payment


def debit_position(payment: list[PaymentMeans]) -> int:
    """The index of the payment means that the document's terms of direct debit belong to."""
    debits = [i for i, means in enumerate(payment) if means.mandate or means.debited_account]
    coded = [i for i, means in enumerate(payment) if means.code in _DIRECT_DEBITS]
    return (debits or coded or [0])[0]


_DIRECT_DEBITS: Final = frozenset({"49", "59"})


def _continues(before: PaymentMeans, means: PaymentMeans) -> bool:
    """Whether this one differs from the one before only by its account, and by a text that is not
    repeated."""
    text = before.text if means.text else None
    bare = PaymentMeans(before.code, text, before.remittance)
    return bool(before.transfers and means.transfers) and replace(means, transfers=()) == bare
