"""Payment means (BG-16 to BG-19); a request has one."""

from __future__ import annotations

from einvoice.domain.invoice import CreditTransfer, Invoice, PaymentCard
from einvoice.domain.restate.members import Members, stated


def payment_means(invoice: Invoice) -> Members:
    if not invoice.payment:
        return {}
    means = invoice.payment[0]
    accounts = [_account(each) for each in means.transfers]
    # Beside a direct debit, `iban` would be the account that is debited.
    first = {} if means.code in _DIRECT_DEBITS or not accounts else accounts.pop(0)
    return stated(
        method=means.code,
        methodText=means.text,
        **first,
        accounts=accounts,
        card=_card(means.card),
        paymentReference=means.remittance,
        mandateReference=means.mandate,
        creditorId=means.creditor,
        debitedAccount=means.debited_account,
    )


_DIRECT_DEBITS = frozenset({"49", "59"})  # UNTDID 4461


def _account(transfer: CreditTransfer) -> Members:
    return stated(iban=transfer.account, bic=transfer.bic, accountName=transfer.account_name)


def _card(card: PaymentCard | None) -> Members:
    if card is None:
        return {}
    return stated(number=card.number, holder=card.holder, network=card.network)
