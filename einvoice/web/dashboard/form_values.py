"""The first values of the form of a new invoice: the supplier, a customer, an invoice to credit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

from babel.numbers import get_decimal_symbol

from einvoice.domain.artefacts import ORIGINAL
from einvoice.domain.branding import Branding
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.directory import CUSTOMER, DirectoryEntry
from einvoice.domain.errors import Conflict, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.money import EXACT, cents, plain
from einvoice.domain.vat_rates import of as vat_rates_of
from einvoice.services.account import days, tenants
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.invoices import credit_notes, detail, lists, numbering, successors
from einvoice.services.invoices.credit_notes import CreditNote
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.invoices.lists import (
    InvoiceFilters,
    InvoiceListItem,
    InvoicePageRequest,
)
from einvoice.services.invoices.successors import NumberedDocument
from einvoice.web import json
from einvoice.web.dashboard import forms, invoice_form, pages
from einvoice.web.runtime import runtime

MAX_NUMBERED = 20  # sent documents among which the last number is found
MAX_CREDITED = 200  # the same for credit notes, which are rarer
MAX_HITS = 8  # customers that a search shows
MAX_SEARCHED = 200  # characters of a search
# What a credit note does not take over from its invoice.
_NOT_CREDITED = (
    "invoice.number", "invoice.dueDate", "invoice.deliveryDate", "invoice.paymentTerms",
    "invoice.note", "invoice.typeCode",
    *(name for name in invoice_form.FIELDS if name.startswith("invoice.cashDiscounts.")),
)  # fmt: skip
# What an invoice like another one does not take over from it.
_NOT_REPEATED = (
    "invoice.number", "invoice.dueDate", "invoice.deliveryDate",
    "invoice.paymentMeans.paymentReference",
)  # fmt: skip
# What a new invoice repeats of the last one.
_REPEATED = ("invoice.supplier.", "invoice.currency", invoice_form.SENDER)


def first() -> dict[str, str]:
    """The values of an empty form: the supplier of the last invoice, else of the profile; today."""
    tenant = tenants.get(pages.who().tenant_id, runtime().caches)
    known, own = Branding.of(tenant.name, tenant.profile), own_participants()
    last = _as_last_time()
    lines = dict(zip(("line1", "line2"), known.address_lines, strict=False))
    address = {f"invoice.supplier.address.{name}": text for name, text in lines.items()}
    return typed(
        address
        | {
            invoice_form.SENDER: own[0] if own else "",
            "invoice.supplier.name": known.name,
            "invoice.supplier.contact.email": known.email or "",
            "invoice.supplier.contact.phone": known.phone or "",
            "invoice.type": "invoice",
            "invoice.number": next_number("invoice", _today(last)),
            "invoice.issueDate": _today(last).isoformat(),
            "invoice.currency": "EUR",
        }
        | last
    )


def next_number(kind: str, today: date) -> str:
    """The number after the newest sent document of this kind; blank without one."""
    filters = InvoiceFilters(environment=pages.environment(), direction="sent")
    most = MAX_CREDITED if kind == DocumentKind.CREDIT_NOTE else MAX_NUMBERED
    newest = lists.invoices(pages.who(), filters, InvoicePageRequest(most)).items
    return numbering.proposed(newest, kind, today.year)


def vat_rates(values: Mapping[str, str]) -> list[str]:
    """The rates of VAT of the seller's country, as people write them in the page's language."""
    found = vat_rates_of(values.get("invoice.supplier.address.countryCode", ""))
    point = "," if has_decimal_comma() else "."
    return [plain(rate).replace(".", point) for rate in found]


def vat_choice(values: Mapping[str, str], line: int) -> str:
    """The chosen VAT of a line: category and rate; `S|` for a rate of its own."""
    at = f"invoice.lineItems.{line}."
    category = values.get(f"{at}taxCategory") or "S"
    if category != "S":
        return f"{category}|"
    has_comma = has_decimal_comma()
    typed = invoice_form.number_of(values.get(f"{at}taxRate", "").strip(), has_comma)
    rates = vat_rates(values)
    return next((f"S|{r}" for r in rates if invoice_form.number_of(r, has_comma) == typed), "S|")


def line_amount(values: Mapping[str, str], line: int) -> Decimal | None:
    """Quantity times price of a line, rounded; None while one of them is no number."""
    at, has_comma = f"invoice.lineItems.{line}.", has_decimal_comma()
    quantity, price = (
        invoice_form.number_of(values.get(at + name, "").strip(), has_comma)
        for name in ("quantity", "unitPrice")
    )
    if isinstance(quantity, Decimal) and isinstance(price, Decimal):
        with localcontext(EXACT):
            return cents(quantity * price)
    return None


def _today(values: Mapping[str, str]) -> date:
    """The day in the tenant's time zone, else in the country of the supplier."""
    country = values.get("invoice.supplier.address.countryCode")
    return days.today_of(pages.who().tenant_id, runtime().caches, country)


