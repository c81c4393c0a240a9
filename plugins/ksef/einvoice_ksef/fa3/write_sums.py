"""The sums by rate of VAT (P_13_n, P_14_n), and the annotations about exemptions and margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Self

from einvoice.domain.invoice import Invoice, TaxCategory, TaxSubtotal
from einvoice.domain.money import ZERO, cents
from einvoice_ksef.fa3 import advances, rates, terms
from einvoice_ksef.fa3.elements import Elements
from einvoice_ksef.fa3.rates import MARGIN_SCHEMES, Rate

ZLOTY: Final = "PLN"


@dataclass(slots=True)
class VatSums:
    """The VAT breakdown by the sums of FA(3).

    scheme   the element of the margin scheme, if the invoice is of one
    exempt   the entry of the breakdown that is exempt, without those of a margin scheme
    bases    number of the sum → taxable amount
    taxes    number of the sum → VAT; only of those that have one
    zloty    number of the sum → VAT in PLN, of an invoice in another currency
    """

    buyer_country: str | None
    scheme: str | None = None
    exempt: TaxSubtotal | None = None
    bases: dict[str, Decimal] = field(default_factory=dict)
    taxes: dict[str, Decimal] = field(default_factory=dict)
    zloty: dict[str, Decimal] = field(default_factory=dict)

    @classmethod
    def of(cls, invoice: Invoice, to: Elements) -> Self:
        """The sums. VAT in a foreign currency without its amount in PLN is a fault."""
        codes = {tax.exemption_code or "" for tax in invoice.taxes}
        scheme = next(
            (MARGIN_SCHEMES[code] for code in sorted(codes & MARGIN_SCHEMES.keys())), None
        )
        sums = cls(terms.country_of(invoice.buyer), scheme)
        for tax in invoice.taxes:
            sums._add(tax)
        for place, each in enumerate(advances.settled(invoice)):
            sums._deduct(each.tax, f"prepayments/{place}/", to)
        if scheme and any(_is_plainly_exempt(tax) for tax in invoice.taxes):
            words = "is of a margin scheme, and other lines are exempt; send two invoices"
            to.refuse("taxExemption", "no-place", words)
        sums._convert(invoice, to)
        return sums

    def rate_of(self, category: TaxCategory) -> Rate | None:
        return rates.rate_of(category, self.buyer_country, self.scheme)

    def _add(self, tax: TaxSubtotal) -> None:
        rate = self.rate_of(tax.category)
        if rate is None:  # refused where a line has it
            return
        if rate is rates.EXEMPT:
            self.exempt = tax
        self.bases[rate.base] = self.bases.get(rate.base, ZERO) + tax.taxable
        if rate.tax:
            self.taxes[rate.base] = self.taxes.get(rate.base, ZERO) + tax.tax

    def _deduct(self, tax: TaxSubtotal, field: str, to: Elements) -> None:
        """Subtract an advance, whose rate of VAT may be another one than those of the lines."""
        rate = self.rate_of(tax.category)
        if rate is None:
            field += _rate_field(tax.category)
            to.refuse(field, "no-place", _without_rate(tax.category))
            return
        self.bases[rate.base] = self.bases.get(rate.base, ZERO) - tax.taxable
        if rate.tax:
            self.taxes[rate.base] = self.taxes.get(rate.base, ZERO) - tax.tax

    def _convert(self, invoice: Invoice, to: Elements) -> None:
        """VAT in PLN, each sum by its share of the total that the sender gives."""
        total = sum(self.taxes.values(), ZERO)
        if invoice.currency == ZLOTY or not total:
            return
        converted = invoice.totals.tax_in_accounting_currency
        if converted is None or invoice.accounting_currency != ZLOTY:
            words = "is required: an invoice in another currency has its VAT in PLN (taxCurrency)"
            to.refuse("totals/taxAmountInTaxCurrency", "required", words)
            return
        left = converted
        for base, tax in list(self.taxes.items())[1:]:
            self.zloty[base] = cents(converted * tax / total)
            left -= self.zloty[base]
        self.zloty[next(iter(self.taxes))] = left


def _is_plainly_exempt(tax: TaxSubtotal) -> bool:
    """Whether it is exempt, but not by a margin scheme."""
    return tax.category.code == "E" and tax.exemption_code not in MARGIN_SCHEMES


def _rate_field(category: TaxCategory) -> str:
    return "taxRate" if category.code == "S" else "taxCategory"


def _without_rate(category: TaxCategory) -> str:
    if category.code == "S":
        percent = "none" if category.rate is None else f"{category.rate.normalize():f} %"
        return f"is {percent}; FA(3) has 23, 22, 8, 7, 5, 4 and 3 %"
    if category.code == "AE":
        return "is AE, but the buyer is outside the EU; FA(3) has O for such services"
    return f"is {category.code}, which FA(3) does not have"


def add_rate(to: Elements, name: str, category: TaxCategory, found: VatSums) -> None:
    """The rate of a line; a category without one is a fault."""
    rate = found.rate_of(category)
    if rate is None:
        to.refuse(_rate_field(category), "no-place", _without_rate(category))
    else:
        to.add(name, rate.code)


def sums(to: Elements, found: VatSums, sign: int) -> None:
    """P_13_n and P_14_n in their order."""
    for base in rates.SUMS:
        if base in found.bases:
            to.add(f"P_13_{base}", sign * found.bases[base], "totals")
        if base in found.taxes:
            to.add(f"P_14_{base}", sign * found.taxes[base], "totals")
        if base in found.zloty:
            to.add(f"P_14_{base}W", sign * found.zloty[base], "totals/taxAmountInTaxCurrency")


def exemption(to: Elements, found: VatSums) -> None:
    """Zwolnienie: the legal basis of an exemption: an act, the directive, or another one."""
    with to.group("Zwolnienie"):
        if found.exempt is None:
            to.add("P_19N", 1)
            return
        to.add("P_19", 1)
        basis = exemption_text(found.exempt)
        if basis is None:
            words = "is required: FA(3) names the legal basis of an exemption from VAT (P_19)"
            to.refuse("taxExemption/reason", "required", words)
        else:
            to.add(_basis(basis), basis, "taxExemption/reason")


def exemption_text(tax: TaxSubtotal) -> str | None:
    """Code and reason of an exemption in one text; None if there are none."""
    return ": ".join(filter(None, (tax.exemption_code, tax.exemption_reason))) or None


def _basis(text: str) -> str:
    lower = text.lower()
    if "ustaw" in lower:
        return "P_19A"
    return "P_19B" if "vatex-eu" in lower or "dyrektyw" in lower or "2006/112" in lower else "P_19C"


def margin(to: Elements, found: VatSums) -> None:
    """PMarzy: the margin scheme, if there is one."""
    with to.group("PMarzy"):
        if found.scheme is None:
            to.add("P_PMarzyN", 1)
        else:
            to.add("P_PMarzy", 1)
            to.add(found.scheme, 1)
