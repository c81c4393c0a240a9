"""Payments of sent invoices: of one, of several that were chosen in the list, and of a CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Response, request, url_for

from einvoice import clock
from einvoice.documents import csv_table, payment_csv
from einvoice.domain.errors import Conflict, InvalidField, NotFound, RequestRefused
from einvoice.domain.identifiers import is_id
from einvoice.domain.money import plain
from einvoice.domain.roles import Role
from einvoice.services.inbound import payment_import, payments
from einvoice.services.inbound.payment_import import ImportedPayments
from einvoice.services.inbound.payments import NewPayment
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.web import bodies
from einvoice.web.admission import slots
from einvoice.web.dashboard import (
    form_values,
    forms,
    invoice_form,
    invoice_page,
    invoices,
    kept_files,
    pages,
    refusals,
    uploads,
)
from einvoice.web.dashboard.pages import Pages
from einvoice.web.public.payment_schemas import PaymentRequest, payment_of
from einvoice.web.runtime import runtime

MAX_SHOWN = 50  # errors of an import
MAX_PLANNED = 20  # rows that a preview shows
_CONTRACT = PaymentRequest()
_SHOWN = (InvalidField, Conflict)

family = Pages("dashboard_payments", __name__, "/dashboard/invoices/payments")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """An invoice of the sheet.

    amount   the field's text; by default its open amount
    before   what was paid of it when the sheet was shown
    errors   the faults, by field; of the row as a whole under ""
    refusal  why no payment of it can be stated; None: one can
    """

    record: InvoiceRecord
    amount: str
    before: str
    errors: Mapping[str, str]
    refusal: str | None = None


@family.page("", least=Role.MEMBER)
def show_sheet() -> Response:
    """The sheet of the invoices of the address, and the form of a file."""
    return _shown([_row(each) for each in _records(request.args.getlist("invoice"))])


@family.page("/chosen", least=Role.MEMBER, methods=["POST"])
def choose_invoices() -> Response:
    """To the sheet of the invoices that are chosen in the list."""
    chosen = [each for each in forms.submitted().getlist("invoice") if is_id(each)]
    address = url_for(
        f"{family.name}.show_sheet",
        environment=pages.environment().value,
        invoice=chosen[: invoices.MAX_CHOSEN],
    )
    return Response(status=303, headers={"Location": address})


@family.page("", least=Role.MEMBER, methods=["POST"])
def store_sheet() -> Response:
    """Store the payments of the sheet; those that are refused stay in it with their faults."""
    given = forms.submitted()
    rows = list(zip(*map(given.getlist, ("invoice", "amount", "before")), strict=False))
    typed = {id_: (amount, before) for id_, amount, before in rows if amount.strip()}
    refused, stored = [], 0
    with slots.released():
        for record in _records(list(typed)):
            amount, before = typed[record.id]
            try:
                new = _payment({**given, "amount": amount, "before": before})
                payments.record(record.id, new, pages.who(), runtime())
            except _SHOWN as refusal:
                refused.append(_row(detail.record_of(record.id, pages.who()), amount, refusal))
            else:
                stored += 1
    if refused or not stored:
        return _shown(refused, given=given, stored=stored, status=409)
    return pages.redirect_to(
        "dashboard_invoices.list_invoices",
        "paymentsStored",
        environment=pages.environment().value,
        direction="sent",
    )


@family.page("/<invoice_id>", least=Role.MEMBER, methods=["POST"])
def store_payment(invoice_id: str) -> Response:
    """Store a payment of one invoice."""
    given, principal = forms.submitted().to_dict(), pages.who()
    try:
        new = _payment(given)
        payments.record(invoice_id, new, principal, runtime())
    except _SHOWN as refusal:
        found = detail.get(invoice_id, principal)
        return invoice_page.shown(found, refusal=refusal, given={**given, "pays": "yes"})
    return pages.redirect_to(
        "dashboard_invoices.show_invoice", "paymentStored", invoice_id=invoice_id
    )


@family.page("/import", least=Role.MEMBER, methods=["POST"])
def import_payments() -> Response:
    """Import a file, or with `check` say what would be stored, or with `report` what is wrong.

    The page after a check has the file, so it need not be chosen again.
    """
    content, given = _file(), forms.submitted()
    kept = kept_files.packed(content)
    try:
        with slots.released():
            done = payment_import.run(
                content,
                pages.environment(),
                pages.who(),
                runtime(),
                dry_run="check" in given or "report" in given,
            )
    except RequestRefused as refusal:
        return _shown([], refusal=refusal, kept=kept, status=409)
    if "report" in given:
        return _report(done)
    return _shown([], done=done, kept=kept if done.dry_run else None)


def _records(ids: Sequence[str]) -> list[InvoiceRecord]:
    """The sent invoices with these ids, each once, in their order; unknown ones are left out."""
    found = []
    for each in list(dict.fromkeys(ids))[: invoices.MAX_CHOSEN]:
        try:
            record = detail.record_of(each, pages.who()) if is_id(each) else None
        except NotFound:
            continue
        if record is not None and record.environment == pages.environment().value:
            found.append(record)
    return found


def _row(
    record: InvoiceRecord, amount: str | None = None, refusal: RequestRefused | None = None
) -> SheetRow:
    """The row of an invoice. `amount`: what was typed. `refusal`: why it was not stored."""
    unpayable = None
    try:
        payments.check_payable(record)
    except Conflict as why:
        unpayable = refusals.reason(why, pages.words())
    errors = forms.errors_of(refusal)
    if refusal is not None and not errors:
        errors = {"": refusals.reason(refusal, pages.words())}
    before = plain(record.amount_paid or Decimal(0))
    text = form_values.typed_amount(payments.open_amount(record)) if amount is None else amount
    return SheetRow(record, text, before, errors, unpayable)


def _payment(given: Mapping[str, Any]) -> NewPayment:
    """The payment of a form. Raises InvalidField."""
    number = invoice_form.number_of(
        given.get("amount", "").strip(), form_values.has_decimal_comma()
    )
    body = {"amount": number, "date": given.get("date", "")}
    if given.get("reference", "").strip():
        body["reference"] = given["reference"].strip()
    new = payment_of(bodies.loaded(_CONTRACT, body))
    return NewPayment(new.amount, new.paid_on, new.reference, _amount_in(given.get("before", "")))


def _amount_in(text: str) -> Decimal | None:
    """The amount paid when the form was shown; None where the form does not state it."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _file() -> bytes:
    """The file that was chosen, else the one that the page of its check has."""
    chosen = uploads.uploaded().get("file")
    content = b"" if chosen is None else chosen.read()
    most = payment_import.MAX_BYTES
    return content or kept_files.unpacked(forms.submitted().get("kept", ""), most)


