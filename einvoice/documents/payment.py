"""Payment means as EN 16931 sees them, from documents that repeat them for each account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from einvoice.domain.invoice import PaymentMeans

NOT_DEFINED: Final = "1"  # UNCL 4461: payment means not defined


def merged(found: Iterable[PaymentMeans]) -> list[PaymentMeans]:
    """A payment means that only adds an account to the one before becomes part of it."""
    payment: list[PaymentMeans] = []
    for means in found:
        if payment and _continues(payment[-1], means):
            payment[-1] = replace(payment[-1], transfers=payment[-1].transfers + means.transfers)
        else:
            payment.append(means)
    return payment


def debit_position(payment: list[PaymentMeans]) -> int:
    """Where terms of a direct debit belong that a document keeps apart from its payment means."""
    debits = [i for i, means in enumerate(payment) if means.mandate or means.debited_account]
    coded = [i for i, means in enumerate(payment) if means.code in _DIRECT_DEBITS]
    return (debits or coded or [0])[0]


_DIRECT_DEBITS: Final = frozenset({"49", "59"})


def _continues(before: PaymentMeans, means: PaymentMeans) -> bool:
    """Whether this adds nothing but one more account."""
    bare = PaymentMeans(before.code, before.text, before.remittance)
    return bool(before.transfers and means.transfers) and replace(means, transfers=()) == bare
