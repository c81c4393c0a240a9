"""Payment means (BG-16 to BG-19)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise

from einvoice.binding.ubl.payment import UNKNOWN_NETWORK
from einvoice.documents.payment import debit_position, merged
from einvoice.documents.tree import Node, repetition, without
from einvoice.documents.ubl.read_parties import creditor as creditor_of
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import CreditTransfer, PaymentCard, PaymentMeans


def read_payment(invoice: Node) -> tuple[PaymentMeans, ...]:
    """UBL repeats payment means for each account; these are merged."""
    payment = merged(_means(entry) for entry in invoice.all(cac.PaymentMeans))
    creditor = _creditor(invoice)
    if creditor and payment:
        at = debit_position(payment)
        payment[at] = replace(payment[at], creditor=creditor)
    return tuple(payment)


def payment_due(invoice: Node) -> date | None:
    """BT-9 of a credit note, which each payment means repeats."""
    days = [(entry, entry.day(cbc.PaymentDueDate)) for entry in invoice.all(cac.PaymentMeans)]
    found = [(entry, day) for entry, day in days if day]
    for (_, first), (entry, second) in pairwise(found):
        if first != second:
            raise repetition(entry.element, f"a second due date, {second} after {first}")
    return found[0][1] if found else None


def _creditor(invoice: Node) -> str | None:
    supplier = invoice.at(cac.AccountingSupplierParty, cac.Party)
    return creditor_of(invoice.one(cac.PayeeParty)) or creditor_of(supplier)


def _means(node: Node) -> PaymentMeans:
    account, card = node.one(cac.PayeeFinancialAccount), node.one(cac.CardAccount)
    mandate = node.one(cac.PaymentMandate)
    return PaymentMeans(
        code=node.need_text(cbc.PaymentMeansCode),
        text=node.attribute(cbc.PaymentMeansCode, "name"),
        remittance=node.text(cbc.PaymentID),
        transfers=(_transfer(account),) if account else (),
        card=_card(card) if card else None,
        mandate=mandate.text(cbc.ID) if mandate else None,
        debited_account=mandate.text_at(cac.PayerFinancialAccount, cbc.ID) if mandate else None,
    )


def _transfer(account: Node) -> CreditTransfer:
    number = account.text(cbc.ID)
    if number is None:
        raise without(account.element, "ID")
    return CreditTransfer(
        account=number,
        account_name=account.text(cbc.Name),
        bic=account.text_at(cac.FinancialInstitutionBranch, cbc.ID),
    )


def _card(card: Node) -> PaymentCard:
    network = card.text(cbc.NetworkID)
    return PaymentCard(
        number=card.need_text(cbc.PrimaryAccountNumberID),
        holder=card.text(cbc.HolderName),
        network=None if network == UNKNOWN_NETWORK else network,
    )
