"""The semantic model of EN 16931: every business term (BT) and group (BG), frozen.

Amounts are Decimal and keep their written form ("0.00" stays "0.00"); dates are dates. Values are
well-formed: a document with malformed values is validated on its own text and never becomes an
Invoice. Lists are tuples, an absent term is None, text is never empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final

from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROFILE,
    ParticipantId,
)
from einvoice.domain.pint import Further


class DocumentKind(StrEnum):
    """The kinds of documents. A self-billed one is issued and sent by the buyer."""

    INVOICE = "invoice"
    CREDIT_NOTE = "creditNote"
    SELF_BILLED_INVOICE = "selfBilledInvoice"
    SELF_BILLED_CREDIT_NOTE = "selfBilledCreditNote"

    @property
    def form(self) -> DocumentKind:
        """The form of its document: INVOICE or CREDIT_NOTE."""
        return _FORMS.get(self, self)

    @property
    def is_self_billed(self) -> bool:
        return self in _FORMS

    @property
    def self_billed(self) -> DocumentKind:
        """The self-billed kind of this form."""
        return _SELF_BILLED[self.form]

    def typed(self, type_code: str | None) -> DocumentKind:
        """The kind of a document of this form with a type code (BT-3).

        >>> DocumentKind.CREDIT_NOTE.typed("261").value
        'selfBilledCreditNote'
        """
        return self.self_billed if type_code in _SELF_BILLED_TYPES else self


_SELF_BILLED = {
    DocumentKind.INVOICE: DocumentKind.SELF_BILLED_INVOICE,
    DocumentKind.CREDIT_NOTE: DocumentKind.SELF_BILLED_CREDIT_NOTE,
}
_FORMS = {kind: form for form, kind in _SELF_BILLED.items()}
SELF_BILLED: Final = tuple(kind.value for kind in _FORMS)  # in rows


def is_sold(direction: str, kind: str) -> bool:
    """Whether a tenant is the seller: of what it sent, or of what a buyer billed for it.

    >>> is_sold("sent", "invoice"), is_sold("sent", "selfBilledInvoice")
    (True, False)
    """
    return (direction == "sent") != (kind in SELF_BILLED)


_SELF_BILLED_TYPES = frozenset({"389", "527", "261"})  # UNTDID 1001


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier with an optional scheme (and scheme version: BT-158-2)."""

    value: str
    scheme: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """BG-14 / BG-26."""

    start: date | None = None  # BT-73, BT-134
    end: date | None = None  # BT-74, BT-135


@dataclass(frozen=True, slots=True)
class Address:
    """BG-5, BG-8, BG-12, BG-15."""

    line1: str | None = None  # BT-35, 50, 64, 75
    line2: str | None = None  # BT-36, 51, 65, 76
    line3: str | None = None  # BT-162, 163, 164, 165
    city: str | None = None  # BT-37, 52, 66, 77
    postal_code: str | None = None  # BT-38, 53, 67, 78
    region: str | None = None  # BT-39, 54, 68, 79
    country: str | None = None  # BT-40, 55, 69, 80


@dataclass(frozen=True, slots=True)
class Contact:
    """BG-6, BG-9."""

    name: str | None = None  # BT-41, BT-56
    phone: str | None = None  # BT-42, BT-57
    email: str | None = None  # BT-43, BT-58


@dataclass(frozen=True, slots=True)
class Party:
    """Seller (BG-4) or buyer (BG-7).

    omitted_tax_id  no term: the tax id that was sent, where it is not written as a VAT number: with
                    the prefix of one, if only the categories of the invoice have none, else compact
    """

    name: str  # BT-27, BT-44
    endpoint: Identifier | None = None  # BT-34, BT-49
    trading_name: str | None = None  # BT-28, BT-45
    identifiers: tuple[Identifier, ...] = ()  # BT-29 (0..n), BT-46 (0..1)
    legal_id: Identifier | None = None  # BT-30, BT-47
    vat_id: str | None = None  # BT-31, BT-48
    tax_registration: Identifier | None = None  # BT-32 (seller); scheme as written, never VAT
    legal_form: str | None = None  # BT-33 (seller)
    address: Address | None = None  # BG-5, BG-8
    contact: Contact | None = None  # BG-6, BG-9
    omitted_tax_id: str | None = None


