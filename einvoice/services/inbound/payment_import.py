"""Payments of a CSV file: rows that can be stored are, others are named with their line.

A file that is imported again changes nothing: a row whose invoice already has a payment of the same
day, amount and reference is that payment. Two such rows of one file are two payments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any, Final

from sqlalchemy.engine import Connection

from einvoice.documents import payment_csv
from einvoice.documents.csv_table import CellError, CsvTable
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FileTooLarge, InvalidField, NotFound
from einvoice.observability import logging
from einvoice.services.inbound import payments
from einvoice.services.inbound.payments import NewPayment, Prepared
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.core import db
from einvoice.store.invoices import payments as stored
from einvoice.store.invoices.payments import PaymentRecord

log = logging.get(__name__)

MAX_BYTES: Final = 256 * 1024
_MAX_NAMESAKES: Final = 5_000  # documents with the numbers of one file
_AT_ONCE: Final = 100  # invoices of one transaction

# What makes two payments of an invoice one.
_Key = tuple[str, Decimal, date, str | None]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of which a payment can be made: its line, its invoice, and whether it is stored."""

    line: int
    invoice: InvoiceRecord
    new: NewPayment
    exists: bool = False


@dataclass(slots=True)
class ImportedPayments:
    """The rows of a file: what was stored, or in a dry run would be, and why others were not.

    table  has the errors of refused rows
    total  the rows of the file
    """

    table: CsvTable
    total: int
    dry_run: bool
    rows: list[Row] = field(default_factory=list)

    @property
    def created(self) -> int:
        return sum(not row.exists for row in self.rows)

    @property
    def skipped(self) -> int:
        return sum(row.exists for row in self.rows)

    def refuse(
        self, line: int, refusal: NotFound | Conflict | InvalidField, named: str = ""
    ) -> None:
        """Note why a row is not stored. `named`: the invoice that it names."""
        if not isinstance(refusal, InvalidField):
            self.table.fail([CellError(line, None, refusal.slug, refusal.detail, named)])
            return
        names = {"/amount": "amount", "/date": "date", "/reference": "reference"}
        self.table.fail(
            CellError(line, names.get(each.pointer), each.code, each.message, "")
            for each in refusal.errors
        )


def run(
    content: bytes,
    environment: Environment,
    session: Session,
    runtime: Runtime,
    *,
    dry_run: bool = False,
) -> ImportedPayments:
    """Store the payments of a file that are not stored yet.

    Raises FileTooLarge, CsvUnreadable, CsvMissingColumns, CsvTooManyColumns and CsvTooManyRows.
    """
    if len(content) > MAX_BYTES:
        raise FileTooLarge(f"A file has at most {MAX_BYTES // 1024} KiB.", MAX_BYTES)
    table = payment_csv.read(content)
    done = ImportedPayments(table, table.total, dry_run)
    with runtime.computing.bulk_work(session.tenant_id):
        done.rows = _marked(list(_found(done, environment, session)), session.tenant_id)
        prepared = list(_prepared(done, session, runtime))
        if not dry_run:
            _store(done, prepared, session)
    done.rows.sort(key=lambda row: row.line)
    done.table.errors.sort(key=lambda fault: fault.row)
    if not dry_run:
        log.info("payments imported", payments=done.created, refused=table.failed)
    return done


def _found(done: ImportedPayments, environment: Environment, session: Session) -> Iterator[Row]:
    """The rows with their invoices; a row without one is refused."""
    table = done.table
    ids = _ids(table.rows, environment, session.tenant_id)
    for line, values in zip(table.lines, table.rows, strict=True):
        new = NewPayment(values["amount"], values["paid_on"], values.get("reference"))
        try:
            invoice_id = _id_of(values, ids)
            invoice = payments.payable(invoice_id, session)
            if invoice.environment != environment.value:
                raise NotFound("There is no such sent invoice in this environment.")
        except (NotFound, Conflict) as refusal:
            named = values.get("invoice_id") or values.get("number") or ""
            done.refuse(line, refusal, named)
        else:
            yield Row(line, invoice, new)


