"""The main terms of a received document, read one by one, so that a faulty one can be listed.

A reader (`ubl.read`, `cii.read`) returns a whole invoice or raises. A received document cannot be
corrected, so here each term is read on its own: it is None if it is absent, malformed, or occurs
twice with different values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Final, TypeVar, cast

from lxml import etree

from einvoice.documents import tree
from einvoice.documents.cii.names import RAM, RSM, UDT
from einvoice.documents.ubl.names import CAC, CBC
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.type_codes import CREDIT_NOTE_TYPES

MAX_CHARACTERS: Final = 500  # stored of a number or a name; longer ones do not fit an index
MAX_ACCOUNTS: Final = 20
_CURRENCY = re.compile(r"[A-Z]{3}")
_COUNTRY = re.compile(r"[A-Z]{2}")
_NAMESPACES: Final = {"cac": CAC, "cbc": CBC, "rsm": RSM, "ram": RAM, "udt": UDT}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """The main terms of an invoice or credit note; None if unknown."""

    kind: DocumentKind
    number: str | None = None
    issue_date: date | None = None
    due_date: date | None = None
    currency: str | None = None
    tax_exclusive: Decimal | None = None
    tax_inclusive: Decimal | None = None
    payable: Decimal | None = None
    tax_currency: str | None = None
    tax_in_tax_currency: Decimal | None = None
    seller_name: str | None = None
    seller_tax_ids: tuple[str, ...] = ()
    seller_country: str | None = None
    buyer_name: str | None = None
    buyer_tax_ids: tuple[str, ...] = ()
    buyer_country: str | None = None
    payment_accounts: tuple[str, ...] = ()
    credited_number: str | None = None

    @property
    def tax_amount(self) -> Decimal | None:
        if self.tax_inclusive is None or self.tax_exclusive is None:
            return None
        return self.tax_inclusive - self.tax_exclusive

    def as_head(self) -> InvoiceHead:
        """The summary in the shape in which heads are stored; the first of several tax ids."""
        return InvoiceHead(
            kind=self.kind.value,
            number=self.number,
            issue_date=self.issue_date,
            due_date=self.due_date,
            currency=self.currency,
            subtotal=self.tax_exclusive,
            tax_amount=self.tax_amount,
            tax_currency=self.tax_currency,
            tax_amount_in_tax_currency=self.tax_in_tax_currency,
            grand_total=self.tax_inclusive,
            payable=self.payable,
            supplier_name=self.seller_name,
            supplier_tax_id=next(iter(self.seller_tax_ids), None),
            supplier_country=self.seller_country,
            buyer_name=self.buyer_name,
            buyer_tax_id=next(iter(self.buyer_tax_ids), None),
            buyer_country=self.buyer_country,
            buyer_ids=None,
            credited_number=self.credited_number,
        )


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths of each term in a syntax; of several, the first that is present counts."""

    number: str
    issue_date: str
    due_date: tuple[str, ...]
    currency: str
    totals: str
    tax_exclusive: str
    tax_inclusive: str
    payable: str
    tax_currency: str
    tax_in_tax_currency: str
    seller: str
    buyer: str
    names: tuple[str, ...]
    tax_ids: tuple[str, ...]
    country: str
    accounts: tuple[str, ...]
    preceding: str