@dataclass(frozen=True, slots=True)
class Payee:
    """BG-10."""

    name: str  # BT-59
    identifier: Identifier | None = None  # BT-60
    legal_id: Identifier | None = None  # BT-61


@dataclass(frozen=True, slots=True)
class TaxRepresentative:
    """BG-11."""

    name: str  # BT-62
    vat_id: str | None = None  # BT-63
    address: Address | None = None  # BG-12


@dataclass(frozen=True, slots=True)
class Delivery:
    """BG-13."""

    name: str | None = None  # BT-70
    location: Identifier | None = None  # BT-71
    date: date | None = None  # BT-72
    address: Address | None = None  # BG-15


@dataclass(frozen=True, slots=True)
class CreditTransfer:
    """BG-17."""

    account: str  # BT-84
    account_name: str | None = None  # BT-85
    bic: str | None = None  # BT-86


@dataclass(frozen=True, slots=True)
class PaymentCard:
    """BG-18."""

    number: str  # BT-87
    holder: str | None = None  # BT-88
    network: str | None = None  # cbc:NetworkID, required by UBL


@dataclass(frozen=True, slots=True)
class PaymentMeans:
    """BG-16."""

    code: str  # BT-81
    text: str | None = None  # BT-82
    remittance: str | None = None  # BT-83
    transfers: tuple[CreditTransfer, ...] = ()  # BG-17
    card: PaymentCard | None = None  # BG-18
    mandate: str | None = None  # BT-89
    creditor: str | None = None  # BT-90
    debited_account: str | None = None  # BT-91


@dataclass(frozen=True, slots=True)
class TaxCategory:
    """A VAT category code with its rate (BT-95/96, 102/103, 151/152)."""

    code: str
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True)
class AllowanceCharge:
    """Document (BG-20, BG-21) or line (BG-27, BG-28) allowance or charge."""

    charge: bool
    amount: Decimal  # BT-92, 99, 136, 141
    base_amount: Decimal | None = None  # BT-93, 100, 137, 142
    percentage: Decimal | None = None  # BT-94, 101, 138, 143
    category: TaxCategory | None = None  # BT-95/96, 102/103; None on a line
    reason: str | None = None  # BT-97, 104, 139, 144
    reason_code: str | None = None  # BT-98, 105, 140, 145


@dataclass(frozen=True, slots=True)
class TaxSubtotal:
    """BG-23."""

    taxable: Decimal  # BT-116
    tax: Decimal  # BT-117
    category: TaxCategory  # BT-118, BT-119
    exemption_reason: str | None = None  # BT-120
    exemption_code: str | None = None  # BT-121


@dataclass(frozen=True, slots=True)
class Totals:
    """BG-22."""

    lines: Decimal  # BT-106
    tax_exclusive: Decimal  # BT-109
    tax_inclusive: Decimal  # BT-112
    payable: Decimal  # BT-115
    tax: Decimal | None = None  # BT-110
    tax_in_accounting_currency: Decimal | None = None  # BT-111
    allowances: Decimal | None = None  # BT-107
    charges: Decimal | None = None  # BT-108
    prepaid: Decimal | None = None  # BT-113
    rounding: Decimal | None = None  # BT-114


@dataclass(frozen=True, slots=True)
class Attachment:
    """BT-125: an embedded binary object."""

    content: bytes
    mime_type: str
    filename: str


@dataclass(frozen=True, slots=True)
class SupportingDocument:
    """BG-24."""

    reference: str  # BT-122
    description: str | None = None  # BT-123
    url: str | None = None  # BT-124
    attachment: Attachment | None = None  # BT-125
    type_code: str | None = None  # of PINT; EN 16931 has none here
    uuid: str | None = None  # of PINT


@dataclass(frozen=True, slots=True)
class PrecedingInvoice:
    """BG-3. The number that an authority gave it is no term: UBL and CII do not have it."""

    number: str  # BT-25
    issue_date: date | None = None  # BT-26
    authority_number: str | None = None


@dataclass(frozen=True, slots=True)
class Prepayment:
    """An invoice of an advance payment that this one deducts, with one rate of VAT of it (KSA-26 to
    KSA-34 of ZATCA). EN 16931 has the sum alone (BT-113)."""

    number: str
    issue_date: date
    tax: TaxSubtotal
    issue_time: str | None = None  # hh:mm:ss, local


