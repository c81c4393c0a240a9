"""The same document by two networks is one bill with two arrivals.

It is the same if seller, number, kind, date, currency and total are. A document that was fetched
from a mailbox and needs no notices (an e-mail) is kept with the bill that is there. One that a
network hands over becomes a bill, since its network asks about it, and takes the place of the other
one in lists, with what the tenant has done with that. Two that come within the same moment are two
bills.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from einvoice.domain.directory import tax_key
from einvoice.domain.environments import Environment
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.store.inbound import bill_arrivals as stored
from einvoice.store.inbound.bill_arrivals import ArrivalRecord as ArrivalRecord
from einvoice.store.inbound.bill_arrivals import Candidate as Candidate
from einvoice.store.inbound.received import MessageKey


class Arriving(Protocol):
    """The part of an arrival that is compared."""

    @property
    def tenant_id(self) -> str: ...

    @property
    def environment(self) -> Environment: ...

    @property
    def key(self) -> MessageKey: ...

    @property
    def invoice_id(self) -> str | None: ...


def same_documents(
    arriving: Sequence[tuple[Arriving, InvoiceHead, Sequence[str]]],
) -> list[Candidate | None]:
    """The bill that is the same document, of each arrival with its head and its suppliers' ids."""
    complete = [(a, head) for a, head, _ in arriving if _is_complete(head)]
    numbers = [head.number or "" for _, head in complete]
    found = stored.candidates([a.tenant_id for a, _ in complete], numbers)
    return [
        next((each for each in found if _is_same(each, *one)), None) if found else None
        for one in arriving
    ]


def _is_complete(head: InvoiceHead) -> bool:
    return None not in (head.number, head.issue_date, head.currency, head.grand_total)


def _is_same(
    bill: Candidate, arriving: Arriving, head: InvoiceHead, supplier_ids: Sequence[str]
) -> bool:
    if not _is_complete(head) or arriving.invoice_id is not None:
        return False
    place = arriving.tenant_id, arriving.environment.value
    document = head.number, head.kind, head.issue_date, head.currency, head.grand_total
    return (
        (bill.tenant_id, bill.environment) == place
        and (bill.number, bill.kind, bill.issue_date, bill.currency, bill.grand_total) == document
        and bill.access_point != arriving.key.access_point
        and _is_of_seller(bill, head, supplier_ids)
    )


def _is_of_seller(bill: Candidate, head: InvoiceHead, supplier_ids: Sequence[str]) -> bool:
    tax = tax_key(head.supplier_tax_id)
    if tax is not None and bill.supplier_tax_id is not None:
        return tax == tax_key(bill.supplier_tax_id)
    return bill.supplier_id is not None and list(supplier_ids) == [bill.supplier_id]