def _ids(
    rows: Sequence[Mapping[str, Any]], environment: Environment, tenant_id: str
) -> Mapping[str, list[str]]:
    """The documents with each number; failed ones only where no other has it."""
    numbers = {row["number"] for row in rows if row.get("number") and not row.get("invoice_id")}
    listed = stored.sold_with(tenant_id, environment.value, numbers, _MAX_NAMESAKES)
    good: dict[str, list[str]] = {}
    failed: dict[str, list[str]] = {}
    for number, invoice_id, has_failed in listed:
        (failed if has_failed else good).setdefault(number, []).append(invoice_id)
    return failed | good


def _id_of(values: Mapping[str, Any], ids: Mapping[str, list[str]]) -> str:
    """The id of the invoice of a row. Raises NotFound and Conflict."""
    named: str | None = values.get("invoice_id")
    if named:
        return named
    number: str | None = values.get("number")
    if not number:
        raise Conflict("The row names no invoice: fill in the column number or invoiceId.")
    found = ids.get(number, [])
    if not found:
        raise NotFound("No invoice was sent with this number in this environment.")
    if len(found) > 1:
        raise Conflict("Several invoices were sent with this number: fill in the column invoiceId.")
    return found[0]


def _key(invoice_id: str, payment: NewPayment | PaymentRecord) -> _Key:
    return (invoice_id, payment.amount, payment.paid_on, payment.reference or None)


def _marked(rows: Sequence[Row], tenant_id: str) -> list[Row]:
    """The rows, those that are stored before marked."""
    invoices = {row.invoice.id for row in rows}
    known = Counter(_key(p.invoice_id, p) for p in stored.of_invoices(tenant_id, invoices))
    return [_compared(row, known) for row in rows]


def _compared(row: Row, known: Counter[_Key]) -> Row:
    key = _key(row.invoice.id, row.new)
    if known[key] <= 0:
        return row
    known[key] -= 1
    return Row(row.line, row.invoice, row.new, exists=True)


def _prepared(
    done: ImportedPayments, session: Session, runtime: Runtime
) -> Iterator[tuple[Row, Prepared]]:
    """The rows that are new, with their payments; a row of which none can be made is refused."""
    rows, done.rows = done.rows, []
    paid = {row.invoice.id: row.invoice.amount_paid or Decimal(0) for row in rows}
    for row in rows:
        try:
            if not row.exists:
                prepared = payments.prepare(row.invoice, row.new, session, runtime)
                payments.check_sum(paid[row.invoice.id], row.new.amount)
        except (Conflict, InvalidField) as refusal:
            done.refuse(row.line, refusal)
            continue
        done.rows.append(row)
        if not row.exists:
            paid[row.invoice.id] += row.new.amount
            yield row, prepared


def _store(
    done: ImportedPayments, prepared: Sequence[tuple[Row, Prepared]], session: Session
) -> None:
    """Store the payments in the order of their invoices' ids, so two files never wait for each
    other. All payments of an invoice are in one transaction."""
    existing = [row for row in done.rows if row.exists]
    done.rows = list(existing)
    ordered = sorted(prepared, key=lambda one: one[0].invoice.id)
    invoices = [list(one) for _, one in groupby(ordered, key=lambda one: one[0].invoice.id)]
    for start in range(0, len(invoices), _AT_ONCE):
        with db.writing() as connection:
            for of_one in invoices[start : start + _AT_ONCE]:
                known = _known(connection, of_one[0][0].invoice, existing)
                _store_of_one(connection, done, of_one, known, session)


def _known(
    connection: Connection, invoice: InvoiceRecord, existing: Sequence[Row]
) -> Counter[_Key]:
    """The payments of an invoice, locked, but for those that other rows of the file are."""
    stored.lock_invoice(connection, invoice.id, invoice.tenant_id)
    found = stored.locked(connection, invoice.tenant_id, invoice.id)
    known = Counter(_key(each.invoice_id, each) for each in found)
    known.subtract(_key(row.invoice.id, row.new) for row in existing)
    return known


def _store_of_one(
    connection: Connection,
    done: ImportedPayments,
    prepared: Sequence[tuple[Row, Prepared]],
    known: Counter[_Key],
    session: Session,
) -> None:
    """Store the payments of one invoice that nobody has stored since the file was read."""
    for row, each in prepared:
        compared = _compared(row, known)
        try:
            if not compared.exists:
                payments.add(connection, each, session)
        except (Conflict, InvalidField) as refusal:
            done.refuse(row.line, refusal)
        else:
            done.rows.append(compared)