def _report(done: ImportedPayments) -> Response:
    """The refused rows as a CSV file, in the language of the page."""
    say = pages.words()
    head = [say(f"party.{name}") for name in ("row", "column", "value", "errors")]
    rows = [
        [each.row, each.column or "", each.value, say.sentence(each.message)]
        for each in done.table.errors
    ]
    response = Response(csv_table.report(head, rows), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="payments-report.csv"'
    return response


def _shown(
    rows: Sequence[SheetRow],
    *,
    given: Mapping[str, str] | None = None,
    stored: int = 0,
    status: int = 200,
    done: ImportedPayments | None = None,
    refusal: RequestRefused | None = None,
    kept: str | None = None,
) -> Response:
    """The page.

    given    what was typed into the sheet
    stored   payments of the sheet that were stored
    done     the import that was made or checked
    refusal  why a file was not read
    kept     the file that was checked, for the form that imports it
    """
    response = pages.render(
        "dashboard/payments.html",
        status,
        family=invoices.family.name,
        rows=rows,
        given={"date": clock.today().isoformat(), **(given or {})},
        errors={},
        stored=stored,
        is_refused=status == 409,
        done=done,
        limit=MAX_SHOWN,
        planned=done.rows[:MAX_PLANNED] if done and done.dry_run else [],
        kept=kept,
        refusal=refusal,
        most=payment_csv.MAX_ROWS,
    )
    return pages.at(response, url_for(f"{family.name}.show_sheet"))
