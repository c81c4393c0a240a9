"""The head of an invoice: what lists, the directory and events need, without reading documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from einvoice.domain import buyers
from einvoice.domain.invoice import DocumentKind, Invoice, is_sold
from einvoice.domain.money import is_paid


@dataclass(frozen=True, slots=True)
class ListedHead:
    """The values of an invoice in lists."""

    number: str | None
    issue_date: date | None
    due_date: date | None
    currency: str | None
    grand_total: Decimal | None
    supplier_name: str | None
    buyer_name: str | None


class Traded:
    """A record of which a tenant is the seller or the buyer, and what follows from that."""

    __slots__ = ()
    direction: str
    kind: str
    supplier_name: str | None
    buyer_name: str | None
    payable: Decimal | None
    amount_paid: Decimal | None

    @property
    def is_sold(self) -> bool:
        """Whether the tenant is its seller."""
        return is_sold(self.direction, self.kind)

    @property
    def party(self) -> str | None:
        """The name of the other side: of the buyer of what the tenant sold, else of the seller."""
        return self.buyer_name if self.is_sold else self.supplier_name

    @property
    def is_paid(self) -> bool | None:
        """Whether the tenant says that all of it was paid; None for what it has bought."""
        return is_paid(self.amount_paid, self.payable) if self.is_sold else None


@dataclass(frozen=True, slots=True)
class InvoiceHead(ListedHead):
    """Number, dates, amounts and parties, in the document's currency.

    The names are columns of `invoices`. The tax currency is the one in which VAT is
    accounted for, if it is another one (BT-6, BT-111). Of a sent invoice all but that, the due date
    and ids of the parties are known; None is what a received document does not say.

    buyer_ids        of a sent invoice: `domain/buyers.stored_ids`
    credited_number  of a credit note: the number of the first invoice that it credits (BT-25)
    """

    kind: str
    subtotal: Decimal | None
    tax_amount: Decimal | None
    tax_currency: str | None
    tax_amount_in_tax_currency: Decimal | None
    payable: Decimal | None
    supplier_tax_id: str | None
    supplier_country: str | None
    buyer_tax_id: str | None
    buyer_country: str | None
    buyer_ids: Mapping[str, Any] | None
    credited_number: str | None

    @property
    def is_self_billed(self) -> bool:
        """Whether the buyer issued it, so that the buyer is its sender."""
        return DocumentKind(self.kind).is_self_billed

    @property
    def countries(self) -> tuple[str | None, str | None]:
        """The countries of sender and receiver."""
        seller, buyer = self.supplier_country, self.buyer_country
        return (buyer, seller) if self.is_self_billed else (seller, buyer)


def head_of(invoice: Invoice, supplier_tax_id: str | None, buyer_tax_id: str | None) -> InvoiceHead:
    """The head of an invoice; the tax ids as the tenant writes them."""
    totals, seller, buyer = invoice.totals, invoice.seller, invoice.buyer
    return InvoiceHead(
        kind=invoice.document_kind.value,
        number=invoice.number,
        issue_date=invoice.issue_date,
        due_date=invoice.due_date,
        currency=invoice.currency,
        subtotal=totals.tax_exclusive,
        tax_amount=totals.tax_inclusive - totals.tax_exclusive,
        tax_currency=invoice.accounting_currency,
        tax_amount_in_tax_currency=totals.tax_in_accounting_currency,
        grand_total=totals.tax_inclusive,
        payable=totals.payable,
        supplier_name=seller.name,
        supplier_tax_id=supplier_tax_id,
        supplier_country=seller.address.country if seller.address else None,
        buyer_name=buyer.name,
        buyer_tax_id=buyer_tax_id,
        buyer_country=buyer.address.country if buyer.address else None,
        buyer_ids=buyers.stored_ids(buyer),
        credited_number=_credited_number(invoice),
    )


def _credited_number(invoice: Invoice) -> str | None:
    first = next(iter(invoice.preceding), None)
    is_credit_note = invoice.document_kind.form is DocumentKind.CREDIT_NOTE
    return first.number if first and is_credit_note else None