_UBL: Final = _Paths(
    number="cbc:ID",
    issue_date="cbc:IssueDate",
    due_date=("cbc:DueDate", "cac:PaymentMeans/cbc:PaymentDueDate"),
    currency="cbc:DocumentCurrencyCode",
    totals="cac:LegalMonetaryTotal",
    tax_exclusive="cbc:TaxExclusiveAmount",
    tax_inclusive="cbc:TaxInclusiveAmount",
    payable="cbc:PayableAmount",
    tax_currency="cbc:TaxCurrencyCode",
    tax_in_tax_currency=(
        "cac:TaxTotal/cbc:TaxAmount[@currencyID=/*/cbc:TaxCurrencyCode]"
        "[not(@currencyID=/*/cbc:DocumentCurrencyCode)]"
    ),
    seller="cac:AccountingSupplierParty/cac:Party",
    buyer="cac:AccountingCustomerParty/cac:Party",
    names=("cac:PartyLegalEntity/cbc:RegistrationName", "cac:PartyName/cbc:Name"),
    tax_ids=(
        "cac:PartyTaxScheme[cac:TaxScheme/cbc:ID='VAT']/cbc:CompanyID",
        "cac:PartyTaxScheme/cbc:CompanyID",
        "cac:PartyLegalEntity/cbc:CompanyID",
    ),
    country="cac:PostalAddress/cac:Country/cbc:IdentificationCode",
    accounts=("cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID",),
    preceding="cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID",
)
_TRANSACTION: Final = "rsm:SupplyChainTradeTransaction"
_SETTLEMENT: Final = f"{_TRANSACTION}/ram:ApplicableHeaderTradeSettlement"
_AGREEMENT: Final = f"{_TRANSACTION}/ram:ApplicableHeaderTradeAgreement"
_MEANS: Final = f"{_SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans"
_PAYEE: Final = f"{_MEANS}/ram:PayeePartyCreditorFinancialAccount"
_TERMS: Final = f"{_SETTLEMENT}/ram:SpecifiedTradePaymentTerms"
_CII: Final = _Paths(
    number="rsm:ExchangedDocument/ram:ID",
    issue_date="rsm:ExchangedDocument/ram:IssueDateTime/udt:DateTimeString",
    due_date=(f"{_TERMS}/ram:DueDateDateTime/udt:DateTimeString",),
    currency=f"{_SETTLEMENT}/ram:InvoiceCurrencyCode",
    totals=f"{_SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation",
    tax_exclusive="ram:TaxBasisTotalAmount",
    tax_inclusive="ram:GrandTotalAmount",
    payable="ram:DuePayableAmount",
    tax_currency=f"{_SETTLEMENT}/ram:TaxCurrencyCode",
    tax_in_tax_currency=(
        f"{_SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:TaxTotalAmount"
        f"[@currencyID=/*/{_SETTLEMENT}/ram:TaxCurrencyCode]"
        f"[not(@currencyID=/*/{_SETTLEMENT}/ram:InvoiceCurrencyCode)]"
    ),
    seller=f"{_AGREEMENT}/ram:SellerTradeParty",
    buyer=f"{_AGREEMENT}/ram:BuyerTradeParty",
    names=("ram:Name", "ram:SpecifiedLegalOrganization/ram:TradingBusinessName"),
    tax_ids=(
        "ram:SpecifiedTaxRegistration/ram:ID[@schemeID='VA']",
        "ram:SpecifiedTaxRegistration/ram:ID",
        "ram:SpecifiedLegalOrganization/ram:ID",
    ),
    country="ram:PostalTradeAddress/ram:CountryID",
    accounts=(f"{_PAYEE}/ram:IBANID", f"{_PAYEE}/ram:ProprietaryID"),
    preceding=f"{_SETTLEMENT}/ram:InvoiceReferencedDocument/ram:IssuerAssignedID",
)


