"""Invoices as CII can express them."""

from __future__ import annotations

from dataclasses import replace

from einvoice.domain.invoice import (
    Identifier,
    Invoice,
    Party,
    PaymentMeans,
)
from einvoice.domain.money import EXACT


def as_cii_expresses_it(invoice: Invoice) -> Invoice:
    """The invoice with the terms that CII has once merged, and terms outside EN 16931 removed."""
    payment = tuple(_means(means, invoice.payment) for means in invoice.payment)
    lines = tuple(
        replace(
            line, price=replace(line.price, gross=EXACT.add(line.price.net, line.price.discount))
        )
        if line.price.discount is not None and line.price.gross is None
        else line
        for line in invoice.lines
    )
    return replace(invoice, payment=payment, seller=_party(invoice.seller), lines=lines)


def _means(means: PaymentMeans, payment: tuple[PaymentMeans, ...]) -> PaymentMeans:
    """Each means has the payment reference; none has the card's network."""
    reference = next((entry.remittance for entry in payment if entry.remittance), None)
    card = replace(means.card, network=None) if means.card else None
    return replace(means, remittance=reference, card=card)


def _party(party: Party) -> Party:
    by_scheme = sorted(party.identifiers, key=lambda identifier: identifier.scheme is not None)
    number = party.tax_registration
    local = Identifier(number.value, "TAX") if number else None
    return replace(party, identifiers=tuple(by_scheme), tax_registration=local)
