"""How the invoice is paid (BG-16 to BG-19)."""

from __future__ import annotations

from datetime import date

from einvoice.binding.builder import Builder, GroupT, given
from einvoice.domain.invoice import CreditTransfer, Invoice, PaymentCard, PaymentMeans

_NOT_DEFINED = (PaymentMeans("1"),)  # UNCL 4461: a due date needs some payment means
UNKNOWN_NETWORK = "NA"  # UBL wants the card's network, EN 16931 does not know it


def payment_means(
    build: Builder[GroupT], root: GroupT, invoice: Invoice, credit_note: bool
) -> None:
    """UBL takes one account per payment means, so each further account repeats code and reference;
    not the text, which EN 16931 has once (UBL-SR-46).

    A credit note keeps its due date (BT-9) here: it has no element of its own.
    """
    due = invoice.due_date if credit_note else None
    for means in invoice.payment or (_NOT_DEFINED if due else ()):
        group = _means(build, root, means, due, text=means.text)
        if means.card is not None:
            _card(build, group, means.card)
        if means.transfers:
            _account(build, group, means.transfers[0])
        mandate = build.group(group, "cac:PaymentMandate")
        build.text(mandate, "cbc:ID", means.mandate)
        debited = build.group(mandate, "cac:PayerFinancialAccount")
        build.text(debited, "cbc:ID", means.debited_account)
        for transfer in means.transfers[1:]:
            _account(build, _means(build, root, means, due, text=None), transfer)


def _means(
    build: Builder[GroupT], root: GroupT, means: PaymentMeans, due: date | None, text: str | None
) -> GroupT:
    group = build.group(root, "cac:PaymentMeans")
    build.text(group, "cbc:PaymentMeansCode", means.code, given(name=text))
    build.day(group, "cbc:PaymentDueDate", due)
    build.text(group, "cbc:PaymentID", means.remittance)
    return group


def _card(build: Builder[GroupT], means: GroupT, card: PaymentCard) -> None:
    group = build.group(means, "cac:CardAccount")
    build.text(group, "cbc:PrimaryAccountNumberID", card.number)
    build.text(group, "cbc:NetworkID", card.network or UNKNOWN_NETWORK)
    build.text(group, "cbc:HolderName", card.holder)


def _account(build: Builder[GroupT], means: GroupT, transfer: CreditTransfer) -> None:
    group = build.group(means, "cac:PayeeFinancialAccount")
    build.text(group, "cbc:ID", transfer.account)
    build.text(group, "cbc:Name", transfer.account_name)
    build.text(build.group(group, "cac:FinancialInstitutionBranch"), "cbc:ID", transfer.bic)