def summary(root: etree._Element) -> DocumentSummary:
    """The main terms of a UBL Invoice, UBL CreditNote or CrossIndustryInvoice."""
    is_cii = etree.QName(root).localname == "CrossIndustryInvoice"
    paths = _CII if is_cii else _UBL
    kind = _kind(root)
    return DocumentSummary(
        kind=kind,
        number=_only(root, paths.number, _words),
        issue_date=_only(root, paths.issue_date, tree.day),
        due_date=_first(root, paths.due_date, tree.day),
        currency=_only(root, paths.currency, _code(_CURRENCY)),
        tax_exclusive=_only(root, f"{paths.totals}/{paths.tax_exclusive}", tree.number),
        tax_inclusive=_only(root, f"{paths.totals}/{paths.tax_inclusive}", tree.number),
        payable=_only(root, f"{paths.totals}/{paths.payable}", tree.number),
        tax_currency=_only(root, paths.tax_currency, _code(_CURRENCY)),
        tax_in_tax_currency=_only(root, paths.tax_in_tax_currency, tree.number),
        seller_name=_first(root, [f"{paths.seller}/{name}" for name in paths.names], _words),
        seller_tax_ids=_tax_ids(root, paths.seller, paths.tax_ids),
        seller_country=_only(root, f"{paths.seller}/{paths.country}", _code(_COUNTRY)),
        buyer_name=_first(root, [f"{paths.buyer}/{name}" for name in paths.names], _words),
        buyer_tax_ids=_tax_ids(root, paths.buyer, paths.tax_ids),
        buyer_country=_only(root, f"{paths.buyer}/{paths.country}", _code(_COUNTRY)),
        payment_accounts=_accounts(root, paths.accounts),
        credited_number=_credited(root, paths.preceding, kind),
    )


def _credited(root: etree._Element, path: str, kind: DocumentKind) -> str | None:
    if kind.form is not DocumentKind.CREDIT_NOTE:
        return None
    return next((_words(element) for element in _at(root, path)), None)


def _kind(root: etree._Element) -> DocumentKind:
    """Its kind by the document element and the type code (BT-3)."""
    name = etree.QName(root).localname
    if name in _UBL_TYPES:
        form, path = _UBL_TYPES[name]
        return form.typed(_only(root, path, _words))
    code = _only(root, "rsm:ExchangedDocument/ram:TypeCode", _words)
    form = DocumentKind.CREDIT_NOTE if code in CREDIT_NOTE_TYPES else DocumentKind.INVOICE
    return form.typed(code)


_UBL_TYPES = {
    "Invoice": (DocumentKind.INVOICE, "cbc:InvoiceTypeCode"),
    "CreditNote": (DocumentKind.CREDIT_NOTE, "cbc:CreditNoteTypeCode"),
}


def _tax_ids(root: etree._Element, party: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """All tax numbers of a party without duplicates, the VAT number first."""
    found = [
        _words(element)
        for path in paths
        for place in _at(root, party)
        for element in _at(place, path)
    ]
    return tuple(dict.fromkeys(text for text in found if text))


def _accounts(root: etree._Element, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The accounts to which it is paid, without duplicates, at most MAX_ACCOUNTS."""
    found = (_words(element) for path in paths for element in _at(root, path)[:MAX_ACCOUNTS])
    return tuple(dict.fromkeys(text for text in found if text))[:MAX_ACCOUNTS]


def _first(
    root: etree._Element,
    paths: tuple[str, ...] | list[str],
    read: Callable[[etree._Element], T | None],
) -> T | None:
    found = (_only(root, path, read) for path in paths)
    return next((value for value in found if value is not None), None)


def _only(root: etree._Element, path: str, read: Callable[[etree._Element], T | None]) -> T | None:
    """The value at the path; None if there is none, or several different ones."""
    try:
        values = {read(element) for element in _at(root, path)}
    except UnreadableDocument:
        return None
    return values.pop() if len(values) == 1 else None


def _at(element: etree._Element, path: str) -> list[etree._Element]:
    return list(cast("Iterable[Any]", _compiled(path)(element)))


@cache
def _compiled(path: str) -> etree.XPath:
    """A path of this module; compiling one takes several times as long as following it."""
    return etree.XPath(path, namespaces=_NAMESPACES)


def _words(element: etree._Element) -> str | None:
    return " ".join(str(_compiled("string()")(element)).split())[:MAX_CHARACTERS] or None


def _code(form: re.Pattern[str]) -> Callable[[etree._Element], str | None]:
    def _read(element: etree._Element) -> str | None:
        text = _words(element) or ""
        return text if form.fullmatch(text) else None

    return _read
