"""Invoices of a list as lines of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from einvoice.documents.csv_table import guarded
from einvoice.domain.environments import Environment
from einvoice.services.invoices.lists import InvoiceListItem

COLUMNS = (
    "invoiceId", "environment", "direction", "type", "number", "issueDate", "dueDate", "currency",
    "grandTotal", "supplierName", "buyerName", "senderParticipantId", "receiverParticipantId",
    "networkStatus", "failureReason", "createdAt", "response",
    "amountPaid",
)  # fmt: skip


def values(item: InvoiceListItem) -> list[object]:
    """The values of COLUMNS."""
    return [
        item.id, Environment(item.environment).value, item.direction, item.kind, item.number,
        item.issue_date, item.due_date, item.currency, item.grand_total, item.supplier_name,
        item.buyer_name, item.sender, item.receiver, item.status, item.reason,
        item.created_at.isoformat(), item.response_status,
        item.amount_paid,
    ]  # fmt: skip


def line(row: Sequence[object]) -> str:
    """A line; texts that a spreadsheet would take for formulas have an apostrophe before them."""
    text = io.StringIO()
    csv.writer(text).writerow(guarded(each) if isinstance(each, str) else each for each in row)
    return text.getvalue()
