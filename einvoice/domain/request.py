"""The business request as JSON names it, once read: what `derive` turns into an Invoice.

Required fields: decisions 19.3; optional ones: decisions 18. The keys are the JSON's; the values
are Python's: numbers are Decimal (at most 15 integer and 8 fraction digits), dates are `date`,
attachments are bytes. Text is stripped; an optional text may still be "" (sent so by the caller),
which means the same as absent. null never gets here: it means absent too. Rates are percentages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NotRequired, TypedDict

from einvoice.domain.invoice import Invoice, Routing


class AddressRequest(TypedDict, total=False):
    line1: str
    line2: str
    city: str
    postalCode: str
    region: str
    countryCode: str


class ContactRequest(TypedDict, total=False):
    name: str
    email: str
    phone: str


class PartyRequest(TypedDict):
    """`taxId` in any spelling; `companyId` and `endpointId` may be `<scheme>:<identifier>`."""

    name: str
    taxId: NotRequired[str]
    companyId: NotRequired[str]
    endpointId: NotRequired[str]
    tradingName: NotRequired[str]
    address: NotRequired[AddressRequest]
    contact: NotRequired[ContactRequest]


class PeriodRequest(TypedDict, total=False):
    startDate: date
    endDate: date


class ExemptionRequest(TypedDict, total=False):
    """Why no VAT is charged: a VATEX code, words, or both."""

    reasonCode: str
    reason: str


class AdjustmentRequest(TypedDict):
    """One allowance or charge. On a line it has the line's VAT; rate and category are ignored."""

    amount: Decimal
    reason: NotRequired[str]
    reasonCode: NotRequired[str]
    taxRate: NotRequired[Decimal]
    taxCategory: NotRequired[str]


class StandardItemRequest(TypedDict):
    scheme: str
    id: str


class ClassificationRequest(TypedDict):
    scheme: str
    value: str


class LineRequest(TypedDict):
    description: str
    quantity: Decimal
    unitPrice: Decimal
    taxRate: Decimal
    name: NotRequired[str]
    unitCode: NotRequired[str]
    taxCategory: NotRequired[str]
    taxExemption: NotRequired[ExemptionRequest]
    sellerItemId: NotRequired[str]
    buyerItemId: NotRequired[str]
    standardItemId: NotRequired[StandardItemRequest]
    classifications: NotRequired[list[ClassificationRequest]]
    note: NotRequired[str]
    period: NotRequired[PeriodRequest]
    orderLineReference: NotRequired[str]
    allowances: NotRequired[list[AdjustmentRequest]]
    charges: NotRequired[list[AdjustmentRequest]]
    priceBaseQuantity: NotRequired[Decimal]
    originCountry: NotRequired[str]
    accountingCost: NotRequired[str]


class TotalsRequest(TypedDict):
    subtotal: Decimal
    taxAmount: Decimal
    grandTotal: Decimal
    prepaidAmount: NotRequired[Decimal]
    payableAmount: NotRequired[Decimal]


class PrecedingRequest(TypedDict):
    number: str
    issueDate: NotRequired[date]


class PaymentRequest(TypedDict, total=False):
    """`method` is a code of UNTDID 4461."""

    method: str
    iban: str
    bic: str
    accountName: str
    paymentReference: str
    mandateReference: str


class AttachmentRequest(TypedDict):
    filename: str
    mimeType: str
    content: bytes
    description: NotRequired[str]


class InvoiceRequest(TypedDict):
    number: str
    issueDate: date
    currency: str
    supplier: PartyRequest
    buyer: PartyRequest
    lineItems: list[LineRequest]
    totals: TotalsRequest
    type: NotRequired[str]
    dueDate: NotRequired[date]
    precedingInvoice: NotRequired[PrecedingRequest]
    buyerReference: NotRequired[str]
    orderReference: NotRequired[str]
    salesOrderReference: NotRequired[str]
    contractReference: NotRequired[str]
    projectReference: NotRequired[str]
    despatchReference: NotRequired[str]
    note: NotRequired[str]
    taxPointDate: NotRequired[date]
    deliveryDate: NotRequired[date]
    deliveryAddress: NotRequired[AddressRequest]
    period: NotRequired[PeriodRequest]
    paymentTerms: NotRequired[str]
    paymentMeans: NotRequired[PaymentRequest]
    allowances: NotRequired[list[AdjustmentRequest]]
    charges: NotRequired[list[AdjustmentRequest]]
    taxExemption: NotRequired[ExemptionRequest]
    attachments: NotRequired[list[AttachmentRequest]]
    embedPdf: NotRequired[bool]
    accountingCost: NotRequired[str]
    metadata: NotRequired[dict[str, str]]


class SendOptions(TypedDict, total=False):
    dryRun: bool
    embedPdf: bool


class SendRequest(TypedDict):
    """A whole `POST /api/invoices/send`, read; `options` is {} when none were sent."""

    invoice: InvoiceRequest
    routing: Routing
    options: SendOptions


@dataclass(frozen=True, slots=True)
class SendDefaults:
    """What the tenant's profile (account) and the customer's entry (reference, terms) add."""

    iban: str | None = None
    bic: str | None = None
    account_name: str | None = None
    buyer_reference: str | None = None
    payment_terms_days: int | None = None


@dataclass(frozen=True, slots=True)
class SendWarning:
    """Something the service assumed (decisions 5): a stable code, words, and the field it is about.

    `field` is a path as people write it: `invoice.lineItems[0].taxRate`.
    """

    code: str
    message: str
    field: str


@dataclass(frozen=True, slots=True)
class DerivedInvoice:
    """The invoice as EN 16931 knows it, and what was assumed on the way."""

    invoice: Invoice
    warnings: tuple[SendWarning, ...] = ()
