"""How the invoice is paid (BG-16 to BG-19)."""

from __future__ import annotations

from datetime import date

from einvoice.domain.invoice import CreditTransfer, Invoice, PaymentCard, PaymentMeans
from einvoice.rules.model.fill import Fill
from einvoice.rules.node import Node

_NOT_DEFINED = (PaymentMeans("1"),)  # UNCL 4461: a due date needs some payment means
_UNKNOWN_NETWORK = "NA"  # UBL wants the card's network, EN 16931 does not know it


def payment_means(fill: Fill, root: Node, invoice: Invoice, credit_note: bool) -> None:
    """A credit note keeps its due date here; each further account repeats code and reference."""
    due = invoice.due_date if credit_note else None
    for means in invoice.payment or (_NOT_DEFINED if due else ()):
        group = _means(fill, root, means, due)
        if means.card is not None:
            _card(fill, group, means.card)
        if means.transfers:
            _account(fill, group, means.transfers[0])
        mandate = fill.group(group, "cac:PaymentMandate")
        fill.text(mandate, "cbc:ID", means.mandate)
        debited = fill.group(mandate, "cac:PayerFinancialAccount")
        fill.text(debited, "cbc:ID", means.debited_account)
        for transfer in means.transfers[1:]:
            _account(fill, _means(fill, root, means, due), transfer)


def _means(fill: Fill, root: Node, means: PaymentMeans, due: date | None) -> Node:
    group = fill.group(root, "cac:PaymentMeans")
    fill.text(group, "cbc:PaymentMeansCode", means.code, {"name": means.text} if means.text else {})
    fill.day(group, "cbc:PaymentDueDate", due)
    fill.text(group, "cbc:PaymentID", means.remittance)
    return group


def _card(fill: Fill, means: Node, card: PaymentCard) -> None:
    group = fill.group(means, "cac:CardAccount")
    fill.text(group, "cbc:PrimaryAccountNumberID", card.number)
    fill.text(group, "cbc:NetworkID", card.network or _UNKNOWN_NETWORK)
    fill.text(group, "cbc:HolderName", card.holder)


def _account(fill: Fill, means: Node, transfer: CreditTransfer) -> None:
    group = fill.group(means, "cac:PayeeFinancialAccount")
    fill.text(group, "cbc:ID", transfer.account)
    fill.text(group, "cbc:Name", transfer.account_name)
    fill.text(fill.group(group, "cac:FinancialInstitutionBranch"), "cbc:ID", transfer.bic)
