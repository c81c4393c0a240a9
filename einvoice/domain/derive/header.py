"""References, dates, delivery and attachments of the document (decisions 17.8, 17.9, 17.15, 18)."""

from __future__ import annotations

from datetime import date
from typing import TypedDict

from einvoice.domain.codes import NO_ORDER
from einvoice.domain.derive.text import address, filled, identifier
from einvoice.domain.directory import due_by_terms
from einvoice.domain.invoice import (
    Address,
    Attachment,
    Delivery,
    Identifier,
    Party,
    PrecedingInvoice,
    Prepayment,
    SupportingDocument,
    TaxCategory,
    TaxSubtotal,
)
from einvoice.domain.money import cents, plain
from einvoice.domain.request import (
    AttachmentRequest,
    CashDiscountRequest,
    ExemptionRequest,
    InvoiceRequest,
    PrecedingRequest,
    PrepaymentRequest,
    SendDefaults,
    SendWarning,
    SupportingDocumentRequest,
)
from einvoice.domain.vat import category_of


class References(TypedDict):
    """Fields of Invoice, under the same names."""

    tax_point: date | None
    tax_point_code: str | None
    buyer_reference: str | None
    project: str | None
    contract: str | None
    order: str | None
    sales_order: str | None
    despatch_advice: str | None
    receiving_advice: str | None
    tender: str | None
    invoiced_object: Identifier | None
    accounting_cost: str | None
    payment_terms: str | None
    notes: tuple[tuple[str | None, str], ...]
    preceding: tuple[PrecedingInvoice, ...]
    prepayments: tuple[Prepayment, ...]


def references(
    request: InvoiceRequest, defaults: SendDefaults, warnings: list[SendWarning]
) -> References:
    sales_order = filled(request.get("salesOrderReference"))
    return References(
        tax_point=request.get("taxPointDate"),
        tax_point_code=filled(request.get("taxPointCode")),
        buyer_reference=_buyer_reference(request, defaults, warnings),
        project=filled(request.get("projectReference")),
        contract=filled(request.get("contractReference")),
        order=filled(request.get("orderReference")) or (NO_ORDER if sales_order else None),
        sales_order=sales_order,
        despatch_advice=filled(request.get("despatchReference")),
        receiving_advice=filled(request.get("receivingReference")),
        tender=filled(request.get("tenderReference")),
        invoiced_object=identifier(request.get("objectReference")),
        accounting_cost=filled(request.get("accountingCost")),
        payment_terms=_payment_terms(request, warnings),
        notes=_notes(request),
        preceding=_preceding(request),
        prepayments=tuple(map(_prepayment, request.get("prepayments", ()))),
    )


def _notes(request: InvoiceRequest) -> tuple[tuple[str | None, str], ...]:
    """BG-1: `note`, then the others."""
    note = request.get("note")
    first = ((None, note),) if note else ()
    if "notes" not in request:
        return first
    further = [(filled(each.get("subjectCode")), each["text"]) for each in request["notes"]]
    return (*first, *further)


def _payment_terms(request: InvoiceRequest, warnings: list[SendWarning]) -> str | None:
    """BT-20: the text, then a line for each cash discount, as XRechnung writes it (BR-DE-18)."""
    given = filled(request.get("paymentTerms"))
    discounts = request.get("cashDiscounts", ())
    if not discounts:
        return given
    rounded = [each for each in discounts if cents(each["percent"]) != each["percent"]]
    if rounded:
        field, values = "invoice.cashDiscounts", {"count": str(len(rounded))}
        warnings.append(SendWarning("cash-discount-rounded", field=field, values=values))
    lines = (*(given or "").splitlines(), *map(_cash_discount, discounts))
    return "".join(f"{line}\n" for line in lines)


def _cash_discount(discount: CashDiscountRequest) -> str:
    base = discount.get("baseAmount")
    base_text = "" if base is None else f"BASISBETRAG={plain(cents(base))}#"
    return (
        f"#SKONTO#TAGE={discount['days']}#PROZENT={plain(cents(discount['percent']))}#{base_text}"
    )


def note_undecided_customers(defaults: SendDefaults, warnings: list[SendWarning]) -> None:
    if defaults.undecided_customers:
        values = {"customers": defaults.undecided_customers}
        warnings.append(SendWarning("customer-ambiguous", field="invoice.buyer", values=values))


