"""The profile: an invoice as a standard or simplified document of Fatoora.

A document is simplified if its buyer is a consumer. It is written without its place in the chain:
unique id, time, counter, hash of the document before, QR code and signature have a placeholder,
which the unit replaces when the document is prepared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import Delivery, DocumentKind, Invoice
from einvoice.domain.profiles import Adapted, Profile, with_tax_ids
from einvoice.domain.request import SendWarning
from einvoice.domain.tax_currency import with_no_vat_in
from einvoice_zatca import exemptions, qr, riyadh
from einvoice_zatca.handouts import additions
from einvoice_zatca.parties import identified, is_consumer
from einvoice_zatca.rules import PROCESS as BUSINESS_PROCESS
from einvoice_zatca.rules import RULES
from einvoice_zatca.write import (
    CORRECTED,
    CURRENCY,
    EXCHANGE_RATE,
    REASONS,
    TRANSACTIONS,
    document,
    transactions,
)

NETWORK: Final = "zatca"
SYNTAX: Final = "zatca"
TYPE: Final = DocumentTypeId(
    "zatca-docid", "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice"
)
PROCESS: Final = ProcessId("zatca-procid", BUSINESS_PROCESS)


def adapt(invoice: Invoice) -> Adapted:
    """The invoice with what its document assumes. Raises InvalidField for what has no place."""
    invoice = with_no_vat_in(invoice, CURRENCY)
    faults = list(_faults(invoice))
    if faults:
        raise InvalidField(faults)
    adapted, warnings = invoice, list(remarks(invoice))
    if is_consumer(invoice.buyer):
        words = "The buyer has no number of a business, so the document is a simplified one."
        warnings.append(SendWarning("simplified-assumed", words, "invoice.buyer.taxId"))
    elif not _has_supply_date(invoice):
        delivery = replace(invoice.delivery or Delivery(), date=invoice.issue_date)
        adapted = replace(invoice, delivery=delivery)
        words = "The date of supply is taken to be the date of issue."
        warnings.append(SendWarning("supply-date-assumed", words, "invoice.deliveryDate"))
    taxes = tuple(map(exemptions.completed, adapted.taxes))
    for before, after in zip(adapted.taxes, taxes, strict=True):
        warnings += exemptions.assumptions(before, after)
    paid = [replace(each, tax=exemptions.completed(each.tax)) for each in adapted.prepayments]
    adapted = replace(adapted, taxes=taxes, prepayments=tuple(paid))
    warnings += _left_out(invoice)
    settled = _settled(invoice, adapted)
    return Adapted(adapted, (*warnings, *_tax_ids(adapted)), settled)


def _tax_ids(invoice: Invoice) -> Iterator[SendWarning]:
    """A warning that a tax id of the buyer is no VAT number, and stands as another number."""
    found = identified(invoice.buyer)
    if invoice.buyer.omitted_tax_id and found is not None:
        words = f"The buyer has the number {found[1]} ({found[0]}): the tax id is no VAT number."
        yield SendWarning("tax-id-as-company-id", words, "invoice.buyer.taxId")


def _settled(before: Invoice, after: Invoice) -> frozenset[str]:
    """That the tax id of the buyer is left out, which stands as another number; that a code of the
    European Union was assumed, in place of which ZATCA has its own."""
    codes = [each.exemption_code for each in before.taxes]
    replaced = codes != [each.exemption_code for each in after.taxes]
    own = {exemptions.EUROPEAN_CODE_ASSUMED} if replaced else set()
    return with_tax_ids(*(["buyer"] if after.buyer.omitted_tax_id else [])) | own


def remarks(invoice: Invoice) -> Iterator[SendWarning]:
    """A warning that a simplified invoice is older than a day."""
    if is_consumer(invoice.buyer) and (riyadh.today() - invoice.issue_date).days > 1:
        words = (
            f"A simplified invoice of {invoice.issue_date} was to be reported within 24 hours. It "
            "is sent; a fine may follow."
        )
        yield SendWarning("sent-late", words, "invoice.issueDate")


def _left_out(invoice: Invoice) -> Iterator[SendWarning]:
    """A warning for each field that has a value and no place in the document."""
    delivery = invoice.delivery
    places = (
        ("invoice.attachments", "attachments", invoice.supporting),
        ("invoice.deliveryAddress", "the place of delivery", delivery and delivery.address),
        (
            f"invoice.{EXCHANGE_RATE}",
            f"a rate of exchange in an invoice in {CURRENCY}",
            invoice.currency == CURRENCY and EXCHANGE_RATE in (invoice.further or {}),
        ),
    )
    for field, what, value in places:
        if value:
            words = f"The document of ZATCA has no place for {what}, left out here."
            yield SendWarning("not-in-document", words, field)


def _faults(invoice: Invoice) -> Iterator[FieldError]:
    size = len(invoice.seller.name.encode())
    if size > qr.MAX_BYTES:
        yield FieldError(
            "/invoice/supplier/name",
            "too-long",
            f"the name has {size} bytes in UTF-8; the QR code holds {qr.MAX_BYTES}",
        )
    foreign = invoice.currency != CURRENCY
    if foreign and invoice.totals.tax_in_accounting_currency is None:
        yield FieldError(
            "/invoice/totals/taxAmountInTaxCurrency",
            "required",
            f"an invoice in {invoice.currency} has its VAT in {CURRENCY} too",
        )
    yield from _unknown_transactions(invoice)
    if invoice.type_code == CORRECTED:
        words = (
            "is 384, which ZATCA does not have: send a credit note for the first invoice and a new "
            "invoice, or a debit note (383) for what is charged in addition"
        )
        yield FieldError("/invoice/typeCode", "unknown-code", words)
    if invoice.accounting_currency not in (None, CURRENCY):
        yield FieldError(
            "/invoice/taxCurrency", "invalid", f"the currency of the VAT is {CURRENCY}"
        )


def _unknown_transactions(invoice: Invoice) -> Iterator[FieldError]:
    for place, name in enumerate(transactions(invoice)):
        if name not in TRANSACTIONS:
            yield FieldError(
                f"/invoice/transactionTypes/{place}",
                "unknown-transaction",
                f"{name!r} is no kind of transaction of ZATCA, which has {', '.join(TRANSACTIONS)}",
            )


def _has_supply_date(invoice: Invoice) -> bool:
    delivered = invoice.delivery is not None and invoice.delivery.date is not None
    return delivered or (invoice.period is not None and invoice.period.start is not None)


PROFILE: Final = Profile(
    name="zatca",
    network=NETWORK,
    rule_set=RULES.name,
    process=PROCESS,
    types={
        (kind, SYNTAX): TYPE
        for kind in (
            DocumentKind.INVOICE,
            DocumentKind.CREDIT_NOTE,
            DocumentKind.SELF_BILLED_INVOICE,
        )
    },
    syntax=SYNTAX,
    write=document,
    adapt=adapt,
    additions=additions,
    remarks=remarks,
    terms=frozenset({"transactionTypes", "prepayments", EXCHANGE_RATE, *REASONS}),
    numbered=True,
)