@dataclass(frozen=True, slots=True)
class Attribute:
    """BG-32."""

    name: str  # BT-160
    value: str  # BT-161


@dataclass(frozen=True, slots=True)
class Item:
    """BG-31."""

    name: str  # BT-153
    category: TaxCategory  # BG-30
    description: str | None = None  # BT-154
    seller_id: str | None = None  # BT-155
    buyer_id: str | None = None  # BT-156
    standard_id: Identifier | None = None  # BT-157
    classifications: tuple[Identifier, ...] = ()  # BT-158
    origin_country: str | None = None  # BT-159
    attributes: tuple[Attribute, ...] = ()  # BG-32


@dataclass(frozen=True, slots=True)
class Price:
    """BG-29."""

    net: Decimal  # BT-146
    discount: Decimal | None = None  # BT-147
    gross: Decimal | None = None  # BT-148
    base_quantity: Decimal | None = None  # BT-149
    base_unit: str | None = None  # BT-150


@dataclass(frozen=True, slots=True)
class Line:
    """BG-25."""

    id: str  # BT-126
    quantity: Decimal  # BT-129
    unit: str  # BT-130
    extension: Decimal  # BT-131
    item: Item  # BG-31
    price: Price  # BG-29
    note: str | None = None  # BT-127
    object_id: Identifier | None = None  # BT-128
    order_line: str | None = None  # BT-132
    accounting_cost: str | None = None  # BT-133
    period: Period | None = None  # BG-26
    adjustments: tuple[AllowanceCharge, ...] = ()  # BG-27, BG-28
    further: Further | None = None  # terms of PINT (domain/pint)


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice or credit note. `kind` is the form of the document."""

    kind: DocumentKind
    number: str  # BT-1
    issue_date: date  # BT-2
    type_code: str  # BT-3
    currency: str  # BT-5
    seller: Party  # BG-4
    buyer: Party  # BG-7
    lines: tuple[Line, ...]  # BG-25
    totals: Totals  # BG-22
    taxes: tuple[TaxSubtotal, ...]  # BG-23
    customization: str = BIS_BILLING_CUSTOMIZATION  # BT-24
    profile: str | None = BIS_BILLING_PROFILE  # BT-23
    accounting_currency: str | None = None  # BT-6
    tax_point: date | None = None  # BT-7
    tax_point_code: str | None = None  # BT-8
    due_date: date | None = None  # BT-9
    buyer_reference: str | None = None  # BT-10
    project: str | None = None  # BT-11
    contract: str | None = None  # BT-12
    order: str | None = None  # BT-13
    sales_order: str | None = None  # BT-14
    receiving_advice: str | None = None  # BT-15
    despatch_advice: str | None = None  # BT-16
    tender: str | None = None  # BT-17
    invoiced_object: Identifier | None = None  # BT-18
    accounting_cost: str | None = None  # BT-19
    payment_terms: str | None = None  # BT-20; German cash discounts end with a line feed
    notes: tuple[tuple[str | None, str], ...] = ()  # BG-1: BT-21 subject code, BT-22 text
    preceding: tuple[PrecedingInvoice, ...] = ()  # BG-3
    payee: Payee | None = None  # BG-10
    tax_representative: TaxRepresentative | None = None  # BG-11
    delivery: Delivery | None = None  # BG-13
    period: Period | None = None  # BG-14
    payment: tuple[PaymentMeans, ...] = ()  # BG-16
    adjustments: tuple[AllowanceCharge, ...] = ()  # BG-20, BG-21
    supporting: tuple[SupportingDocument, ...] = ()  # BG-24
    prepayments: tuple[Prepayment, ...] = ()
    further: Further | None = None  # terms of PINT (domain/pint)

    @property
    def document_kind(self) -> DocumentKind:
        """The kind of the document, self-billed ones apart."""
        return self.kind.typed(self.type_code)


@dataclass(frozen=True, slots=True)
class Routing:
    """Sender, receiver, the reference of the lookup (None where the network has no directory), and
    the network or access point, and the connection, that the request names.

    receiver  None: a consumer, or a buyer that the network knows by tax number
    email     the address of the receiver, where a network of e-mail carries it
    """

    sender: ParticipantId
    receiver: ParticipantId | None
    access_point_ref: str | None = None
    network: str | None = None
    connection: str | None = None
    email: str | None = None
