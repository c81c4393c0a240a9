"""Money of the whole document: payment, allowances and charges, VAT, totals (BG-16 to BG-23)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from einvoice.documents.cii.names import TAX_POINT_CODES
from einvoice.documents.cii.tags import ram, udt
from einvoice.documents.cii.write_parties import payee
from einvoice.documents.cii.writing import (
    Element,
    bare_day,
    days,
    formatted,
    group,
    number,
    period,
    text,
)
from einvoice.domain.accounts import is_iban
from einvoice.domain.invoice import (
    AllowanceCharge,
    CreditTransfer,
    Invoice,
    PaymentMeans,
    PrecedingInvoice,
    TaxSubtotal,
)

_CII_TAX_POINTS = {ubl: cii for cii, ubl in TAX_POINT_CODES.items()}


def settlement(invoice: Invoice) -> Element | None:
    payment = invoice.payment
    return group(
        ram.ApplicableHeaderTradeSettlement,
        text(ram.CreditorReferenceID, _first(means.creditor for means in payment)),
        text(ram.PaymentReference, _first(means.remittance for means in payment)),
        text(ram.TaxCurrencyCode, invoice.accounting_currency),
        text(ram.InvoiceCurrencyCode, invoice.currency),
        payee(invoice.payee),
        *[entry for means in payment for entry in _means(means)],
        *_breakdown(invoice),
        period(invoice.period),
        *[adjustment(entry) for entry in invoice.adjustments],
        _terms(invoice),
        _totals(invoice),
        *[_preceding(entry) for entry in invoice.preceding],
        group(ram.ReceivableSpecifiedTradeAccountingAccount, text(ram.ID, invoice.accounting_cost)),
    )


def expressible(invoice: Invoice) -> Invoice:
    """The invoice with one preceding invoice at most: the schema of CII allows no more.

    Without an accounting currency (BT-6) that is the currency: in CII there is one VAT total in a
    currency, and BR-53 wants another one.
    """
    kept = replace(invoice, preceding=invoice.preceding[:1])
    if invoice.accounting_currency not in (None, invoice.currency):
        return kept
    totals = replace(invoice.totals, tax_in_accounting_currency=None)
    return replace(kept, accounting_currency=None, totals=totals)


def inexpressible(invoice: Invoice) -> list[str]:
    """Terms of the invoice that CII cannot express, as texts for the caller."""
    found = [
        f"its payment means have more than one {words}"
        for name, words in _ONCE.items()
        if len({getattr(means, name) for means in invoice.payment} - {None}) > 1
    ]
    if len(invoice.preceding) > 1:
        found.append("it refers to more than one preceding invoice")
    if (invoice.tax_point or invoice.tax_point_code) and not invoice.taxes:
        found.append("it has a VAT point without a VAT breakdown")
    return found


_ONCE = {
    "remittance": "payment reference",
    "mandate": "direct debit mandate",
    "creditor": "creditor identifier",
}


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _means(means: PaymentMeans) -> Iterator[Element | None]:
    """One for each account, as in UBL; the first also has the card and the debited account."""
    first, *further = means.transfers or (None,)
    yield group(
        ram.SpecifiedTradeSettlementPaymentMeans,
        *_method(means),
        group(
            ram.ApplicableTradeSettlementFinancialCard,
            text(ram.ID, means.card.number),
            text(ram.CardholderName, means.card.holder),
        )
        if means.card
        else None,
        group(ram.PayerPartyDebtorFinancialAccount, text(ram.IBANID, means.debited_account)),
        *_account(first),
    )
    for transfer in further:
        parts = (*_method(means), *_account(transfer))
        yield group(ram.SpecifiedTradeSettlementPaymentMeans, *parts)


def _method(means: PaymentMeans) -> tuple[Element | None, ...]:
    return text(ram.TypeCode, means.code), text(ram.Information, means.text)


def _account(transfer: CreditTransfer | None) -> tuple[Element | None, ...]:
    if transfer is None:
        return ()
    tag = ram.IBANID if is_iban(transfer.account) else ram.ProprietaryID
    # In the schema an IBAN precedes the name, any other account follows it.
    account, name = text(tag, transfer.account), text(ram.AccountName, transfer.account_name)
    parts = (account, name) if tag == ram.IBANID else (name, account)
    return (
        group(ram.PayeePartyCreditorFinancialAccount, *parts),
        group(ram.PayeeSpecifiedCreditorFinancialInstitution, text(ram.BICID, transfer.bic)),
    )


def _breakdown(invoice: Invoice) -> Iterator[Element | None]:
    """BG-23; the first entry also has the VAT point of the document (BT-7, BT-8)."""
    code = invoice.tax_point_code
    code = _CII_TAX_POINTS.get(code, code) if code else None
    for at, entry in enumerate(invoice.taxes):
        yield _subtotal(entry, *((invoice.tax_point, code) if at == 0 else (None, None)))


def _subtotal(subtotal: TaxSubtotal, day: date | None, code: str | None) -> Element | None:
    return group(
        ram.ApplicableTradeTax,
        number(ram.CalculatedAmount, subtotal.tax),
        text(ram.TypeCode, "VAT"),
        text(ram.ExemptionReason, subtotal.exemption_reason),
        number(ram.BasisAmount, subtotal.taxable),
        text(ram.CategoryCode, subtotal.category.code),
        text(ram.ExemptionReasonCode, subtotal.exemption_code),
        bare_day(ram.TaxPointDate, day),
        text(ram.DueDateTypeCode, code),
        number(ram.RateApplicablePercent, subtotal.category.rate),
    )


def adjustment(entry: AllowanceCharge) -> Element | None:
    """An allowance or charge of the document (BG-20, BG-21) or of a line (BG-27, BG-28)."""
    category = entry.category
    return group(
        ram.SpecifiedTradeAllowanceCharge,
        group(ram.ChargeIndicator, text(udt.Indicator, "true" if entry.charge else "false")),
        number(ram.CalculationPercent, entry.percentage),
        number(ram.BasisAmount, entry.base_amount),
        number(ram.ActualAmount, entry.amount),
        text(ram.ReasonCode, entry.reason_code),
        text(ram.Reason, entry.reason),
        group(
            ram.CategoryTradeTax,
            text(ram.TypeCode, "VAT"),
            text(ram.CategoryCode, category.code),
            number(ram.RateApplicablePercent, category.rate),
        )
        if category
        else None,
    )


def _terms(invoice: Invoice) -> Element | None:
    """BT-20, BT-9, BT-89."""
    return group(
        ram.SpecifiedTradePaymentTerms,
        text(ram.Description, invoice.payment_terms),
        days(ram.DueDateDateTime, invoice.due_date),
        text(ram.DirectDebitMandateID, _first(means.mandate for means in invoice.payment)),
    )


def _totals(invoice: Invoice) -> Element | None:
    totals, currency, other = invoice.totals, invoice.currency, invoice.accounting_currency
    return group(
        ram.SpecifiedTradeSettlementHeaderMonetarySummation,
        number(ram.LineTotalAmount, totals.lines),
        number(ram.ChargeTotalAmount, totals.charges),
        number(ram.AllowanceTotalAmount, totals.allowances),
        number(ram.TaxBasisTotalAmount, totals.tax_exclusive),
        number(ram.TaxTotalAmount, totals.tax, currencyID=currency),
        number(ram.TaxTotalAmount, totals.tax_in_accounting_currency, currencyID=other or currency),
        number(ram.RoundingAmount, totals.rounding),
        number(ram.GrandTotalAmount, totals.tax_inclusive),
        number(ram.TotalPrepaidAmount, totals.prepaid),
        number(ram.DuePayableAmount, totals.payable),
    )


def _preceding(preceding: PrecedingInvoice) -> Element | None:
    return group(
        ram.InvoiceReferencedDocument,
        text(ram.IssuerAssignedID, preceding.number),
        formatted(ram.FormattedIssueDateTime, preceding.issue_date),
    )