def _buyer_reference(
    request: InvoiceRequest, defaults: SendDefaults, warnings: list[SendWarning]
) -> str | None:
    """BT-10. BIS Billing requires a buyer or an order reference (R003); neither is copied to the
    other."""
    given = filled(request.get("buyerReference"))
    if given or request.get("orderReference"):
        return given
    if defaults.buyer_reference:
        return defaults.buyer_reference
    warnings.append(SendWarning("buyer-reference-defaulted", field="invoice.buyerReference"))
    return request["number"]


def _preceding(request: InvoiceRequest) -> tuple[PrecedingInvoice, ...]:
    """BG-3: `precedingInvoice`, then the others."""
    given = request.get("precedingInvoice")
    first = (_preceding_one(given),) if given else ()
    if "precedingInvoices" not in request:
        return first
    return (*first, *map(_preceding_one, request["precedingInvoices"]))


def _preceding_one(given: PrecedingRequest) -> PrecedingInvoice:
    number = filled(given.get("authorityNumber"))
    return PrecedingInvoice(given["number"], given.get("issueDate"), number)


def _prepayment(given: PrepaymentRequest) -> Prepayment:
    """A prepayment; its category is that of a line with its rate, unless one is sent."""
    exemption: ExemptionRequest = given.get("taxExemption", {})
    category = category_of(given.get("taxCategory"), given["taxRate"], exemption)
    tax = TaxSubtotal(
        given["taxableAmount"],
        given["taxAmount"],
        TaxCategory(category, given["taxRate"]),
        filled(exemption.get("reason")),
        filled(exemption.get("reasonCode")),
    )
    return Prepayment(given["number"], given["issueDate"], tax, filled(given.get("issueTime")))


def due_date(
    request: InvoiceRequest, defaults: SendDefaults, warnings: list[SendWarning]
) -> date | None:
    """As sent, else from the customer's payment terms (decisions 17.9)."""
    if "dueDate" in request:
        return request["dueDate"]
    due = due_by_terms(request["issueDate"], defaults.payment_terms_days)
    if due is None:
        warnings.append(SendWarning("due-date-missing", field="invoice.dueDate"))
    return due


def delivery(
    request: InvoiceRequest, buyer: Party, intra_community: bool, warnings: list[SendWarning]
) -> Delivery | None:
    """Date and address, with defaults where intra-community supply requires both (BR-IC-11,
    BR-IC-12)."""
    day = request.get("deliveryDate")
    place = _place(request, buyer, intra_community, warnings)
    if intra_community and day is None:
        day = request["issueDate"]
        field, values = "invoice.deliveryDate", {"day": str(day)}
        warnings.append(SendWarning("delivery-date-assumed", field=field, values=values))
    name = filled(request.get("deliveryName"))
    location = identifier(request.get("deliveryLocation"))
    if not (day or place or name or location):
        return None
    return Delivery(name, location, day, place)


def _place(
    request: InvoiceRequest, buyer: Party, intra_community: bool, warnings: list[SendWarning]
) -> Address | None:
    given = request.get("deliveryAddress", {})
    if not any(given.values()) and not intra_community:
        return None
    country = filled(given.get("countryCode"))
    if country is None and intra_community and buyer.address and buyer.address.country:
        country = buyer.address.country
        field, values = "invoice.deliveryAddress.countryCode", {"country": country}
        warnings.append(SendWarning("delivery-country-assumed", field=field, values=values))
    return address(given, country)


def supporting(request: InvoiceRequest) -> tuple[SupportingDocument, ...]:
    """BG-24: the attachments, then the documents without a file."""
    attached = tuple([_attached(attachment) for attachment in request.get("attachments", ())])
    if "supportingDocuments" not in request:
        return attached
    return (*attached, *map(_referred, request["supportingDocuments"]))


def _referred(request: SupportingDocumentRequest) -> SupportingDocument:
    return SupportingDocument(
        reference=request["reference"],
        description=filled(request.get("description")),
        url=filled(request.get("url")),
        type_code=filled(request.get("typeCode")),
        uuid=filled(request.get("uuid")),
    )


def _attached(request: AttachmentRequest) -> SupportingDocument:
    return SupportingDocument(
        reference=request.get("reference") or request["filename"],
        description=filled(request.get("description")),
        url=filled(request.get("url")),
        attachment=Attachment(request["content"], request["mimeType"], request["filename"]),
    )
