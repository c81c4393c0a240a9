"""Money of the whole document: payment, allowances and charges, VAT, totals (BG-16 to BG-23)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TypeVar

from einvoice.documents.cii.names import TAX_POINT_CODES
from einvoice.documents.cii.read_values import read_day
from einvoice.documents.cii.tags import ram, udt
from einvoice.documents.payment import NOT_DEFINED, debit_position, merged
from einvoice.documents.tree import Node, number, refusal, repetition, without
from einvoice.domain.invoice import (
    AllowanceCharge,
    CreditTransfer,
    PaymentCard,
    PaymentMeans,
    TaxCategory,
    TaxSubtotal,
    Totals,
)

T = TypeVar("T")


def read_payment(settlement: Node) -> tuple[PaymentMeans, ...]:
    """CII has reference, mandate and creditor once, outside the payment means."""
    remittance = settlement.text(ram.PaymentReference)
    mandate = settlement.text_at(ram.SpecifiedTradePaymentTerms, ram.DirectDebitMandateID)
    creditor = settlement.text(ram.CreditorReferenceID)
    payment = merged(
        _means(entry, remittance)
        for entry in settlement.all(ram.SpecifiedTradeSettlementPaymentMeans)
    )
    if not payment and (remittance or mandate or creditor):
        payment = [PaymentMeans(NOT_DEFINED, remittance=remittance)]
    if mandate or creditor:
        at = debit_position(payment)
        payment[at] = replace(payment[at], mandate=mandate, creditor=creditor)
    return tuple(payment)


def read_adjustments(node: Node) -> tuple[AllowanceCharge, ...]:
    """The allowances and charges of a document or a line."""
    return tuple(_adjustment(entry) for entry in node.all(ram.SpecifiedTradeAllowanceCharge))


def read_category(node: Node) -> TaxCategory:
    return TaxCategory(node.need_text(ram.CategoryCode), node.number(ram.RateApplicablePercent))


def read_subtotals(settlement: Node) -> tuple[TaxSubtotal, ...]:
    return tuple(_subtotal(entry) for entry in settlement.all(ram.ApplicableTradeTax))


def tax_point(settlement: Node) -> date | None:
    """BT-7, which each entry of the breakdown repeats."""
    taxes = settlement.all(ram.ApplicableTradeTax)
    return _same(taxes, [read_day(entry, ram.TaxPointDate) for entry in taxes])


def tax_point_code(settlement: Node) -> str | None:
    """BT-8, in UBL's code list."""
    taxes = settlement.all(ram.ApplicableTradeTax)
    code = _same(taxes, [entry.text(ram.DueDateTypeCode) for entry in taxes])
    return TAX_POINT_CODES.get(code, code) if code else None


def read_totals(settlement: Node, currency: str, accounting_currency: str | None) -> Totals:
    total = settlement.need(ram.SpecifiedTradeSettlementHeaderMonetarySummation)
    tax, other = _tax_totals(total, currency, accounting_currency)
    return Totals(
        lines=total.need_number(ram.LineTotalAmount),
        tax_exclusive=total.need_number(ram.TaxBasisTotalAmount),
        tax_inclusive=total.need_number(ram.GrandTotalAmount),
        payable=total.need_number(ram.DuePayableAmount),
        tax=tax,
        tax_in_accounting_currency=other,
        allowances=total.number(ram.AllowanceTotalAmount),
        charges=total.number(ram.ChargeTotalAmount),
        prepaid=total.number(ram.TotalPrepaidAmount),
        rounding=total.number(ram.RoundingAmount),
    )


def _tax_totals(
    total: Node, currency: str, accounting_currency: str | None
) -> tuple[Decimal | None, Decimal | None]:
    """BT-110 and BT-111, distinguished by their currency."""
    found: dict[str, Decimal | None] = {}
    for element in total.elements(ram.TaxTotalAmount):
        coded = element.get("currencyID") or currency
        if coded in found or coded not in (currency, accounting_currency):
            raise repetition(element, f"a further VAT total in {coded}")
        found[coded] = number(element)
    other = found.get(accounting_currency) if accounting_currency not in (None, currency) else None
    return found.get(currency), other


def _means(node: Node, remittance: str | None) -> PaymentMeans:
    account = node.one(ram.PayeePartyCreditorFinancialAccount)
    card = node.one(ram.ApplicableTradeSettlementFinancialCard)
    bank = node.one(ram.PayeeSpecifiedCreditorFinancialInstitution)
    return PaymentMeans(
        code=node.need_text(ram.TypeCode),
        text=node.text(ram.Information),
        remittance=remittance,
        transfers=(_transfer(account, bank),) if account else (),
        card=_card(card) if card else None,
        debited_account=node.text_at(ram.PayerPartyDebtorFinancialAccount, ram.IBANID),
    )


def _transfer(account: Node, bank: Node | None) -> CreditTransfer:
    number = account.text(ram.IBANID) or account.text(ram.ProprietaryID)
    if number is None:
        raise without(account.element, "ProprietaryID")
    return CreditTransfer(
        account=number,
        account_name=account.text(ram.AccountName),
        bic=bank.text(ram.BICID) if bank else None,
    )


def _card(card: Node) -> PaymentCard:
    return PaymentCard(number=card.need_text(ram.ID), holder=card.text(ram.CardholderName))


def _adjustment(node: Node) -> AllowanceCharge:
    category = node.one(ram.CategoryTradeTax)
    return AllowanceCharge(
        charge=node.need(ram.ChargeIndicator).flag(udt.Indicator),
        amount=node.need_number(ram.ActualAmount),
        base_amount=node.number(ram.BasisAmount),
        percentage=node.number(ram.CalculationPercent),
        category=read_category(category) if category else None,
        reason=node.text(ram.Reason),
        reason_code=node.text(ram.ReasonCode),
    )


def _subtotal(node: Node) -> TaxSubtotal:
    return TaxSubtotal(
        taxable=node.need_number(ram.BasisAmount),
        tax=node.need_number(ram.CalculatedAmount),
        category=read_category(node),
        exemption_reason=node.text(ram.ExemptionReason),
        exemption_code=node.text(ram.ExemptionReasonCode),
    )


def _same(places: list[Node], values: list[T | None]) -> T | None:
    """The value that all entries repeat. Raises UnreadableDocument where they differ."""
    first: T | None = None
    for place, value in zip(places, values, strict=True):
        if value is not None and first is not None and value != first:
            raise refusal(place.element, f"the VAT point is {value} here and {first} before")
        first = value if first is None else first
    return first
