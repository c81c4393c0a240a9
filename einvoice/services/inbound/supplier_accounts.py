"""A bank account that differs from those of the supplier's earlier bills is named on the bill.

Whoever takes over a mailbox, or copies an invoice, changes the account. A supplier is known by its
tax id and by its name, so a document that leaves one of them out is compared by the other. An
account that differed stays doubted, on later bills too, until a person has processed the bill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from einvoice.domain.directory import name_key, tax_key
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.request import SendWarning
from einvoice.store.inbound import supplier_accounts as stored
from einvoice.store.inbound.supplier_accounts import NewAccount, SupplierKey

MAX_ACCOUNTS: Final = 20  # of a bill
_MAX_KEY, _MAX_ACCOUNT, _SHOWN = 190, 64, 5
_SIGNS: Final = re.compile(r"[^A-Z0-9]")


def compared(text: str) -> str:
    """An account for comparing: in capitals, without spaces and signs."""
    return _SIGNS.sub("", text[:200].upper())[:_MAX_ACCOUNT]


def keys_of(head: InvoiceHead) -> list[str]:
    """By what the supplier is known; nothing for a self-billed invoice, the tenant's."""
    if head.is_self_billed:
        return []
    tax, name = tax_key(head.supplier_tax_id), name_key(head.supplier_name or "")
    return [f"{kind}:{key}"[:_MAX_KEY] for kind, key in (("tax", tax), ("name", name)) if key]


@dataclass(frozen=True, slots=True)
class NamedAccounts:
    """The accounts that a bill names.

    place  tenant and environment
    given  the accounts as the document has them
    """

    place: tuple[str, str]
    head: InvoiceHead
    given: Sequence[str]
    invoice_id: str
    at: datetime

    @property
    def accounts(self) -> list[str]:
        return list(dict.fromkeys(filter(None, map(compared, self.given[:MAX_ACCOUNTS]))))

    @property
    def suppliers(self) -> list[SupplierKey]:
        return [(*self.place, key) for key in keys_of(self.head)]


def examined(
    bills: Sequence[NamedAccounts],
) -> list[tuple[list[SendWarning], list[NewAccount]]]:
    """Of each bill the warning about its accounts, and the accounts to remember."""
    naming = [each for each in bills if each.accounts]
    known = stored.known({key for each in naming for key in each.suppliers})
    return [_examined(each, known) for each in bills]


def _examined(
    bill: NamedAccounts, known: Mapping[SupplierKey, Mapping[str, bool]]
) -> tuple[list[SendWarning], list[NewAccount]]:
    found = (known.get(supplier, {}) for supplier in bill.suppliers)
    trusted = {a for accounts in found for a, doubted in accounts.items() if not doubted}
    doubted = [each for each in bill.accounts if trusted and each not in trusted]
    new = [
        NewAccount(*supplier, account, bill.invoice_id, account in doubted, bill.at)
        for supplier in bill.suppliers
        for account in bill.accounts
    ]
    return [_warning(doubted, sorted(trusted))] if doubted else [], new


def _warning(doubted: Sequence[str], trusted: Sequence[str]) -> SendWarning:
    return SendWarning(
        "iban-changed",
        field="invoice.paymentMeans",
        values={"new": ", ".join(doubted[:_SHOWN]), "known": ", ".join(trusted[:_SHOWN])},
    )