def typed(values: Mapping[str, str]) -> dict[str, str]:
    """The values of a stored body with its numbers as people write them in the page's language."""
    return invoice_form.with_decimal_commas(values) if has_decimal_comma() else dict(values)


def body_of(values: Mapping[str, str]) -> dict[str, Any]:
    """The body of what people typed in the page's language."""
    return invoice_form.body_of(values, has_comma=has_decimal_comma())


def has_decimal_comma() -> bool:
    """Whether people write a decimal comma in the language of the page."""
    return bool(get_decimal_symbol(pages.page_locale()) == ",")


def typed_amount(amount: Decimal | None) -> str:
    """An amount as people write it in the page's language; blank for none, and for zero."""
    if not amount:
        return ""
    return plain(amount).replace(".", "," if has_decimal_comma() else ".")


def _as_last_time() -> dict[str, str]:
    """Supplier, sender and currency of the newest sent invoice, if it was made of JSON."""
    filters = InvoiceFilters(environment=pages.environment(), direction="sent")
    newest = lists.invoices(pages.who(), filters, InvoicePageRequest(1)).items
    values = invoice_form.values_of(_original(newest[0].id)) if newest else {}
    return {name: value for name, value in values.items() if name.startswith(_REPEATED)}


def of_credit_note(invoice_id: str) -> dict[str, str]:
    """The values of a credit note on a sent invoice, which was made of JSON.

    Raises NotFound, and Conflict if it has more lines than the form.
    """
    record, body = _sent(invoice_id)
    values = invoice_form.values_of(body)
    changed = dict.fromkeys(_NOT_CREDITED, "") | {
        "invoice.type": DocumentKind.CREDIT_NOTE.value,
        "invoice.number": next_number(DocumentKind.CREDIT_NOTE, _today(values)),
        "invoice.issueDate": _today(values).isoformat(),
        "invoice.precedingInvoice.number": record.number or "",
        "invoice.precedingInvoice.issueDate": str(record.issue_date or ""),
    }
    return typed(values | changed)


def of_copy(invoice_id: str) -> tuple[dict[str, str], bool]:
    """The values of a sent invoice, which was made of JSON, and whether it has attachments.

    Those of a failed one are as they were, to be corrected; another one gets a number and dates of
    its own. Raises NotFound, and Conflict if it has more lines than the form.
    """
    record, body = _sent(invoice_id)
    values = invoice_form.values_of(body)
    if record.status != NetworkStatus.FAILED:
        kind = values.get("invoice.type") or "invoice"
        values |= dict.fromkeys(_NOT_REPEATED, "") | {
            "invoice.number": next_number(kind, _today(values)),
            "invoice.issueDate": _today(values).isoformat(),
        }
    return typed(values), bool(body["invoice"].get("attachments"))


