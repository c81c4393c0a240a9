"""Payment means, terms, and the QR code; the seller's account in the footer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from babel.numbers import format_decimal

from einvoice.documents.pdf.scan_to_pay import payment_code
from einvoice.documents.pdf.words import Words
from einvoice.domain.accounts import grouped, is_iban
from einvoice.domain.invoice import CreditTransfer, Invoice, PaymentMeans

Content = dict[str, Any]
Fact = tuple[str, str]

# UNTDID 4461 → label of the payment method.
_METHODS: Final = {
    "10": "cash", "20": "cheque", "30": "transfer", "31": "transfer", "42": "transfer",
    "48": "card", "49": "debit", "54": "card", "55": "card", "57": "standing", "58": "transfer",
    "59": "debit", "68": "online", "97": "clearing",
}  # fmt: skip
# Machine-readable German cash discounts: #SKONTO#TAGE=14#PROZENT=2.00#
_CASH_DISCOUNT: Final = re.compile(
    r"(?m)^#SKONTO#TAGE=([0-9]{1,9})#PROZENT=([0-9]{1,15}\.[0-9]{2})#"
    r"(?:BASISBETRAG=(-?[0-9]{1,15}\.[0-9]{2})#)?$\n?"
)
_DEFAULT_INTEREST: Final = re.compile(r"(?m)^#VERZUG#.*#$\n?")


def payment(invoice: Invoice, words: Words) -> Content | None:
    """The payment block; None if the invoice has no payment means or terms."""
    means = [list(_facts(entry, words)) for entry in invoice.payment]
    terms = (invoice.payment_terms or "").strip()
    if not means and not terms:
        return None
    if terms:
        readable = _readable(terms, invoice.currency, words)
        means = [*means[:-1], [*(means[-1] if means else []), (words("payment.terms"), readable)]]
    code = payment_code(invoice)
    return {
        "heading": words("payment.heading"),
        "means": means,
        "code": code,
        "code_words": words("payment.qr"),
        "scan": words("payment.scan"),
    }


def _readable(terms: str, currency: str, words: Words) -> str:
    """The payment terms with the machine-readable discounts in words, at the end.

    What has their form but longer figures stays as it is.
    """
    text = _CASH_DISCOUNT.sub("", _DEFAULT_INTEREST.sub("", f"{terms}\n")).strip()
    discounts = (_discount(found, currency, words) for found in _CASH_DISCOUNT.finditer(terms))
    return "\n".join(filter(None, (text, *discounts))) or terms


def _discount(found: re.Match[str], currency: str, words: Words) -> str:
    """A cash discount in words: 2.00 % within 14 days."""
    days, percent, base = found.groups()
    figures = {"days": days, "percent": _decimal(percent, words)}
    if base is None:
        return words("payment.cash_discount", **figures)
    amount = f"{_decimal(base, words)} {currency}"
    return words("payment.cash_discount_of", **figures, base=amount)


def _decimal(text: str, words: Words) -> str:
    return str(format_decimal(Decimal(text), "#,##0.00", locale=words.language))


def _facts(means: PaymentMeans, words: Words) -> Iterator[Fact]:
    card = means.card
    name = means.text or words(f"payment.{_METHODS.get(means.code, 'other')}")
    yield words("payment.method"), name
    for transfer in means.transfers:
        yield from _account(transfer, words)
    facts = (
        ("reference", means.remittance),
        ("mandate", means.mandate),
        ("creditor", means.creditor),
        ("debited", means.debited_account and grouped(means.debited_account)),
        ("card_number", card and card.number),
        ("card_holder", card and card.holder),
    )
    yield from ((words(f"payment.{key}"), text) for key, text in facts if text)


def _account(transfer: CreditTransfer, words: Words) -> Iterator[Fact]:
    yield _account_label(transfer, words), grouped(transfer.account)
    if transfer.bic:
        yield words("payment.bic"), transfer.bic
    if transfer.account_name:
        yield words("payment.account_name"), transfer.account_name


def _account_label(transfer: CreditTransfer, words: Words) -> str:
    return "IBAN" if is_iban(transfer.account) else words("payment.account")


def account_lines(invoice: Invoice, words: Words) -> list[str]:
    """The seller's account in the footer: the first one of the invoice.

    Empty if there is a payee (BG-10), whose account it is.
    """
    stated = [transfer for means in invoice.payment for transfer in means.transfers]
    if invoice.payee or not stated:
        return []
    account = stated[0]
    lines = [
        account.account_name,
        f"{_account_label(account, words)} {grouped(account.account)}",
        f"BIC {account.bic}" if account.bic else None,
    ]
    return [line for line in lines if line]
