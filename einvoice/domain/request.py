"""The parsed business request, with the names of its JSON: the input of `derive`.

Required fields: decisions 19.3; optional ones: decisions 18. The keys are the JSON's; the values
are Python's: numbers are Decimal (at most 15 integer and 15 fraction digits; totals have up to 30
of these), dates are `date`, attachments are bytes. Text is stripped. An optional text may be "",
which means the same as absent; null is removed by the parser. Rates are percentages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as member
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final, NotRequired, TypedDict

from einvoice.domain.invoice import Invoice, Routing


class IdentifierRequest(TypedDict):
    """An identifier, with the scheme that it is of where it has one."""

    id: str
    scheme: NotRequired[str]


class AddressRequest(TypedDict, total=False):
    line1: str
    line2: str
    line3: str
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
    identifiers: NotRequired[list[IdentifierRequest]]
    companyIdType: NotRequired[str]
    companyIdAuthority: NotRequired[str]
    identifierType: NotRequired[str]
    specialZone: NotRequired[str]
    address: NotRequired[AddressRequest]
    contact: NotRequired[ContactRequest]


class SupplierRequest(PartyRequest):
    taxRegistration: NotRequired[str]
    accountId: NotRequired[str]
    legalInformation: NotRequired[str]


class PayeeRequest(TypedDict):
    """`companyId` may be `<scheme>:<identifier>`."""

    name: str
    identifier: NotRequired[IdentifierRequest]
    companyId: NotRequired[str]


class TaxRepresentativeRequest(TypedDict):
    name: str
    taxId: str
    address: NotRequired[AddressRequest]


class PeriodRequest(TypedDict, total=False):
    startDate: date
    endDate: date


class ExemptionRequest(TypedDict, total=False):
    """Why no VAT is charged: a VATEX code, a text, or both."""

    reasonCode: str
    reason: str


class AdjustmentRequest(TypedDict):
    """One allowance or charge. On a line its rate and category are ignored: the line's apply.

    `amount` counts; `percent` of `baseAmount` says what it was computed from.
    """

    amount: Decimal
    percent: NotRequired[Decimal]
    baseAmount: NotRequired[Decimal]
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
    version: NotRequired[str]


class AttributeRequest(TypedDict):
    name: str
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
    priceBaseUnitCode: NotRequired[str]
    grossPrice: NotRequired[Decimal]
    priceDiscount: NotRequired[Decimal]
    lineId: NotRequired[str]
    objectReference: NotRequired[IdentifierRequest]
    attributes: NotRequired[list[AttributeRequest]]
    originCountry: NotRequired[str]
    accountingCost: NotRequired[str]
    itemType: NotRequired[str]
    serviceCode: NotRequired[str]
    supplyNature: NotRequired[str]
    economicActivity: NotRequired[str]
    lotNumber: NotRequired[str]
    orderReference: NotRequired[str]


class TotalsRequest(TypedDict):
    subtotal: Decimal
    taxAmount: Decimal
    grandTotal: Decimal
    taxAmountInTaxCurrency: NotRequired[Decimal]
    prepaidAmount: NotRequired[Decimal]
    payableRounding: NotRequired[Decimal]
    payableAmount: NotRequired[Decimal]
    grandTotalInTaxCurrency: NotRequired[Decimal]
    marginTotal: NotRequired[Decimal]


class PrecedingRequest(TypedDict):
    """`authorityNumber` is the number that the tax authority gave it."""

    number: str
    issueDate: NotRequired[date]
    authorityNumber: NotRequired[str]
    uuid: NotRequired[str]


class PrepaymentRequest(TypedDict):
    """An invoice of an advance payment, with one rate of VAT of it."""

    number: str
    issueDate: date
    taxableAmount: Decimal
    taxAmount: Decimal
    taxRate: Decimal
    issueTime: NotRequired[str]
    taxCategory: NotRequired[str]
    taxExemption: NotRequired[ExemptionRequest]


class AccountRequest(TypedDict):
    iban: str
    bic: NotRequired[str]
    accountName: NotRequired[str]


class CardRequest(TypedDict):
    number: str
    holder: NotRequired[str]
    network: NotRequired[str]


class PaymentRequest(TypedDict, total=False):
    """`method` is a code of UNTDID 4461. `accounts` follow the account of `iban`."""

    method: str
    methodText: str
    iban: str
    bic: str
    accountName: str
    accounts: list[AccountRequest]
    card: CardRequest
    paymentReference: str
    mandateReference: str
    creditorId: str
    debitedAccount: str


class CashDiscountRequest(TypedDict):
    """A discount for payment within some days of the issue date."""

    days: int
    percent: Decimal
    baseAmount: NotRequired[Decimal]


class AttachmentRequest(TypedDict):
    filename: str
    mimeType: str
    content: bytes
    description: NotRequired[str]
    reference: NotRequired[str]
    url: NotRequired[str]


class SupportingDocumentRequest(TypedDict):
    """A document that is referred to, without its file."""

    reference: str
    description: NotRequired[str]
    url: NotRequired[str]
    typeCode: NotRequired[str]
    uuid: NotRequired[str]


class AgentRequest(TypedDict):
    """A third party that bills for the seller."""

    name: str
    taxId: NotRequired[str]
    address: NotRequired[AddressRequest]


class NoteRequest(TypedDict):
    text: str
    subjectCode: NotRequired[str]


class InvoiceRequest(TypedDict):
    number: str
    issueDate: date
    currency: str
    supplier: SupplierRequest
    buyer: PartyRequest
    lineItems: list[LineRequest]
    totals: TotalsRequest
    type: NotRequired[str]
    typeCode: NotRequired[str]
    profile: NotRequired[str]
    taxCurrency: NotRequired[str]
    dueDate: NotRequired[date]
    precedingInvoice: NotRequired[PrecedingRequest]
    precedingInvoices: NotRequired[list[PrecedingRequest]]
    prepayments: NotRequired[list[PrepaymentRequest]]
    buyerReference: NotRequired[str]
    orderReference: NotRequired[str]
    salesOrderReference: NotRequired[str]
    contractReference: NotRequired[str]
    projectReference: NotRequired[str]
    despatchReference: NotRequired[str]
    receivingReference: NotRequired[str]
    tenderReference: NotRequired[str]
    objectReference: NotRequired[IdentifierRequest]
    note: NotRequired[str]
    notes: NotRequired[list[NoteRequest]]
    taxPointDate: NotRequired[date]
    taxPointCode: NotRequired[str]
    payee: NotRequired[PayeeRequest]
    taxRepresentative: NotRequired[TaxRepresentativeRequest]
    deliveryDate: NotRequired[date]
    deliveryName: NotRequired[str]
    deliveryLocation: NotRequired[IdentifierRequest]
    deliveryAddress: NotRequired[AddressRequest]
    period: NotRequired[PeriodRequest]
    paymentTerms: NotRequired[str]
    cashDiscounts: NotRequired[list[CashDiscountRequest]]
    paymentMeans: NotRequired[PaymentRequest]
    allowances: NotRequired[list[AdjustmentRequest]]
    charges: NotRequired[list[AdjustmentRequest]]
    taxExemption: NotRequired[ExemptionRequest]
    attachments: NotRequired[list[AttachmentRequest]]
    supportingDocuments: NotRequired[list[SupportingDocumentRequest]]
    embedPdf: NotRequired[bool]
    accountingCost: NotRequired[str]
    metadata: NotRequired[dict[str, str]]
    uuid: NotRequired[str]
    issueTime: NotRequired[str]
    transactionTypes: NotRequired[list[str]]
    exchangeRate: NotRequired[Decimal]
    statementReference: NotRequired[str]
    contractValue: NotRequired[str]
    billingFrequency: NotRequired[str]
    billingFrequencyText: NotRequired[str]
    correctionReason: NotRequired[str]
    correctionText: NotRequired[str]
    beneficiaryId: NotRequired[str]
    principalId: NotRequired[str]
    agent: NotRequired[AgentRequest]
    deliveryTerms: NotRequired[str]
    deliveryZone: NotRequired[str]
    customsDeclaration: NotRequired[str]
    arrivalDate: NotRequired[date]


class TotalsRule(StrEnum):
    """How declared totals are compared: `options.totals` of a send, `totals` of an account."""

    EXACT = "exact"
    ROUNDED = "rounded"


class SendOptions(TypedDict, total=False):
    dryRun: bool
    includeDocument: bool
    embedPdf: bool
    totals: str


class SendRequest(TypedDict):
    """The body of `POST /api/invoices/send`; `options` is {} when none were sent."""

    invoice: InvoiceRequest
    routing: Routing
    options: SendOptions


@dataclass(frozen=True, slots=True)
class SendDefaults:
    """Defaults from the tenant's profile (account) and the customer's entry (reference, terms).

    `undecided_customers` names several entries that match equally, none of which gives defaults.
    `today` is the day of the send, with which its dates are compared; None: they are not.
    `totals` is what the send, else the tenant's profile, says.
    """

    iban: str | None = None
    bic: str | None = None
    account_name: str | None = None
    buyer_reference: str | None = None
    payment_terms_days: int | None = None
    undecided_customers: str = ""
    today: date | None = None
    totals: TotalsRule = TotalsRule.EXACT


# The code of the warning that a tax id is not written as a VAT number.
VAT_NUMBER_DROPPED: Final = "vat-number-dropped"


@dataclass(frozen=True, slots=True)
class SendWarning:
    """An assumption of the service, or an implausible value (decisions 5 and 20.3): a stable code
    and the field, a path such as `invoice.lineItems[0].taxRate`.

    It is put into words when it is read, from `values`, by the texts of its code and `variant`. A
    plugin gives its `message`, which is shown as it is.
    """

    code: str
    message: str = ""
    field: str | None = None
    variant: str = ""
    values: Mapping[str, str] = member(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """The form that is stored."""
        warning: dict[str, object] = {"code": self.code, "field": self.field}
        if self.message:
            return warning | {"message": self.message}
        variant = {"variant": self.variant} if self.variant else {}
        return warning | variant | {"values": dict(self.values)}


@dataclass(frozen=True, slots=True)
class DerivedInvoice:
    """The invoice of a request, with its warnings."""

    invoice: Invoice
    warnings: tuple[SendWarning, ...] = ()