def credited(values: Mapping[str, str]) -> InvoiceListItem | None:
    """The invoice that a credit note names, if it was sent from here."""
    number = values.get("invoice.precedingInvoice.number", "").strip()
    is_credit_note = values.get("invoice.type") == DocumentKind.CREDIT_NOTE
    if not is_credit_note or not number or len(number) > MAX_SEARCHED:
        return None
    filters = InvoiceFilters(environment=pages.environment(), direction="sent", number=number)
    newest = lists.invoices(pages.who(), filters, InvoicePageRequest(MAX_HITS)).items
    return next((each for each in newest if each.kind == DocumentKind.INVOICE), None)


def credited_before(values: Mapping[str, str]) -> Sequence[CreditNote]:
    """The credit notes of the invoice that this one credits beyond its amount."""
    original = credited(values)
    totals = None if original is None else invoice_form.totals_of(body_of(values))
    if original is None or totals is None:
        return ()
    return credit_notes.exceeding(original, pages.who().tenant_id, totals.grand_total)


def sent_before(values: Mapping[str, str]) -> NumberedDocument | None:
    """The document that was sent with the number of the form before, and has not failed."""
    number, sender = (values.get(n, "").strip() for n in ("invoice.number", invoice_form.SENDER))
    if not number or len(number) > MAX_SEARCHED:
        return None
    issued = invoice_form.day_of(values.get("invoice.issueDate", ""))
    kind = values.get("invoice.type") or "invoice"
    with suppress(InvalidParticipant):
        sender = str(ParticipantId.parse(sender))
    principal, shown = pages.who(), pages.environment()
    return successors.sent_before(principal.tenant_id, shown, number, kind, sender, issued)


def _sent(invoice_id: str) -> tuple[InvoiceRecord, dict[str, Any]]:
    """A sent invoice of the environment, and the body that it was sent with.

    Raises NotFound, and Conflict if it has more lines than the form.
    """
    record = detail.record_of(invoice_id, pages.who())
    if record.environment != pages.environment().value or record.is_received:
        raise NotFound("There is no such sent invoice in this environment.")
    body = _original(invoice_id)
    if not body:
        raise Conflict("This invoice was not sent as JSON: send its successor by API.")
    check_lines(body)
    return record, body


def check_lines(body: Mapping[str, Any]) -> None:
    """Raises Conflict if a body has more lines than the form."""
    if len(body["invoice"].get("lineItems") or ()) > invoice_form.MAX_LINES:
        most = invoice_form.MAX_LINES
        raise Conflict(f"The form has at most {most} lines: go on with this document by API.")


def _original(invoice_id: str) -> dict[str, Any]:
    """The body that an invoice was sent with; empty if it was not JSON."""
    principal = pages.who()
    for each in detail.list_artefacts(invoice_id, principal, ORIGINAL.code):
        if each.content_type == ORIGINAL.content_type:
            return json.read_object(detail.download(invoice_id, each.id, principal).content)
    return {}


def own_participants() -> list[str]:
    shown = pages.environment()
    owned = tenants.owned_page(pages.who().tenant_id, shown, after=None, limit=MAX_HITS)
    return [each.participant for each in owned]


def customers(text: str) -> list[DirectoryEntry]:
    """The first customers, by name, that have this text in a field."""
    part = EntryPageRequest(MAX_HITS, order=entries.NAME, descending=False)
    filters = EntryFilters(text=forms.search_text(text, MAX_SEARCHED) or None)
    return list(entries.page(CUSTOMER, pages.who().tenant_id, filters, part).items)


def of_customer(entry_id: str, values: Mapping[str, str]) -> dict[str, str]:
    """The values that a customer fills in. Raises NotFound for one of another account."""
    if not entry_id.isprintable():
        raise NotFound("There is no such customer.")
    issued = invoice_form.day_of(values.get("invoice.issueDate", "")) or _today(values)
    found = entries.invoice_defaults(
        CUSTOMER,
        pages.who().tenant_id,
        entry_id,
        issued,
        runtime().access_points,
        pages.environment(),
    )
    return invoice_form.of_customer(found)
