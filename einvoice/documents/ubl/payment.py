"""How the invoice is paid (BG-16 to BG-19) and on what terms (BT-20)."""

from __future__ import annotations

from datetime import date

from einvoice.documents.payment import NOT_DEFINED
from einvoice.documents.ubl.names import cac, cbc
from einvoice.documents.ubl.values import day
from einvoice.domain.invoice import CreditTransfer, DocumentKind, Invoice, PaymentCard, PaymentMeans

UNKNOWN_NETWORK = "NA"  # UBL wants the card's network, EN 16931 does not know it


def payment_means(invoice: Invoice) -> str:
    """UBL takes one account per payment means, so each further account repeats code and reference.

    A credit note keeps its due date (BT-9) here, for want of an element of its own.
    """
    due = invoice.due_date if invoice.kind is DocumentKind.CREDIT_NOTE else None
    payment = invoice.payment or ((PaymentMeans(NOT_DEFINED),) if due else ())
    return "".join([_means(means, due) for means in payment])


def payment_terms(invoice: Invoice) -> str:
    return cac.PaymentTerms(cbc.Note(invoice.payment_terms))


def _means(means: PaymentMeans, due: date | None) -> str:
    head = "".join(
        (
            cbc.PaymentMeansCode(means.code, name=means.text),
            day(cbc.PaymentDueDate, due),
            cbc.PaymentID(means.remittance),
        )
    )
    first = cac.PaymentMeans(
        head,
        _card(means.card) if means.card else "",
        _account(means.transfers[0]) if means.transfers else "",
        cac.PaymentMandate(
            cbc.ID(means.mandate),
            cac.PayerFinancialAccount(cbc.ID(means.debited_account)),
        ),
    )
    further = [cac.PaymentMeans(head, _account(transfer)) for transfer in means.transfers[1:]]
    return first + "".join(further)


def _card(card: PaymentCard) -> str:
    return cac.CardAccount(
        cbc.PrimaryAccountNumberID(card.number),
        cbc.NetworkID(card.network or UNKNOWN_NETWORK),
        cbc.HolderName(card.holder),
    )


def _account(transfer: CreditTransfer) -> str:
    return cac.PayeeFinancialAccount(
        cbc.ID(transfer.account),
        cbc.Name(transfer.account_name),
        cac.FinancialInstitutionBranch(cbc.ID(transfer.bic)),
    )
